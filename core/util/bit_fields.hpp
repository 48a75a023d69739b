// core/util/bit_fields.hpp: rows of 64-bit numbers that are cut into fields of any widths. No
// Python here.
//
// Fields lie one behind the other from the highest bit of the first number on, so rows that are
// sorted as numbers are sorted by their first field, then by the next, and so on.
#pragma once

#include <cstdint>

namespace rosewood {

class BitFields {
 public:
  /// A field: where it begins and how many bits it has, at most 64.
  struct Field {
    int begin = 0, bits = 0;
  };

  /// The next field.
  Field add(int bits) {
    const Field made{size_, bits};
    size_ += bits;
    return made;
  }
  /// Bits of all fields so far.
  int size() const { return size_; }
  /// Numbers of a row.
  int words() const { return (size_ + 63) / 64; }

  /// Writes a field of a row that is zero there; the value must fit.
  static void put(std::uint64_t* row, Field field, std::uint64_t value) {
    if (field.bits == 0) return;
    const int word = field.begin / 64, end = field.begin % 64 + field.bits;
    if (end <= 64) {
      row[word] |= value << (64 - end);
    } else {
      row[word] |= value >> (end - 64);
      row[word + 1] |= value << (128 - end);
    }
  }
  static std::uint64_t get(const std::uint64_t* row, Field field) {
    if (field.bits == 0) return 0;
    const int word = field.begin / 64, from = field.begin % 64, end = from + field.bits;
    const std::uint64_t first = row[word] << from;
    if (end <= 64) return first >> (64 - field.bits);
    return (first >> (64 - field.bits)) | row[word + 1] >> (128 - end);
  }
  /// Whether the first `bits` bits of two rows are the same.
  static bool is_same(const std::uint64_t* a, const std::uint64_t* b, int bits) {
    for (; bits >= 64; bits -= 64)
      if (*a++ != *b++) return false;
    return bits == 0 || (*a ^ *b) >> (64 - bits) == 0;
  }

 private:
  int size_ = 0;
};

}  // namespace rosewood
