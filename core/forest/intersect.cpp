// core/forest/intersect.cpp: a forest and an automaton over its strings (Bar-Hillel's
// construction), made on demand: only states that a derivation can reach from the left are looked
// at.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "forest/transform.hpp"
#include "forest/validate.hpp"
#include "util/error.hpp"

namespace rosewood {

void check_automaton(const AutomatonView& a) {
  const std::int64_t states = std::ssize(a.final_weight);
  if (states < 1)
    fail<ForestError>({"argument.missing", "states"}, "an automaton has at least one state");
  if (a.initial < 0 || a.initial >= states)
    fail<ForestError>({"argument.range", "initial", a.initial}, "the initial state is ", a.initial,
                      ", but states go from 0 to ", states - 1);
  check_offsets("arc_start", a.arc_start, states, std::ssize(a.symbol));
  if (a.next.size() != a.symbol.size() || a.weight.size() != a.symbol.size())
    fail<ForestError>("argument.shape",
                      "an automaton's arcs need a symbol, a next state and a weight each");
  for (std::int64_t s = 0; s < states; ++s) {
    if (!(a.final_weight[s] < std::numeric_limits<double>::infinity()))
      fail<ForestError>({"argument.range", "final_weight", s}, "the final weight of state ", s,
                        " is ", a.final_weight[s]);
    for (Offset i = a.arc_start[s]; i < a.arc_start[s + 1]; ++i) {
      if (a.next[i] < 0 || a.next[i] >= states)
        fail<ForestError>({"argument.range", "next", i}, "arc ", i, " goes to state ", a.next[i],
                          ", but there are ", states);
      if (a.symbol[i] < -1)
        fail<ForestError>({"argument.range", "symbol", i}, "arc ", i, " has symbol ", a.symbol[i]);
      if (i > a.arc_start[s] && a.symbol[i] < a.symbol[i - 1])
        fail<ForestError>({"argument.value", "symbol", i}, "arc ", i, " of state ", s,
                          " is not sorted by symbol");
      if (!std::isfinite(a.weight[i]))
        fail<ForestError>({"argument.range", "weight", i}, "arc ", i, " has weight ", a.weight[i],
                          ": leave it out instead");
    }
  }
}

namespace {

/// Arcs of `state` for `word`, or its arcs for any other word.
std::span<const std::int32_t> arcs(const AutomatonView& a, std::int32_t state, SymbolId word,
                                   Offset& first) {
  const auto begin = a.symbol.begin() + a.arc_start[state];
  const auto end = a.symbol.begin() + a.arc_start[state + 1];
  auto found = std::equal_range(begin, end, word);
  if (found.first == found.second) found = std::equal_range(begin, end, SymbolId{-1});
  first = found.first - a.symbol.begin();
  return a.next.subspan(static_cast<std::size_t>(first),
                        static_cast<std::size_t>(found.second - found.first));
}

class Intersector {
 public:
  Intersector(const ForestView& f, const YieldView& yield, const AutomatonView& a,
              std::int64_t max_edges)
      : f_(f), yield_(yield), a_(a), max_edges_(max_edges) {}

  Intersection run() {
    open(f_.root(), a_.initial);
    while (!stack_.empty()) {
      if (advance(stack_.back())) stack_.pop_back();
    }
    // Nodes that lead to no accepting path are dropped, and the weights follow the edges.
    std::vector<std::uint8_t> keep(made_.head.size(), 1);
    Intersection result;
    result.structure = select_edges(made_.view(), keep);
    for (auto& e : result.structure.edge_map) {
      result.weight.push_back(weight_[static_cast<std::size_t>(e)]);
      e = made_.edge_map[static_cast<std::size_t>(e)];
    }
    for (auto& v : result.structure.node_map) v = made_.node_map[static_cast<std::size_t>(v)];
    return result;
  }

 private:
  /// The strings of a node read from a state: where they end, and the new node for each end.
  using Ends = std::vector<std::pair<std::int32_t, NodeId>>;
  /// One way through the symbols of an edge read so far.
  struct Partial {
    std::int32_t state;
    double weight;
    std::vector<NodeId> tails;
  };
  struct Complete {
    std::int64_t edge;
    double weight;
    std::vector<NodeId> tails;
  };
  struct Frame {
    NodeId node;
    std::int32_t from;
    Offset edge;
    std::size_t symbol = 0;
    std::vector<Partial> partials;
    std::map<std::int32_t, std::vector<Complete>> complete;  // by end state, in order
  };

  static std::uint64_t key(NodeId node, std::int32_t state) {
    return static_cast<std::uint64_t>(node) << 32 | static_cast<std::uint32_t>(state);
  }

