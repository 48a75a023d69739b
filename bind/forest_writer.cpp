// bind/forest_writer.cpp: the forest writer of native decoders, for hypergraphs in arrays.
#include "decode/forest_writer.hpp"

#include "bind.hpp"

namespace rosewood::bind {

namespace {

using Lists = std::vector<std::vector<std::int32_t>>;

/// A hypergraph as core/decode/forest_writer.hpp takes it; edges have no features.
struct ListedGraph {
  std::int32_t node_count;
  const std::vector<std::int32_t>& heads;
  const Lists &tail_lists, &yields;
  const std::vector<std::int32_t>& best_edges;

  std::int32_t nodes() const { return node_count; }
  std::size_t edges() const { return heads.size(); }
  std::size_t features() const { return 0; }
  std::int32_t root() const { return node_count - 1; }
  std::int32_t head(std::int32_t edge) const { return heads.at(edge); }
  std::span<const std::int32_t> tails(std::int32_t edge) const { return tail_lists.at(edge); }
  std::int32_t best_edge(std::int32_t node) const { return best_edges.at(node); }
  std::int32_t label(std::int32_t edge) const { return edge; }
  void append_yield(std::int32_t edge, std::vector<std::int32_t>& out) const {
    out.insert(out.end(), yields.at(edge).begin(), yields.at(edge).end());
  }
  void write_features(std::int32_t, std::span<double>) const {}
};

}  // namespace

void bind_forest_writer(nb::module_& m) {
  m.def(
      "pack_forest",
      [](std::int32_t nodes, const std::vector<std::int32_t>& heads, const Lists& tails,
         const Lists& yields, const std::vector<std::int32_t>& best_edges) {
        if (nodes < 1 || tails.size() != heads.size() || yields.size() != heads.size() ||
            best_edges.size() != static_cast<std::size_t>(nodes))
          fail<ForestError>({"argument.shape", "edges"},
                            "heads, tails and yields need one entry per edge, best edges one per "
                            "node, and there must be a node");
        if (std::ranges::any_of(heads, [&](std::int32_t h) { return h < 0 || h >= nodes; }))
          fail<ForestError>({"argument.range", "head"}, "the head of an edge is not a node");
        ListedGraph graph{nodes, heads, tails, yields, best_edges};
        ForestArrays forest = ForestWriter(graph).write();
        return std::tuple(
            to_numpy(std::move(forest.edge_start)), to_numpy(std::move(forest.tail_start)),
            to_numpy(std::move(forest.tail)), to_numpy(std::move(forest.yield_start)),
            to_numpy(std::move(forest.yield_symbol)), to_numpy(std::move(forest.edge_label)),
            to_numpy(std::move(forest.best_edges)));
      },
      "nodes"_a, "heads"_a, "tails"_a, "yields"_a, "best_edges"_a,
      "What leads to the last node: edge_start, tail_start, tail, yield_start, yield_symbol, the "
      "edge that each one was, and the best derivation.");
}

}  // namespace rosewood::bind
