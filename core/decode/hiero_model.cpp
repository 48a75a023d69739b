// core/decode/hiero_model.cpp: the order of labels.
#include "decode/hiero_model.hpp"

#include <algorithm>
#include <string>

namespace rosewood {

namespace {

constexpr std::size_t kinds[] = {feature_kind("table"),          feature_kind("option"),
                                 feature_kind("large"),          feature_kind("word_penalty"),
                                 feature_kind("phrase_penalty"), feature_kind("unknown_penalty"),
                                 feature_kind("glue"),           feature_kind("lm"),
                                 feature_kind("trees")};

}  // namespace

HieroModel::HieroModel(FeatureLayout layout, const RuleTable& table,
                       std::span<const LanguageModel* const> language_models,
                       std::int32_t glue_label, std::span<const EdgeTree> trees,
                       const LargeFeatures* large)
    : RuleModel("a hierarchical decoder", kinds, std::move(layout), table, language_models, large),
      language_models_(language_models.begin(), language_models.end()),
      glue_(this->layout().position(feature_kind("glue"))) {
  set_trees(trees, tree_sources());
  if (glue_label >= 0) set_glue_rules(glue_label);
  set_label_ranks();
}

/// S → S Y, where there is a way to begin: S → Y, or S → <s>, which is left out anyway, for no
/// sentence has that word.
void HieroModel::set_glue_rules(std::int32_t label) {
  RuleBuffer rule;
  const auto made_of = [&](RuleTable::Node node, std::span<const std::int32_t> target) {
    std::vector<std::uint64_t> found;
    if (node == RuleTable::nowhere()) return found;
    const RuleRange range = table().rules(node);
    for (std::uint64_t number = range.first; number < range.last; ++number) {
      table().read(number, rule);
      if (rule.left != label) continue;
      if (target.empty() || std::ranges::equal(rule.target, target)) found.push_back(number);
    }
    return found;
  };
  const RuleTable::Node root = RuleTable::root(), first = table().advance_gap(root, label);
  if (first == RuleTable::nowhere()) return;
  const bool has_start =
      !made_of(table().advance(root, table().source_words().find("<s>")), {}).empty();
  std::vector<std::uint8_t> joined(static_cast<std::size_t>(table().labels()));
  for (std::int32_t other = 0; other < table().labels(); ++other) {
    constexpr std::int32_t both[] = {-1, -2}, alone[] = {-1};
    const auto next = made_of(table().advance_gap(first, other), both);
    const auto begin = made_of(table().advance_gap(root, other), alone);
    if (next.empty() || (begin.empty() && !has_start)) continue;
    glue_rules_.insert(glue_rules_.end(), next.begin(), next.end());
    glue_rules_.insert(glue_rules_.end(), begin.begin(), begin.end());
    joined[static_cast<std::size_t>(other)] = true;
  }
  if (glue_rules_.empty()) return;
  joined_ = std::move(joined);
  joined_.front() = true;
  sentence_label_ = label;
}

/// A rank is the length of the longest chain of rules with single gaps that leads to a label.
void HieroModel::set_label_ranks() {
  struct Step {
    std::int32_t from, to;
    std::uint64_t rule;
  };
  std::vector<Step> steps;
  RuleBuffer rule;
  for (std::int32_t label = 0; label < table().labels(); ++label) {
    const RuleTable::Node node = table().advance_gap(RuleTable::root(), label);
    if (node == RuleTable::nowhere()) continue;
    const RuleRange range = table().rules(node);
    for (std::uint64_t number = range.first; number < range.last; ++number) {
      if (is_glue(number)) continue;
      table().read(number, rule);
      steps.push_back({label, rule.left, number});
    }
  }
  label_ranks_.assign(static_cast<std::size_t>(std::max(1, table().labels())), 0);
  std::vector<std::uint64_t> by(label_ranks_.size());  // the rule that gave a label its rank
  for (std::size_t round = 0; round <= label_ranks_.size(); ++round) {
    bool is_changed = false;
    for (const Step& step : steps) {
      if (label_ranks_[step.to] > label_ranks_[step.from]) continue;
      label_ranks_[step.to] = label_ranks_[step.from] + 1;
      by[step.to] = step.rule;
      is_changed = true;
      if (round < label_ranks_.size()) continue;
      // Ranks still grow: going back by these rules leads into the cycle, and around it.
      std::int32_t label = step.to;
      const auto back = [&] {
        const auto found = std::ranges::find(steps, by[label], &Step::rule);
        label = found->from;
        return found->rule;
      };
      for (std::size_t i = 0; i < label_ranks_.size(); ++i) back();
      const std::int32_t first = label;
      std::string named;
      do {
        named += (named.empty() ? "" : ", ") + std::to_string(table().id(back()));
      } while (label != first);
      fail<DecodingError>({"decoding.cycle", "rules"}, "the rules with ids ", named,
                          ", whose sources are single gaps, lead from a label back to itself");
    }
    if (!is_changed) return;
  }
}

}  // namespace rosewood
