// core/decode/hiero_model.hpp: the model of a hierarchical decoder: rule table with gaps, language
// models and weights. No Python here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "decode/rule_model.hpp"

namespace rosewood {

/// Models without weights.
class HieroModel : public RuleModel {
 public:
  /// `glue_label`: that of glue rules of the table, which are left out, for the decoder has its
  /// own, but say which labels glue joins; -1: there are none. Refuses a layout that does not fit
  /// the models, and rules that make a label from itself.
  HieroModel(FeatureLayout layout, const RuleTable& table,
             std::span<const LanguageModel* const> language_models, std::int32_t glue_label,
             std::span<const EdgeTree> trees = {}, const LargeFeatures* large = nullptr);

  std::span<const LanguageModel* const> language_models() const { return language_models_; }
  std::size_t glue() const { return glue_; }
  /// Whether a rule, whose source is gaps alone, is one of glue.
  bool is_glue(std::uint64_t rule) const {
    return std::ranges::find(glue_rules_, rule) != glue_rules_.end();
  }
  /// Whether glue joins parts of a label that begin at a source word: without glue rules in the
  /// table all, and always the first label, which words without a rule have. What glue rules make
  /// may also be made by other rules, and then begin a sentence.
  bool is_joined(std::int32_t label, std::int32_t begin) const {
    return joined_.empty() || joined_[static_cast<std::size_t>(label)] ||
           (begin == 0 && label == sentence_label_);
  }
  /// The rank of each label: rules whose source is a single gap lead from smaller to larger ranks.
  std::span<const std::int32_t> label_ranks() const { return label_ranks_; }

 private:
  void set_glue_rules(std::int32_t label);
  void set_label_ranks();

  std::vector<const LanguageModel*> language_models_;
  std::size_t glue_;
  std::vector<std::uint64_t> glue_rules_;
  std::int32_t sentence_label_ = -1;  // that glue rules make; -1: there are none
  std::vector<std::uint8_t> joined_;  // of each label; empty: all
  std::vector<std::int32_t> label_ranks_;
};

/// A model with weights.
class WeightedHieroModel : public WeightedRules {
 public:
  /// The model and the weights of rules must outlive it; as of WeightedRules.
  WeightedHieroModel(const HieroModel& model, std::vector<double> weights, std::uint64_t limit,
                     std::span<const double> rule_weights = {})
      : WeightedRules(model, std::move(weights), limit, rule_weights), model_(model) {}

  const HieroModel& model() const { return model_; }

 private:
  const HieroModel& model_;
};

}  // namespace rosewood
