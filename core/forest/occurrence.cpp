// core/forest/occurrence.cpp: how probable it is that things occur at all.
#include "forest/occurrence.hpp"

#include <algorithm>
#include <array>
#include <numeric>
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
      fail<ForestError>("a mark is ", g, ", but there are ", things, " things");
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

  /// The probability of the thing of each lane; `marked` in order of edges, not empty. Below the
  /// first of them nothing occurs.
  Lane run(std::span<const Marked> marked) {
    first_ = f_.head[marked.front().edge];
    if (!paths_) {
      fill(marked, f_.root());
      return occurs_.back();
    }
    // A path has a thing for the first time at one edge at most, so that their probabilities add
    // up; nothing is looked at behind the last of them. Most things are in one place only.
    NodeId last = -1;
    for (const Marked& m : marked)
      for (const NodeId tail : f_.tails(m.edge)) last = std::max(last, tail);
    fill(marked, last);
    Lane total{};
    for (const Marked& m : marked) total[m.lane] += count_[m.edge] * (1.0 - below(m.edge)[m.lane]);
    return total;
  }

 private:
  void fill(std::span<const Marked> marked, NodeId last) {
    auto next = marked.begin();
    for (std::int64_t v = first_; v <= last; ++v) {
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
      if (tail < first_) continue;
      for (std::size_t i = 0; i < lanes; ++i) any[i] += occurs_[tail][i] * (1.0 - any[i]);
    }
    return any;
  }

  const ForestView& f_;
  std::span<const double> q_;
  bool paths_ = true;          // no edge has two tails
  std::vector<double> count_;  // of each edge, where derivations are paths: its probability
  NodeId first_ = 0;           // where things begin to occur
  std::vector<Lane> occurs_;   // of each node from there on: that they occur in its derivation
};

}  // namespace

void occurrence_probabilities(const ForestView& f, std::span<const double> q,
                              const Rows<std::int64_t>& mark, std::span<double> probability) {
  const Places places = places_of(mark, probability.size());
  std::vector<std::size_t> order;  // things that begin at about the same place go together
  for (std::size_t g = 0; g < probability.size(); ++g) {
    probability[g] = 0.0;
    if (places.start[g] < places.start[g + 1]) order.push_back(g);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t g) { return places.edge[places.start[g]]; });
  Sweep sweep(f, q);
  std::vector<Marked> marked;
  for (std::size_t from = 0; from < order.size(); from += lanes) {
    const std::size_t count = std::min(lanes, order.size() - from);
    marked.clear();
    for (std::size_t lane = 0; lane < count; ++lane) {
      const Offset begin = places.start[order[from + lane]];
      const Offset end = places.start[order[from + lane] + 1];
      for (Offset i = begin; i < end; ++i)
        if (i == begin || places.edge[i] != places.edge[i - 1])
          marked.push_back({places.edge[i], lane});
    }
    std::ranges::stable_sort(marked, {}, &Marked::edge);
    const Lane found = sweep.run(marked);
    for (std::size_t lane = 0; lane < count; ++lane)
      probability[order[from + lane]] = std::min(found[lane], 1.0);
  }
}

}  // namespace rosewood
