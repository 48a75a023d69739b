// core/lm/fast.hpp: the fast layout: n-grams found by their hashes, one look each. No Python here.
//
//   order 1            probability, back-off of each word
//   orders 2 .. N-1    hash table: probability, back-off
//   order N            hash table: probability
//
// The sign of a stored probability, which is never above 0, is set if a longer n-gram ends in this
// one: there is no search for what cannot be.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lm/hash_table.hpp"
#include "lm/sections.hpp"
#include "lm/walk.hpp"
#include "util/row_sort.hpp"

namespace rosewood {

/// What a model says of an n-gram.
struct Found {
  float probability, backoff;
};

class FastLayout {
 public:
  /// The n-gram found last, or the one that is being looked for.
  struct Cursor {
    std::uint64_t hash;
    const std::uint8_t* bucket;
    bool extends;
  };

  FastLayout(const Sections& sections, std::span<const std::uint64_t> counts, std::uint64_t seed);

  int order() const { return order_; }

  Found unigram(std::uint32_t word, Cursor& at) const {
    const std::uint8_t* entry = unigrams_ + std::size_t{8} * word;
    at.hash = mixed(seed_, word);
    return found(loaded<float>(entry), loaded<float>(entry + 4), at);
  }
  void prefetch_unigram(std::uint32_t word) const {
    prefetch_to_read(unigrams_ + std::size_t{8} * word);
  }
  /// Looks for the n-gram with this word before the one that was found; false if there is none for
  /// sure.
  bool aim(Cursor& at, int n, std::uint32_t word) const {
    if (!at.extends) return false;
    at.hash = slot_hash(mixed(at.hash, word));
    at.bucket = n == order_ ? highest_.home(at.hash) : middle_[n - 2].home(at.hash);
    prefetch_to_read(at.bucket);
    return true;
  }
  /// On to the next bucket, if it cannot be in this one.
  bool settle(Cursor& at, int n) const {
    at.bucket = n == order_ ? HashTable<4>::further(at.hash, at.bucket)
                            : HashTable<8>::further(at.hash, at.bucket);
    prefetch_to_read(at.bucket);
    return false;  // nearly always
  }
  bool find(Cursor& at, int n, Found& out) const {
    if (n == order_) {
      const std::uint8_t* entry = HashTable<4>::find(at.hash, at.bucket);
      if (entry) out = found(loaded<float>(entry), -0.0F, at);
      return entry;
    }
    const std::uint8_t* entry = HashTable<8>::find(at.hash, at.bucket);
    if (entry) out = found(loaded<float>(entry), loaded<float>(entry + 4), at);
    return entry;
  }

  /// Whether a longer n-gram ends in the one that was found.
  bool extends(const Cursor& at, int n) const { return n < order_ && at.extends; }

  /// Refuses what a writer never writes.
  void check() const;

 private:
  static Found found(float stored, float backoff, Cursor& at) {
    at.extends = std::signbit(stored);
    return {0.0F - std::fabs(stored), backoff};
  }

  int order_;
  std::uint64_t seed_;
  std::vector<std::uint64_t> counts_;
  const std::uint8_t* unigrams_;
  std::vector<HashTable<8>> middle_;  // orders 2 .. N-1
  HashTable<4> highest_;
};

/// Writes the orders of a table one after the other.
class FastWriter {
 public:
  FastWriter(const NgramTable& table, std::uint64_t seed, SortRoom room)
      : table_(table), seed_(seed), room_(std::move(room)) {}
  ~FastWriter() { hashes_.discard(); }

  /// Order n, after those below it; false if two n-grams have the same hash with this seed.
  bool write(int n, Sink& sink);

 private:
  const NgramTable& table_;
  std::uint64_t seed_;
  SortRoom room_;
  Spool<std::uint64_t> hashes_;  // of the order before, in suffix order
};

}  // namespace rosewood
