// tests/native/reorder.cpp: features of events, reordering models of options, and what classifiers
// and word classes are made of.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "check.hpp"
#include "corpus/word_bigrams.hpp"
#include "decode/options.hpp"
#include "decode/reordering_scorer.hpp"
#include "models.hpp"
#include "phrase_tables.hpp"
#include "reorder/event_features.hpp"
#include "reorder/linear_model.hpp"
#include "reorder/shuffle.hpp"
#include "reorder/softmax.hpp"

namespace reorder_tests {

using namespace rosewood;
using namespace phrase_tables;

namespace {

using Keys = std::vector<FeatureKey>;

FeatureKey context(std::int32_t position, std::int32_t word) {
  return feature_key(FeatureFamily::context, false, position, word);
}

}  // namespace

TEST(context_of_a_phrase) {
  const std::vector<std::int32_t> sentence{4, 5, -1, 7};
  EventTemplates templates;
  templates.window = 2;
  templates.has_sides = templates.has_boundaries = true;
  Keys found;
  FeatureMaker(templates, {}, {}).add_context(sentence, 1, 2, found);
  // The word to the right has no number; two to the left is the beginning.
  CHECK(found == (Keys{context(1, 4), context(2, sentence_begin), context(10, 7)}));
  templates.has_sides = templates.has_boundaries = false;
  found.clear();
  FeatureMaker(templates, {}, {}).add_context(sentence, 1, 2, found);
  CHECK(found == (Keys{context(0, 4), context(0, 7)}));
  templates.window = 8;
  CHECK_REFUSED(ReorderingError, "argument.range", check_templates(templates));
}

TEST(classes_of_words) {
  const std::vector<std::int32_t> classes{3, 1};
  EventTemplates templates;
  templates.symbols = FeatureSymbols::both;
  const FeatureMaker maker(templates, {classes, 0}, {classes, -1});
  Keys found;
  maker.add_pair(1, 0, found);
  CHECK(found == (Keys{feature_key(FeatureFamily::pair, false, 0, 1, 0),
                       feature_key(FeatureFamily::pair, true, 0, 1, 3)}));
  found.clear();
  maker.add_pair(-1, -1, found);  // an unknown target word has no class here
  CHECK(found.empty());
}

TEST(features_are_counted_and_numbered) {
  FeatureCounts counts;
  check::Chance chance(5);
  std::vector<std::int64_t> expected(40);
  Keys keys(3000);
  for (FeatureKey& key : keys) ++expected[key = chance.below(chance.below(40) + 1)];
  counts.add(keys, 3);
  const auto kept = counts.kept(20);
  for (std::size_t n = 0; n < kept.key.size(); ++n) {
    CHECK_EQUAL(kept.count[n], expected[kept.key[n]]);
    CHECK(n == 0 || kept.count[n] <= kept.count[n - 1]);
  }
  const FeatureNumbers numbers(kept.key);
  const std::vector<std::int64_t> start{0, 3};
  const Keys row{kept.key[1], 10'000, kept.key[1]};
  const EventRows rows = number_keys(start, row, numbers, 1);
  CHECK(rows.feature == std::vector<std::int32_t>{1});
  CHECK(rows.count == std::vector<float>{2});
}

TEST(slots_of_features) {
  check::Chance chance(7);
  std::set<FeatureKey> distinct;
  while (distinct.size() < 500) distinct.insert(chance.below(1'000'000));
  const Keys keys(distinct.begin(), distinct.end());
  const SlotPlan plan = plan_slots(keys);
  for (std::size_t n = 0; n < keys.size(); ++n)
    CHECK_EQUAL(plan.slots[static_cast<std::size_t>(plan.slot_of_key[n])], keys[n]);
  CHECK(std::ranges::count(plan.slots, free_slot) > 0);
  CHECK_REFUSED(ReorderingError, "argument.duplicate", plan_slots(Keys{3, 3}));
}

TEST(options_have_probabilities) {
  // One feature: the word "a" to the left, which makes the second of three classes likelier.
  const Keys keys{context(1, 0)};
  const SlotPlan plan = plan_slots(keys);
  std::vector<float> weights(plan.slots.size() * 3);
  weights[static_cast<std::size_t>(plan.slot_of_key[0]) * 3 + 1] = 2;
  LinearParts parts;
  parts.slots = plan.slots;
  parts.rows = {reinterpret_cast<const std::uint8_t*>(weights.data()), weights.size() * 4};
  parts.bias = {0, 0, 0};
  parts.templates.has_sides = true;
  const char word[] = {'a'};
  const std::int64_t start[] = {0, 1};
  parts.source_bytes = word;
  parts.source_start = start;
  const LinearReordering linear(parts);
  const Table table({{{"a"}, {"x"}, {-1, 0}}, {{"b"}, {"y"}, {-1, 0}}});
  const NativeReordering native[] = {{linear, 0}};
  const OrientationSlot slot{OrientationKind::phrase, Direction::backward, ClassScheme::msd, 0};
  const PhraseModel model(layout_of(0, 3), *table, {}, {slot}, {-1, -1, -1}, native);
  const WeightedPhraseModel weighted(model, std::vector<double>(9, 1.0), 0);
  const Texts words{"a", "b"};
  const SentenceOptions found = find_sentence_options(weighted, words, 1, {}, UnknownWords::copy);
  CHECK_EQUAL(found.size(), std::size_t{2});
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK_NEAR(found.orientations[k], -std::log(3.0), 1e-12);
    const double log_total = std::log(2 + std::exp(2.0));
    CHECK_NEAR(found.orientations[3 + k], (k == 1 ? 2 : 0) - log_total, 1e-12);
  }
  parts.bias = {0, std::nan(""), 0};
  CHECK_REFUSED(ReorderingError, "file.damaged", LinearReordering(parts));
}

TEST(exponentials_of_negative_numbers) {
  for (double x = 0; x > -720; x -= 0.37)
    CHECK_NEAR(exp_of_negative(x), x > -708 ? std::exp(x) : 0.0, 1e-14);
}

TEST(random_numbers_depend_on_their_place) {
  SplitMix one = generator_of(1, 2, 3), same = generator_of(1, 2, 3), other = generator_of(1, 3, 2);
  CHECK_EQUAL(one(), same());
  CHECK(one() != other());
  for (int n = 0; n < 100; ++n) CHECK(one.below(7) < 7);
}

TEST(bigrams_of_words) {
  const std::vector<std::int32_t> ids{0, 1, 0, 2}, number{0, 1, -1};
  const std::vector<std::int64_t> start{0, 3, 3, 4};
  const WordBigrams bigrams(ids, start, number, 2);
  CHECK_EQUAL(bigrams.total(), std::int64_t{6});  // the sentence without words has none
  CHECK_EQUAL(bigrams.count(0), std::int64_t{2});
  CHECK_EQUAL(bigrams.count(bigrams.boundary()), std::int64_t{2});
  const auto after = bigrams.after(0);
  CHECK_EQUAL(after.size(), std::size_t{2});
  CHECK_EQUAL(after[0].word, 1);
  CHECK_EQUAL(after[1].word, bigrams.boundary());
}

}  // namespace reorder_tests
