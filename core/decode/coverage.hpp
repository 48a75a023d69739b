// core/decode/coverage.hpp: which source words are translated. No Python here.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "util/interner.hpp"

namespace rosewood {

/// Sets of the words of one sentence, numbered as they come; 0 is the empty one.
class Coverages {
 public:
  explicit Coverages(std::int32_t words)
      : words_(words), sets_(static_cast<std::size_t>(words) / 32 + 1), row_(sets_.width()) {
    sets_.add(row_.data());
  }

  bool has(std::int32_t set, std::int32_t word) const {
    return sets_[set][static_cast<std::size_t>(word) / 32] >> (word % 32) & 1;
  }
  /// The set with words begin .. end-1, too.
  std::int32_t with(std::int32_t set, std::int32_t begin, std::int32_t end) {
    const auto bits = sets_[set];
    std::copy(bits.begin(), bits.end(), row_.begin());
    for (std::int32_t word = begin; word < end; ++word)
      row_[static_cast<std::size_t>(word) / 32] |= std::uint32_t{1} << (word % 32);
    return sets_.add(row_.data()).number;
  }
  /// The first word from `from` on that is not in the set; the number of words if there is none.
  std::int32_t first_gap(std::int32_t set, std::int32_t from = 0) const {
    return first(set, from, ~std::uint32_t{0});
  }
  /// The first word from `from` on that is in the set.
  std::int32_t first_covered(std::int32_t set, std::int32_t from) const {
    return first(set, from, 0);
  }
  /// Calls body(begin, end) for every run of words that are not in the set.
  template <class Body>
  void for_each_gap(std::int32_t set, Body&& body) const {
    for (std::int32_t begin = first_gap(set); begin < words_;) {
      const std::int32_t end = first_covered(set, begin);
      body(begin, end);
      begin = first_gap(set, end);
    }
  }

 private:
  std::int32_t first(std::int32_t set, std::int32_t from, std::uint32_t flip) const {
    if (from >= words_) return words_;
    const auto bits = sets_[set];
    auto at = static_cast<std::size_t>(from) / 32;
    std::uint32_t found = (bits[at] ^ flip) >> (from % 32) << (from % 32);
    while (found == 0 && ++at < bits.size()) found = bits[at] ^ flip;
    if (found == 0) return words_;
    return std::min(words_, static_cast<std::int32_t>(at * 32) + std::countr_zero(found));
  }

  std::int32_t words_;
  RowInterner sets_;
  std::vector<std::uint32_t> row_;
};

}  // namespace rosewood
