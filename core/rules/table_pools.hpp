// core/rules/table_pools.hpp: what many rules have in common, kept once while a table is written.
// All of it has a largest size, which depends on nothing but what is written. No Python here.
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

/// Where strings of numbers were put. Only so many are remembered, the later ones: who asks may put
/// one a second time.
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

/// What a column's numbers are like, so far.
class ColumnRange {
 public:
  explicit ColumnRange(bool is_count) : is_count_(is_count) {}

  /// A number: the bits of a double or of a float.
  void see(std::uint64_t bits);
  /// Bits as the code takes them: those of whole numbers are the numbers.
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

/// Codes of the distinct tuples of a group; when there are too many, there are no more codes.
class TupleCodes {
 public:
  /// A code for one number saves little, so there are fewer of those.
  explicit TupleCodes(std::size_t columns)
      : columns_(columns),
        most_(std::size_t{1} << (columns == 1 ? 16 : 18)),
        slots_(1 << 10, free_slot) {}

  /// The code of a tuple, which is given the next one if it is new; none if it gets none.
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

/// The widths that take the least room: times[c] is how often code c is used, those used most come
/// first. `most_shapes` widths may be told apart; where a code stands for `numbers` bits, those at
/// the end may go, and what they stand for is written as it is, as it is for `others` rules.
struct Chosen {
  CodeWidths code;
  std::uint64_t bits = 0;  // of all records, their shapes, and what codes stand for
};
Chosen choose_widths(std::span<const std::uint32_t> times, std::size_t most_shapes);
Chosen choose_widths(std::span<const std::uint32_t> times, std::size_t most_shapes,
                     std::uint64_t numbers, std::uint64_t others);

}  // namespace rosewood
