// core/forest/validate.cpp
#include "forest/validate.hpp"

#include <cmath>
#include <limits>

#include "util/error.hpp"

namespace rosewood {

void check_offsets(const char* what, std::span<const Offset> start, std::int64_t rows,
                   std::int64_t items) {
  if (rows < 0 || std::ssize(start) != rows + 1)
    fail<ForestError>({"argument.shape", what, start.size()}, what, " has ", start.size(),
                      " entries, not ", rows + 1);
  if (start[0] != 0)
    fail<ForestError>({"argument.range", what, start[0]}, what, " begins with ", start[0],
                      ", not 0");
  for (std::int64_t i = 0; i < rows; ++i)
    if (start[i + 1] < start[i])
      fail<ForestError>({"argument.value", what, i + 1}, what, " decreases at ", i + 1, ": ",
                        start[i], " then ", start[i + 1]);
  if (start[rows] != items)
    fail<ForestError>({"argument.shape", what, start[rows]}, what, " ends with ", start[rows],
                      ", but there are ", items, " items");
}

void check_structure(const ForestView& f) {
  if (f.edge_start.size() < 2)
    fail<ForestError>("argument.shape", "a forest has at least one node, its root");
  const std::int64_t nodes = f.num_nodes();
  const std::int64_t edges = f.num_edges();
  if (nodes > std::numeric_limits<NodeId>::max())
    fail<ForestError>("forest.too-large", nodes, " nodes are more than 2^31-1");
  check_offsets("edge_start", f.edge_start, nodes, edges);
  check_offsets("tail_start", f.tail_start, edges, std::ssize(f.tail));
  for (std::int64_t v = 0; v < nodes; ++v) {
    for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e) {
      if (f.head[e] != v)
        fail<ForestError>({"forest.head", e}, "edge ", e, " has head ", f.head[e],
                          " but stands with the edges of node ", v);
      for (const NodeId t : f.tails(e)) {
        if (t < 0 || t >= nodes)
          fail<ForestError>({"argument.range", "tail", e}, "edge ", e, " has tail ", t,
                            ", but nodes go from 0 to ", nodes - 1);
        if (t >= v)
          fail<ForestError>({"forest.order", e}, "edge ", e, " into node ", v, " has tail ", t,
                            t == v ? ": a node cannot be its own tail"
                                   : ": tails must come before their head (a cycle, or nodes that "
                                     "are not in bottom-up order)");
      }
    }
  }
}

void check_yield(const ForestView& f, const YieldView& yield, std::int64_t words) {
  check_offsets("yield_start", yield.start, f.num_edges(), std::ssize(yield.item));
  std::vector<std::uint8_t> seen;
  for (std::int64_t e = 0; e < f.num_edges(); ++e) {
    const auto arity = std::ssize(f.tails(e));
    seen.assign(static_cast<std::size_t>(arity), 0);
    std::int64_t slots = 0;
    for (const SymbolId symbol : yield[e]) {
      if (symbol >= 0) {
        if (words >= 0 && symbol >= words)
          fail<ForestError>({"argument.range", "yield", e}, "edge ", e, " says word ", symbol,
                            ", but the vocabulary has ", words);
        continue;
      }
      const std::int64_t slot = -1 - static_cast<std::int64_t>(symbol);
      if (slot >= arity)
        fail<ForestError>({"argument.range", "yield", e}, "edge ", e, " says its tail ", slot,
                          ", but it has ", arity, " tails");
      if (seen[slot]++)
        fail<ForestError>({"argument.duplicate", "yield", e}, "edge ", e, " says its tail ", slot,
                          " twice");
      ++slots;
    }
    if (slots != arity)
      for (std::int64_t slot = 0; slot < arity; ++slot)
        if (!seen[slot])
          fail<ForestError>({"argument.missing", "yield", e}, "edge ", e, " does not say its tail ",
                            slot);
  }
}

void check_features(const FeatureView& features, std::int64_t sparse_features) {
  for (std::size_t i = 0; i < features.dense.size(); ++i)
    if (!std::isfinite(features.dense[i]))
      fail<ForestError>({"argument.range", "dense", static_cast<std::int64_t>(i) / features.width},
                        "dense feature ", static_cast<std::int64_t>(i) % features.width,
                        " of edge ", static_cast<std::int64_t>(i) / features.width, " is ",
                        features.dense[i]);
  const auto& [start, id, value] = features.sparse;
  for (std::int64_t e = 0; e + 1 < std::ssize(start); ++e) {
    for (Offset i = start[e]; i < start[e + 1]; ++i) {
      if (id[i] < 0 || id[i] >= sparse_features)
        fail<ForestError>({"argument.range", "feat_id", e}, "edge ", e, " has sparse feature ",
                          id[i], ", but there are ", sparse_features);
      if (i > start[e] && id[i] == id[i - 1])
        fail<ForestError>({"argument.duplicate", "feat_id", e}, "edge ", e, " has sparse feature ",
                          id[i], " twice");
      if (i > start[e] && id[i] < id[i - 1])
        fail<ForestError>({"argument.value", "feat_id", e}, "edge ", e, " lists feature ", id[i],
                          " after a larger one");
      if (!std::isfinite(value[i]))
        fail<ForestError>({"argument.range", "feat_value", e}, "sparse feature ", id[i],
                          " of edge ", e, " is ", value[i]);
    }
  }
}

void find_reachable(const ForestView& f, std::span<const std::uint8_t> keep_edge,
                    std::span<std::uint8_t> reachable) {
  const std::int64_t nodes = f.num_nodes();
  std::vector<std::uint8_t> derivable(static_cast<std::size_t>(nodes), 0);
  const auto usable = [&](Offset e) {
    if (!keep_edge[e]) return false;
    for (const NodeId t : f.tails(e))
      if (!derivable[t]) return false;
    return true;
  };
  for (std::int64_t v = 0; v < nodes; ++v)
    for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1] && !derivable[v]; ++e)
      derivable[v] = usable(e);
  for (auto& r : reachable) r = 0;
  reachable[f.root()] = derivable[f.root()];
  for (std::int64_t v = nodes - 1; v >= 0; --v) {
    if (!reachable[v]) continue;
    for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e)
      if (usable(e))
        for (const NodeId t : f.tails(e)) reachable[t] = 1;
  }
}

void check_reachable(const ForestView& f) {
  const std::int64_t nodes = f.num_nodes();
  if (nodes == 1 && f.num_edges() == 0) return;
  for (std::int64_t v = 0; v < nodes; ++v)
    if (f.edge_start[v] == f.edge_start[v + 1])
      fail<ForestError>({"forest.no-edges", v}, "node ", v, v == nodes - 1 ? ", the root," : "",
                        " has no edges");
  std::vector<std::uint8_t> keep(static_cast<std::size_t>(f.num_edges()), 1);
  std::vector<std::uint8_t> reachable(static_cast<std::size_t>(nodes));
  find_reachable(f, keep, reachable);
  for (std::int64_t v = 0; v < nodes; ++v)
    if (!reachable[v])
      fail<ForestError>({"forest.unreachable", v}, "node ", v, " is in no derivation of the root");
}

}  // namespace rosewood
