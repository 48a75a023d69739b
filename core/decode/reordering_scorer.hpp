// core/decode/reordering_scorer.hpp: log probabilities of a reordering model for the options of a
// sentence. No Python here.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "decode/options.hpp"
#include "reorder/linear_model.hpp"

namespace rosewood {

/// A reordering model and the rule table whose options it scores.
class ReorderingScorer {
 public:
  /// Both must outlive it. Its log probabilities are columns first .. of a row of orientations.
  ReorderingScorer(const LinearReordering& model, const RuleTable& table, std::size_t first);

  std::size_t first() const { return first_; }
  std::size_t width() const { return model_.width(); }
  /// Sets its columns of all options, which have their links.
  void score(TextWords words, SentenceOptions& options) const;

 private:
  std::int32_t target_word(std::int32_t word, const SentenceOptions& options) const;

  const LinearReordering& model_;
  const RuleTable& table_;
  std::size_t first_;
  // Found when they are first asked for; whoever finds one finds the same.
  mutable std::vector<std::atomic<std::int32_t>> target_words_;
};

}  // namespace rosewood
