// core/forest/search.hpp: single derivations: the k best, random ones, and what they say.
// A derivation is the list of its edges in pre-order, tails in slot order. No Python here.
// Nothing here recurses: a forest may be a chain of a million nodes.
// Specification: tests/reference/search.py.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "forest/view.hpp"
#include "util/error.hpp"

namespace rosewood {

/// What a list of derivations may hold in all. Sharing lets a forest of 60 edges describe a
/// derivation of 2^60; that is an error here, not a machine without memory.
constexpr std::size_t max_listed_edges = std::size_t{1} << 28;
void check_listed(std::size_t edges);

/// Refuses to list more edges than that, and early where no derivation of the forest is shorter.
class ListLimit {
 public:
  explicit ListLimit(const ForestView& f) : f_(f) {}

  /// `edges`: listed so far, or sure to come.
  void check(std::size_t edges) {
    if (edges > next_) pass(edges);
  }

 private:
  void pass(std::size_t edges);

  ForestView f_;
  std::size_t next_ = std::size_t{1} << 16;
};

/// Rows of edges, and a log score each.
struct Derivations {
  std::vector<Offset> start{0};
  std::vector<std::int64_t> edge;
  std::vector<double> score;
};

/// The derivation of the root that follows back[v] from each node; empty where back[root] is -1.
std::vector<std::int64_t> follow(const ForestView& f, std::span<const std::int64_t> back);

/// The first k of KBest (forest/kbest.hpp), or all where there are fewer.
Derivations k_best(const ForestView& f, std::span<const double> weight, std::int64_t k,
                   const YieldView* distinct);

/// Derivations drawn from p(d) ∝ exp(weight); q as edge_conditionals() gives it. Draw i depends on
/// `seed` and i alone, so threads do not matter.
Derivations sample(const ForestView& f, std::span<const double> weight, std::span<const double> q,
                   std::int64_t draws, std::uint64_t seed, int threads);

/// The words of each derivation (rows of edges in pre-order).
void derivation_yields(const ForestView& f, const YieldView& yield, const Rows<std::int64_t>& edges,
                       std::vector<Offset>& start, std::vector<SymbolId>& word);

}  // namespace rosewood
