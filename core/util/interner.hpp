// core/util/interner.hpp: rows of numbers, each kept once and numbered as they come. No Python
// here.
//
// What a search distinguishes (states, coverages, nodes) becomes small whole numbers: equal rows
// have equal numbers, and no two rows share one.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace rosewood {

class RowInterner {
 public:
  /// `expected`: rows for which it need not grow. `more`: numbers of a row, at its end, that follow
  /// from the others: they are kept, but rows are not told apart by them.
  explicit RowInterner(std::size_t width, std::size_t expected = 64, std::size_t more = 0)
      : width_(width),
        key_width_(width - more),
        factors_(key_width_),
        slots_(std::bit_ceil(2 * expected + 2), empty) {
    rows_.reserve(width * expected);
    std::uint64_t factor = 0x9e3779b97f4a7c15ULL;
    for (std::uint64_t& each : factors_) {
      each = factor;
      factor = factor * 0xbf58476d1ce4e5b9ULL + 2;
    }
  }

  std::size_t width() const { return width_; }
  std::int32_t size() const { return size_; }
  std::span<const std::uint32_t> operator[](std::int32_t number) const {
    return {rows_.data() + static_cast<std::size_t>(number) * width_, width_};
  }

  struct Added {
    std::int32_t number;
    bool is_new;
  };
  /// The number of a row of `width` numbers, which must not lie in this.
  Added add(const std::uint32_t* row) {
    const std::uint64_t hash = hash_of(row);
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot slot = slots_[at];
      if (slot.number < 0) {
        slots_[at] = {static_cast<std::uint32_t>(hash >> 32), size_};
        rows_.insert(rows_.end(), row, row + width_);
        ++size_;
        if (static_cast<std::size_t>(size_) * 2 > slots_.size()) grow();
        return {size_ - 1, true};
      }
      if (slot.check == static_cast<std::uint32_t>(hash >> 32) &&
          std::memcmp(rows_.data() + static_cast<std::size_t>(slot.number) * width_, row,
                      key_width_ * sizeof *row) == 0)
        return {slot.number, false};
    }
  }

 private:
  struct Slot {
    std::uint32_t check;  // of the hash
    std::int32_t number;
  };
  static constexpr Slot empty{0, -1};

  std::uint64_t hash_of(const std::uint32_t* row) const {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < key_width_; ++i)  // products that do not wait for each other
      hash += (std::uint64_t{row[i]} + 1) * factors_[i];
    hash = (hash ^ hash >> 31) * 0x94d049bb133111ebULL;
    return hash ^ hash >> 32;
  }
  void grow() {
    std::vector<Slot> wider(slots_.size() * 2, empty);
    for (std::int32_t number = 0; number < size_; ++number) {
      const std::uint64_t hash = hash_of((*this)[number].data());
      std::size_t at = hash & (wider.size() - 1);
      while (wider[at].number >= 0) at = (at + 1) & (wider.size() - 1);
      wider[at] = {static_cast<std::uint32_t>(hash >> 32), number};
    }
    slots_.swap(wider);
  }

  std::size_t width_, key_width_;
  std::vector<std::uint64_t> factors_;
  std::int32_t size_ = 0;
  std::vector<std::uint32_t> rows_;
  std::vector<Slot> slots_;
};

}  // namespace rosewood
