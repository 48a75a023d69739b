// core/forest/view.hpp: the packed forest as kernels see it. No Python here.
//
// Nodes 0..V-1 stand bottom-up, the root last; edges are grouped by head.
//   edge_start[V+1]   edges of node v: edge_start[v] .. edge_start[v+1]-1
//   head[E]           the node an edge derives
//   tail_start[E+1]   tails of edge e: tail[tail_start[e] .. tail_start[e+1]-1], in slot order;
//   tail[T]           a node may fill several slots of one edge
// Example, r <- a a with two edges into a:
//   edge_start = 0 2 3   head = 0 0 1   tail_start = 0 0 0 2   tail = 0 0
#pragma once

#include <cstdint>
#include <span>

namespace rosewood {

using NodeId = std::int32_t;
using Offset = std::int64_t;
using SymbolId = std::int32_t;
using FeatureId = std::int32_t;

/// Rows of varying length: row i is id[start[i] .. start[i+1]-1].
template <class T>
struct Rows {
  std::span<const Offset> start;
  std::span<const T> item;

  std::int64_t size() const { return static_cast<std::int64_t>(start.size()) - 1; }
  std::span<const T> operator[](std::int64_t i) const {
    return item.subspan(static_cast<std::size_t>(start[i]),
                        static_cast<std::size_t>(start[i + 1] - start[i]));
  }
};

struct ForestView {
  std::span<const Offset> edge_start;
  std::span<const NodeId> head;
  std::span<const Offset> tail_start;
  std::span<const NodeId> tail;

  std::int64_t num_nodes() const { return static_cast<std::int64_t>(edge_start.size()) - 1; }
  std::int64_t num_edges() const { return static_cast<std::int64_t>(head.size()); }
  NodeId root() const { return static_cast<NodeId>(num_nodes() - 1); }
  std::span<const NodeId> tails(std::int64_t e) const {
    return tail.subspan(static_cast<std::size_t>(tail_start[e]),
                        static_cast<std::size_t>(tail_start[e + 1] - tail_start[e]));
  }
};

/// What an edge says: word ids, or -1-k for the string of its k-th tail.
using YieldView = Rows<SymbolId>;

/// Sparse features: row e has pairs (id[i], value[i]) for start[e] <= i < start[e+1].
struct SparseView {
  std::span<const Offset> start;
  std::span<const FeatureId> id;
  std::span<const double> value;
};

}  // namespace rosewood
