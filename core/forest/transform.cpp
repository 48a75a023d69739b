// core/forest/transform.cpp: selection, sorting, sharing.
#include "forest/transform.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <queue>
#include <string>
#include <unordered_map>

#include "forest/validate.hpp"
#include "util/error.hpp"

namespace rosewood {

void Structure::add_edge(std::int64_t old_edge, std::span<const NodeId> tails) {
  head.push_back(static_cast<NodeId>(edge_start.size() - 1));
  tail.insert(tail.end(), tails.begin(), tails.end());
  tail_start.push_back(std::ssize(tail));
  edge_map.push_back(old_edge);
}

NodeId Structure::end_node(NodeId old_node) {
  if (std::ssize(edge_start) > std::numeric_limits<NodeId>::max())
    fail<ForestError>("forest.too-large", "a forest cannot have more than 2^31-1 nodes");
  edge_start.push_back(std::ssize(head));
  node_map.push_back(old_node);
  return static_cast<NodeId>(node_map.size() - 1);
}

Structure select_edges(const ForestView& f, std::span<const std::uint8_t> keep) {
  const std::int64_t nodes = f.num_nodes();
  std::vector<std::uint8_t> reachable(static_cast<std::size_t>(nodes));
  find_reachable(f, keep, reachable);
  std::vector<NodeId> renamed(static_cast<std::size_t>(nodes), -1);
  std::vector<NodeId> tails;
  Structure result;
  for (std::int64_t v = 0; v < nodes; ++v) {
    if (!reachable[v] && v != f.root()) continue;
    for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e) {
      if (!keep[e] || !reachable[v]) continue;
      tails.clear();
      for (const NodeId t : f.tails(e))
        if (renamed[t] >= 0) tails.push_back(renamed[t]);
      // A tail that was not renamed has no derivation: the edge goes with it.
      if (tails.size() == f.tails(e).size()) result.add_edge(e, tails);
    }
    renamed[v] = result.end_node(static_cast<NodeId>(v));
  }
  return result;
}

