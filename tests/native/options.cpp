// tests/native/options.cpp: translation options of a sentence, the best rules of a source, and
// models that do not fit together.
#include "decode/options.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include "check.hpp"
#include "decode/phrase_model.hpp"
#include "models.hpp"
#include "phrase_tables.hpp"
#include "util/error.hpp"

namespace options_tests {

using namespace rosewood;
using namespace phrase_tables;

namespace {

using Words = std::vector<std::uint32_t>;
constexpr double ln10 = 2.302585092994045684;

}  // namespace

TEST(options_are_all_phrases_of_the_table) {
  check::Chance chance(3);
  for (int round = 0; round < 20; ++round) {
    const Table table(random_phrases(chance));
    const PhraseModel model(layout_of(0), *table, {}, {}, {});
    const WeightedPhraseModel weighted(model, std::vector<double>(6, 1.0), 0);
    const Texts known{"a", "b", "c", "d"};
    Texts words(chance.below(6));
    for (auto& word : words) word = known[chance.below(4)];
    const std::size_t max_span = 1 + chance.below(3);
    const auto unknown = chance.below(2) ? UnknownWords::copy : UnknownWords::drop;
    const SentenceOptions found = find_sentence_options(weighted, words, max_span, {}, unknown);
    CHECK_EQUAL(found.length, std::ssize(words));
    CHECK_EQUAL(found.features.size(), found.size() * 5);
    std::size_t at = 0;
    const auto without = words_without_option(*table, words);
    for (std::size_t begin = 0; begin < words.size(); ++begin) {
      for (std::size_t end = begin + 1; end <= std::min(words.size(), begin + max_span); ++end) {
        std::vector<std::int32_t> source;
        for (std::size_t i = begin; i < end; ++i)
          source.push_back(table->source_words().find(words[i]));
        const auto node =
            std::ranges::count(source, -1) ? RuleTable::nowhere() : table->find(source);
        const RuleRange range = node == RuleTable::nowhere() ? RuleRange{} : table->rules(node);
        for (std::uint64_t rule = range.first; rule < range.last; ++rule, ++at) {
          RuleBuffer read;
          table->read(rule, read);
          CHECK(found.begin[at] == std::int32_t(begin) && found.end[at] == std::int32_t(end));
          CHECK(found.rule[at] == std::int64_t(rule) && found.origin[at] == OptionOrigin::table);
          CHECK(std::ranges::equal(found.target_of(at), read.target));
          const double* row = found.features.data() + 5 * at;
          CHECK(row[0] == double{read.features[1]} && row[1] == double{read.features[0]});
          CHECK(row[2] == -double(read.target.size()) && row[3] == 1 && row[4] == 0);
        }
      }
      const bool is_unknown = std::ranges::count(without, std::int32_t(begin)) > 0;
      if (!is_unknown) continue;
      CHECK(found.begin[at] == std::int32_t(begin) && found.origin[at] == OptionOrigin::unknown);
      CHECK_EQUAL(found.target_of(at).size(), std::size_t{unknown == UnknownWords::copy});
      CHECK_EQUAL(found.features[5 * at + 4], -100.0);
      CHECK_EQUAL(found.rule[at++], -1);
    }
    CHECK_EQUAL(at, found.size());
    if (unknown == UnknownWords::copy && !without.empty()) {
      const Texts asked{words[static_cast<std::size_t>(without[0])], "never seen"};
      const auto ids = number_target(*table, found, asked);
      CHECK(ids[0] >= 0 && ids[1] == -1);
    }
  }
}

TEST(options_that_are_given) {
  const Table table(
      {{{"a"}, {"x"}, {-1, 0}}, {{"a", "b"}, {"y"}, {-2, 0}}, {{"b"}, {"x"}, {-3, 0}}});
  const PhraseModel model(layout_of(0), *table, {}, {}, {});
  const WeightedPhraseModel weighted(model, std::vector<double>(6, 1.0), 0);
  const Texts one{"one"}, two{"x", "two"};
  Texts words{"a", "b", "z"};
  const auto told = [&](const std::vector<GivenOption>& given) {
    std::string text;
    const auto found = find_sentence_options(weighted, words, 3, given, UnknownWords::copy);
    for (std::size_t n = 0; n < found.size(); ++n) {
      text += std::to_string(found.begin[n]) + std::to_string(found.end[n]);
      text += "tgu"[static_cast<int>(found.origin[n])];
      for (const auto word : found.target_of(n)) {
        const auto known = static_cast<std::int32_t>(table->target_words().size());
        text += ':';
        text += word < known ? table->target_words()[static_cast<std::uint64_t>(word)]
                             : std::string_view(found.extra_words[std::size_t(word - known)]);
      }
      text += ' ';
    }
    return text;
  };
  CHECK_EQUAL(told({}), "01t:x 02t:y 12t:x 23u:z ");
  CHECK_EQUAL(told({{0, 1, GivenKind::added, one}}), "01t:x 02t:y 01g:one 12t:x 23u:z ");
  CHECK_EQUAL(told({{2, 3, GivenKind::added, two}}), "01t:x 02t:y 12t:x 23g:x:two ");
  CHECK_EQUAL(told({{2, 3, GivenKind::unknown, one}}), "01t:x 02t:y 12t:x 23u:one ");
  CHECK_EQUAL(told({{1, 2, GivenKind::forced, one}}), "01t:x 12g:one 23u:z ");
  CHECK_EQUAL(told({{1, 3, GivenKind::forced, one}, {2, 3, GivenKind::added, two}}),
              "01t:x 13g:one ");
  CHECK_EQUAL(told({{1, 3, GivenKind::added, one}, {1, 2, GivenKind::added, {}}}),
              "01t:x 02t:y 12t:x 12g 13g:one 23u:z ");
  CHECK_EQUAL(told({{0, 1, GivenKind::forced, one}, {0, 1, GivenKind::forced, two}}),
              "01g:one 01g:x:two 12t:x 23u:z ");
  CHECK_REFUSED(DecodingError, "decoding.overlap",
                told({{0, 2, GivenKind::forced, one}, {1, 3, GivenKind::forced, one}}));
  for (const auto& [begin, end] : {std::pair{-1, 1}, {1, 1}, {2, 1}, {2, 4}})
    CHECK_REFUSED(DecodingError, "argument.range", told({{begin, end, GivenKind::added, one}}));
  words = {"z", "a"};  // a longer option does not replace that of the unknown word alone
  CHECK_EQUAL(told({{0, 2, GivenKind::added, one}}), "02g:one 01u:z 12t:x ");
}

TEST(columns_that_are_set_from_outside) {
  SentenceOptions options;
  options.begin = {0, 1};
  std::vector<double> rows{1, 2, 3, 4, 5, 6};
  options.set_columns(rows, 1, std::vector<double>{7, 8, 9, 10}, 2);
  CHECK(rows == std::vector<double>({1, 7, 8, 4, 9, 10}));
  CHECK_REFUSED(DecodingError, "argument.shape",
                options.set_columns(rows, 0, std::vector<double>(3), 2));
  CHECK_REFUSED(DecodingError, "argument.shape",
                options.set_columns(rows, 2, std::vector<double>(4), 2));
  SentenceOptions none;
  std::vector<double> nothing;
  none.set_columns(nothing, 3, {}, 2);
  CHECK(nothing.empty());
}

TEST(the_best_rules_of_a_source_are_used) {
  check::Chance chance(4);
  for (int round = 0; round < 20; ++round) {
    const Table table(random_phrases(chance));
    const auto list = NgramList::random(chance, 2, 8);
    const ArpaModel lm(list.arpa());
    const LanguageModel* const models[] = {&*lm};
    const PhraseModel model(layout_of(1), *table, models, {}, {});
    for (std::int32_t word = 0; word < std::int32_t(table->target_words().size()); ++word) {
      const auto name = table->target_words()[static_cast<std::uint64_t>(word)];
      for (int again = 0; again < 2; ++again)
        CHECK_EQUAL(NgramList::name(model.lm_word(0, word)), name == "strange" ? "<unk>" : name);
    }
    std::vector<double> weights(7);
    for (double& weight : weights) weight = 2 * chance.unit() - 1;
    std::vector<double> of_rules(round % 2 ? table->size() : 0);
    for (double& weight : of_rules) weight = 2 * chance.unit() - 1;
    for (const std::uint64_t limit : {0, 1, 2, 5}) {
      const WeightedPhraseModel weighted(model, weights, limit, of_rules);
      table->for_each_source([&](std::span<const std::int32_t>, const RuleRange& range) {
        std::vector<std::pair<double, std::uint64_t>> rated;
        for (std::uint64_t rule = range.first; rule < range.last; ++rule) {
          RuleBuffer read;
          table->read(rule, read);
          double score = weights[0] * double{read.features[1]} +
                         weights[1] * double{read.features[0]} -
                         weights[2] * double(read.target.size()) + weights[3];
          if (!of_rules.empty()) score += of_rules[rule];
          Words said;
          for (const auto word : read.target) {
            score += weights[6] * ln10 * list.score(said, model.lm_word(0, word));
            said.push_back(model.lm_word(0, word));
          }
          rated.emplace_back(-score, rule);
        }
        std::ranges::sort(rated);
        if (limit && rated.size() > limit) rated.resize(limit);
        std::vector<std::uint64_t> expected, found;
        for (const auto& each : rated) expected.push_back(each.second);
        std::ranges::sort(expected);
        weighted.for_each_rule(
            range, [&](const RuleTable::Record& record) { found.push_back(record.rule); });
        CHECK(found == expected);
      });
    }
  }
}

TEST(models_that_do_not_fit_are_refused) {
  const Table table({{{"a"}, {"x"}, {-1, 0}}});
  const OrientationSlot slot{OrientationKind::phrase, Direction::backward, ClassScheme::msd, 0};
  const auto code = [&](FeatureLayout layout, std::vector<OrientationSlot> slots,
                        std::vector<std::int64_t> columns) -> std::string {
    try {
      const PhraseModel model(std::move(layout), *table, {}, std::move(slots), std::move(columns));
    } catch (const DecodingError& error) {
      return error.fault.code.text;
    }
    return "fine";
  };
  CHECK_EQUAL(code(layout_of(0), {}, {}), "fine");
  CHECK_EQUAL(code(layout_of(1), {}, {}), "argument.shape");
  CHECK_EQUAL(code(layout_of(0, 3), {slot}, {0, 1, -1}), "fine");
  CHECK_EQUAL(code(layout_of(0, 3), {slot}, {0, 1}), "argument.shape");
  CHECK_EQUAL(code(layout_of(0, 2), {slot}, {0, 1}), "argument.shape");
  CHECK_EQUAL(code(layout_of(0, 3), {slot}, {0, 1, 2}), "argument.range");
  const OrientationSlot four{OrientationKind::phrase, Direction::backward, ClassScheme::mslr, 0};
  CHECK_EQUAL(code(layout_of(0, 4), std::vector(27, four), {0, 1, -1, -1}), "fine");
  CHECK_EQUAL(code(layout_of(0, 4), std::vector(28, four), {0, 1, -1, -1}),
              "decoding.too-many-models");
  CHECK_EQUAL(code(FeatureLayout(FeatureRows{{"a", "table", 0}}), {}, {}),
              "decoding.missing-feature");
  const PhraseModel model(layout_of(0), *table, {}, {}, {});
  CHECK_REFUSED(DecodingError, "argument.shape",
                WeightedPhraseModel(model, std::vector<double>(5), 0));
  const std::vector<double> too_many(2);
  CHECK_REFUSED(DecodingError, "argument.shape",
                WeightedPhraseModel(model, std::vector<double>(6), 0, too_many));
  const float fine[] = {0, -1}, bad[] = {0, std::nanf("")};
  const std::int32_t word[] = {0}, gap[] = {-1}, beyond[] = {1};
  model.check_rule(0, word, fine);
  CHECK_REFUSED(RuleError, "file.damaged", model.check_rule(0, gap, fine));
  CHECK_REFUSED(RuleError, "file.damaged", model.check_rule(0, beyond, fine));
  CHECK_REFUSED(RuleError, "file.damaged", model.check_rule(0, word, bad));
}

}  // namespace options_tests
