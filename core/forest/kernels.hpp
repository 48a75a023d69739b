// core/forest/kernels.hpp: inside and outside in the standard semirings. No Python here.
// Specification: tests/reference/forest.py.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forest/view.hpp"

namespace rosewood {

/// Log inside value of each node; -inf where a node has no derivation.
void inside_log(const ForestView& f, std::span<const double> weight, std::span<double> value);

/// Log inside and log outside values of each node.
void inside_outside_log(const ForestView& f, std::span<const double> weight,
                        std::span<double> inside, std::span<double> outside);

/// Best log score of each node and the edge that attains it (the first among equals; -1 where there
/// is none).
void viterbi(const ForestView& f, std::span<const double> weight, std::span<double> best,
             std::span<std::int64_t> edge);

/// Best log score of any derivation that uses each edge; -inf where there is none.
void max_marginals(const ForestView& f, std::span<const double> weight, std::span<double> marginal);

/// 1 for edges that stay: the `most` best by their max marginal (among equals the first ones), of
/// those at least `least`; edges of the `best` derivation come first and stay whatever happens.
void keep_best(const ForestView& f, std::span<const double> weight,
               std::span<const std::int64_t> best, double least, std::int64_t most,
               std::span<std::uint8_t> keep);

/// Sums and products of plain doubles; what does not fit one is refused.
void inside_outside_real(const ForestView& f, std::span<const double> weight,
                         std::span<double> inside, std::span<double> outside);

/// (max, +) on log weights.
void inside_outside_tropical(const ForestView& f, std::span<const double> weight,
                             std::span<double> inside, std::span<double> outside);

/// Derivations of each node over the edges with keep[e] != 0; 2^64-1 means "at least that many".
void count_derivations(const ForestView& f, std::span<const std::uint8_t> keep,
                       std::span<std::uint64_t> count);

/// Values of the signed log, first-order and second-order expectation semirings. Each number is a
/// pair (sign, log magnitude); an item has 1 number (p), 2 (p, r) or 4 (p, r, s, t). `weight` has E
/// items, `inside` and `outside` V items.
void inside_outside_signed(const ForestView& f, int numbers, std::span<const double> weight,
                           std::span<double> inside, std::span<double> outside);

}  // namespace rosewood
