// core/decode/boundary_words.hpp: the first and the last words of a part of a translation, so that
// hypotheses that differ in them are not recombined. No Python here.
//
// With n - 1 words on each side every n-gram of a translation lies within the words of one
// hyperedge and the boundaries of its tails: core/forest/refine.cpp then finds nothing to split.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace rosewood {

/// Puts words and smaller parts together, from left to right: begin(), words and parts, store().
///
/// A part is a row of numbers: its kind, how many words it has, then two rooms for words.
///   whole    fewer than `most` words: all of them are in the first room
///   ends     its first words in the first room, its last ones in the second
///   first    it begins the sentence: its last words in the second room, as many as there are
class BoundaryWords {
 public:
  /// `most`: words of each side; 0: parts are not told apart, and have empty rows.
  explicit BoundaryWords(std::size_t most) : most_(most) {}

  std::size_t row_width() const { return most_ ? 2 + 2 * most_ : 0; }

  void begin(bool is_sentence) {
    kind_ = is_sentence ? first : whole;
    left_.clear();
    right_.clear();
  }
  void begin_with(const std::uint32_t* row) {
    begin(row[0] == first);
    add_part(row);
  }

  void add_word(std::uint32_t word) {
    if (kind_ == whole) {
      left_.push_back(word);
      if (left_.size() < most_) return;
      kind_ = ends;
      right_ = left_;
      return;
    }
    if (right_.size() == most_) right_.erase(right_.begin());
    right_.push_back(word);
  }
  void add_part(const std::uint32_t* row) {
    const std::uint32_t *left = row + 2, *right = left + most_;
    if (row[0] == whole) return add_words(left, row[1]);
    if (row[0] == ends && kind_ == whole) add_words(left, most_);
    right_.assign(right, right + row[1]);
  }

  void store(std::uint32_t* row) const {
    std::fill_n(row, row_width(), 0U);
    row[0] = kind_;
    row[1] = static_cast<std::uint32_t>(kind_ == whole ? left_.size() : right_.size());
    std::ranges::copy(left_, row + 2);
    std::ranges::copy(right_, row + 2 + most_);
  }

 private:
  enum Kind : std::uint32_t { whole, ends, first };

  void add_words(const std::uint32_t* words, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) add_word(words[i]);
  }

  std::size_t most_;
  Kind kind_ = whole;
  std::vector<std::uint32_t> left_, right_;
};

}  // namespace rosewood
