// core/semiring/scaled.hpp: real numbers of either sign with an unbounded exponent.
//
// The log semiring, and the signed log semiring of Li & Eisner (2009, Table 3), without a logarithm
// in the loop: a value is mantissa * 2^exponent (their footnote 6), so that a product is one
// multiplication and a sum is one addition. One exponential an edge and one logarithm a node
// remain, and the exponentials run over contiguous memory, many at a time.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace rosewood {

/// mantissa * 2^exponent; the exponent is a whole number held in a double, so that it cannot wrap
/// around: past 2^53 it loses digits, as a logarithm of that size would. Zero has the exponent
/// -inf, so that it is never the largest.
struct Scaled {
  double mantissa;
  double exponent;
};

/// 2^x for a whole x <= 0; 0 where a double cannot hold it, and for NaN.
inline double power_of_two(double x) {
  if (!(x >= -1022.0)) return 0.0;
  return std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<std::int64_t>(x) + 1023)
                               << 52);
}

/// The same value with the mantissa in [0.5, 1), or zero.
inline Scaled normalised(Scaled a) {
  const auto bits = std::bit_cast<std::uint64_t>(a.mantissa);
  const auto biased = static_cast<int>((bits >> 52) & 0x7ff);
  if (biased == 0) {  // zero, or too small for the fast path
    if (a.mantissa == 0.0) return {0.0, -std::numeric_limits<double>::infinity()};
    int shift = 0;
    const double mantissa = std::frexp(a.mantissa, &shift);
    return {mantissa, a.exponent + shift};
  }
  const auto mantissa =
      std::bit_cast<double>((bits & 0x800fffffffffffffULL) | (std::uint64_t{1022} << 52));
  return {mantissa, a.exponent + (biased - 1022)};
}

/// log |a|, -inf for zero.
inline double log_magnitude(Scaled a) {
  constexpr double ln2 = 0.693147180559945309417232121458;
  if (a.mantissa == 0.0) return -std::numeric_limits<double>::infinity();
  return std::log(std::abs(a.mantissa)) + a.exponent * ln2;
}

/// exp(x) for any x but NaN and +inf, one at a time.
inline Scaled scaled_exp(double x) {
  constexpr double log2_e = 1.44269504088896340735992468100;
  constexpr double ln2_high = 0x1.62e42fee00000p-1;
  constexpr double ln2_low = 0x1.a39ef35793c76p-33;
  if (x == -std::numeric_limits<double>::infinity()) return {0.0, x};
  const double k = std::nearbyint(x * log2_e);
  double rest = (x - k * ln2_high) - k * ln2_low;
  if (!(std::abs(rest) < 0.5))
    rest = 0.0;  // |x| so large that nothing is left below its last digit
  return {std::exp(rest), k};
}

/// The semiring (R, +, x) on Scaled values; every Value it returns may be unnormalised.
struct ScaledReal {
  using Value = Scaled;
  static Value zero() { return {0.0, -std::numeric_limits<double>::infinity()}; }
  static Value one() { return {1.0, 0.0}; }
  static bool is_zero(const Value& a) { return a.mantissa == 0.0; }
  static Value plus(const Value& a, const Value& b) {
    if (b.mantissa == 0.0) return a;
    if (a.mantissa == 0.0) return b;
    const double apart = a.exponent - b.exponent;
    if (apart >= 0.0) return {a.mantissa + b.mantissa * power_of_two(-apart), a.exponent};
    return {a.mantissa * power_of_two(apart) + b.mantissa, b.exponent};
  }
  static Value times(const Value& a, const Value& b) {
    return {a.mantissa * b.mantissa, a.exponent + b.exponent};
  }
  static Value normalise(const Value& a) { return normalised(a); }
};

/// mantissa[i] * 2^exponent[i] = exp(x[i]), many at a time. False, and nothing written that counts,
/// where an x is NaN, infinite or beyond ±2^40: those go one at a time.
bool scaled_exp_block(std::span<const double> x, double* mantissa, double* exponent);

}  // namespace rosewood
