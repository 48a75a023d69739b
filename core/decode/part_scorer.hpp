// core/decode/part_scorer.hpp: a language model of any layout, asked for the scores of parts of
// sentences (core/lm/chart.hpp). No Python here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "lm/model.hpp"

namespace rosewood {

/// Scores are natural logarithms. States are rows of numbers: equal states are equal rows. It has
/// working space of its own: each thread needs another one.
class PartScorer {
 public:
  virtual ~PartScorer() = default;
  /// Numbers of a state's row.
  virtual std::size_t row_width() const = 0;
  /// The score of a part, less those of the parts in it, and its state. `symbols` are words (their
  /// numbers are in `words`, at the same places) and -1-k for tail k, whose state is `tails[k]`.
  virtual double score(std::span<const std::int32_t> symbols, std::span<const std::uint32_t> words,
                       std::span<const std::uint32_t* const> tails, bool begins_sentence,
                       std::span<std::uint32_t> out) = 0;
  /// The score of the end of the sentence behind a part that begins it.
  virtual double finish(std::span<const std::uint32_t> row) = 0;
};

/// The model must outlive it.
std::unique_ptr<PartScorer> make_part_scorer(const LanguageModel& model);

}  // namespace rosewood
