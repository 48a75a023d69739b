// core/align/lexicon.hpp: an entry for each pair of words that occur in the same sentence pair. No
// Python here.
//
// A row has all target words that occur with one source word. It is a hash table with open
// addressing and a quarter of its places free: an entry is found with about one cache miss and has
// the probabilities of both directions; nothing is stored for each cell of the corpus.
#pragma once

#include <cstdint>
#include <span>

#include "align/bitext.hpp"
#include "util/error.hpp"

namespace rosewood {

/// A target word with its probability given the source word (forward), and that of the source word
/// given it (backward).
struct Entry {
  std::int32_t word = -1;  // -1: a free place
  float forward = 0.0F;
  float backward = 0.0F;
};

/// Row s is entry[row[s]] .. entry[row[s+1]-1].
template <class E>
struct BasicLexicon {
  std::span<const std::int64_t> row;
  std::span<E> entry;

  std::int64_t rows() const { return static_cast<std::int64_t>(row.size()) - 1; }

  /// Where the search for a target word begins in a row of `size` places.
  static std::int64_t home(std::int32_t word, std::int64_t size) {
    const std::uint32_t hash = static_cast<std::uint32_t>(word) * 0x9e3779b1U;
    return static_cast<std::int64_t>(
        (static_cast<std::uint64_t>(hash) * static_cast<std::uint64_t>(size)) >> 32);
  }

  /// The place of a word in the row begin .. end-1, searched from `place` on; -1 if it is missing.
  std::int64_t find_from(std::int64_t place, std::int64_t begin, std::int64_t end,
                         std::int32_t word) const {
    for (std::int64_t looked = begin; looked < end; ++looked) {
      const std::int32_t there = entry[static_cast<std::size_t>(place)].word;
      if (there == word) return place;
      if (there < 0) return -1;
      if (++place == end) place = begin;
    }
    return -1;
  }

  std::int64_t find(std::int32_t source, std::int32_t target) const {
    const std::int64_t begin = row[static_cast<std::size_t>(source)];
    const std::int64_t end = row[static_cast<std::size_t>(source) + 1];
    if (begin == end) return -1;
    return find_from(begin + home(target, end - begin), begin, end, target);
  }
};

using LexiconView = BasicLexicon<const Entry>;
using LexiconEdit = BasicLexicon<Entry>;

/// The places that a row of so many words has.
inline std::int64_t row_places(std::int64_t words) {
  return words == 0 ? 0 : words + words / 4 + 1;
}

/// row[s+1] = how many places the rows of source words 0 .. s have.
void lexicon_rows(const BitextView& bitext, std::span<std::int64_t> row, int threads);

/// Puts the words into the rows that lexicon_rows() measured.
void lexicon_fill(const BitextView& bitext, const LexiconEdit& lexicon, int threads);

/// Refuses rows that do not fit and words that are out of range.
void check_lexicon(const LexiconView& lexicon, std::int32_t source_words,
                   std::int32_t target_words);

}  // namespace rosewood
