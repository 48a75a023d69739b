// core/forest/occurrence.cpp: how probable it is that things occur at all.
#include "forest/occurrence.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "forest/expectation.hpp"
#include "forest/occurrence_spans.hpp"
#include "util/error.hpp"

namespace rosewood {

namespace {

/// The edges with each thing, in order.
struct Places {
  std::vector<Offset> start;
  std::vector<std::int64_t> edge;
};

Places places_of(const Rows<std::int64_t>& mark, std::size_t things) {
  Places made{std::vector<Offset>(things + 1), std::vector<std::int64_t>(mark.item.size())};
  for (const std::int64_t g : mark.item) {
    if (g < 0 || g >= std::ssize(made.start) - 1)
      fail<ForestError>("argument.range", "a mark is ", g, ", but there are ", things, " things");
    ++made.start[g + 1];
  }
  std::partial_sum(made.start.begin(), made.start.end(), made.start.begin());
  std::vector<Offset> next(made.start.begin(), made.start.end() - 1);
  for (std::int64_t e = 0; e < mark.size(); ++e)
    for (const std::int64_t g : mark[e]) made.edge[next[g]++] = e;
  return made;
}

class Sweep {
 public:
  /// `count` has the probability of each edge.
  Sweep(const ForestView& f, std::span<const double> q, std::span<const double> count)
      : f_(f), q_(q), count_(count), occurs_(static_cast<std::size_t>(f.num_nodes())) {
    for (std::int64_t e = 0; e < f.num_edges(); ++e) paths_ = paths_ && f.tails(e).size() <= 1;
  }

  /// Whether no edge has two tails: derivations are paths.
  bool is_of_paths() const { return paths_; }

  /// The nodes to look at for a thing that these edges have, first and last; none where the last
  /// comes before the first. Below the first edge nothing occurs. And a path has a thing for the
  /// first time at one edge at most, so that probabilities of that add up, and nothing is looked at
  /// behind the last edge: most things are in one place only.
  std::pair<NodeId, NodeId> range(std::span<const std::int64_t> edges) const {
    NodeId last = paths_ ? -1 : f_.root();
    if (paths_)
      for (const std::int64_t e : edges)
        for (const NodeId tail : f_.tails(e)) last = std::max(last, tail);
    return {f_.head[edges.front()], last};
  }

  /// The probability of the thing of each lane; `marked` in order of edges, `first` and `last` so
  /// that the ranges of all of them lie between.
  Lane run(std::span<const Marked> marked, NodeId first, NodeId last) {
    first_ = first;
    last_ = last;
    fill(marked);
    if (!paths_) return occurs_.back();
    Lane total{};
    for (const Marked& m : marked) total[m.lane] += count_[m.edge] * (1.0 - below(m.edge)[m.lane]);
    return total;
  }

 private:
  void fill(std::span<const Marked> marked) {
    auto next = marked.begin();
    while (next != marked.end() && f_.head[next->edge] < first_) ++next;
    for (std::int64_t v = first_; v <= last_; ++v) {
      Lane sum{};
      for (Offset e = f_.edge_start[v]; e < f_.edge_start[v + 1]; ++e) {
        Lane here = below(e);
        for (; next != marked.end() && next->edge == e; ++next) here[next->lane] = 1.0;
        for (std::size_t i = 0; i < lanes; ++i) sum[i] += q_[e] * here[i];
      }
      occurs_[v] = sum;
    }
  }

  /// That it occurs under some tail: there are no differences, so that small numbers stay exact.
  Lane below(std::int64_t e) const {
    Lane any{};
    for (const NodeId tail : f_.tails(e)) {
      if (tail < first_ || tail > last_) continue;
      for (std::size_t i = 0; i < lanes; ++i) any[i] += occurs_[tail][i] * (1.0 - any[i]);
    }
    return any;
  }

  const ForestView& f_;
  std::span<const double> q_, count_;
  bool paths_ = true;
  NodeId first_ = 0, last_ = -1;
  std::vector<Lane> occurs_;  // of each node from first to last: that things occur below it
};

/// A thing, what is to be looked at for it, and how much that is.
struct Thing {
  std::size_t number;
  NodeId first, last;
  std::optional<Hull> hull;  // of its edges, where nothing above it need be looked at
  int size;                  // bits of the number of nodes, or within a hull of edges

