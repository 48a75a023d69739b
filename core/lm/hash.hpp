// core/lm/hash.hpp: hashes of words and of n-grams, the same on every machine. No Python here.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "util/loaded.hpp"

namespace rosewood {

/// One step of a chain. An n-gram is hashed from its last word to its first, so that the hash of a
/// longer one goes on where the shorter one ends.
inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ (value + 1) * 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL;
  hash ^= hash >> 32;
  return hash * 0x94d049bb133111ebULL;
}

/// Hash 0 is kept for empty slots.
inline std::uint64_t slot_hash(std::uint64_t hash) { return hash ? hash : 1; }

/// A piece of text, and how far the text goes on behind it: eight bytes are read at once where
/// there are as many.
struct Piece {
  const char* data;
  std::size_t size;
  const char* limit;

  explicit Piece(std::string_view text)
      : data(text.data()), size(text.size()), limit(data + size) {}
  Piece(const char* begin, const char* end, const char* text_end)
      : data(begin), size(static_cast<std::size_t>(end - begin)), limit(text_end) {}

  std::string_view view() const { return {data, size}; }
};

/// Up to eight bytes, then zeros.
inline std::uint64_t first_bytes(const char* at, std::size_t count, const char* limit) {
  if (count == 0) return 0;
  if (limit - at >= 8) return loaded<std::uint64_t>(at) & ~std::uint64_t{0} >> (64 - 8 * count);
  std::uint64_t found = 0;
  std::memcpy(&found, at, count);
  return found;
}

/// The bytes of a word.
inline std::uint64_t hash_of_word(const Piece& word, std::uint64_t seed) {
  const char* at = word.data;
  std::size_t left = word.size;
  std::uint64_t hash = mixed(seed, left);
  for (; left > 8; at += 8, left -= 8) hash = mixed(hash, loaded<std::uint64_t>(at));
  return slot_hash(mixed(hash, first_bytes(at, left, word.limit)));
}

/// The upper half of a product, from 32-bit halves: no 128-bit type, so it compiles everywhere.
inline std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a_high = a >> 32, a_low = a & 0xffffffff;
  const std::uint64_t b_high = b >> 32, b_low = b & 0xffffffff;
  const std::uint64_t cross = a_high * b_low + (a_low * b_low >> 32);
  const std::uint64_t other = a_low * b_high + (cross & 0xffffffff);
  return a_high * b_high + (cross >> 32) + (other >> 32);
}

}  // namespace rosewood
