// core/lm/model.hpp: a language model in a mapped file, of either layout. No Python here.
//
// Everything is read where it is mapped, from any number of threads. Nothing of what the file says
// is believed: what would lead outside of it is refused or leads nowhere.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lm/batch.hpp"
#include "lm/fast.hpp"
#include "lm/sections.hpp"
#include "lm/small.hpp"
#include "lm/vocabulary.hpp"

namespace rosewood {

/// What the header of a file says.
struct ModelShape {
  bool is_small = false;
  int bits = 0;  // of a quantised number; 0: as they are
  std::uint64_t seed = 0;
  std::vector<std::uint64_t> counts;  // n-grams of each order
};

/// Scores of the words of many sentences: those of sentence s are start[s] .. start[s+1]-1.
struct WordScores {
  std::vector<std::int64_t> start;
  std::vector<double> score;
  std::vector<std::int32_t> length;
  std::vector<std::uint32_t> word;
};

/// Words one behind the other: those of text t are start[t] .. start[t+1]-1.
struct WordLists {
  std::vector<std::int64_t> start;
  std::vector<std::uint32_t> word;
};

using AnyLayout = std::variant<FastLayout, SmallLayout>;

class LanguageModel {
 public:
  /// Refuses a header that does not fit the file. Takes no longer for a large file.
  LanguageModel(std::span<const std::uint8_t> file, const Places& places, const ModelShape& shape);

  const ModelVocabulary& vocabulary() const { return vocabulary_; }
  /// For loops that go word by word, a decoder's: visited once, then asked by core/lm/query.hpp.
  const AnyLayout& layout() const { return layout_; }
  int order() const;

  /// log10 probability of each sentence; `first_number` is that of the first, for what is told.
  void score(const SentenceText& text, Edges edges, std::uint64_t first_number, int threads,
             std::span<double> out) const;
  WordScores score_words(const SentenceText& text, Edges edges, std::uint64_t first_number,
                         int threads) const;
  /// The same of one sentence, with less ado.
  double score(std::string_view sentence, Edges edges) const;
  WordScores score_words(std::string_view sentence, Edges edges) const;

  /// Contexts are words, the latest last. What of a context matters:
  std::vector<std::uint32_t> state(std::span<const std::uint32_t> context) const;
  /// The score of a word, and the state after it.
  std::pair<WordScore, std::vector<std::uint32_t>> advance(std::span<const std::uint32_t> context,
                                                           std::uint32_t word) const;
  /// The score of a part of a sentence, and its state as a row (core/lm/chart.hpp). Its symbols are
  /// words, and -1-k for a part whose state is parts[k]. With `begins`, it begins a sentence.
  std::pair<double, std::vector<std::uint32_t>> score_chart(
      std::span<const std::int64_t> symbols, std::span<const std::vector<std::uint32_t>> parts,
      bool begins) const;
  /// log10 probability of every word.
  void score_all(std::span<const std::uint32_t> context, std::span<double> out) const;
  /// Texts drawn from the model, each by its own number and the seed alone.
  WordLists sample(std::uint64_t count, std::uint64_t seed, std::uint64_t max_words,
                   std::span<const std::uint32_t> context, int threads) const;

  /// Reads everything; refuses what a writer never writes.
  void check() const;
  /// The n-grams of a model of the small layout.
  NgramTable table() const;

 private:
  AnyLayout layout_;
  ModelVocabulary vocabulary_;
};

}  // namespace rosewood