  /// Things with close keys look at about the same.
  std::tuple<bool, NodeId, NodeId, int, NodeId> key() const {
    if (!hull) return {false, 0, 0, size, first};
    return {true, hull->begin, hull->end, size, 0};
  }
  bool goes_with(const Thing& other) const {
    return hull.has_value() == other.hull.has_value() &&
           (!hull || (hull->begin == other.hull->begin && hull->end == other.hull->end));
  }
};

/// Things that begin at about the same place go together, but none that wants a look at much of
/// the forest with some that want little.
class Batches {
 public:
  Batches(const ForestView& f, const Places& places, Sweep& sweep, SpanSweep* spans)
      : f_(f), places_(places), sweep_(sweep), spans_(spans) {}

  void add(std::size_t number) {
    const auto edges = Rows<std::int64_t>{places_.start, places_.edge}[static_cast<Offset>(number)];
    if (edges.empty()) return;
    const auto hull = spans_ == nullptr ? std::nullopt : spans_->hull(edges);
    if (hull) {
      things_.push_back({number, 0, 0, hull, size_of(std::ssize(edges))});
      return;
    }
    const auto [first, last] = sweep_.range(edges);
    things_.push_back({number, first, last, {}, size_of(last - first + 1)});
  }

  void run(std::span<double> probability) {
    std::ranges::stable_sort(things_, {}, &Thing::key);
    for (std::size_t from = 0; from < things_.size();) {
      std::size_t count = 1;
      while (count < lanes && from + count < things_.size() &&
             things_[from + count].goes_with(things_[from]))
        ++count;
      const std::span<const Thing> batch(things_.data() + from, count);
      const Lane found = batch.front().hull ? within_hull(batch) : in_range(batch);
      for (std::size_t lane = 0; lane < count; ++lane)
        probability[batch[lane].number] = std::min(found[lane], 1.0);
      from += count;
    }
  }

 private:
  static int size_of(std::int64_t count) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max(0L, count))));
  }

  Lane in_range(std::span<const Thing> batch) {
    NodeId first = f_.root(), last = -1;
    for (const Thing& thing : batch) {
      if (thing.size == 0) continue;
      first = std::min(first, thing.first);
      last = std::max(last, thing.last);
    }
    mark(batch);
    return sweep_.run(marked_, first, last);
  }

  Lane within_hull(std::span<const Thing> batch) {
    mark(batch);
    const auto found = spans_->run(marked_, *batch.front().hull);
    return found ? *found : sweep_.run(marked_, 0, f_.root());
  }

  void mark(std::span<const Thing> batch) {
    marked_.clear();
    for (std::size_t lane = 0; lane < batch.size(); ++lane) {
      const std::size_t number = batch[lane].number;
      const Offset begin = places_.start[number], end = places_.start[number + 1];
      for (Offset i = begin; i < end; ++i)
        if (i == begin || places_.edge[i] != places_.edge[i - 1])
          marked_.push_back({places_.edge[i], lane});
    }
    std::ranges::stable_sort(marked_, {}, &Marked::edge);
  }

  const ForestView& f_;
  const Places& places_;
  Sweep& sweep_;
  SpanSweep* spans_;
  std::vector<Thing> things_;
  std::vector<Marked> marked_;
};

}  // namespace

void occurrence_probabilities(const ForestView& f, std::span<const double> q,
                              const Rows<std::int64_t>& mark, std::span<const std::int32_t> span,
                              std::span<double> probability) {
  const Places places = places_of(mark, probability.size());
  std::vector<double> count(q.size());
  edge_counts(f, q, count);
  Sweep sweep(f, q, count);
  std::optional<SpanSweep> spans;
  if (!span.empty() && !sweep.is_of_paths() && SpanSweep::is_nested(f, span))
    spans.emplace(f, q, count, span);
  Batches batches(f, places, sweep, spans ? &*spans : nullptr);
  std::ranges::fill(probability, 0.0);
  for (std::size_t g = 0; g < probability.size(); ++g) batches.add(g);
  batches.run(probability);
}

}  // namespace rosewood
