// core/semiring/standard.hpp: the plain semirings. A semiring K has a Value, zero, one, plus,
// times, is_zero, and normalise (which may change how a value is written, never what it is).
// Specification: src/rosewood/forest/semirings.py.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "util/error.hpp"

namespace rosewood {

/// (max, +) on log weights.
struct Tropical {
  using Value = double;
  static Value zero() { return -std::numeric_limits<double>::infinity(); }
  static Value one() { return 0.0; }
  static bool is_zero(Value a) { return a == zero(); }
  static Value plus(Value a, Value b) { return std::max(a, b); }
  static Value times(Value a, Value b) { return a + b; }
  static Value normalise(Value a) { return a; }
};

/// (+, x) in plain doubles.
struct Real {
  using Value = double;
  static Value zero() { return 0.0; }
  static Value one() { return 1.0; }
  static bool is_zero(Value a) { return a == 0.0; }
  static Value plus(Value a, Value b) { return a + b; }
  static Value times(Value a, Value b) { return a * b; }
  static Value normalise(Value a) { return a; }
};

/// Whole numbers up to 2^64-1, the largest standing for "too large": it absorbs, so that a caller
/// can see that it must count in larger numbers.
struct SaturatingCount {
  using Value = std::uint64_t;
  static constexpr Value too_large = std::numeric_limits<Value>::max();
  static Value zero() { return 0; }
  static Value one() { return 1; }
  static bool is_zero(Value a) { return a == 0; }
  static Value plus(Value a, Value b) { return a > too_large - b ? too_large : a + b; }
  static Value times(Value a, Value b) {
    if (a == 0 || b == 0) return 0;
    return a > too_large / b ? too_large : a * b;
  }
  static Value normalise(Value a) { return a; }
};

}  // namespace rosewood
