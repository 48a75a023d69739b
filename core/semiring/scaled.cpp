// core/semiring/scaled.cpp
#include "semiring/scaled.hpp"

#include "util/clones.hpp"

namespace rosewood {

ROSEWOOD_CLONES
bool scaled_exp_block(std::span<const double> x, double* mantissa, double* exponent) {
  constexpr double log2_e = 1.44269504088896340735992468100;
  constexpr double ln2_high = 0x1.62e42fee00000p-1;  // 32 bits: exact times any k below 2^21
  constexpr double ln2_low = 0x1.a39ef35793c76p-33;
  constexpr double rounder = 0x1.8p52;  // adding and subtracting it rounds to a whole number
  constexpr double wide = 0x1p40;
  const std::size_t n = x.size();
  double strange = 0.0;  // a sum instead of a flag: compilers keep it in a vector
  for (std::size_t i = 0; i < n; ++i) {
    strange += std::abs(x[i]) <= wide ? 0.0 : 1.0;
    const double k = (x[i] * log2_e + rounder) - rounder;
    const double r = (x[i] - k * ln2_high) - k * ln2_low;
    // Taylor's series to r^13: |r| <= ln 2 / 2, the remainder is below 2^-57.
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    mantissa[i] = 1.0 + (r + r * r * p);
    exponent[i] = k;
  }
  return strange == 0.0;
}

}  // namespace rosewood
