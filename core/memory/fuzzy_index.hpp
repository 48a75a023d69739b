// core/memory/fuzzy_index.hpp: the sentences of a translation memory that are most like a given
// one.  Specification: tests/reference/fuzzy.py.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace rosewood {

/// The arrays of a memory: words in bytewise order, the words of each sentence, and for each word
/// the sentences that have it, ascending.  They may come from a damaged file: whatever is read is
/// checked before it is used as a place.
struct FuzzyArrays {
  std::span<const std::uint8_t> words;          // bytes of all words
  std::span<const std::int64_t> word_start;     // of each word in `words`, and the end
  std::span<const std::int32_t> ids;            // words of all sentences
  std::span<const std::int64_t> id_start;       // of each sentence in `ids`, and the end
  std::span<const std::int32_t> postings;       // sentences of all words
  std::span<const std::int64_t> posting_start;  // of each word in `postings`, and the end
};

/// A sentence of the memory and its word edit distance from the one that was asked for.
struct FuzzyHit {
  std::int32_t row;
  std::int32_t distance;
  std::int32_t longer;  // words of the longer of both

  double score() const { return static_cast<double>(longer - distance) / longer; }
};

/// The number of word insertions, deletions and substitutions that make one sentence of the other.
class EditDistance {
 public:
  /// `pattern` are word ids; -1 is a word that no sentence has.
  explicit EditDistance(std::span<const std::int32_t> pattern);
  std::int32_t operator()(std::span<const std::int32_t> text);

 private:
  std::uint64_t mask_of(std::int32_t word) const;
  std::int32_t bit_parallel(std::span<const std::int32_t> text) const;
  std::int32_t by_rows(std::span<const std::int32_t> text);

  struct Slot {
    std::int32_t word = -1;
    std::uint64_t mask = 0;
  };
  std::vector<std::int32_t> pattern_;
  std::vector<Slot> slots_;  // a hash table of the words of a pattern of up to 64
  std::vector<std::int32_t> row_;
};

class FuzzyIndex {
 public:
  /// Throws where sizes do not fit together.
  explicit FuzzyIndex(const FuzzyArrays& arrays);

  std::int64_t size() const { return static_cast<std::int64_t>(arrays_.id_start.size()) - 1; }

  /// Up to `most` sentences whose score, 1 - distance / words of the longer one, is `least` or
  /// more: the best first, those of equal scores by their rows.  The same as comparing all.
  std::vector<FuzzyHit> find(std::span<const std::string_view> words, double least,
                             std::size_t most) const;

 private:
  /// A word of the sentence that is asked for.
  struct Group {
    std::size_t rows;  // sentences that have it
    std::int32_t word;
    std::int32_t count;  // how often the sentence has it
  };

  std::vector<Group> groups_of(std::span<const std::int32_t> pattern) const;
  std::int32_t word_id(std::string_view word) const;
  std::span<const std::int32_t> words_of(std::int32_t row) const;
  std::span<const std::int32_t> rows_of(std::int32_t word) const;

  FuzzyArrays arrays_;
};

}  // namespace rosewood