  void open(NodeId node, std::int32_t from) {
    stack_.push_back(Frame{node, from, f_.edge_start[node], 0, {}, {}});
    begin_edge(stack_.back());
  }

  void begin_edge(Frame& frame) {
    frame.symbol = 0;
    frame.partials.clear();
    if (frame.edge < f_.edge_start[frame.node + 1])
      frame.partials.push_back(
          {frame.from, 0.0, std::vector<NodeId>(f_.tails(frame.edge).size(), -1)});
  }

  /// Works on a frame until it is finished (true) or needs others first, which are then on top.
  bool advance(Frame& frame) {
    while (frame.edge < f_.edge_start[frame.node + 1]) {
      const auto says = yield_[frame.edge];
      while (frame.symbol < says.size()) {
        const SymbolId symbol = says[frame.symbol];
        if (symbol < 0 && open_missing(frame, -1 - symbol)) return false;
        frame.partials = symbol >= 0 ? read_word(frame, symbol) : read_tail(frame, -1 - symbol);
        ++frame.symbol;
      }
      for (Partial& p : frame.partials) {
        if (++edges_ > max_edges_)
          fail<ForestError>({"forest.too-large", "edges", max_edges_},
                            "the intersection has more than ", max_edges_,
                            " edges: prune the forest first, or allow more");
        frame.complete[p.state].push_back({frame.edge, p.weight, std::move(p.tails)});
      }
      ++frame.edge;
      begin_edge(frame);
    }
    finish(frame);
    return true;
  }

  /// Opens what a tail needs; the frame's own place in memory may move, so it is done with.
  bool open_missing(Frame& frame, std::int64_t slot) {
    const NodeId node = f_.tails(frame.edge)[static_cast<std::size_t>(slot)];
    std::vector<std::int32_t> missing;
    for (const Partial& p : frame.partials)
      if (!done_.contains(key(node, p.state))) missing.push_back(p.state);
    std::ranges::sort(missing);
    missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
    for (const std::int32_t state : missing) open(node, state);
    return !missing.empty();
  }

  /// Ways through one edge become its edges: there may not be more of them than edges in all.
  void check_ways(std::size_t ways) const {
    if (std::cmp_greater(ways, max_edges_))
      fail<ForestError>({"forest.too-large", "edges", max_edges_},
                        "the intersection has more than ", max_edges_,
                        " edges: prune the forest first, or allow more");
  }

  std::vector<Partial> read_word(const Frame& frame, SymbolId word) const {
    std::vector<Partial> next;
    for (const Partial& p : frame.partials) {
      Offset first = 0;
      const auto to = arcs(a_, p.state, word, first);
      for (std::size_t i = 0; i < to.size(); ++i)
        next.push_back({to[i], p.weight + a_.weight[first + static_cast<Offset>(i)], p.tails});
      check_ways(next.size());
    }
    return next;
  }

  std::vector<Partial> read_tail(const Frame& frame, std::int64_t slot) const {
    std::vector<Partial> next;
    const NodeId node = f_.tails(frame.edge)[static_cast<std::size_t>(slot)];
    for (const Partial& p : frame.partials) {
      for (const auto& [state, made] : done_.at(key(node, p.state))) {
        next.push_back({state, p.weight, p.tails});
        next.back().tails[static_cast<std::size_t>(slot)] = made;
      }
      check_ways(next.size());
    }
    return next;
  }

  /// Numbers the frame's nodes, one for each end; the root's accepting ends are one node, the last.
  void finish(Frame& frame) {
    if (frame.node == f_.root()) {
      for (const auto& [state, completes] : frame.complete) {
        if (a_.final_weight[state] == -std::numeric_limits<double>::infinity()) continue;
        for (const Complete& c : completes) add(c, a_.final_weight[state]);
      }
      made_.end_node(frame.node);
      return;
    }
    Ends ends;
    for (const auto& [state, completes] : frame.complete) {
      for (const Complete& c : completes) add(c, 0.0);
      ends.emplace_back(state, made_.end_node(frame.node));
    }
    done_.emplace(key(frame.node, frame.from), std::move(ends));
  }

  void add(const Complete& c, double extra) {
    made_.add_edge(c.edge, c.tails);
    weight_.push_back(c.weight + extra);
  }

  const ForestView& f_;
  const YieldView& yield_;
  const AutomatonView& a_;
  std::int64_t max_edges_;
  std::int64_t edges_ = 0;
  std::vector<Frame> stack_;
  std::unordered_map<std::uint64_t, Ends> done_;
  Structure made_;
  std::vector<double> weight_;
};

}  // namespace

Intersection intersect(const ForestView& f, const YieldView& yield, const AutomatonView& a,
                       std::int64_t max_edges) {
  check_automaton(a);
  return Intersector(f, yield, a, max_edges).run();
}

}  // namespace rosewood
