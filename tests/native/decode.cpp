// tests/native/decode.cpp: what a phrase-based decoder searches with: positions of features,
// options of a sentence, the best rules of a source, and language models phrase by phrase.
#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "check.hpp"
#include "decode/feature_layout.hpp"
#include "decode/language_states.hpp"
#include "decode/options.hpp"
#include "decode/phrase_model.hpp"
#include "decode/target_phrases.hpp"
#include "decode/word_model.hpp"
#include "folder.hpp"
#include "models.hpp"
#include "rules/table_search.hpp"
#include "rules/text_rules.hpp"
#include "util/error.hpp"
#include "util/file.hpp"
#include "util/heap.hpp"

namespace decode_tests {

using namespace rosewood;

namespace {

using Words = std::vector<std::uint32_t>;
using Texts = std::vector<std::string_view>;
using Rows = std::vector<FeatureLayout::Row>;
constexpr double ln10 = 2.302585092994045684;

struct Phrase {
  Texts source, target;
  float scores[2];
};

/// A rule table of phrases with two features, read from its files.
class Table {
 public:
  explicit Table(const std::vector<Phrase>& phrases) {
    TextRules rules;
    for (const Phrase& phrase : phrases) {
      TextRule rule;
      rule.left = "X";
      for (const auto word : phrase.source) rule.source.push_back({word});
      for (const auto word : phrase.target) rule.target.push_back({word});
      rule.features = {{"first", phrase.scores[0]}, {"second", phrase.scores[1]}};
      if (!phrase.target.empty()) rule.links = {{0, 0}};
      rules.add(rule, rules.size() + 1);
    }
    rules.finish(0);
    RuleTableWriter writer(folder_.path.string(), {{"X"}, {"first", "second"}, {}});
    rules.write(writer, 0, rules.size());
    const auto bytes = [](const WordTable& words) {
      return std::span(reinterpret_cast<const std::uint8_t*>(words.bytes().data()),
                       words.bytes().size());
    };
    writer.finish(bytes(rules.source_words()), rules.source_words().start(),
                  bytes(rules.target_words()), rules.target_words().start());
    TableFiles files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path)) {
      auto& held = held_[entry.path().filename().string()];
      held.resize(static_cast<std::size_t>(entry.file_size()));
      File(entry.path().string(), "rb").read(held.data(), held.size());
      files[entry.path().filename().string()] = held;
    }
    table_.emplace(files);
    table_->check();
  }
  const RuleTable& operator*() const { return *table_; }
  const RuleTable* operator->() const { return &*table_; }

 private:
  Folder folder_;
  std::map<std::string, std::vector<std::uint8_t>> held_;
  std::optional<RuleTable> table_;
};

/// Both columns of the table, penalties, distortion, and some language models.
FeatureLayout layout_of(std::size_t models, std::size_t orientations = 0) {
  Rows rows{{"second", "table", 1},
            {"first", "table", 0},
            {"words", "word_penalty", 0},
            {"phrases", "phrase_penalty", 0},
            {"unknown", "unknown_penalty", 0},
            {"jump", "distortion", 0}};
  for (std::size_t n = 0; n < models; ++n)
    rows.push_back({"lm" + std::to_string(n), "lm", static_cast<std::int64_t>(n)});
  for (std::size_t n = 0; n < orientations; ++n)
    rows.push_back({"o" + std::to_string(n), "orientation", static_cast<std::int64_t>(n)});
  return FeatureLayout(rows);
}

