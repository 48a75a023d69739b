// core/rules/table_pools.hpp: values that many rules share, stored once while a table is written.
// All pools are of bounded size. No Python here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "rules/table_layout.hpp"
#include "util/string_hash.hpp"

namespace rosewood {

/// Places of strings of numbers, by their hashes. A bounded cache: later strings may replace
/// earlier ones, so that a caller may store a string twice.
class StringPlaces {
 public:
  std::optional<std::uint64_t> find(const StringHash& key) const {
    const Slot& slot = slots_[place_of(key)];
    if (slot.place == none || !(slot.key == key)) return std::nullopt;
    return slot.place;
  }
  void put(const StringHash& key, std::uint64_t place) {
    if (2 * ++used_ > slots_.size() && slots_.size() < most) grow();
    slots_[place_of(key)] = {key, place};
  }

 private:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::size_t most = std::size_t{1} << 20;
  struct Slot {
    StringHash key;
    std::uint64_t place = none;
  };

  std::size_t place_of(const StringHash& key) const {
    return StringHash::Hasher()(key) * 0x9e3779b97f4a7c15ULL >> 40 & (slots_.size() - 1);
  }
  void grow() {
    std::vector<Slot> old(4 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.place != none) slots_[place_of(slot.key)] = slot;
  }

  std::vector<Slot> slots_ = std::vector<Slot>(1 << 10);
  std::size_t used_ = 0;
};

/// The range of a column's numbers, from which its code follows.
class ColumnRange {
 public:
  explicit ColumnRange(bool is_count) : is_count_(is_count) {}

  /// Takes a number: the bits of a double or of a float.
  void see(std::uint64_t bits);
  /// The whole number whose bits, as a double, these are.
  static std::uint64_t whole_of(std::uint64_t bits);
  static bool is_whole(std::uint64_t bits);
  ColumnCode code() const;

 private:
  struct Range {
    bool has_zero = false;
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max(), most = 0;
    std::uint64_t first = 0, differing = 0;
    void see(std::uint64_t value);
    ColumnCode code() const;
  };

  bool is_count_, is_whole_ = true;
  Range bits_, whole_;
};

/// Codes of the distinct tuples of a group, in the order of their first use, up to a limit.
class TupleCodes {
 public:
  /// A code for one number saves little, so there are fewer of those.
  explicit TupleCodes(std::size_t columns)
      : columns_(columns),
        most_(std::size_t{1} << (columns == 1 ? 16 : 18)),
        slots_(1 << 10, free_slot) {}

  /// The code of a tuple; a new tuple gets the next one, or none beyond the limit.
  std::optional<std::uint32_t> code(std::span<const std::uint64_t> tuple, bool& is_new);
  std::size_t size() const { return size_; }
  /// How often each code was given.
  std::span<const std::uint32_t> times() const { return times_; }
  std::span<const std::uint64_t> tuple(std::size_t code) const {
    return std::span(tuples_).subspan(code * columns_, columns_);
  }

 private:
  static constexpr std::uint32_t free_slot = std::numeric_limits<std::uint32_t>::max();

  std::size_t place_of(std::span<const std::uint64_t> tuple) const;
  void grow();

  std::size_t columns_, most_, size_ = 0;
  std::vector<std::uint64_t> tuples_;
  std::vector<std::uint32_t> slots_, times_;
};

/// Widths for codes, in few bits: times[c] is how often code c is used, the most frequent first. At
/// most `most_shapes` different widths. If a code stands for a tuple of `numbers` bits, rare codes
/// at the end may be dropped: their tuples are written in full, like those of `others` rules.
struct Chosen {
  CodeWidths code;
  std::uint64_t bits = 0;  // of all records, their shapes, and what codes stand for
};
Chosen choose_widths(std::span<const std::uint32_t> times, std::size_t most_shapes);
Chosen choose_widths(std::span<const std::uint32_t> times, std::size_t most_shapes,
                     std::uint64_t numbers, std::uint64_t others);

}  // namespace rosewood
