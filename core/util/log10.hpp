// core/util/log10.hpp: logarithms that are the same on every machine, whatever its C library, and
// faster than most of those.
#pragma once

#include <bit>
#include <cstdint>

namespace rosewood {

/// log10 of a normal number above zero, to about 1e-15.
inline double log10_of(double x) {
  // x = 2^e m with m from sqrt(1/2) to sqrt(2); ln m = 2 artanh z, z = (m-1)/(m+1).
  constexpr double ln_2 = 0.693147180559945309417232121458,
                   log10_e = 0.434294481903251827651128918917;
  constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcdULL, one = std::uint64_t{1} << 52;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<std::int64_t>(bits - root_half) >> 52;
  const double m = std::bit_cast<double>(bits - static_cast<std::uint64_t>(exponent) * one);
  const double z = (m - 1.0) / (m + 1.0), w = z * z;
  double sum = 1.0 / 17.0;
  for (int k = 15; k >= 1; k -= 2) sum = sum * w + 1.0 / k;
  return (static_cast<double>(exponent) * ln_2 + 2.0 * z * sum) * log10_e;
}

}  // namespace rosewood
