// core/learn/envelope.hpp: which derivation is best where, along a line of parameters. No Python.
//
// Along θ + x·δ the score of an edge is intercept + x·slope. The inside value of the root in the
// convex-hull semiring is the upper envelope of the lines of all derivations (Och 2003; Kumar et
// al. 2009): union of hulls for ⊕, Minkowski sum for ⊗. An n-best list is the case of one node.
// Specification: tests/reference/learn.py, and rosewood.forest.HULL.
#pragma once

#include <span>
#include <vector>

#include "learn/batch.hpp"

namespace rosewood {

/// Lines line_start[i] .. line_start[i+1]-1 are those of forest i, from left to right. Line k is
/// highest from begin[k] on (-inf for the first) to the next; its derivation has the edges
/// edge[derivation_start[k] ..], numbers in the batch, in pre-order.
struct Envelopes {
  std::vector<Offset> line_start;
  std::vector<double> begin;
  std::vector<Offset> derivation_start;
  std::vector<Offset> edge;
};

/// Envelopes of all forests. An edge with intercept -inf is in no derivation.
Envelopes upper_envelopes(const ForestBatch& batch, std::span<const double> intercept,
                          std::span<const double> slope, int threads);

}  // namespace rosewood
