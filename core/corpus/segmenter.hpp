// core/corpus/segmenter.hpp: words into morphemes, without supervision. No Python here.
//
// A lexicon of morphemes with counts is a two-part code of a list of words: the spelling of each
// morpheme, and the words as sequences of morphemes. Learning looks for a short code:
//
//   L = N log N - sum over m of n(m) log n(m) + piece_cost N + sum over m of spelling(m)
//
// where n(m) is how often m is used, N the sum of n(m), and spelling(m) the code length of its
// characters and of its end, by the frequencies of characters in the list of words. This is the
// baseline of Morfessor (Creutz & Lagus 2002), with a cost of each piece instead of its priors of
// lengths and counts: without it, rare words are cheapest letter by letter.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rosewood {

inline constexpr double piece_cost = 6;  // in nats

class Segmenter {
 public:
  /// Morphemes and how often they are used. Refuses empty ones, duplicates and counts below 1.
  Segmenter(std::vector<std::string> morphemes, std::vector<std::int64_t> counts);

  /// Learns from distinct words. A word that occurs n times counts as 1 + floor(log2(n)): more
  /// would keep every frequent word whole, less would cut the most frequent ones to pieces. Every
  /// round takes the words in their order, each out of the counts and back in with the pieces of
  /// the shortest code; it ends after so many rounds, or if no word has changed. Refuses words that
  /// are not UTF-8, and counts below 1.
  static Segmenter learn(std::span<const std::string_view> words,
                         std::span<const std::int64_t> counts, int rounds);

  std::size_t size() const { return morphemes_.size(); }
  std::span<const std::string> morphemes() const { return morphemes_; }
  std::span<const std::int64_t> counts() const { return counts_; }

  /// A piece of a word: its bytes, and the number of the morpheme; -1: a character that none has.
  struct Piece {
    std::size_t begin, end;
    std::int32_t number;
  };
  /// The cheapest morphemes of a word replace what is in `out`. Of equally cheap ones, the
  /// last piece is the longest.
  void segment(std::string_view word, std::vector<Piece>& out) const;
  /// The numbers of the morphemes of many words, one word after the other, and where each begins.
  struct Numbers {
    std::vector<std::int32_t> number;
    std::vector<std::int64_t> start;
  };
  Numbers numbers(std::span<const std::string_view> words) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::vector<std::string> morphemes_;
  std::vector<std::int64_t> counts_;
  std::vector<double> costs_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> numbers_;
  std::size_t longest_ = 0;  // characters of a morpheme
  double unknown_cost_ = 0;  // of a character that no morpheme has
};

}  // namespace rosewood
