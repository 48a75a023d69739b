// core/lm/small.hpp: the small layout: the trie of core/lm/table.hpp in packed bits. No Python
// here.
//
//   1            probability, back-off and number of the first child of each word; one more
//   n            of each n-gram: first word, probability, back-off (not at the highest order)
//   n.children   of each n-gram, how many longer ones end in it (core/util/bits.hpp)
//   n.kept       the places that are kept of them
//   n.values     if quantised: what the codes of probabilities and back-offs stand for
//
// A probability, which is never above 0, has no sign: 31 bits. Quantised, it is a code, as is the
// back-off.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lm/fast.hpp"
#include "lm/quantise.hpp"
#include "lm/sections.hpp"
#include "lm/walk.hpp"
#include "util/bits.hpp"

namespace rosewood {

/// How wide the records of an order are, in bits.
struct RecordShape {
  RecordShape() = default;
  RecordShape(std::uint64_t words, int bits, bool is_highest)
      : word(width_below(words)),
        probability(bits ? bits : 31),
        backoff(is_highest ? 0
                : bits     ? bits
                           : 32) {}
  int width() const { return word + probability + backoff; }

  int word = 0, probability = 0, backoff = 0;
};

/// Of each n-gram, how many longer ones end in it.
using NgramDegrees = Degrees<LanguageModelError>;

class SmallLayout {
 public:
  /// The n-gram found last; while a longer one is looked for, where it would be.
  enum class Step : std::uint32_t { begin, bits, search };
  struct Cursor {
    std::uint64_t node, end;
    std::uint32_t word;
    Step step;
  };

  SmallLayout(const Sections& sections, std::span<const std::uint64_t> counts, int bits);

  int order() const { return static_cast<int>(levels_.size()); }

  Found unigram(std::uint32_t word, Cursor& at) const {
    at.node = word;
    const std::uint8_t* entry = unigrams_ + std::size_t{16} * word;
    return {loaded<float>(entry), loaded<float>(entry + 4)};
  }
  void prefetch_unigram(std::uint32_t word) const {
    prefetch_to_read(unigrams_ + std::size_t{16} * word);
  }
  bool aim(Cursor& at, int n, std::uint32_t word) const {
    at.word = word;
    at.step = Step::begin;
    if (n > 2)
      levels_[n - 2].degrees.prefetch_kept(at.node);
    else
      look_in(at, n);
    return at.step == Step::begin || at.node < at.end;
  }
  /// A step on the way to the children, or of a binary search among them; each asks for what the
  /// next one will look at.
  bool settle(Cursor& at, int n) const {
    switch (at.step) {
      case Step::begin:
        levels_[n - 2].degrees.prefetch_bits(at.node);
        at.step = Step::bits;
        return true;
      case Step::bits:
        look_in(at, n);
        return true;
      case Step::search:
        break;
    }
    const std::uint64_t half = (at.end - at.node) / 2;
    if (half < few) return false;
    const Level& level = levels_[n - 1];
    const bool is_above = level.word(at.node + half) <= at.word;
    at.end = is_above ? at.end : at.node + half;
    at.node = is_above ? at.node + half : at.node;
    level.prefetch(at.node + (at.end - at.node) / 2);
    return true;
  }
  bool find(Cursor& at, int n, Found& out) const {
    while (settle(at, n)) {
    }
    if (at.node == at.end) return false;
    const Level& level = levels_[n - 1];
    while (at.node + 1 < at.end && level.word(at.node) < at.word) ++at.node;
    if (level.word(at.node) != at.word) return false;
    out = level.found(at.node);
    return true;
  }

  /// Whether a longer n-gram ends in the one that was found.
  bool extends(const Cursor& at, int n) const {
    if (n >= order()) return false;
    const NgramDegrees::Range range = children(n, at.node);
    return range.begin < range.end;
  }

  /// Refuses what a writer never writes.
  void check() const;
  /// The n-grams again, as they were before they were written, or as near as codes are.
  NgramTable table() const;

 private:
  static constexpr std::uint64_t few = 4;  // are looked at one by one

  struct Level {
    std::uint64_t count = 0;
    RecordShape shape;
    const std::uint8_t* records = nullptr;
    const std::uint8_t* values = nullptr;  // null: numbers are as they are
    NgramDegrees degrees;

    void prefetch(std::uint64_t i) const { prefetch_to_read(records + place(i) / 8); }
    std::uint64_t place(std::uint64_t i) const {
      return i * static_cast<std::uint64_t>(shape.width());
    }
    std::uint32_t word(std::uint64_t i) const {
      return static_cast<std::uint32_t>(bits_at(records, place(i), shape.word));
    }
    Found found(std::uint64_t i) const {
      const std::uint64_t at = place(i) + static_cast<std::uint64_t>(shape.word);
      const auto p = static_cast<std::uint32_t>(bits_at(records, at, shape.probability));
      const auto b = static_cast<std::uint32_t>(
          bits_at(records, at + static_cast<std::uint64_t>(shape.probability), shape.backoff));
      const bool has_backoff = shape.backoff > 0;
      if (!values)
        return {0.0F - std::bit_cast<float>(p), has_backoff ? std::bit_cast<float>(b) : -0.0F};
      const std::size_t codes = std::size_t{1} << shape.probability;
      return {loaded<float>(values + 4 * p),
              has_backoff ? loaded<float>(values + 4 * (codes + b)) : -0.0F};
    }
  };

  /// Among the children of the n-gram found, which are of order n.
  void look_in(Cursor& at, int n) const {
    const NgramDegrees::Range range = children(n - 1, at.node);
    at.node = range.begin;
    at.end = range.end;
    at.step = Step::search;
    levels_[n - 1].prefetch(range.begin + (range.end - range.begin) / 2);
  }

  NgramDegrees::Range children(int n, std::uint64_t node) const {
    if (n > 1) return levels_[n - 1].degrees.children(node);
    const std::uint8_t* entry = unigrams_ + 16 * node + 8;
    const std::uint64_t end = std::min(loaded<std::uint64_t>(entry + 16), levels_[1].count);
    return {std::min(loaded<std::uint64_t>(entry), end), end};
  }

  const std::uint8_t* unigrams_;
  std::vector<Level> levels_;  // of each order; the first has nothing but its count
};

/// Writes the parts of a table.
class SmallWriter {
 public:
  SmallWriter(const NgramTable& table, int bits) : table_(table), bits_(bits) {}

  std::vector<std::string> parts() const;
  void write(const std::string& part, Sink& sink);

 private:
  void write_unigrams(Sink& sink) const;
  void write_values(int n, Sink& sink);
  void write_records(int n, Sink& sink) const;

  const NgramTable& table_;
  int bits_;
  std::optional<Codebook> probabilities_, backoffs_;  // of the order whose values came last
};

}  // namespace rosewood
