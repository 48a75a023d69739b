// core/corpus/word_bigrams.hpp: how often words follow each other, by word. No Python here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rosewood {

/// A neighbour of a word and how often it is one.
struct Neighbour {
  std::int32_t word;
  std::int32_t count;
};

/// Bigrams of a text. Words are numbered 0 .. words-1; the number `words` stands for all words that
/// are left out, `words + 1` for the boundary of a sentence, which is before its first word and
/// after its last one. Sentences without words have no bigrams.
class WordBigrams {
 public:
  /// Sentence k is ids[start[k]:start[k+1]]; number_of maps ids to numbers, -1: left out.
  /// Throws CorpusError for what is out of range and for more than 2^31 - 2 bigrams.
  WordBigrams(std::span<const std::int32_t> ids, std::span<const std::int64_t> start,
              std::span<const std::int32_t> number_of, std::int32_t words);

  std::int32_t words() const { return words_; }
  std::int32_t left_out() const { return words_; }
  std::int32_t boundary() const { return words_ + 1; }

  /// All bigrams of the text, and how many of them are distinct.
  std::int64_t total() const { return total_; }
  std::int64_t distinct() const { return static_cast<std::int64_t>(after_.size()); }

  /// How often the word occurs; of the boundary, how many sentences there are.
  std::int64_t count(std::int32_t word) const { return count_[static_cast<std::size_t>(word)]; }
  /// The words before it and after it, in ascending order, the word itself among them.
  std::span<const Neighbour> before(std::int32_t word) const {
    return part(before_, before_start_, word);
  }
  std::span<const Neighbour> after(std::int32_t word) const {
    return part(after_, after_start_, word);
  }

 private:
  static std::span<const Neighbour> part(const std::vector<Neighbour>& all,
                                         const std::vector<std::int64_t>& start,
                                         std::int32_t word) {
    const auto w = static_cast<std::size_t>(word);
    return std::span(all).subspan(static_cast<std::size_t>(start[w]),
                                  static_cast<std::size_t>(start[w + 1] - start[w]));
  }

  std::int32_t words_;
  std::int64_t total_ = 0;
  std::vector<std::int64_t> count_, before_start_, after_start_;
  std::vector<Neighbour> before_, after_;
};

}  // namespace rosewood
