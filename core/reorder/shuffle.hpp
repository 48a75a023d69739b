// core/reorder/shuffle.hpp: random orders that a seed and a place decide, nothing else. No Python
// here.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace rosewood {

/// The generator SplitMix64 (Steele, Lea & Flood 2014).
struct SplitMix {
  std::uint64_t state;

  std::uint64_t operator()() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  /// A number below n, which is below 2^32; the bias is less than n / 2^32.
  std::uint64_t below(std::uint64_t n) { return (((*this)() >> 32) * n) >> 32; }
};

/// A generator for one place of the work: seed, pass, part.
inline SplitMix generator_of(std::uint64_t seed, std::int64_t pass, std::int64_t part) {
  SplitMix mixed{seed};
  mixed.state = mixed() ^ static_cast<std::uint64_t>(pass);
  mixed.state = mixed() ^ static_cast<std::uint64_t>(part);
  return SplitMix{mixed()};
}

template <class T>
void shuffle(std::span<T> items, SplitMix random) {
  for (std::uint64_t n = items.size(); n > 1; --n) std::swap(items[n - 1], items[random.below(n)]);
}

}  // namespace rosewood
