// core/lm/ngram_keys.hpp: n-grams packed into 64-bit numbers whose order is suffix order: the last
// word first. No Python here.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace rosewood {

/// As many words in a number as there is room for. The last word of an n-gram has the highest bits
/// of the first number, the first word the lowest that are used, so that the key of a suffix is the
/// beginning of the key of the whole.
class NgramKeys {
 public:
  NgramKeys() : NgramKeys(1) {}
  explicit NgramKeys(std::int64_t words)
      : bits_(std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(words - 1))))),
        per_number_(64 / bits_),
        mask_((std::uint64_t{1} << bits_) - 1) {}

  /// How many numbers a key of n words has.
  int size(int n) const { return (n + per_number_ - 1) / per_number_; }

  /// The i-th word from the last, counted from 0.
  std::uint32_t word(const std::uint64_t* key, int i) const {
    return static_cast<std::uint32_t>(key[i / per_number_] >> shift(i % per_number_) & mask_);
  }
  /// Sets it, in a key whose bits were zero there.
  void put(std::uint64_t* key, int i, std::uint64_t word) const {
    key[i / per_number_] |= word << shift(i % per_number_);
  }
  /// How many words two keys of n words have in common from the last on.
  int common(const std::uint64_t* a, const std::uint64_t* b, int n) const {
    for (int k = 0; k < size(n); ++k)
      if (const std::uint64_t different = a[k] ^ b[k])
        return k * per_number_ + (std::countl_zero(different) - (64 - bits_ * per_number_)) / bits_;
    return n;
  }

  /// Words stand in the order of the text.
  void pack(const std::uint32_t* words, int n, std::uint64_t* key) const {
    for (int i = 0; i < size(n); ++i) key[i] = 0;
    for (int i = 0; i < n; ++i) put(key, i, words[n - 1 - i]);
  }
  void unpack(const std::uint64_t* key, int n, std::uint32_t* words) const {
    for (int i = 0; i < n; ++i) words[n - 1 - i] = word(key, i);
  }
  std::uint32_t first_word(const std::uint64_t* key, int n) const { return word(key, n - 1); }
  /// The key without the first word.
  void suffix(const std::uint64_t* key, int n, std::uint64_t* out) const {
    for (int i = 0; i < size(n - 1); ++i) out[i] = key[i];
    if (size(n) == size(n - 1))
      out[(n - 1) / per_number_] &= ~(mask_ << shift((n - 1) % per_number_));
  }

 private:
  int shift(int place) const { return (per_number_ - 1 - place) * bits_; }

  int bits_, per_number_;
  std::uint64_t mask_;
};

}  // namespace rosewood
