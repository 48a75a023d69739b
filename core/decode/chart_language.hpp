// core/decode/chart_language.hpp: states of one or more language models on both sides of a part of
// a sentence, as small numbers. No Python here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "decode/boundary_words.hpp"
#include "decode/part_scorer.hpp"
#include "util/interner.hpp"

namespace rosewood {

/// Words, and -1-k for tail k. Symbol i as model k numbers it is words[k * symbols.size() + i].
struct ChartTarget {
  std::span<const std::int32_t> symbols;
  std::span<const std::uint32_t> words;
};

/// The distinct states of a sentence are numbered in the order of their first use.
class ChartLanguage {
 public:
  /// One weight for each model; the models must outlive it. Parts that differ in their first or
  /// last `boundary_words` words have different states.
  ChartLanguage(std::span<const LanguageModel* const> models, std::span<const double> weights,
                std::size_t boundary_words = 0);

  struct Part {
    std::int32_t state;
    double score;  // weighted, less the scores of the parts in it
  };
  /// The part that begins a sentence, without words.
  Part begin_sentence();
  /// The words of a target from place `first` on to the next gap, as if nothing stood before them.
  /// They have a number: what goes on with them need not score them again.
  struct Run {
    std::int32_t number, state;
    std::size_t length;
    double score;  // weighted
  };
  Run score_run(const ChartTarget& target, std::size_t first);
  static constexpr std::int32_t no_run = -1;
  /// A part of words and of smaller parts, whose states are `tails`; `run` is what it begins with.
  /// Writes the score of each model, without weights.
  Part score(const ChartTarget& target, std::int32_t run, std::span<const std::int32_t> tails,
             std::span<double> values);
  /// The weighted score of the end of the sentence; writes that of each model.
  double finish(std::int32_t state, std::span<double> values);

 private:
  PartRow row(std::int32_t state, std::size_t model) const {
    const std::uint32_t* at = states_[state].data();
    return {at + key_place_[model], at + numbers_place_[model]};
  }

  void add_boundary(std::span<const std::int32_t> symbols, std::span<const std::int32_t> tails,
                    std::int32_t run);
  /// The number of the state in `row_`, when boundary_ is complete.
  std::int32_t add_state();

  std::vector<std::unique_ptr<PartScorer>> scorers_;
  std::span<const double> weights_;
  BoundaryWords boundary_;
  // Of each model, in a row: all keys come first; behind the last one are the boundary words.
  std::vector<std::size_t> key_place_, numbers_place_;
  RowInterner states_;
  std::vector<std::uint32_t> row_;
  std::vector<PartRow> tails_;
  std::vector<Run> runs_;
  std::vector<double> run_scores_;  // log10, of each run and model
};

}  // namespace rosewood
