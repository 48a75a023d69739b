// core/lm/row_packing.hpp: words in as few 64-bit numbers as they fit into, in an order that
// sorting keeps. No Python here.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace rosewood {

/// A row is `order` words, each stored plus one, or fewer: zeros are behind the last.
class RowPacking {
 public:
  RowPacking(int order, std::uint64_t words)
      : order_(order),
        bits_(static_cast<int>(std::bit_width(words))),
        per_(std::min(order, 64 / bits_)),
        mask_((std::uint64_t{1} << bits_) - 1) {}

  int order() const { return order_; }
  /// Numbers in a row.
  int width() const { return (order_ + per_ - 1) / per_; }

  std::uint64_t digit(const std::uint64_t* row, int i) const {
    return row[i / per_] >> shift(i) & mask_;
  }
  /// Stores a word in a row whose numbers were zero.
  void put(std::uint64_t* row, int i, std::uint64_t word) const {
    row[i / per_] |= (word + 1) << shift(i);
  }
  /// How many words two rows have in common from the front; `order` if they are equal.
  int common(const std::uint64_t* a, const std::uint64_t* b) const {
    for (int k = 0; k < width(); ++k)
      if (const std::uint64_t different = a[k] ^ b[k])
        return k * per_ + (std::countl_zero(different) - (64 - bits_ * per_)) / bits_;
    return order_;
  }

 private:
  int shift(int i) const { return bits_ * (per_ - 1 - i % per_); }

  int order_, bits_, per_;
  std::uint64_t mask_;
};

}  // namespace rosewood
