// core/decode/forest_writer.hpp: the hypergraph of a search as the arrays of a packed forest
// (core/forest/view.hpp). No Python here.
//
// It works for any search: edges have any number of tails, and yields mix words and tails. A search
// describes its hypergraph by a source:
//
//   nodes()                     tails have smaller numbers than heads
//   edges(), features()         edges in any order; dense features of an edge
//   root()                      the node that stands for the whole sentence
//   head(edge), tails(edge)     a node; a span of nodes
//   best_edge(node)             the edge of a node in its best derivation
//   label(edge)                 the option or rule of an edge; -1: none
//   append_yield(edge, out)     its words, and -1-k for the k-th tail
//   write_features(edge, row)   into a row of zeros
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "util/error.hpp"

namespace rosewood {

/// A packed forest: nodes are numbered bottom-up, the root is the last; edges are grouped by heads.
struct ForestArrays {
  std::vector<std::int64_t> edge_start{0}, tail_start{0}, yield_start{0};
  std::vector<std::int32_t> tail, yield_symbol;
  std::vector<double> dense;
  std::vector<std::int32_t> edge_label;
  std::vector<std::int64_t> best_edges;  // of the best derivation, in pre-order
  std::vector<std::int32_t> node;        // of each node, its number in the search
};

template <class Source>
class ForestWriter {
 public:
  explicit ForestWriter(Source& source) : source_(source) {}

  /// Nodes and edges that lead to the root; their order stays.
  ForestArrays write() {
    group_edges();
    mark_reachable();
    ForestArrays out;
    reserve(out);
    std::int32_t count = 0;
    for (std::size_t node = 0; node < number_.size(); ++node) {
      if (number_[node] < 0) continue;
      number_[node] = count++;
      out.node.push_back(static_cast<std::int32_t>(node));
      for (const std::int32_t edge : edges_of(node)) add_edge(edge, out);
      out.edge_start.push_back(static_cast<std::int64_t>(out.edge_label.size()));
    }
    add_best(out);
    return out;
  }

 private:
  static constexpr std::int32_t unreachable = -1, reachable = 0;

  std::span<const std::int32_t> edges_of(std::size_t node) const {
    return std::span(by_head_).subspan(static_cast<std::size_t>(start_[node]),
                                       static_cast<std::size_t>(start_[node + 1] - start_[node]));
  }

  /// Sorts edges by heads; those of a head keep their order.
  void group_edges() {
    const auto nodes = static_cast<std::size_t>(source_.nodes());
    const auto edges = static_cast<std::int32_t>(source_.edges());
    start_.assign(nodes + 1, 0);
    for (std::int32_t edge = 0; edge < edges; ++edge) ++start_[source_.head(edge) + 1];
    for (std::size_t node = 0; node < nodes; ++node) start_[node + 1] += start_[node];
    by_head_.resize(static_cast<std::size_t>(edges));
    std::vector<std::int64_t> next(start_.begin(), start_.end() - 1);
    for (std::int32_t edge = 0; edge < edges; ++edge)
      by_head_[static_cast<std::size_t>(next[source_.head(edge)]++)] = edge;
  }

  /// From the root down: heads come before their tails, since they have larger numbers.
  void mark_reachable() {
    number_.assign(static_cast<std::size_t>(source_.nodes()), unreachable);
    number_[source_.root()] = reachable;
    for (std::size_t node = number_.size(); node-- > 0;) {
      if (number_[node] == unreachable) continue;
      for (const std::int32_t edge : edges_of(node)) {
        ++edges_;
        for (const std::int32_t tail : source_.tails(edge)) {
          if (tail < 0 || tail >= static_cast<std::int32_t>(node))
            fail<ForestError>({"forest.order", edge}, "edge ", edge, " of a search has head ", node,
                              " and tail ", tail, ", expected a smaller tail");
          number_[tail] = reachable;
          ++tails_;
        }
      }
    }
  }

  void reserve(ForestArrays& out) const {
    out.dense.resize(edges_ * source_.features());
    out.tail.reserve(tails_);
    out.edge_label.reserve(edges_);
    out.tail_start.reserve(edges_ + 1);
    out.yield_start.reserve(edges_ + 1);
  }

  void add_edge(std::int32_t edge, ForestArrays& out) {
    const std::size_t row = out.edge_label.size(), width = source_.features();
    for (const std::int32_t tail : source_.tails(edge)) out.tail.push_back(number_[tail]);
    source_.append_yield(edge, out.yield_symbol);
    out.tail_start.push_back(static_cast<std::int64_t>(out.tail.size()));
    out.yield_start.push_back(static_cast<std::int64_t>(out.yield_symbol.size()));
    out.edge_label.push_back(source_.label(edge));
    source_.write_features(edge, std::span(out.dense).subspan(width * row, width));
  }

  /// Where an edge is in the forest: after those of smaller nodes, in the order of its head's.
  std::int64_t row_of(std::int32_t edge, const ForestArrays& out) const {
    const auto head = static_cast<std::size_t>(source_.head(edge));
    const auto edges = edges_of(head);
    const auto place = std::lower_bound(edges.begin(), edges.end(), edge) - edges.begin();
    return out.edge_start[static_cast<std::size_t>(number_[head])] + place;
  }

  void add_best(ForestArrays& out) const {
    std::vector<std::int32_t> open{static_cast<std::int32_t>(source_.root())};
    while (!open.empty()) {
      const std::int32_t node = open.back(), edge = source_.best_edge(node);
      if (source_.head(edge) != node)
        fail<ForestError>({"forest.head", node}, "the best edge of node ", node,
                          " of a search leads to another node");
      open.pop_back();
      out.best_edges.push_back(row_of(edge, out));
      const std::span<const std::int32_t> tails = source_.tails(edge);
      open.insert(open.end(), tails.rbegin(), tails.rend());
    }
  }

  Source& source_;
  std::vector<std::int64_t> start_;    // of the edges of each node, in by_head_
  std::vector<std::int32_t> by_head_;  // edges
  std::vector<std::int32_t> number_;   // of each node, in the forest
  std::size_t edges_ = 0, tails_ = 0;  // of the forest
};

}  // namespace rosewood
