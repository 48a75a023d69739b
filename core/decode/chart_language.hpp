// core/decode/chart_language.hpp: states of one or more language models on both sides of a part of
// a sentence, as small numbers. No Python here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "decode/part_scorer.hpp"
#include "util/interner.hpp"

namespace rosewood {

/// The distinct states of a sentence are numbered in the order of their first use.
class ChartLanguage {
 public:
  /// One weight for each model; the models must outlive it.
  ChartLanguage(std::span<const LanguageModel* const> models, std::span<const double> weights);

  struct Part {
    std::int32_t state;
    double score;  // weighted, less the scores of the parts in it
  };
  /// A part of words and of smaller parts, whose states are `tails`. The words of model k are
  /// words[k * symbols.size()] .. and so on. Writes the score of each model, without weights.
  Part score(std::span<const std::int32_t> symbols, std::span<const std::uint32_t> words,
             std::span<const std::int32_t> tails, bool begins_sentence, std::span<double> values);
  /// The weighted score of the end of the sentence; writes that of each model.
  double finish(std::int32_t state, std::span<double> values);

 private:
  std::vector<std::unique_ptr<PartScorer>> scorers_;
  std::span<const double> weights_;
  std::vector<std::size_t> place_;  // of each model, in a row; and the end
  RowInterner states_;
  std::vector<std::uint32_t> row_;
  std::vector<const std::uint32_t*> tails_;
};

}  // namespace rosewood
