// core/forest/expectation.hpp: expectations under p(d) ∝ exp(weight of d). No Python here.
//
// The lifting trick (Li & Eisner 2009, §4.3) in conditional form. Inside values give, once, the
// probability q[e] of each edge given its head; after that everything is sums and products of
// ordinary size, top-down or bottom-up, with no exponential and nothing that can underflow
// harmfully: an edge whose q is below 1e-308 has no effect on any expectation.
// Specification: tests/reference/expectation.py.
#pragma once

#include <span>

#include "forest/view.hpp"

namespace rosewood {

/// q[e] = p(e | head of e); returns log Z. Throws EmptyForestError where Z is zero.
double edge_conditionals(const ForestView& f, std::span<const double> weight, std::span<double> q);

/// uses[v] = expected number of times a derivation uses node v; not finite where that does not fit.
void node_uses(const ForestView& f, std::span<const double> q, std::span<double> uses);

/// count[e] = expected number of times a derivation uses edge e.
void edge_counts(const ForestView& f, std::span<const double> q, std::span<double> count);

/// Local values that add up, over a derivation, to r less E[r]: centred[e] = r[e] + what its tails
/// are expected to have - what its head is. 0 where q is 0. Returns E[sum of r].
double centre_local(const ForestView& f, std::span<const double> q, std::span<const double> r,
                    std::span<double> centred);

/// covariance[e] = Cov(times e is used, sum of r over the derivation). So the derivative of E[sum
/// of r] with respect to the log weight of e, and, over features φ, Σ_e covariance[e] φ_e is the
/// gradient of E[sum of r] with r held fixed. Returns E[sum of r].
double edge_covariances(const ForestView& f, std::span<const double> q, std::span<const double> r,
                        std::span<double> covariance);

}  // namespace rosewood