/// Any phrases: sources of words a .. d, targets of words w3 .. w7 and one that no model knows.
std::vector<Phrase> random_phrases(check::Chance& chance) {
  const Texts source{"a", "b", "c", "d"}, target{"w3", "w4", "w5", "w6", "w7", "strange"};
  std::vector<Phrase> phrases;
  for (std::uint64_t n = 1 + chance.below(25); n > 0; --n) {
    Phrase phrase{{}, {}, {}};
    phrase.source.resize(1 + chance.below(2));
    phrase.target.resize(chance.below(4));
    for (auto& word : phrase.source) word = source[chance.below(3)];  // nothing for d
    for (auto& word : phrase.target) word = target[chance.below(6)];
    for (float& score : phrase.scores) score = -static_cast<float>(chance.unit());
    phrases.push_back(phrase);
  }
  return phrases;
}

std::string code_of(const Rows& rows) {
  try {
    FeatureLayout layout{rows};
  } catch (const DecodingError& error) {
    return error.fault.code.text;
  }
  return "fine";
}

}  // namespace

TEST(features_have_positions) {
  const FeatureLayout layout = layout_of(2);
  CHECK_EQUAL(layout.size(), std::size_t{8});
  CHECK_EQUAL(layout.stateless(), std::size_t{5});
  CHECK(layout.indices(feature_kind("table")) == std::vector<std::size_t>({1, 0}));
  CHECK_EQUAL(layout.position(feature_kind("distortion")), std::size_t{5});
  CHECK(layout.block("lm").first == 6 && layout.block("lm").size == 2);
  CHECK_EQUAL(layout.block("orientation").size, std::size_t{0});
  CHECK(layout.indices(feature_kind("option")).empty());
  CHECK_REFUSED(DecodingError, "argument.choice", layout.block("nonsense"));
  CHECK_REFUSED(DecodingError, "decoding.missing-feature",
                layout.position(feature_kind("orientation")));
  std::vector<std::size_t> all;
  for (const FeatureKind& kind : feature_kinds)
    all.push_back(static_cast<std::size_t>(&kind - feature_kinds.data()));
  layout.check_kinds("a decoder", all);
  all.erase(all.begin());
  CHECK_REFUSED(DecodingError, "decoding.unknown-feature", layout.check_kinds("a decoder", all));
  CHECK_EQUAL(FeatureLayout(Rows{}).size(), std::size_t{0});
}

TEST(rows_of_features_that_do_not_fit) {
  CHECK_EQUAL(code_of({{"a", "table", 7}, {"b", "table", 3}, {"c", "lm", 0}}), "fine");
  CHECK_EQUAL(code_of({{"", "table", 0}}), "argument.value");
  CHECK_EQUAL(code_of({{"a", "table", 0}, {"a", "lm", 0}}), "argument.duplicate");
  CHECK_EQUAL(code_of({{"a", "nonsense", 0}}), "argument.choice");
  CHECK_EQUAL(code_of({{"a", "option", 0}, {"b", "table", 0}, {"c", "option", 1}}),
              "decoding.feature-order");
  CHECK_EQUAL(code_of({{"a", "lm", 0}, {"b", "table", 0}}), "decoding.feature-order");
  CHECK_EQUAL(code_of({{"a", "word_penalty", 0}, {"b", "word_penalty", 1}}), "argument.duplicate");
  CHECK_EQUAL(code_of({{"a", "table", -1}}), "argument.range");
  CHECK_EQUAL(code_of({{"a", "lm", 1}}), "argument.value");
  CHECK_EQUAL(code_of({{"a", "lm", 0}, {"b", "lm", 0}}), "argument.value");
}

TEST(equal_phrases_have_equal_numbers) {
  check::Chance chance(1);
  for (const std::size_t most : {1, 2, 3, 100, 1000}) {
    PhraseNumbers numbers(most);
    std::map<std::vector<std::int32_t>, std::int32_t> expected;
    std::vector<std::vector<std::int32_t>> held(most);
    for (auto& words : held) {
      words.resize(chance.below(4));
      for (auto& word : words) word = static_cast<std::int32_t>(chance.below(5));
      const auto [place, is_new] =
          expected.emplace(words, static_cast<std::int32_t>(expected.size()));
      const auto added = numbers.add(words);
      CHECK_EQUAL(added.number, place->second);
      CHECK_EQUAL(added.is_new, is_new);
    }
  }
}

