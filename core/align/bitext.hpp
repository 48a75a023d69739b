// core/align/bitext.hpp: sentence pairs as numbers of words. No Python here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace rosewood {

/// Sentence k has the words ids[start[k]] .. ids[start[k+1]-1].
struct TextView {
  std::span<const std::int32_t> ids;
  std::span<const std::int64_t> start;
  std::int32_t words = 0;  // how many different ones there may be

  std::int64_t size() const { return static_cast<std::int64_t>(start.size()) - 1; }
  std::int64_t begin_of(std::int64_t k) const { return start[static_cast<std::size_t>(k)]; }
  std::span<const std::int32_t> sentence(std::int64_t k) const {
    const auto begin = static_cast<std::size_t>(begin_of(k));
    return ids.subspan(begin, static_cast<std::size_t>(begin_of(k + 1)) - begin);
  }
  /// The sentence that has the word at this place.
  std::int64_t sentence_of(std::int64_t place) const {
    return std::upper_bound(start.begin(), start.end(), place) - start.begin() - 1;
  }
};

struct BitextView {
  TextView source, target;

  std::int64_t size() const { return source.size(); }
};

/// Refuses offsets that do not fit, words that are out of range, and texts of different length.
void check_bitext(const BitextView& bitext);

}  // namespace rosewood
