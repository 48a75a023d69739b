// tests/native/decode.cpp: what a phrase-based decoder searches with: positions of features and
// language models phrase by phrase.
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
#include "decode/phrase_model.hpp"
#include "decode/target_phrases.hpp"
#include "decode/word_model.hpp"
#include "models.hpp"
#include "phrase_tables.hpp"
#include "util/error.hpp"
#include "util/heap.hpp"

namespace decode_tests {

using namespace rosewood;
using namespace phrase_tables;

namespace {

using Words = std::vector<std::uint32_t>;
constexpr double ln10 = 2.302585092994045684;

std::string code_of(const FeatureRows& rows) {
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
  CHECK_EQUAL(FeatureLayout(FeatureRows{}).size(), std::size_t{0});
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

}  // namespace decode_tests