TEST(scores_of_phrases_add_up_to_those_of_sentences) {
  check::Chance chance(2);
  for (int round = 0; round < 30; ++round) {
    // Two models of any order and layout; their numbers of words need not be the same.
    const NgramList lists[] = {NgramList::random(chance, 1 + round % 4, 6),
                               NgramList::random(chance, 1 + round % 3, 4)};
    const ArpaModel first(lists[0].arpa(), round % 2), second(lists[1].arpa(), round % 3 == 0);
    std::vector<std::unique_ptr<WordModel>> models;
    for (const auto* model : {&first, &second}) models.push_back(make_word_model(**model));
    CHECK_EQUAL(models[0]->find("<s>"), unknown_word);
    CHECK_EQUAL(models[0]->find("</s>"), unknown_word);
    CHECK_EQUAL(models[0]->find("w5"), 5U);
    CHECK_EQUAL(models[1]->find("w5"), unknown_word);
    CHECK_EQUAL(longest_state(models),
                std::max<std::size_t>(
                    1, static_cast<std::size_t>(std::max(lists[0].order, lists[1].order) - 1)));
    TargetPhrases phrases(models);
    const double weights[] = {0.5, -2.0};
    LanguageStates states(models, weights, phrases);
    std::map<std::vector<std::uint32_t>, std::int32_t> numbers;  // of what each model remembers
    std::deque<std::vector<std::int32_t>> targets;
    for (int sentence = 0; sentence < 20; ++sentence) {
      std::int32_t state = states.begin();
      Words said[2] = {{begin_word}, {begin_word}};
      for (std::uint64_t n = chance.below(5); n > 0; --n) {
        const std::size_t length = chance.below(4);
        std::vector<std::string> text(length);
        Words words;
        for (auto& word : text)
          word = NgramList::name(3 + static_cast<std::uint32_t>(chance.below(4)));
        for (const auto& model : models)
          for (const auto& word : text) words.push_back(model->find(word));
        targets.emplace_back(length, 7);
        const std::int32_t phrase = phrases.add(targets.back(), words);
        CHECK_EQUAL(phrases.length(phrase), length);
        double expected[2] = {};
        for (std::size_t k = 0; k < 2; ++k) {
          double alone = 0;
          Words inside;
          for (std::size_t i = 0; i < length; ++i) {
            const std::uint32_t word = words[k * length + i];
            alone += lists[k].score(inside, word) * ln10;
            expected[k] += lists[k].score(said[k], word) * ln10;
            inside.push_back(word);
            said[k].push_back(word);
          }
          CHECK_NEAR(phrases.alone(phrase, k), alone, 1e-5);
          CHECK_EQUAL(phrases.of(phrase, k).words.size(), length);
          CHECK_EQUAL(phrases.of(phrase, k).rest[length], 0.0);
        }
        const auto step = states.follow(state, phrase);
        const auto values = states.values(state, phrase);
        CHECK_NEAR(values[0], expected[0], 1e-5);
        CHECK_NEAR(values[1], expected[1], 1e-5);
        CHECK_NEAR(step.score, weights[0] * expected[0] + weights[1] * expected[1], 1e-5);
        if (length == 0) CHECK_EQUAL(step.state, state);
        state = step.state;
        auto memory = first->state(said[0]);
        memory.push_back(~0U);
        for (const auto word : second->state(said[1])) memory.push_back(word);
        CHECK_EQUAL(numbers.emplace(memory, state).first->second, state);
      }
      const auto last = states.final_values(state);
      for (std::size_t k = 0; k < 2; ++k)
        CHECK_NEAR(last[k], lists[k].score(said[k], end_word) * ln10, 1e-5);
      CHECK_NEAR(states.finish(state), weights[0] * last[0] + weights[1] * last[1], 1e-12);
    }
    std::set<std::int32_t> different;  // other words to remember, another state
    for (const auto& [memory, number] : numbers) CHECK(different.insert(number).second);
  }
}

