// core/forest/transform.hpp: forests made from forests. Each result carries the old edge of every
// new edge, so that features, weights and gradients follow. No Python here. Specification:
// tests/reference/transform.py.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forest/features.hpp"
#include "forest/view.hpp"

namespace rosewood {

/// A forest's arrays, and where each edge and node came from.
struct Structure {
  std::vector<Offset> edge_start{0};
  std::vector<NodeId> head;
  std::vector<Offset> tail_start{0};
  std::vector<NodeId> tail;
  std::vector<std::int64_t> edge_map;  // old edge of each new edge
  std::vector<NodeId> node_map;        // old node of each new node

  /// Appends one edge to the node being built.
  void add_edge(std::int64_t old_edge, std::span<const NodeId> tails);
  /// Closes the node being built; returns its number.
  NodeId end_node(NodeId old_node);
  ForestView view() const { return {edge_start, head, tail_start, tail}; }
};

/// Only the edges with keep[e] != 0, less what then has no derivation or stands in none of the
/// root's. Where nothing is left: a root without edges.
Structure select_edges(const ForestView& f, std::span<const std::uint8_t> keep);

/// Nodes and edges in any order become a forest: bottom-up, the smallest possible node first, edges
/// in their old order within a head, `root` last. Throws CycleError with the nodes of a cycle.
Structure topological_sort(std::int64_t nodes, std::span<const NodeId> head,
                           std::span<const Offset> tail_start, std::span<const NodeId> tail,
                           NodeId root);

/// Equal parts become one: edges with equal tails, yield, features and rule are equal, nodes with
/// equal labels and sets of edges are equal, from the bottom up; an edge that its head has already
/// is dropped. So each derivation is there once if every node had distinct edges. `rule` may be
/// empty.
Structure share_equal_parts(const ForestView& f, const YieldView& yield,
                            const FeatureView& features, std::span<const std::int64_t> rule,
                            std::span<const std::int64_t> label);

struct Refined {
  Structure structure;
  std::vector<Offset> state_start{0};  // boundary words of each new node: left then right, or the
  std::vector<SymbolId> state_word;    // whole string where that is short and has both sides open
  std::vector<std::uint8_t> state_whole;
  std::vector<Offset> gram_start{0};  // n-grams each new edge completes, as rows of gram numbers
  std::vector<std::int64_t> gram;
  std::vector<Offset> gram_word_start{0};  // the words of each n-gram
  std::vector<SymbolId> gram_word;
};

/// Splits nodes until each knows its first and last n-1 words, so that every n-gram (of 1 to n
/// words) of a derivation's string is completed at exactly one of its edges; on a side where no
/// derivation puts anything, a node need not know them. `begin` and `end` (or -1) are words put
/// around the whole string; `begin` alone does not count as an n-gram, and belongs to the lowest
/// node that is sure to come first. Throws where more than `max_edges` would be made.
Refined refine(const ForestView& f, const YieldView& yield, int n, SymbolId begin, SymbolId end,
               std::int64_t max_edges);

/// A weighted automaton over words: arcs of state s are arc_start[s] .. arc_start[s+1]-1, sorted by
/// symbol; symbol -1 takes any word that has no arc of its own there.
struct AutomatonView {
  std::span<const Offset> arc_start;
  std::span<const SymbolId> symbol;
  std::span<const std::int32_t> next;
  std::span<const double> weight;
  std::span<const double> final_weight;  // -inf where a state is not final
  std::int32_t initial;
};

/// Bounds, order of arcs, numbers.
void check_automaton(const AutomatonView& a);

struct Intersection {
  Structure structure;
  std::vector<double> weight;  // log weight of the arcs (and the end) that each new edge passes
};

/// Derivations paired with the automaton's accepting paths of their strings.
Intersection intersect(const ForestView& f, const YieldView& yield, const AutomatonView& a,
                       std::int64_t max_edges);

}  // namespace rosewood
