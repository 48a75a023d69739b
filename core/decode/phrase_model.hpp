// core/decode/phrase_model.hpp: the model of a phrase-based decoder: rule table, language models,
// reordering models and weights. No Python here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "decode/rule_model.hpp"
#include "reorder/linear_model.hpp"
#include "reorder/tracking.hpp"

namespace rosewood {

class ReorderingScorer;

/// A reordering model that native code evaluates; its log probabilities are columns first .. of a
/// row of orientations.
struct NativeReordering {
  const LinearReordering& model;
  std::size_t first;
};

/// Models without weights.
class PhraseModel : public RuleModel {
 public:
  /// `orientation_columns`: for each column of a row of orientations, that of the table it is from;
  /// -1: it is computed otherwise, by `reordering`, which must outlive it, or outside. Refuses a
  /// layout that does not fit the models.
  PhraseModel(FeatureLayout layout, const RuleTable& table,
              std::span<const LanguageModel* const> language_models,
              std::vector<OrientationSlot> slots, std::vector<std::int64_t> orientation_columns,
              std::span<const NativeReordering> reordering = {},
              std::span<const EdgeTree> trees = {}, const LargeFeatures* large = nullptr);
  ~PhraseModel();

  std::span<const OrientationSlot> slots() const { return slots_; }
  std::span<const std::unique_ptr<ReorderingScorer>> scorers() const { return scorers_; }
  std::size_t distortion() const { return distortion_; }
  std::size_t first_orientation() const { return first_orientation_; }

 private:
  std::size_t distortion_, first_orientation_;
  std::vector<OrientationSlot> slots_;
  std::vector<std::unique_ptr<ReorderingScorer>> scorers_;
};

/// A model with weights.
class WeightedPhraseModel : public WeightedRules {
 public:
  /// The model and the weights of rules must outlive it; as of WeightedRules.
  WeightedPhraseModel(const PhraseModel& model, std::vector<double> weights, std::uint64_t limit,
                      std::span<const double> rule_weights = {})
      : WeightedRules(model, std::move(weights), limit, rule_weights), model_(model) {}

  const PhraseModel& model() const { return model_; }
  std::span<const double> orientation_weights() const {
    return weights().subspan(model_.first_orientation(), model_.orientation_columns().size());
  }

 private:
  const PhraseModel& model_;
};

}  // namespace rosewood