TEST(states_without_a_language_model) {
  TargetPhrases phrases({});
  LanguageStates states({}, {}, phrases);
  const std::int32_t target[] = {1, 2};
  const std::int32_t phrase = phrases.add(target, {});
  CHECK_EQUAL(states.follow(states.begin(), phrase).state, states.begin());
  CHECK_EQUAL(states.follow(states.begin(), phrase).score, 0.0);
  CHECK_EQUAL(states.finish(states.begin()), 0.0);
  CHECK(states.values(0, phrase).empty() && longest_state({}) == 1);
}

TEST(states_tell_the_last_words_apart) {
  TargetPhrases phrases({});
  LanguageStates states({}, {}, phrases, 2);
  const std::int32_t words[] = {4, 5, 6};
  const auto after = [&](std::int32_t state, std::span<const std::int32_t> target) {
    return states.follow(state, phrases.add(target, {})).state;
  };
  const std::span all(words);
  const std::int32_t last = after(states.begin(), all);
  CHECK_EQUAL(after(states.begin(), all.subspan(1)), last);
  CHECK_EQUAL(after(after(states.begin(), all.first(2)), all.last(1)), last);
  CHECK_EQUAL(after(last, {}), last);
  CHECK(after(states.begin(), all.last(1)) != last);
  CHECK(after(last, all.first(1)) != last);
}

TEST(the_first_of_a_heap_is_replaced) {
  check::Chance chance(9);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::uint64_t> heap(1 + chance.below(9));
    for (auto& each : heap) each = chance.below(20);
    std::ranges::make_heap(heap);
    std::multiset<std::uint64_t> expected(heap.begin(), heap.end());
    for (int step = 0; step < 20; ++step) {
      CHECK_EQUAL(heap.front(), *expected.rbegin());
      expected.erase(std::prev(expected.end()));
      const std::uint64_t other = *expected.insert(chance.below(20));
      replace_first(heap, other);
      CHECK(std::ranges::is_heap(heap));
    }
  }
}

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
    for (const std::uint64_t limit : {0, 1, 2, 5}) {
      const WeightedPhraseModel weighted(model, weights, limit);
      table->for_each_source([&](std::span<const std::int32_t>, const RuleRange& range) {
        std::vector<std::pair<double, std::uint64_t>> rated;
        for (std::uint64_t rule = range.first; rule < range.last; ++rule) {
          RuleBuffer read;
          table->read(rule, read);
          double score = weights[0] * double{read.features[1]} +
                         weights[1] * double{read.features[0]} -
                         weights[2] * double(read.target.size()) + weights[3];
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
  const OrientationSlot slot{OrientationKind::phrase, Direction::backward, true, 0};
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
  CHECK_EQUAL(code(layout_of(0, 3), std::vector(28, slot), {0, 1, -1}), "decoding.too-many-models");
  CHECK_EQUAL(code(FeatureLayout(Rows{{"a", "table", 0}}), {}, {}), "decoding.missing-feature");
  const PhraseModel model(layout_of(0), *table, {}, {}, {});
  CHECK_REFUSED(DecodingError, "argument.shape",
                WeightedPhraseModel(model, std::vector<double>(5), 0));
  const float fine[] = {0, -1}, bad[] = {0, std::nanf("")};
  const std::int32_t word[] = {0}, gap[] = {-1}, beyond[] = {1};
  model.check_rule(0, word, fine);
  CHECK_REFUSED(RuleError, "file.damaged", model.check_rule(0, gap, fine));
  CHECK_REFUSED(RuleError, "file.damaged", model.check_rule(0, beyond, fine));
  CHECK_REFUSED(RuleError, "file.damaged", model.check_rule(0, word, bad));
}

}  // namespace decode_tests
