// core/forest/occurrence.cpp: how probable it is that things occur at all.
#include "forest/occurrence.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "forest/expectation.hpp"
#include "util/error.hpp"

namespace rosewood {

namespace {

constexpr std::size_t lanes = 8;  // things at a time: one pass over the edges serves them all
using Lane = std::array<double, lanes>;

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

/// An edge that has the thing of a lane.
struct Marked {
  std::int64_t edge;
  std::size_t lane;
};

class Sweep {
 public:
  Sweep(const ForestView& f, std::span<const double> q)
      : f_(f), q_(q), occurs_(static_cast<std::size_t>(f.num_nodes())) {
    for (std::int64_t e = 0; e < f.num_edges(); ++e) paths_ = paths_ && f.tails(e).size() <= 1;
    if (!paths_) return;
    count_.resize(q.size());
    edge_counts(f, q, count_);
  }

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
  std::span<const double> q_;
  bool paths_ = true;          // no edge has two tails
  std::vector<double> count_;  // of each edge, where derivations are paths: its probability
  NodeId first_ = 0, last_ = -1;
  std::vector<Lane> occurs_;  // of each node from first to last: that things occur below it
};

}  // namespace

void occurrence_probabilities(const ForestView& f, std::span<const double> q,
                              const Rows<std::int64_t>& mark, std::span<double> probability) {
  const Places places = places_of(mark, probability.size());
  Sweep sweep(f, q);
  // Things that begin at about the same place go together, but none that wants a look at much of
  // the forest with some that want little.
  struct Thing {
    std::size_t number;
    NodeId first, last;
    int size;
  };
  std::vector<Thing> order;
  for (std::size_t g = 0; g < probability.size(); ++g) {
    probability[g] = 0.0;
    const auto edges = Rows<std::int64_t>{places.start, places.edge}[static_cast<Offset>(g)];
    if (edges.empty()) continue;
    const auto [first, last] = sweep.range(edges);
    const auto nodes = static_cast<std::uint32_t>(std::max(0, last - first + 1));
    order.push_back({g, first, last, static_cast<int>(std::bit_width(nodes))});
  }
  std::ranges::stable_sort(order, {}, [](const Thing& t) { return std::pair{t.size, t.first}; });
  std::vector<Marked> marked;
  for (std::size_t from = 0; from < order.size(); from += lanes) {
    const std::size_t count = std::min(lanes, order.size() - from);
    NodeId first = f.root(), last = -1;
    marked.clear();
    for (std::size_t lane = 0; lane < count; ++lane) {
      const Thing& thing = order[from + lane];
      if (thing.size > 0) {
        first = std::min(first, thing.first);
        last = std::max(last, thing.last);
      }
      const Offset begin = places.start[thing.number], end = places.start[thing.number + 1];
      for (Offset i = begin; i < end; ++i)
        if (i == begin || places.edge[i] != places.edge[i - 1])
          marked.push_back({places.edge[i], lane});
    }
    std::ranges::stable_sort(marked, {}, &Marked::edge);
    const Lane found = sweep.run(marked, first, last);
    for (std::size_t lane = 0; lane < count; ++lane)
      probability[order[from + lane].number] = std::min(found[lane], 1.0);
  }
}

}  // namespace rosewood
