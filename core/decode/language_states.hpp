// core/decode/language_states.hpp: what one or several language models know of the words before, as
// small numbers, and what phrases cost after them. No Python here.
//
// States of one sentence are numbered as they come, and what a phrase costs after a state is
// computed once: hypotheses with other coverage, but the same last words, share it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "decode/word_model.hpp"
#include "util/interner.hpp"

namespace rosewood {

using WordModels = std::span<const std::unique_ptr<WordModel>>;

/// Target phrases of one sentence, each once, with what every model says of them alone.
class TargetPhrases {
 public:
  explicit TargetPhrases(WordModels models);

  /// A phrase of `length` words; those of model k are words[k * length] .. and so on.
  std::int32_t add(std::size_t length, std::span<const std::uint32_t> words);
  std::size_t length(std::int32_t phrase) const { return length_[phrase]; }
  WordModelPhrase of(std::int32_t phrase, std::size_t model);
  /// What a model says of the whole phrase alone.
  double alone(std::int32_t phrase, std::size_t model) const {
    return rest_[rest_place(phrase, model)];
  }

 private:
  std::size_t rest_place(std::int32_t phrase, std::size_t model) const {
    return rest_start_[phrase] + model * (length_[phrase] + 1);
  }

  WordModels models_;
  std::size_t width_ = 0;            // words of the states of all models
  std::vector<std::size_t> room_;    // where the state of each model begins
  std::vector<std::size_t> length_;  // of each phrase
  std::vector<std::size_t> word_start_, rest_start_;
  std::vector<std::uint32_t> words_, end_words_;
  std::vector<double> rest_;
  std::vector<float> end_backoffs_;
  std::vector<int> end_lengths_;
  std::vector<std::uint32_t> spare_words_;
  std::vector<float> spare_backoffs_;
};

class LanguageStates {
 public:
  /// The weights are of each model.
  LanguageStates(WordModels models, std::span<const double> weights, TargetPhrases& phrases);

  std::int32_t begin() const { return 0; }
  struct Step {
    std::int32_t state;  // behind the phrase
    double score;        // weighted
  };
  Step follow(std::int32_t state, std::int32_t phrase) { return steps_[step(state, phrase)]; }
  double finish(std::int32_t state);
  /// What each model says, not weighted.
  std::span<const double> values(std::int32_t state, std::int32_t phrase) {
    return {values_.data() + step(state, phrase) * models_.size(), models_.size()};
  }
  std::span<const double> final_values(std::int32_t state);

 private:
  std::size_t step(std::int32_t state, std::int32_t phrase);
  void add_step(std::int32_t state, std::int32_t phrase);
  State load(std::int32_t state, std::size_t model);
  void store(const State& state, std::size_t model);

  WordModels models_;
  std::span<const double> weights_;
  TargetPhrases& phrases_;
  std::vector<std::size_t> room_;  // of each model, in a row
  RowInterner states_;
  std::vector<std::uint32_t> row_;
  RowInterner keys_;  // state and phrase of each step
  std::vector<Step> steps_;
  std::vector<double> values_;
  std::vector<std::uint32_t> words_;  // rooms: in, out, spare
  std::vector<float> backoffs_;
  std::vector<double> final_values_;
};

}  // namespace rosewood
