// core/decode/options.cpp: the options of a phrase-based decoder.
#include "decode/options.hpp"

#include <algorithm>
#include <cmath>

#include "decode/option_collector.hpp"
#include "decode/reordering_scorer.hpp"
#include "rules/table_search.hpp"

namespace rosewood {

void SentenceOptions::set_columns(std::vector<double>& rows, std::size_t first,
                                  std::span<const double> values, std::size_t columns) {
  const std::size_t width = size() ? rows.size() / size() : first + columns;
  if (values.size() != size() * columns || first + columns > width)
    fail<DecodingError>("argument.shape", "there are ", values.size(), " numbers for ", size(),
                        " options");
  for (std::size_t n = 0; n < size(); ++n)
    std::copy_n(values.data() + n * columns, columns, rows.data() + n * width + first);
}

std::span<const double> RuleChanges::of(std::uint64_t rule) const {
  const auto number = static_cast<std::int64_t>(rule);
  const auto found = std::ranges::lower_bound(rules, number);
  if (found == rules.end() || *found != number) return {};
  const auto at = static_cast<std::size_t>(found - rules.begin());
  return added.subspan(at * columns.size(), columns.size());
}

SentenceOptions find_sentence_options(const WeightedPhraseModel& model, TextWords words,
                                      std::size_t max_span, std::span<const GivenOption> given,
                                      UnknownWords unknown, const RuleChanges& changes) {
  const RuleTable& table = model.model().table();
  const auto ids = word_numbers(table.source_words(), words);
  SentenceOptions found;
  found.length = static_cast<std::int32_t>(words.size());
  const GivenOptions others(given, found.length);
  std::vector<std::uint8_t> is_translated(words.size());
  const OrientationTracker tracker(model.model().slots());
  OptionCollector collector(model.model(), found,
                            tracker.needs_last_links() || tracker.needs_first_links(),
                            !model.model().scorers().empty(), changes);
  std::size_t next_given = 0;  // words whose given options have been added
  const auto add_given = [&](std::size_t to) {
    for (; next_given < to; ++next_given)
      others.add(next_given, words, is_translated[next_given], unknown, collector);
  };
  for_each_span(table, ids, max_span,
                [&](std::size_t begin, std::size_t end, const RuleRange& range) {
                  add_given(begin);
                  if (others.has_forced(begin, end)) return;
                  model.for_each_rule(range, [&](const RuleTable::Record& record) {
                    if (collector.add_rule(static_cast<std::int32_t>(begin),
                                           static_cast<std::int32_t>(end), record) &&
                        end == begin + 1)
                      is_translated[begin] = 1;
                  });
                });
  add_given(words.size());
  for (const auto& scorer : model.model().scorers()) scorer->score(words, found);
  return found;
}

std::vector<std::int32_t> number_target(const RuleTable& table, const SentenceOptions& options,
                                        TextWords words) {
  auto ids = word_numbers(table.target_words(), words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (ids[i] >= 0) continue;
    const auto& extra = options.extra_words;
    const auto found = std::find(extra.begin(), extra.end(), words[i]);
    if (found != extra.end())
      ids[i] = static_cast<std::int32_t>(table.target_words().size()) +
               static_cast<std::int32_t>(found - extra.begin());
  }
  return ids;
}

void append_lm_words(const RuleModel& model, const SentenceOptions& options, std::size_t option,
                     std::vector<std::uint32_t>& out) {
  const auto table_words = static_cast<std::int32_t>(model.table().target_words().size());
  const auto& lms = model.word_models();
  for (std::size_t k = 0; k < lms.size(); ++k)
    for (const std::int32_t symbol : options.target_of(option))
      out.push_back(
          symbol < 0 ? 0
          : symbol < table_words
              ? model.lm_word(k, symbol)
              : lms[k]->find(options.extra_words[static_cast<std::size_t>(symbol - table_words)]));
}

double score_alone(const WeightedRules& model, const SentenceOptions& options, std::size_t option) {
  const std::size_t columns = model.rules().stateless();
  double score = options.added_score.empty() ? 0 : options.added_score[option];
  if (options.rule[option] >= 0)
    score += model.rule_weight(static_cast<std::uint64_t>(options.rule[option]));
  for (std::size_t i = 0; i < columns; ++i)
    score += model.weight(i) * options.features[option * columns + i];
  if (const RuleModel& rules = model.rules(); rules.has_trees())
    score += model.weight(rules.tree_feature()) *
             rules.trees()[TreeStage::option](options.features.data() + option * columns, nullptr);
  return score;
}

void check_score(const SentenceOptions& options, std::size_t option, double score) {
  constexpr double largest = 1e200;
  if (std::abs(score) <= largest) return;
  if (options.begin[option] < 0)
    fail<DecodingError>("decoding.score", "rule ", options.rule[option],
                        " of the table has a score that is no number, or too large");
  fail<DecodingError>("decoding.score", "a translation of words ", options.begin[option], " to ",
                      options.end[option], " has a score that is no number, or too large");
}

std::vector<std::int32_t> words_without_option(const RuleTable& table, TextWords words) {
  const auto ids = word_numbers(table.source_words(), words);
  std::vector<std::int32_t> found;
  for (std::size_t word = 0; word < ids.size(); ++word) {
    const RuleTable::Node node = table.advance(RuleTable::root(), ids[word]);
    if (node == RuleTable::nowhere() || table.rules(node).is_empty())
      found.push_back(static_cast<std::int32_t>(word));
  }
  return found;
}

}  // namespace rosewood
