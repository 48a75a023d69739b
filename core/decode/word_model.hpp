// core/decode/word_model.hpp: a language model of any layout, queried phrase by phrase. No Python
// here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "lm/model.hpp"

namespace rosewood {

/// A phrase for a language model: its words, and their scores in the empty context.
struct WordModelPhrase {
  std::span<const std::uint32_t> words;
  std::span<const double> rest;  // of words i, i+1 … to the end; one more than words, the last 0
  State end;                     // behind it
};

/// Scores are natural logarithms. States are written into rooms of order - 1 words.
class WordModel {
 public:
  virtual ~WordModel() = default;
  virtual int order() const = 0;
  /// The number of a word, or that of <unk>. <s> and </s> are unknown words in a text.
  virtual std::uint32_t find(std::string_view word) const = 0;
  /// The state at the beginning of a sentence.
  virtual void begin(State& out) const = 0;
  /// Fills in `rest` and `end` of a phrase. `spare` is another room.
  virtual void score_alone(std::span<const std::uint32_t> words, std::span<double> rest, State& end,
                           State& spare) const = 0;
  /// The score of a phrase after a state, and the state behind it. `spare` is another room.
  virtual double follow(const State& in, const WordModelPhrase& phrase, State& out,
                        State& spare) const = 0;
  /// The score of the end of the sentence.
  virtual double finish(const State& in, State& spare) const = 0;
};

/// The model must outlive it.
std::unique_ptr<WordModel> make_word_model(const LanguageModel& model);

}  // namespace rosewood
