// core/align/counts.hpp: expected counts as fixed-point numbers, whose sums do not depend on the
// order of additions: the same result for any number of threads. No Python here.
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>

namespace rosewood {

using Count = std::int64_t;  // in units of 2^-30: counts up to 2^33, to a billionth

inline constexpr double count_unit = 1.0 / (1 << 30);

inline Count to_count(double expected) {
  return static_cast<Count>(std::llrint(expected * (1 << 30)));
}

/// Adds to a count that other threads add to at the same time.
inline void add_shared(Count& count, Count more) {
  std::atomic_ref<Count>(count).fetch_add(more, std::memory_order_relaxed);
}

}  // namespace rosewood
