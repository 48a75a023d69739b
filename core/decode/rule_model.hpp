// core/decode/rule_model.hpp: what decoders with rule tables have in common: table, language
// models, features, and weights that select the best rules of each source. No Python here.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "decode/edge_trees.hpp"
#include "decode/feature_layout.hpp"
#include "decode/large_features.hpp"
#include "decode/word_model.hpp"
#include "rules/table.hpp"

namespace rosewood {

/// Models without weights. The table and the language models must outlive it.
class RuleModel {
 public:
  RuleModel(const RuleModel&) = delete;
  RuleModel& operator=(const RuleModel&) = delete;

  const RuleTable& table() const { return table_; }
  /// Columns of the table that are features.
  std::span<const std::size_t> table_columns() const { return table_columns_; }
  std::span<const std::unique_ptr<WordModel>> word_models() const { return word_models_; }
  /// For each column of a row of orientations, that of the table it is from; -1: it is computed
  /// outside.
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
  std::size_t first_language_model() const { return first_language_model_; }
  std::size_t first_large_column() const { return first_large_column_; }

  /// The large feature set; null: the model does not have it.
  const LargeFeatureScorer* large() const { return large_.get(); }
  /// Trees over features, whose sum is the last feature; without that feature there are none.
  const EdgeTrees& trees() const { return trees_; }
  bool has_trees() const { return layout_.block(feature_kind("trees")).size > 0; }
  std::size_t tree_feature() const { return layout_.position(feature_kind("trees")); }
  /// Writes what trees make of a row of features into it.
  void write_trees(std::span<double> row) const {
    if (has_trees()) row[tree_feature()] = trees_.of_row(row);
  }

  /// Refuses features that are not finite, and target symbols that are neither words nor one of so
  /// many gaps: tables may be damaged.
  void check_rule(std::uint64_t rule, std::span<const std::int32_t> target,
                  std::span<const float> values, std::int32_t gaps = 0) const;
  /// A target word of the table as a language model numbers it.
  std::uint32_t lm_word(std::size_t model, std::int32_t word) const;

 protected:
  /// `what` is how messages call the decoder, `kinds` are the features that it computes. Refuses a
  /// layout that does not fit the models. `large` may be null; otherwise it must outlive this.
  RuleModel(const char* what, std::span<const std::size_t> kinds, FeatureLayout layout,
            const RuleTable& table, std::span<const LanguageModel* const> language_models,
            const LargeFeatures* large, std::vector<std::int64_t> orientation_columns = {});
  /// Where each feature comes from, but for columns of orientations.
  std::vector<std::uint8_t> tree_sources() const;
  /// Refuses trees that look at features without a source.
  void set_trees(std::span<const EdgeTree> trees, std::span<const std::uint8_t> sources);
  /// Refuses a number of features of a kind that is not `count`.
  void check_count(const char* what, std::size_t kind, std::size_t count) const;

 private:
  FeatureLayout layout_;
  const RuleTable& table_;
  std::vector<std::size_t> table_columns_;
  std::size_t first_table_column_, word_penalty_, phrase_penalty_, unknown_penalty_;
  std::size_t first_language_model_, first_large_column_;
  std::unique_ptr<LargeFeatureScorer> large_;
  EdgeTrees trees_;
  std::vector<std::unique_ptr<WordModel>> word_models_;
  std::vector<std::int64_t> orientation_columns_;
  // Found when they are first asked for; whoever finds one finds the same.
  mutable std::vector<std::vector<std::atomic<std::uint32_t>>> lm_words_;
};

/// A model with weights, which select the best rules of each source.
class WeightedRules {
 public:
  /// The model must outlive it. `limit`: rules of one source; 0: all. `rule_weights`: what each
  /// rule of the table is worth besides, by its number; empty: nothing. They must outlive it, too.
  WeightedRules(const RuleModel& model, std::vector<double> weights, std::uint64_t limit,
                std::span<const double> rule_weights = {});

  const RuleModel& rules() const { return model_; }
  double weight(std::size_t feature) const { return weights_[feature]; }
  std::span<const double> weights() const { return weights_; }
  std::span<const double> language_model_weights() const {
    return weights().subspan(model_.first_language_model(), model_.word_models().size());
  }
  /// What trees of a row of features add to its score.
  double tree_score(std::span<const double> row) const {
    return model_.has_trees() ? weight(model_.tree_feature()) * model_.trees().of_row(row) : 0.0;
  }
  /// What a rule is worth besides its features.
  double rule_weight(std::uint64_t rule) const {
    return rule_weights_.empty() ? 0.0 : rule_weights_[static_cast<std::size_t>(rule)];
  }

  /// Calls body(record) for the `limit` rules of a source with the highest scores without context,
  /// in the order of the table; of equal scores, the rule that comes first in the table.
  template <class Body>
  void for_each_rule(const RuleRange& range, Body&& body) const;

 private:
  class LargeColumns;
  using Chosen = std::shared_ptr<const std::vector<std::uint64_t>>;
  Chosen chosen(const RuleRange& range) const;
  Chosen choose(const RuleRange& range) const;

  const RuleModel& model_;
  std::vector<double> weights_;
  std::uint64_t limit_;
  std::span<const double> rule_weights_;
  // Sources with very many rules are few, and occur again and again.
  struct Shelf {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, Chosen> chosen;
  };
  mutable std::array<Shelf, 16> shelves_;
};

template <class Body>
void WeightedRules::for_each_rule(const RuleRange& range, Body&& body) const {
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