Structure topological_sort(std::int64_t nodes, std::span<const NodeId> head,
                           std::span<const Offset> tail_start, std::span<const NodeId> tail,
                           NodeId root) {
  const std::int64_t edges = std::ssize(head);
  if (nodes < 1 || nodes > std::numeric_limits<NodeId>::max())
    fail<ForestError>({"argument.range", "nodes", nodes},
                      "a forest has between 1 and 2^31-1 nodes, not ", nodes);
  if (root < 0 || root >= nodes)
    fail<ForestError>({"argument.range", "root", root}, "the root is ", root,
                      ", but nodes go from 0 to ", nodes - 1);
  check_offsets("tail_start", tail_start, edges, std::ssize(tail));
  for (std::int64_t e = 0; e < edges; ++e) {
    if (head[e] < 0 || head[e] >= nodes)
      fail<ForestError>({"argument.range", "head", e}, "edge ", e, " has head ", head[e],
                        ", but nodes go from 0 to ", nodes - 1);
    for (Offset i = tail_start[e]; i < tail_start[e + 1]; ++i)
      if (tail[i] < 0 || tail[i] >= nodes)
        fail<ForestError>({"argument.range", "tail", e}, "edge ", e, " has tail ", tail[i],
                          ", but nodes go from 0 to ", nodes - 1);
  }
  // Two lists of edges: by head, and (once a slot) by tail.
  const auto group = [&](std::int64_t count, auto&& key_of, auto&& edge_of,
                         std::vector<Offset>& start, std::vector<std::int64_t>& item) {
    start.assign(static_cast<std::size_t>(nodes) + 1, 0);
    for (std::int64_t i = 0; i < count; ++i) ++start[key_of(i) + 1];
    for (std::int64_t v = 0; v < nodes; ++v) start[v + 1] += start[v];
    auto next = start;
    item.resize(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) item[next[key_of(i)]++] = edge_of(i);
  };
  std::vector<std::int64_t> owner(tail.size());
  for (std::int64_t e = 0; e < edges; ++e)
    for (Offset i = tail_start[e]; i < tail_start[e + 1]; ++i) owner[i] = e;
  std::vector<Offset> into_start, from_start;
  std::vector<std::int64_t> into, from;
  group(
      edges, [&](std::int64_t e) { return head[e]; }, [](std::int64_t e) { return e; }, into_start,
      into);
  group(
      std::ssize(tail), [&](std::int64_t i) { return tail[i]; },
      [&](std::int64_t i) { return owner[i]; }, from_start, from);

  std::vector<std::int64_t> waiting(static_cast<std::size_t>(nodes), 0);  // slots not yet placed
  for (std::int64_t e = 0; e < edges; ++e) waiting[head[e]] += tail_start[e + 1] - tail_start[e];
  if (from_start[root] != from_start[root + 1])
    fail<ForestError>({"forest.root", root}, "edge ", from[from_start[root]],
                      " has the root, node ", root, ", as a tail");
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  for (std::int64_t v = 0; v < nodes; ++v)
    if (waiting[v] == 0 && v != root) ready.push(static_cast<NodeId>(v));
  std::vector<NodeId> order, renamed(static_cast<std::size_t>(nodes), -1);
  order.reserve(static_cast<std::size_t>(nodes));
  while (!ready.empty()) {
    const NodeId v = ready.top();
    ready.pop();
    renamed[v] = static_cast<NodeId>(order.size());
    order.push_back(v);
    for (Offset i = from_start[v]; i < from_start[v + 1]; ++i) {
      const NodeId h = head[from[i]];
      if (--waiting[h] == 0 && h != root) ready.push(h);
    }
  }
  if (std::ssize(order) != nodes - 1) {
    // Every node left waits for another one left: walking from tail to tail must come round.
    NodeId v = 0;
    while (renamed[v] >= 0 || v == root) ++v;
    std::vector<NodeId> walk;
    std::vector<std::int64_t> seen(static_cast<std::size_t>(nodes), -1);
    while (seen[v] < 0) {
      seen[v] = std::ssize(walk);
      walk.push_back(v);
      NodeId to = -1;
      for (Offset i = into_start[v]; i < into_start[v + 1] && to < 0; ++i)
        for (Offset j = tail_start[into[i]]; j < tail_start[into[i] + 1] && to < 0; ++j)
          if (renamed[tail[j]] < 0) to = tail[j];
      v = to;
    }
    std::string nodes_of_cycle;
    const auto shown = std::min<std::int64_t>(std::ssize(walk) - seen[v], 8);
    for (std::int64_t i = 0; i < shown; ++i)
      nodes_of_cycle += std::to_string(walk[seen[v] + i]) + " <- ";
    nodes_of_cycle += shown < std::ssize(walk) - seen[v] ? "…" : std::to_string(v);
    fail<CycleError>({"forest.cycle", v}, "the forest has a cycle: ", nodes_of_cycle);
  }
  renamed[root] = static_cast<NodeId>(nodes - 1);
  order.push_back(root);

  Structure result;
  std::vector<NodeId> tails;
  for (const NodeId v : order) {
    for (Offset i = into_start[v]; i < into_start[v + 1]; ++i) {
      const std::int64_t e = into[i];
      tails.clear();
      for (Offset j = tail_start[e]; j < tail_start[e + 1]; ++j) tails.push_back(renamed[tail[j]]);
      result.add_edge(e, tails);
    }
    result.end_node(v);
  }
  return result;
}

namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2);
  hash *= 0xbf58476d1ce4e5b9ULL;
  return hash ^ (hash >> 29);
}

}  // namespace

