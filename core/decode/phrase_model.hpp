// core/decode/phrase_model.hpp: the model of a phrase-based decoder: rule table, language models,
// reordering models and weights. No Python here.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "decode/feature_layout.hpp"
#include "decode/word_model.hpp"
#include "reorder/tracking.hpp"
#include "rules/table.hpp"

namespace rosewood {

/// Models without weights. The table and the language models must outlive it.
class PhraseModel {
 public:
  /// `orientation_columns`: for each column of a row of orientations, that of the table it is from;
  /// -1: it is computed outside. Refuses a layout that does not fit the models.
  PhraseModel(FeatureLayout layout, const RuleTable& table,
              std::span<const LanguageModel* const> language_models,
              std::vector<OrientationSlot> slots, std::vector<std::int64_t> orientation_columns);

  PhraseModel(const PhraseModel&) = delete;
  PhraseModel& operator=(const PhraseModel&) = delete;

  const RuleTable& table() const { return table_; }
  /// Columns of the table that are features.
  std::span<const std::size_t> table_columns() const { return table_columns_; }
  std::span<const std::unique_ptr<WordModel>> word_models() const { return word_models_; }
  std::span<const OrientationSlot> slots() const { return slots_; }
  std::span<const std::int64_t> orientation_columns() const { return orientation_columns_; }

  // Positions of features, from the layout.
  const FeatureLayout& layout() const { return layout_; }
  std::size_t features() const { return layout_.size(); }
  /// Features of options come first.
  std::size_t stateless() const { return layout_.stateless(); }
  std::size_t first_table_column() const { return first_table_column_; }
  std::size_t word_penalty() const { return word_penalty_; }
  std::size_t phrase_penalty() const { return phrase_penalty_; }
  std::size_t unknown_penalty() const { return unknown_penalty_; }
  std::size_t distortion() const { return distortion_; }
  std::size_t first_language_model() const { return first_language_model_; }
  std::size_t first_orientation() const { return first_orientation_; }

  /// Refuses target words out of range and features that are not finite: tables may be damaged.
  void check_rule(std::uint64_t rule, std::span<const std::int32_t> target,
                  std::span<const float> values) const;
  /// A target word of the table as a language model numbers it.
  std::uint32_t lm_word(std::size_t model, std::int32_t word) const;

 private:
  FeatureLayout layout_;
  const RuleTable& table_;
  std::vector<std::size_t> table_columns_;
  std::size_t first_table_column_, word_penalty_, phrase_penalty_, unknown_penalty_, distortion_;
  std::size_t first_language_model_, first_orientation_;
  std::vector<std::unique_ptr<WordModel>> word_models_;
  std::vector<OrientationSlot> slots_;
  std::vector<std::int64_t> orientation_columns_;
  // Found when they are first asked for; whoever finds one finds the same.
  mutable std::vector<std::vector<std::atomic<std::uint32_t>>> lm_words_;
};

/// A model with weights, which select the best rules of each source.
class WeightedPhraseModel {
 public:
  /// The model must outlive it. `limit`: rules of one source; 0: all.
  WeightedPhraseModel(const PhraseModel& model, std::vector<double> weights, std::uint64_t limit);

  const PhraseModel& model() const { return model_; }
  double weight(std::size_t feature) const { return weights_[feature]; }
  std::span<const double> weights() const { return weights_; }
  std::span<const double> language_model_weights() const {
    return weights().subspan(model_.first_language_model(), model_.word_models().size());
  }
  std::span<const double> orientation_weights() const {
    return weights().subspan(model_.first_orientation(), model_.orientation_columns().size());
  }

  /// Calls body(record) for the `limit` rules of a source with the highest scores without context,
  /// in the order of the table; of equal scores, the rule that comes first in the table.
  template <class Body>
  void for_each_rule(const RuleRange& range, Body&& body) const;

 private:
  using Chosen = std::shared_ptr<const std::vector<std::uint64_t>>;
  Chosen chosen(const RuleRange& range) const;
  Chosen choose(const RuleRange& range) const;

  const PhraseModel& model_;
  std::vector<double> weights_;
  std::uint64_t limit_;
  // Sources with very many rules are few, and occur again and again.
  struct Shelf {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, Chosen> chosen;
  };
  mutable std::array<Shelf, 16> shelves_;
};

template <class Body>
void WeightedPhraseModel::for_each_rule(const RuleRange& range, Body&& body) const {
  const RuleTable& table = model_.table();
  if (limit_ != 0 && range.last - range.first > limit_) {
    for (const std::uint64_t rule : *chosen(range)) body(table.record(rule));
    return;
  }
  RuleTable::Record record = table.record(range.first);
  for (std::uint64_t rule = range.first; rule < range.last; ++rule) {
    if (rule > range.first) record = table.next(record);
    body(record);
  }
}

}  // namespace rosewood
