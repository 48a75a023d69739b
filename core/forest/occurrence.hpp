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
/// the first edge with each. `span`, which may be empty, has begin and end of the words that each
/// node covers: where tails lie within heads, beside each other, only what is about as wide as all
/// edges with a thing is looked at.
void occurrence_probabilities(const ForestView& f, std::span<const double> q,
                              const Rows<std::int64_t>& mark, std::span<const std::int32_t> span,
                              std::span<double> probability);

}  // namespace rosewood