Structure share_equal_parts(const ForestView& f, const YieldView& yield,
                            const FeatureView& features, std::span<const std::int64_t> rule,
                            std::span<const std::int64_t> label) {
  const auto width = features.width;
  const auto start = features.sparse.start;
  const auto id = features.sparse.id;
  const auto value = features.sparse.value;
  const auto row = [&](std::int64_t e) {
    return features.dense.subspan(static_cast<std::size_t>(e * width),
                                  static_cast<std::size_t>(width));
  };
  std::vector<NodeId> shared(static_cast<std::size_t>(f.num_nodes()));  // new number of each node
  const auto hash_of = [&](std::int64_t e) {
    std::uint64_t hash = f.tails(e).size();
    for (const NodeId t : f.tails(e)) hash = mix(hash, static_cast<std::uint64_t>(shared[t]));
    for (const SymbolId s : yield[e]) hash = mix(hash, static_cast<std::uint64_t>(s));
    for (const double x : row(e)) hash = mix(hash, std::bit_cast<std::uint64_t>(x + 0.0));
    for (Offset i = start[e]; i < start[e + 1]; ++i) {
      hash = mix(hash, static_cast<std::uint64_t>(id[i]));
      hash = mix(hash, std::bit_cast<std::uint64_t>(value[i] + 0.0));
    }
    return rule.empty() ? hash : mix(hash, static_cast<std::uint64_t>(rule[e]));
  };
  const auto equal = [&](std::int64_t a, std::int64_t b) {
    const auto node = [&](NodeId t) { return shared[t]; };
    const Rows<FeatureId> ids{start, id};
    const Rows<double> values{start, value};
    return std::ranges::equal(f.tails(a), f.tails(b), {}, node, node) &&
           std::ranges::equal(yield[a], yield[b]) && std::ranges::equal(row(a), row(b)) &&
           std::ranges::equal(ids[a], ids[b]) && std::ranges::equal(values[a], values[b]) &&
           (rule.empty() || rule[a] == rule[b]);
  };
  std::unordered_multimap<std::uint64_t, std::int64_t> edges_by_hash;
  std::vector<std::int64_t> first_like(static_cast<std::size_t>(f.num_edges()));
  std::vector<std::int64_t> emitted(first_like.size(),
                                    -1);  // last node given an edge of this class
  std::unordered_multimap<std::uint64_t, NodeId> nodes_by_hash;  // new nodes
  std::vector<std::vector<std::int64_t>> contents;  // of new nodes: sorted edge classes
  std::vector<NodeId> tails;
  Structure result;
  for (std::int64_t v = 0; v < f.num_nodes(); ++v) {
    std::vector<std::int64_t> classes;
    for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e) {
      const std::uint64_t hash = hash_of(e);
      first_like[e] = e;
      const auto [from, to] = edges_by_hash.equal_range(hash);
      for (auto it = from; it != to && first_like[e] == e; ++it)
        if (equal(it->second, e)) first_like[e] = it->second;
      if (first_like[e] == e) edges_by_hash.emplace(hash, e);
      classes.push_back(first_like[e]);
    }
    std::ranges::sort(classes);
    classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
    std::uint64_t hash = mix(classes.size(), static_cast<std::uint64_t>(label[v]));
    for (const std::int64_t c : classes) hash = mix(hash, static_cast<std::uint64_t>(c));
    shared[v] = -1;
    const auto [from, to] = nodes_by_hash.equal_range(hash);
    if (v != f.root())  // the root stays last, a node of its own
      for (auto it = from; it != to && shared[v] < 0; ++it)
        if (label[result.node_map[it->second]] == label[v] &&
            contents[static_cast<std::size_t>(it->second)] == classes)
          shared[v] = it->second;
    if (shared[v] >= 0) continue;
    for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e) {
      if (emitted[first_like[e]] == v) continue;
      emitted[first_like[e]] = v;
      tails.clear();
      for (const NodeId t : f.tails(e)) tails.push_back(shared[t]);
      result.add_edge(e, tails);
    }
    shared[v] = result.end_node(static_cast<NodeId>(v));
    contents.push_back(std::move(classes));
    nodes_by_hash.emplace(hash, shared[v]);
  }
  return result;
}

}  // namespace rosewood
