// core/decode/part_scorer.hpp: a language model of any layout, asked for the scores of parts of
// sentences (core/lm/chart.hpp). No Python here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "lm/model.hpp"

namespace rosewood {

/// The state of a part, as rows of numbers: equal states have equal keys; the other numbers follow
/// from the key.
struct PartRow {
  const std::uint32_t *key, *numbers;
};

/// What a part begins with: nothing, the beginning of a sentence, or a part whose score is counted.
struct PartBeginning {
  bool is_sentence = false;
  PartRow row{};  // of a part; its key is null if there is none
  double score = 0;
};

/// Scores are log10. It has working space of its own: each thread needs another one.
class PartScorer {
 public:
  virtual ~PartScorer() = default;
  /// Numbers of the two rows of a state.
  virtual std::size_t key_width() const = 0;
  virtual std::size_t numbers_width() const = 0;
  /// The score of a part, less those of the parts in it, and its state, into `key` and `numbers`.
  /// `symbols` are words (their numbers are in `words`, at the same places) and -1-k for tail k.
  virtual double score(const PartBeginning& beginning, std::span<const std::int32_t> symbols,
                       const std::uint32_t* words, std::span<const PartRow> tails,
                       std::uint32_t* key, std::uint32_t* numbers) = 0;
  /// The score of the end of the sentence behind a part that begins it.
  virtual double finish(const PartRow& row) = 0;
};

/// The model must outlive it.
std::unique_ptr<PartScorer> make_part_scorer(const LanguageModel& model);

}  // namespace rosewood
