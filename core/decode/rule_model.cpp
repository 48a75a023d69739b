// core/decode/rule_model.cpp: numbers of words, and the best rules of a source.
#include "decode/rule_model.hpp"

#include <algorithm>
#include <cmath>

namespace rosewood {

namespace {

constexpr std::uint32_t not_found_yet = ~std::uint32_t{0};

/// Calls body(words) for the words between the gaps of a target.
template <class Body>
void for_each_run(std::span<const std::int32_t> target, Body&& body) {
  for (std::size_t begin = 0; begin < target.size();) {
    std::size_t end = begin;
    while (end < target.size() && target[end] >= 0) ++end;
    if (end > begin) body(target.subspan(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace

RuleModel::RuleModel(const char* what, std::span<const std::size_t> kinds, FeatureLayout layout,
                     const RuleTable& table, std::span<const LanguageModel* const> language_models,
                     const LargeFeatures* large, std::vector<std::int64_t> orientation_columns)
    : layout_(std::move(layout)),
      table_(table),
      table_columns_(layout_.indices(feature_kind("table"))),
      first_table_column_(layout_.block(feature_kind("table")).first),
      word_penalty_(layout_.position(feature_kind("word_penalty"))),
      phrase_penalty_(layout_.position(feature_kind("phrase_penalty"))),
      unknown_penalty_(layout_.position(feature_kind("unknown_penalty"))),
      first_language_model_(layout_.block(feature_kind("lm")).first),
      first_large_column_(layout_.block(feature_kind("large")).first),
      large_(large ? std::make_unique<LargeFeatureScorer>(*large, table) : nullptr),
      orientation_columns_(std::move(orientation_columns)) {
  layout_.check_kinds(what, kinds);
  if (has_trees() && tree_feature() + 1 != layout_.size())
    fail<DecodingError>("decoding.feature-order", "the feature of trees must be the last one");
  check_count("language models", feature_kind("lm"), language_models.size());
  check_count("columns of the large feature set", feature_kind("large"),
              large ? large->columns() : 0);
  const auto columns = static_cast<std::int64_t>(table.layout().features);
  for (const std::size_t column : table_columns_)
    if (static_cast<std::int64_t>(column) >= columns)
      fail<DecodingError>({"argument.range", "column", column}, "the table has no column ", column);
  for (const std::int64_t column : orientation_columns_)
    if (column >= columns)
      fail<DecodingError>({"argument.range", "column", column}, "the table has no column ", column);
  for (const LanguageModel* model : language_models) {
    word_models_.push_back(make_word_model(*model));
    std::vector<std::atomic<std::uint32_t>> numbers(table.target_words().size());
    for (auto& number : numbers) number.store(not_found_yet, std::memory_order_relaxed);
    lm_words_.push_back(std::move(numbers));
  }
}

void RuleModel::check_count(const char* what, std::size_t kind, std::size_t count) const {
  if (layout_.block(kind).size != count)
    fail<DecodingError>({"argument.shape", feature_kinds[kind].name.data(), count}, "there are ",
                        count, " ", what, " for ", layout_.block(kind).size, " features of kind '",
                        feature_kinds[kind].name, "'");
}

std::vector<std::uint8_t> RuleModel::tree_sources() const {
  if (!has_trees()) return {};
  std::vector<std::uint8_t> sources(tree_feature(), tree_source::other);
  std::fill_n(sources.begin(), stateless(), tree_source::option);
  const auto set = [&](std::size_t kind, std::uint8_t source) {
    const auto [first, size] = layout_.block(kind);
    std::fill_n(sources.begin() + static_cast<std::ptrdiff_t>(first), size, source);
  };
  set(feature_kind("lm"), tree_source::language);
  set(feature_kind("distortion"), tree_source::distortion);
  return sources;
}

void RuleModel::set_trees(std::span<const EdgeTree> trees, std::span<const std::uint8_t> sources) {
  trees_ = EdgeTrees(trees, sources, stateless());
}

void RuleModel::check_rule(std::uint64_t rule, std::span<const std::int32_t> target,
                           std::span<const float> values, std::int32_t gaps) const {
  const auto words = static_cast<std::int64_t>(table_.target_words().size());
  for (const std::int32_t word : target)
    if (word < -gaps || word >= words)
      fail<RuleError>("file.damaged", "rule ", rule,
                      " has a target that does not fit its source: the table is damaged");
  for (const float value : values)
    if (!std::isfinite(value))
      fail<RuleError>("file.damaged", "rule ", rule,
                      " has features that are no numbers: the table is damaged");
}

std::uint32_t RuleModel::lm_word(std::size_t model, std::int32_t word) const {
  auto& kept = lm_words_[model][static_cast<std::size_t>(word)];
  std::uint32_t number = kept.load(std::memory_order_relaxed);
  if (number == not_found_yet) {
    number = word_models_[model]->find(table_.target_words()[static_cast<std::uint64_t>(word)]);
    kept.store(number, std::memory_order_relaxed);
  }
  return number;
}

WeightedRules::WeightedRules(const RuleModel& model, std::vector<double> weights,
                             std::uint64_t limit, std::span<const double> rule_weights)
    : model_(model), weights_(std::move(weights)), limit_(limit), rule_weights_(rule_weights) {
  if (weights_.size() != model.features())
    fail<DecodingError>({"argument.shape", "weights"}, "there are ", weights_.size(),
                        " weights for ", model.features(), " features");
  if (!rule_weights.empty() && rule_weights.size() != model.table().size())
    fail<DecodingError>({"argument.shape", "rule_weights"}, "there are ", rule_weights.size(),
                        " weights for ", model.table().size(), " rules");
}

WeightedRules::Chosen WeightedRules::chosen(const RuleRange& range) const {
  Shelf& shelf = shelves_[range.first % shelves_.size()];
  {
    const std::lock_guard held(shelf.mutex);
    const auto found = shelf.chosen.find(range.first);
    if (found != shelf.chosen.end()) return found->second;
  }
  Chosen made = choose(range);
  const std::lock_guard held(shelf.mutex);
  return shelf.chosen.emplace(range.first, std::move(made)).first->second;
}

/// What the large feature set adds to the scores of the rules of a source.
class WeightedRules::LargeColumns {
 public:
  LargeColumns(const WeightedRules& model, const RuleRange& range)
      : table_(model.rules().table()), scorer_(model.rules().large()) {
    if (!scorer_) return;
    weights_ = model.weights().subspan(model.rules().first_large_column(), scorer_->columns());
    if (std::ranges::all_of(weights_, [](double weight) { return weight == 0; }))
      scorer_ = nullptr;
    else
      table_.read_source(range.first, source_);
  }

  /// Where the counts of a rule are read into.
  std::array<double, num_counts>& counts() { return counts_; }
  double score(const RuleTable::Record& record, std::span<const std::int32_t> target) {
    if (!scorer_) return 0;
    table_.read_links(record, links_);
    row_.assign(weights_.size(), 0.0);
    scorer_->fill(source_, target, links_, counts_, room_, row_.data());
    double sum = 0;
    for (std::size_t n = 0; n < row_.size(); ++n) sum += weights_[n] * row_[n];
    return sum;
  }

 private:
  const RuleTable& table_;
  const LargeFeatureScorer* scorer_;
  std::span<const double> weights_;
  std::array<double, num_counts> counts_{};
  std::vector<std::int32_t> source_;
  std::vector<RuleLink> links_;
  std::vector<double> row_;
  LargeFeatureScorer::Room room_;
};

WeightedRules::Chosen WeightedRules::choose(const RuleRange& range) const {
  struct Rated {
    double score;
    std::uint64_t rule;
  };
  std::vector<Rated> rated;
  const RuleTable& table = model_.table();
  const auto& lms = model_.word_models();
  std::vector<float> features(static_cast<std::size_t>(table.layout().features));
  std::vector<std::int32_t> target;
  std::vector<std::uint32_t> words;
  std::vector<double> rest;
  std::size_t longest = 1;
  for (const auto& lm : lms) longest = std::max(longest, static_cast<std::size_t>(lm->order()));
  std::vector<std::uint32_t> state_words(2 * longest);
  std::vector<float> backoffs(2 * longest);
  LargeColumns large(*this, range);
  RuleTable::Record record = table.record(range.first);
  for (std::uint64_t rule = range.first; rule < range.last; ++rule) {
    if (rule > range.first) record = table.next(record);
    table.read_numbers(record, features.data(), large.counts());
    target.clear();
    table.append_target(record, target);
    model_.check_rule(rule, target, features, static_cast<std::int32_t>(table.layout().max_gaps));
    const auto size =
        std::ranges::count_if(target, [](std::int32_t symbol) { return symbol >= 0; });
    double score = rule_weight(rule) + weight(model_.phrase_penalty()) -
                   weight(model_.word_penalty()) * static_cast<double>(size);
    for (std::size_t i = 0; i < model_.table_columns().size(); ++i)
      score += weight(model_.first_table_column() + i) * features[model_.table_columns()[i]];
    score += large.score(record, target);
    for (std::size_t k = 0; k < lms.size(); ++k)
      for_each_run(target, [&](std::span<const std::int32_t> run) {
        words.clear();
        for (const std::int32_t word : run) words.push_back(model_.lm_word(k, word));
        rest.resize(words.size() + 1);
        State end{state_words.data(), backoffs.data(), 0};
        State spare{state_words.data() + longest, backoffs.data() + longest, 0};
        lms[k]->score_alone(words, rest, end, spare);
        score += weight(model_.first_language_model() + k) * rest[0];
      });
    rated.push_back({score, rule});
  }
  const auto is_better = [](const Rated& a, const Rated& b) {
    return a.score != b.score ? a.score > b.score : a.rule < b.rule;
  };
  const auto most = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(limit_, rated.size()));
  std::partial_sort(rated.begin(), rated.begin() + most, rated.end(), is_better);
  auto made = std::make_shared<std::vector<std::uint64_t>>();
  for (std::ptrdiff_t i = 0; i < most; ++i) made->push_back(rated[i].rule);
  std::sort(made->begin(), made->end());
  return made;
}

}  // namespace rosewood
