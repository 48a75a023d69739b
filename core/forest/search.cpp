// core/forest/search.cpp
#include "forest/search.hpp"

#include <algorithm>
#include <atomic>

#include "util/error.hpp"
#include "util/parallel.hpp"

namespace rosewood {

namespace {

/// SplitMix64 (Steele, Lea & Flood 2014): small, and each draw has a stream of its own.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) : state_(seed) {
    state_ = next() ^ (stream * 0xd1342543de82ef95ULL + 1);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

/// Appends the derivation that takes pick(v) at each node, in pre-order.
template <class Pick>
void unfold(const ForestView& f, Pick&& pick, std::vector<std::int64_t>& out) {
  std::vector<NodeId> stack{f.root()};
  ListLimit limit(f);
  while (!stack.empty()) {
    const NodeId v = stack.back();
    stack.pop_back();
    const std::int64_t e = pick(v);
    out.push_back(e);
    const auto tails = f.tails(e);
    limit.check(out.size() + stack.size() + tails.size());
    stack.insert(stack.end(), tails.rbegin(), tails.rend());
  }
}

/// The edges of the shortest derivation, or one more than may be listed.
std::size_t shortest_derivation(const ForestView& f) {
  constexpr std::size_t too_many = max_listed_edges + 1;
  std::vector<std::size_t> shortest(static_cast<std::size_t>(f.num_nodes()), too_many);
  for (std::int64_t v = 0; v < f.num_nodes(); ++v)
    for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e) {
      std::size_t edges = 1;
      for (const NodeId t : f.tails(e)) edges = std::min(too_many, edges + shortest[t]);
      shortest[v] = std::min(shortest[v], edges);
    }
  return shortest[f.root()];
}

}  // namespace

void check_listed(std::size_t edges) {
  if (edges > max_listed_edges)
    fail<ForestError>({"forest.too-large", "edges", max_listed_edges},
                      "the derivations have more than ", max_listed_edges, " edges in all");
}

void ListLimit::pass(std::size_t edges) {
  check_listed(std::max(edges, shortest_derivation(f_)));
  next_ = max_listed_edges;
}

std::vector<std::int64_t> follow(const ForestView& f, std::span<const std::int64_t> back) {
  std::vector<std::int64_t> edges;
  if (back[f.root()] >= 0) unfold(f, [&](NodeId v) { return back[v]; }, edges);
  return edges;
}

Derivations sample(const ForestView& f, std::span<const double> weight, std::span<const double> q,
                   std::int64_t draws, std::uint64_t seed, int threads) {
  // Running sums of q within each node: an edge is then found by bisection.
  std::vector<double> running(q.size());
  for (std::int64_t v = 0; v < f.num_nodes(); ++v) {
    double sum = 0.0;
    for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e) running[e] = sum += q[e];
  }
  std::vector<std::vector<std::int64_t>> each(static_cast<std::size_t>(draws));
  std::atomic<std::size_t> listed{0};
  parallel_for(draws, threads, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      Random random(seed, static_cast<std::uint64_t>(i));
      unfold(
          f,
          [&](NodeId v) {
            const auto first = running.begin() + f.edge_start[v];
            const auto last = running.begin() + f.edge_start[v + 1];
            auto found = std::upper_bound(first, last, random.uniform() * *(last - 1));
            // Rounding may carry the number to the very end: the last edge that has any weight.
            if (found == last) found = std::lower_bound(first, last, *(last - 1));
            return found - running.begin();
          },
          each[static_cast<std::size_t>(i)]);
      check_listed(listed += each[static_cast<std::size_t>(i)].size());
    }
  });
  Derivations result;
  for (const auto& edges : each) {
    double score = 0.0;
    for (const std::int64_t e : edges) score += weight[e];
    result.edge.insert(result.edge.end(), edges.begin(), edges.end());
    result.start.push_back(std::ssize(result.edge));
    result.score.push_back(score);
  }
  return result;
}

void derivation_yields(const ForestView& f, const YieldView& yield, const Rows<std::int64_t>& edges,
                       std::vector<Offset>& start, std::vector<SymbolId>& word) {
  struct Open {
    std::size_t position;  // of the edge in the derivation
    std::size_t symbol;    // the next symbol of its yield
  };
  std::vector<std::size_t> child_start, child;
  std::vector<std::size_t> pending;
  std::vector<Open> stack;
  start.assign(1, 0);
  for (std::int64_t row = 0; row < edges.size(); ++row) {
    const auto derivation = edges[row];
    // Read backwards, the tails of an edge are the last subtrees completed, first slot on top.
    child_start.assign(derivation.size() + 1, 0);
    for (std::size_t i = 0; i < derivation.size(); ++i) {
      if (derivation[i] < 0 || derivation[i] >= f.num_edges())
        fail<ForestError>({"argument.range", "edge", derivation[i]}, "derivation ", row,
                          " has edge ", derivation[i], ", but there are ", f.num_edges());
      child_start[i + 1] = child_start[i] + f.tails(derivation[i]).size();
    }
    child.resize(child_start.back());
    pending.clear();
    for (std::size_t i = derivation.size(); i-- > 0;) {
      const auto tails = f.tails(derivation[i]);
      for (std::size_t slot = 0; slot < tails.size(); ++slot) {
        if (pending.empty() || f.head[derivation[pending.back()]] != tails[slot])
          fail<ForestError>({"forest.derivation", "edge", i}, "derivation ", row,
                            " is not in pre-order at its edge ", i);
        child[child_start[i] + slot] = pending.back();
        pending.pop_back();
      }
      pending.push_back(i);
    }
    if (!derivation.empty() && pending.size() != 1)
      fail<ForestError>({"forest.derivation", "roots", pending.size()}, "derivation ", row, " has ",
                        pending.size(), " roots");
    if (!derivation.empty()) stack.push_back({0, 0});
    while (!stack.empty()) {
      auto& [position, symbol] = stack.back();
      const auto says = yield[derivation[position]];
      if (symbol == says.size()) {
        stack.pop_back();
        continue;
      }
      const SymbolId s = says[symbol++];
      if (s >= 0)
        word.push_back(s);
      else
        stack.push_back({child[child_start[position] + static_cast<std::size_t>(-1 - s)], 0});
    }
    start.push_back(std::ssize(word));
  }
}

}  // namespace rosewood
