// core/align/spelling.hpp: how alike are words spelled? No Python here.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "align/lexicon.hpp"

namespace rosewood {

/// The characters of word w are point[start[w]] .. point[start[w+1]-1].
struct Spellings {
  std::span<const std::int32_t> point;
  std::span<const std::int64_t> start;

  std::span<const std::int32_t> of(std::int32_t word) const {
    const auto begin = static_cast<std::size_t>(start[static_cast<std::size_t>(word)]);
    return point.subspan(
        begin, static_cast<std::size_t>(start[static_cast<std::size_t>(word) + 1]) - begin);
  }
};

/// 1 for the same word; for words of four characters and more how much of the longer one their
/// longest common subsequence is, from 0 at three fifths to 1; else 0.
double likeness(std::span<const std::int32_t> one, std::span<const std::int32_t> other);

/// The likeness of each pair of the lexicon, and their sums by source and by target word.
void spell(const LexiconView& lexicon, const std::array<Spellings, 2>& words, std::span<float> like,
           std::array<std::span<double>, 2> total, int threads);

}  // namespace rosewood
