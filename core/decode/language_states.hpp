// core/decode/language_states.hpp: what one or several language models know of the words before, as
// small numbers, and what phrases cost after them. No Python here.
//
// States of one sentence are numbered as they come, and what a phrase costs after a state is
// computed once: hypotheses with other coverage, but the same last words, share it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/target_phrases.hpp"
#include "util/interner.hpp"

namespace rosewood {

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
