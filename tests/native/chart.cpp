// tests/native/chart.cpp: what a hierarchical decoder searches with: parts of sentences and their
// scores, given translations.
#include <numeric>
#include <span>

#include "check.hpp"
#include "decode/boundary_words.hpp"
#include "decode/chart_language.hpp"
#include "decode/option_collector.hpp"
#include "decode/part_scorer.hpp"
#include "decode/rule_model.hpp"
#include "models.hpp"
#include "util/error.hpp"

namespace chart_tests {

using namespace rosewood;

namespace {

using Words = std::vector<std::uint32_t>;
constexpr double ln10 = 2.302585092994045684;

/// Scores words as a tree of parts with up to three symbols, cut at random.
class Bracketing {
 public:
  Bracketing(check::Chance& chance, ChartLanguage& language)
      : chance_(chance), language_(language) {}

  struct Made {
    std::int32_t state;
    double value;
  };
  Made score(std::span<const std::uint32_t> words) {
    std::vector<std::int32_t> symbols, tails;
    Words own;
    double value = 0;
    for (std::size_t at = 0; at < words.size();) {
      const std::size_t size = 1 + chance_.below(words.size() - at);
      if (size == words.size() || chance_.below(3) == 0) {
        symbols.push_back(static_cast<std::int32_t>(words[at]));
        own.push_back(words[at++]);
        continue;
      }
      const Made part = score(words.subspan(at, size));
      symbols.push_back(-1 - static_cast<std::int32_t>(tails.size()));
      own.push_back(0);
      tails.push_back(part.state);
      value += part.value;
      at += size;
    }
    double found[1];
    const bool has_run = !symbols.empty() && symbols[0] >= 0 && chance_.below(2);
    const ChartTarget target{symbols, own};
    const auto run = has_run ? language_.score_run(target, 0).number : ChartLanguage::no_run;
    const auto part = language_.score(target, run, tails, found);
    CHECK_NEAR(part.score, 2 * found[0], 1e-9);
    return {part.state, value + found[0]};
  }

 private:
  check::Chance& chance_;
  ChartLanguage& language_;
};

}  // namespace

TEST(scores_of_parts_add_up_to_those_of_sentences) {
  check::Chance chance(12);
  for (int round = 0; round < 40; ++round) {
    const NgramList list = NgramList::random(chance, 1 + round % 5, 6);
    const ArpaModel lm(list.arpa(), round % 2);
    const LanguageModel* const models[] = {&*lm};
    const double weights[] = {2.0};
    CHECK(make_part_scorer(*lm)->key_width() > 0);
    ChartLanguage language(models, weights);
    Bracketing tree(chance, language);
    for (int sentence = 0; sentence < 10; ++sentence) {
      Words words(chance.below(7));
      for (auto& word : words) word = 3 + static_cast<std::uint32_t>(chance.below(3));
      double expected = 0, found[1];
      Words said{begin_word};
      for (const auto word : words) {
        expected += list.score(said, word) * ln10;
        said.push_back(word);
      }
      const auto begin = language.begin_sentence();
      CHECK_EQUAL(begin.score, 0.0);
      const auto whole = tree.score(words);
      const std::int32_t both[] = {begin.state, whole.state}, symbols[] = {-1, -2};
      const std::uint32_t none[] = {0, 0};
      const auto made = language.score({symbols, none}, ChartLanguage::no_run, both, found);
      CHECK_NEAR(whole.value + found[0], expected, 1e-5);
      CHECK_NEAR(language.finish(made.state, found), 2 * list.score(said, end_word) * ln10, 1e-5);
    }
  }
}

TEST(sentences_without_models_have_one_state) {
  ChartLanguage language({}, {});
  const std::int32_t symbols[] = {5, 6};
  const auto part = language.score({symbols, {}}, ChartLanguage::no_run, {}, {});
  CHECK_EQUAL(part.score, 0.0);
  CHECK_EQUAL(language.begin_sentence().state, part.state);
  CHECK_EQUAL(language.finish(part.state, {}), 0.0);
}

TEST(boundary_words_do_not_depend_on_the_brackets) {
  check::Chance chance(13);
  for (int round = 0; round < 300; ++round) {
    BoundaryWords boundary(1 + chance.below(4));
    Words words(chance.below(12));
    for (auto& word : words) word = static_cast<std::uint32_t>(chance.below(3));
    const auto row_of = [&](const auto& self, std::span<const std::uint32_t> part) -> Words {
      BoundaryWords made = boundary;
      made.begin(false);
      for (std::size_t at = 0; at < part.size();) {
        const std::size_t size = 1 + chance.below(part.size() - at);
        if (size == part.size() || chance.below(2)) {
          made.add_word(part[at++]);
          continue;
        }
        made.add_part(self(self, part.subspan(at, size)).data());
        at += size;
      }
      Words row(made.row_width());
      made.store(row.data());
      return row;
    };
    const Words row = row_of(row_of, words);
    CHECK(row == row_of(row_of, words));
    const std::size_t most = (row.size() - 2) / 2;
    if (words.size() >= most) {
      CHECK(std::equal(row.end() - static_cast<std::ptrdiff_t>(most), row.end(),
                       words.end() - static_cast<std::ptrdiff_t>(most)));
      CHECK(std::equal(row.begin() + 2, row.begin() + 2 + static_cast<std::ptrdiff_t>(most),
                       words.begin()));
    }
    // Behind the beginning of a sentence only the last words matter.
    Words begin(row.size()), whole(row.size());
    boundary.begin(true);
    boundary.store(begin.data());
    boundary.begin_with(begin.data());
    boundary.add_part(row.data());
    boundary.store(whole.data());
    boundary.begin(true);
    for (const auto word : words) boundary.add_word(word);
    boundary.store(begin.data());
    CHECK(whole == begin);
  }
  CHECK_EQUAL(BoundaryWords(0).row_width(), std::size_t{0});
}

TEST(given_translations_by_where_they_begin) {
  const std::string_view one[] = {"one"};
  const GivenOption given[] = {
      {1, 3, GivenKind::forced, one}, {0, 2, GivenKind::added, one}, {0, 1, GivenKind::added, one}};
  const GivenOptions options(given, 4);
  CHECK_EQUAL(options.at(0).size(), std::size_t{2});
  CHECK_EQUAL(options.at(0)[0]->end, 1);
  CHECK_EQUAL(options.at(1)[0], &given[0]);
  CHECK(options.forced(2) == &given[0] && options.forced(3) == nullptr);
  CHECK(options.has_forced(0, 2) && !options.has_forced(3, 4) && !options.has_forced(0, 1));
  CHECK_REFUSED(DecodingError, "argument.range", GivenOptions(given, 2));
}

}  // namespace chart_tests
