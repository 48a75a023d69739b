// core/forest/occurrence.hpp: how probable it is that things occur at all. No Python here.
// Specification: tests/reference/consensus.py.
#pragma once

#include <cstdint>
#include <span>

#include "forest/view.hpp"

namespace rosewood {

/// probability[g] = the probability that some edge of a derivation has g among its marks: of an
/// n-gram, that the string has it at least once (not how often it is expected to). `q` as
/// edge_conditionals() gives it; `mark` has a row for each edge, of numbers below
/// probability.size(), one may be there twice. A derivation is without g if it is without g at its
/// top edge and below each of its tails, so the cost is edges times things, less what lies below
/// the first edge with each.
void occurrence_probabilities(const ForestView& f, std::span<const double> q,
                              const Rows<std::int64_t>& mark, std::span<double> probability);

}  // namespace rosewood
