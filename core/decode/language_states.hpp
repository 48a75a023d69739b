// core/decode/language_states.hpp: states of one or more language models as small numbers, and
// scores of phrases after them. No Python here.
//
// The distinct states of a sentence are numbered in the order of their first use. The score of a
// phrase after a state is computed once and shared by all hypotheses with that state.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "decode/boundary_words.hpp"
#include "decode/edge_trees.hpp"
#include "decode/target_phrases.hpp"
#include "util/interner.hpp"

namespace rosewood {

class LanguageStates {
 public:
  /// Trees that look at the scores of models alone; `first` is the place of the first model's among
  /// the features behind those of options.
  struct Trees {
    const TreeSum& sum;
    std::size_t first;
    double weight;
  };

  /// One weight for each model. Hypotheses whose last `boundary_words` words differ have different
  /// states. Trees, if there are any, add to the score of a step.
  LanguageStates(WordModels models, std::span<const double> weights, TargetPhrases& phrases,
                 std::size_t boundary_words = 0, const std::optional<Trees>& trees = {});

  std::int32_t begin() const { return 0; }
  struct Step {
    std::int32_t state;   // behind the phrase
    std::int32_t number;  // of the step
    double score;         // weighted, with trees
  };
  Step follow(std::int32_t state, std::int32_t phrase) { return steps_[step(state, phrase)]; }
  double finish(std::int32_t state);
  /// The score of each model, without weights.
  std::span<const double> values(std::int32_t state, std::int32_t phrase) {
    return values(steps_[step(state, phrase)]);
  }
  std::span<const double> values(const Step& step) const {
    return {values_.data() + static_cast<std::size_t>(step.number) * models_.size(),
            models_.size()};
  }
  std::span<const double> final_values(std::int32_t state);

 private:
  std::size_t step(std::int32_t state, std::int32_t phrase);
  void add_step(std::int32_t state, std::int32_t phrase);
  State load(std::int32_t state, std::size_t model);
  void store(const State& state, std::size_t model);

  WordModels models_;
  std::span<const double> weights_;
  std::optional<Trees> trees_;
  std::vector<double> tree_rest_;
  TargetPhrases& phrases_;
  std::vector<std::size_t> room_;  // of each model, in a row
  BoundaryWords boundary_;         // behind those of the models
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
