// core/learn/oscar_prox.hpp: the proximal step of OSCAR from scratch: sort, then pool. No Python
// here. Specification: tests/reference/oscar.py.
#pragma once

#include <cstdint>
#include <span>

namespace rosewood {

/// λ1 Σ|W_i| + λ2 Σ_{i<j} max(|W_i|, |W_j|) over `dimension` weights. Both λ are at least 0.
struct OscarPenalty {
  double lambda1;
  double lambda2;
  double dimension;

  /// What the weight of a rank pays per unit of step size; ranks are means over a block.
  double rate(double rank) const { return lambda1 + lambda2 * (dimension - rank); }
};

/// Algorithm 3 of Liu et al. (2013): weight minimises Σ (W_i² − a_i W_i) + 2/step · penalty. `a`
/// are the numbers other than zero of a vector of `penalty.dimension`; a zero among them stays zero
/// and has no rank. Sizes that are equal stay equal, whatever rounding does.
void oscar_prox(std::span<const double> a, double step, const OscarPenalty& penalty,
                std::span<double> weight);

}  // namespace rosewood
