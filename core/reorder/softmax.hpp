// core/reorder/softmax.hpp: exponentials and probabilities of a few classes at a time. No Python
// here.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "reorder/examples.hpp"
#include "util/clones.hpp"

namespace rosewood {

/// exp(x) for x <= 0, without a call, so that classes are computed side by side; 0 below -708.
ROSEWOOD_INLINE double exp_of_negative(double x) {
  constexpr double log2_e = 1.44269504088896340735992468100;
  constexpr double ln2_high = 0x1.62e42fee00000p-1;
  constexpr double ln2_low = 0x1.a39ef35793c76p-33;
  constexpr double rounder = 0x1.8p52;  // adding and subtracting it rounds to a whole number
  const double bounded = x > -708.0 ? x : -708.0;
  const double shifted = bounded * log2_e + rounder;
  const double k = shifted - rounder;
  const double r = (bounded - k * ln2_high) - k * ln2_low;
  // Taylor's series to r^13, whose remainder is below 2^-57, by Estrin's scheme: short chains.
  const double r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
  const double p01 = 1.0 + r, p23 = 0.5 + r * (1.0 / 6.0);
  const double p45 = 1.0 / 24.0 + r * (1.0 / 120.0), p67 = 1.0 / 720.0 + r * (1.0 / 5040.0);
  const double p89 = 1.0 / 40320.0 + r * (1.0 / 362880.0);
  const double pab = 1.0 / 3628800.0 + r * (1.0 / 39916800.0);
  const double pcd = 1.0 / 479001600.0 + r * (1.0 / 6227020800.0);
  const double low = (p01 + r2 * p23) + r4 * (p45 + r2 * p67);
  const double high = (p89 + r2 * pab) + r4 * pcd;
  const double whole = low + r8 * high;
  // The whole number is in the low bits of `shifted`.
  const auto bits = std::bit_cast<std::uint64_t>(shifted) << 52;
  const double scaled = std::bit_cast<double>(std::bit_cast<std::uint64_t>(whole) + bits);
  return x > -708.0 ? scaled : 0.0;
}

/// probability[k] = exp(log_weight[k]) / Z, and log_weight[k] becomes its logarithm. Returns log Z.
template <int K>
inline double normalise(ClassNumbers<K>& log_weight, ClassNumbers<K>& probability) {
  const int classes = log_weight.classes(), columns = log_weight.columns();
  double most = log_weight[0];
  for (int k = 1; k < classes; ++k) most = log_weight[k] > most ? log_weight[k] : most;
  for (int k = 0; k < columns; ++k) probability[k] = exp_of_negative(log_weight[k] - most);
  double sum = 0.0;
  for (int k = 0; k < classes; ++k) sum += probability[k];
  const double log_sum = std::log(sum), part = 1.0 / sum;
  for (int k = 0; k < classes; ++k) {
    probability[k] *= part;
    log_weight[k] = (log_weight[k] - most) - log_sum;
  }
  return most + log_sum;
}

}  // namespace rosewood
