// core/rules/table_layout.hpp: how the files of a rule table are laid out. No Python here.
//
// Sources   a trie of their symbols. Nodes are numbered level by level from the root, 0, and within
//           a level in the order of their symbols
//   nodes           of each node but the root: symbol, lower bits of its rules' place, and whether
//                   it has rules of its own
//   children, .kept of each node, how many children it has (core/util/bits.hpp)
//   places, .kept   of each node but the root, upper bits of the place of its first rule: level
//                   times the number of rules, plus the number of rules before it. So places
//                   ascend, and the upper bits are kept as differences, one behind the other
//   last            a bit for each rule, set if it is the last one of its source
// Rules     a record of bits for each: where its target is, and how long; what else is not the same
//           for all; the code of its links; and of each group of columns a code, or the numbers.
//           Codes that are used often have fewer bits: each is of one of up to four widths
//   records         in the order of sources, and for each source as they came
//   shapes          of each rule, of which width its codes are
//   blocks          the bits before the record of every 32nd rule; those between follow from shapes
//   ids             numbers of the rules in the table that this one is a part of; or nothing
//   text, .start    the target side of the training text, and where its sentences begin; or nothing
//   pool            targets that are not in the text, one behind the other
//   links           of each pattern of links, the links; links.counts, .kept: how many
//   codes           what the codes of each group stand for
// Words     source.words, source.word_start, source.order (numbers in the order of bytes), and the
//           same of the target
// Other numbers are as wide as the largest of their kind; what is the same for all has no bits.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "util/bits.hpp"

namespace rosewood {

/// What a table says of all rules, besides words: names of labels (the first is that of phrases),
/// names of features, and which columns are often the same together. Columns are the features and
/// count, source_count and target_count; those in no group are one of their own.
struct TableShape {
  std::vector<std::string> labels, features;
  std::vector<std::vector<std::string>> groups;
};

inline constexpr std::size_t num_counts = 3;
/// No table has more; so many columns are surely a mistake.
inline constexpr std::size_t most_features = 4096;

/// How the numbers of a column are written: counts (doubles) as whole numbers if all are whole,
/// features (floats) as their bits. Zero may have a code of its own; other values are differences
/// from the smallest one, without the low bits that all have in common.
struct ColumnCode {
  std::uint64_t is_whole = 0, has_zero = 0, least = 0, shift = 0, width = 0;

  std::uint64_t encoded(std::uint64_t value) const {
    if (has_zero && value == 0) return 0;
    return ((value - least) >> shift) + has_zero;
  }
  std::uint64_t decoded(std::uint64_t code) const {
    if (has_zero && code == 0) return 0;
    return least + ((code - has_zero) << shift);
  }
};

/// How codes are written: the first 2^widths[0] codes in widths[0] bits, the next 2^widths[1] in
/// widths[1] bits, and so on. Tuples without a code are written in full, which counts as one more
/// width.
struct CodeWidths {
  std::vector<std::uint64_t> widths;
  std::uint64_t codes = 0;       // how many there are
  std::uint64_t has_others = 0;  // whether there is something without a code

  static constexpr std::size_t most = 4;
  std::size_t size() const { return widths.size() + (has_others ? 1 : 0); }
  std::uint64_t shape_width() const {
    return size() ? static_cast<std::uint64_t>(std::bit_width(size() - 1)) : 0;
  }
  /// Which width a code has (`shape`), and what is written. Requires code < codes.
  struct Written {
    std::uint64_t shape, value, width;
  };
  Written written(std::uint64_t code) const {
    std::uint64_t shape = 0;
    while (code >> widths[shape]) code -= std::uint64_t{1} << widths[shape++];
    return {shape, code, widths[shape]};
  }
};

/// Columns that have a code together.
struct GroupLayout {
  std::vector<std::uint64_t> columns;
  CodeWidths code;
  std::uint64_t place = 0;  // bits of `codes` before the first
};

struct TableLayout {
  std::uint64_t rules = 0, num_ids = 0;
  std::uint64_t labels = 1, features = 0;
  std::uint64_t source_words = 0, source_bytes = 0, target_words = 0, target_bytes = 0;
  // Sources; nodes without the root.
  std::uint64_t nodes = 0, levels = 0, max_gaps = 0;
  std::uint64_t symbol_width = 0, low_width = 0, high_total = 0;
  // Fields of a record. Targets are in the text (0), in the pool (1), or each says so (2).
  std::uint64_t where = 0, place_width = 0, length_width = 0, left_width = 0, sentence_width = 0;
  std::uint64_t records_size = 0, blocks_width = 0;  // in bits
  std::uint64_t ids_width = 0;
  std::uint64_t text_size = 0, text_width = 0, sentences = 0, start_width = 0;
  std::uint64_t pool_size = 0, pool_width = 0;
  std::uint64_t num_links = 0, link_source_width = 0, link_target_width = 0;
  CodeWidths links;
  std::vector<ColumnCode> columns;
  std::vector<GroupLayout> groups;
  // What follows from the rest: bits of a record before its codes, and of the longest one; of a
  // shape, and where the links' and each group's is in it; of all that codes stand for.
  std::uint64_t fixed_width = 0, widest = 0, shape_width = 0, codes_size = 0;
  std::vector<std::uint64_t> shape_place;

  /// As numbers in a file, and back; what cannot be is a RuleError.
  std::vector<std::uint64_t> numbers() const;
  static TableLayout of(std::span<const std::uint64_t> numbers);

  /// Bits of the numbers of a group.
  std::uint64_t tuple_width(const GroupLayout& group) const;
  /// Where in a shape the next `width` bits are, if `used` are: bytes are looked at one by one.
  static std::uint64_t next_shape(std::uint64_t used, std::uint64_t width) {
    return used % 8 + width > 8 ? (used / 8 + 1) * 8 : used;
  }
  /// Fills in what follows from the rest.
  void settle();
  std::uint64_t node_width() const { return symbol_width + low_width + 1; }

 private:
  template <class Self, class Visit>
  static void visit(Self& self, Visit&& visit);
};

inline constexpr std::uint64_t block_rules = 32;
inline constexpr std::uint64_t most_shape_bits = 56;

/// How many bits the numbers up to `largest` have; none for 0.
inline std::uint64_t width_of(std::uint64_t largest) {
  return static_cast<std::uint64_t>(std::bit_width(largest));
}

/// Any number of bits up to 64 at a place; sixteen bytes must be there if there are more than 57.
inline std::uint64_t wide_bits_at(const std::uint8_t* bytes, std::uint64_t place,
                                  std::uint64_t width) {
  if (width <= 57) return bits_at(bytes, place, static_cast<int>(width));
  return bits_at(bytes, place, 32) | bits_at(bytes, place + 32, static_cast<int>(width - 32)) << 32;
}
inline void push_wide(BitWriter& out, std::uint64_t value, std::uint64_t width) {
  if (width > 57) {
    out.push(value & 0xffffffff, 32);
    value >>= 32;
    width -= 32;
  }
  out.push(value, static_cast<int>(width));
}

}  // namespace rosewood
