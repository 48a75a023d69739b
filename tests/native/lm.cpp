// tests/native/lm.cpp: models asked word by word, in blocks, sentence by sentence and part by part,
// in both layouts, compared with the definition of back-off.
#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "check.hpp"
#include "lm/batch.hpp"
#include "lm/chart.hpp"
#include "lm/fast.hpp"
#include "lm/hash.hpp"
#include "lm/query.hpp"
#include "lm/sample.hpp"
#include "lm/sections.hpp"
#include "lm/small.hpp"
#include "lm/vocabulary.hpp"
#include "models.hpp"

namespace lm_tests {

using namespace rosewood;

namespace {

using Words = std::vector<std::uint32_t>;

/// A state with room of its own.
struct OwnState {
  explicit OwnState(int order)
      : words(static_cast<std::size_t>(order)), backoffs(static_cast<std::size_t>(order)) {}
  State view() { return {words.data(), backoffs.data(), 0}; }
  Words words;
  std::vector<float> backoffs;
};

/// Calls body(list, layout, model) for random models of every order in both layouts.
template <class Body>
void each_model(std::uint64_t seed, int rounds, Body&& body) {
  check::Chance chance(seed);
  for (int round = 0; round < rounds; ++round) {
    const auto list = NgramList::random(chance, 1 + round % 5, 3 + chance.below(5));
    for (const bool is_small : {false, true}) {
      const ArpaModel model(list.arpa(), is_small);
      std::visit([&](const auto& layout) { body(list, layout, *model); }, model->layout());
    }
  }
}

Words random_words(check::Chance& chance, std::uint32_t words, std::uint64_t most) {
  Words text(chance.below(most + 1));
  for (auto& word : text) word = static_cast<std::uint32_t>(chance.below(words));
  return text;
}

/// Words of a sentence: no <s> and no </s>.
Words random_sentence(check::Chance& chance, std::uint32_t words, std::uint64_t most) {
  Words text = random_words(chance, words, most);
  for (auto& word : text) word = word == begin_word || word == end_word ? unknown_word : word;
  return text;
}

Words before(const Words& text, std::size_t place) {
  return {text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place)};
}

std::string text_of(const Words& words) {
  std::string text;
  for (const auto word : words) text += (text.empty() ? "" : " ") + NgramList::name(word);
  return text;
}

}  // namespace

TEST(words_have_the_probability_of_the_definition) {
  check::Chance chance(1);
  each_model(2, 30, [&](const NgramList& list, const auto& layout, const LanguageModel&) {
    OwnState one(list.order), two(list.order), other(list.order);
    for (int round = 0; round < 20; ++round) {
      const Words text = random_words(chance, list.words, 8);
      State now = one.view(), next = two.view();
      for (std::size_t n = 0; n < text.size(); ++n) {
        const WordScore found = score_word(layout, now, text[n], next);
        CHECK_NEAR(found.score, list.score(before(text, n), text[n]), 1e-6);
        CHECK(found.length >= 1 && found.length <= list.order);
        std::swap(now, next);
        // The state is the same as that of the words before, found at once.
        State again = other.view();
        const Words said = before(text, n + 1), latest(said.rbegin(), said.rend());
        context_state(layout, latest, again);
        CHECK_EQUAL(again.length, now.length);
        CHECK(now.length < list.order);
        for (int k = 0; k < again.length; ++k) {
          CHECK_EQUAL(again.words[k], now.words[k]);
          CHECK_EQUAL(again.backoffs[k], now.backoffs[k]);
        }
        CHECK(now.length == 0 || !is_dead_end(now.backoffs[now.length - 1]));
      }
      std::uint64_t expected = 0;
      score_all_words(layout, now, list.words, [&](std::uint64_t word, const WordScore& each) {
        CHECK_EQUAL(word, expected++);
        CHECK_NEAR(each.score, list.score(text, static_cast<std::uint32_t>(word)), 1e-6);
      });
      CHECK_EQUAL(expected, std::uint64_t{list.words});
    }
  });
}

TEST(both_layouts_say_the_same_to_the_last_bit) {
  check::Chance chance(3);
  for (int round = 0; round < 20; ++round) {
    const auto list = NgramList::random(chance, 1 + round % 5, 6);
    const ArpaModel fast(list.arpa()), small(list.arpa(), true);
    std::optional<ArpaModel> quantised;
    if (round < 5) quantised.emplace(list.arpa(), true, 8);
    for (int each = 0; each < 20; ++each) {
      const Words context = random_words(chance, 6, 5);
      const auto word = static_cast<std::uint32_t>(chance.below(6));
      const auto [score, state] = fast->advance(context, word);
      CHECK_EQUAL(small->advance(context, word).first.score, score.score);
      CHECK(small->advance(context, word).second == state);
      if (!quantised) continue;  // there are more codes than numbers, so nothing is lost
      CHECK_NEAR((*quantised)->advance(context, word).first.score, score.score, 1e-6);
      CHECK((*quantised)->advance(context, word).second == state);
    }
    CHECK_EQUAL(fast->order(), list.order);
  }
}

TEST(running_text_in_blocks) {
  check::Chance chance(4);
  each_model(5, 15, [&](const NgramList& list, const auto& layout, const LanguageModel&) {
    using Scorer = BlockScorer<std::decay_t<decltype(layout)>>;
    Scorer scorer(layout);
    Words text;  // since the last beginning
    for (int round = 0; round < 20; ++round) {
      Words words(chance.below(round % 5 ? 9 : Scorer::block + 1));
      std::vector<std::uint8_t> firsts(words.size());
      std::vector<double> expected;
      for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = static_cast<std::uint32_t>(chance.below(list.words));
        firsts[i] = chance.below(6) == 0 || (round == 0 && i == 0);
        if (firsts[i]) text.clear();
        expected.push_back(list.score(text, words[i]));
        text.push_back(words[i]);
      }
      if (round == 0 && words.empty()) {
        words.push_back(0), firsts.push_back(1), text = {0};
        expected.push_back(list.score({}, 0));
      }
      std::size_t emitted = 0;
      scorer.score(words, firsts, [&](std::size_t i, const WordScore& score) {
        CHECK_EQUAL(i, emitted++);
        CHECK_NEAR(score.score, expected[i], 1e-6);
      });
      CHECK_EQUAL(emitted, words.size());
    }
  });
}

TEST(sentences_of_a_text) {
  check::Chance chance(6);
  each_model(7, 5, [&](const NgramList& list, const auto& layout, const LanguageModel& model) {
    std::string text;
    std::vector<double> expected[4];
    constexpr std::uint64_t count = 700;  // more than a thread takes at a time
    for (std::uint64_t s = 0; s < count; ++s) {
      const Words words = random_sentence(chance, list.words, 6);
      text += (s ? "\n" : "") + text_of(words);
      if (chance.below(4) == 0) text += " \t";
      for (int e = 0; e < 4; ++e) {
        Words said;
        if (e & 1) said.push_back(begin_word);
        double sum = 0;
        for (const auto word : words) {
          sum += list.score(said, word);
          said.push_back(word);
        }
        if (e & 2) sum += list.score(said, end_word);
        expected[e].push_back(sum);
      }
    }
    const SentenceText sentences(text, count);
    for (int e = 0; e < 4; ++e) {
      const Edges edges{(e & 1) != 0, (e & 2) != 0};
      std::vector<double> sums(count), one(count);
      score_sentences(model.vocabulary(), layout, sentences, edges, 1, 3,
                      [&](std::uint64_t, std::uint64_t s, std::uint32_t, const WordScore& score) {
                        sums[s] += score.score;
                      });
      for (std::uint64_t s = 0; s < count; ++s) {
        CHECK_NEAR(sums[s], expected[e][s], 1e-5);
        score_sentence(model.vocabulary(), layout, sentences[s], edges,
                       [&](std::uint32_t, const WordScore& score) { one[s] += score.score; });
        CHECK_EQUAL(one[s], sums[s]);
      }
    }
  });
}

TEST(texts_have_as_many_lines_as_sentences) {
  CHECK_EQUAL(SentenceText("", 0).size(), 0U);
  CHECK_EQUAL(SentenceText("", 1)[0], "");
  const SentenceText two("a b\n", 2);
  CHECK(two[0] == "a b" && two[1] == "");
  for (const auto& [text, count] : {std::pair{"a", 0}, {"\n", 0}, {"a", 2}, {"a\nb", 1}, {"", 2}})
    CHECK_REFUSED(LanguageModelError, "argument.shape",
                  SentenceText(text, static_cast<std::uint64_t>(count)));
}

TEST(marks_of_sentences_are_not_words) {
  check::Chance chance(8);
  const ArpaModel model(NgramList::random(chance, 2, 5).arpa());
  std::string text;
  for (int s = 0; s < 1500; ++s) text += s == 700 ? "w3 <s>\n" : s == 1200 ? "</s>\n" : "w4\n";
  const SentenceText sentences(text, 1501);
  for (const int threads : {1, 4}) {
    std::vector<double> out(1501);
    try {
      model->score(sentences, {}, 10, threads, out);
      CHECK(false);
    } catch (const LanguageModelError& error) {
      CHECK_EQUAL(std::string(error.fault.code.text), "lm.sentence-mark");
      CHECK(std::string_view(error.what()).find("sentence 710, word 2") != std::string::npos);
    }
  }
  CHECK_REFUSED(LanguageModelError, "lm.sentence-mark", model->score("w3 </s>", {}));
}

TEST(ends_of_words) {
  check::Chance chance(9);
  for (int round = 0; round < 2000; ++round) {
    std::string text(chance.below(30), 'x');
    for (char& c : text) c = "ab \t!\xa0\x89"[chance.below(chance.below(4) ? 2 : 7)];
    const std::size_t from = chance.below(text.size() + 1);
    const std::size_t end = from + chance.below(text.size() - from + 1);
    std::size_t expected = from;
    while (expected < end && !is_gap(text[expected])) ++expected;
    const char* data = text.data();
    CHECK_EQUAL(word_end(data + from, data + end, data + text.size()) - data,
                static_cast<std::ptrdiff_t>(expected));
  }
  CHECK(!is_gap('\n') && !is_gap('\r') && is_gap('\t'));
}

TEST(parts_add_up_however_a_sentence_is_bracketed) {
  check::Chance chance(10);
  each_model(11, 20, [&](const NgramList& list, const auto& layout, const LanguageModel&) {
    const int order = list.order;
    using Row = std::vector<std::uint32_t>;
    // A random tree over the words: the sum of the scores of its nodes, and the state of the root.
    const auto scored = [&](const auto& self, const Words& words,
                            bool begins) -> std::pair<double, Row> {
      ChartScorer scorer(layout);
      if (begins) scorer.begin_sentence(begin_word);
      double inside = 0;
      for (std::size_t at = 0; at < words.size();) {
        const std::size_t size = 1 + chance.below(words.size() - at);
        if (size == 1 || size == words.size()) {
          scorer.add_word(words[at++]);
          continue;
        }
        const auto begin = words.begin() + static_cast<std::ptrdiff_t>(at);
        const auto [score, row] =
            self(self, Words(begin, begin + static_cast<std::ptrdiff_t>(size)), false);
        scorer.add_part({row.data(), row.data() + chart_key_width(order), order});
        inside += score;
        at += size;
      }
      const auto [score, state] = scorer.finish();
      Row row(chart_row_width(order));
      store_chart_row(state, order, row.data(), row.data() + chart_key_width(order));
      return {inside + score, row};
    };
    for (int round = 0; round < 30; ++round) {
      const Words words = random_sentence(chance, list.words, 8);
      for (const bool begins : {false, true}) {
        Words said;
        if (begins) said.push_back(begin_word);
        double expected = 0;
        for (const auto word : words) {
          expected += list.score(said, word);
          said.push_back(word);
        }
        const auto [flat, flat_row] = scored(scored, words, begins);
        CHECK_NEAR(flat, expected, 1e-5);
        const auto [score, row] = scored(scored, words, begins);
        CHECK_NEAR(score, expected, 1e-5);
        CHECK(row == flat_row);  // one state, however it was made
      }
    }
  });
}

TEST(texts_are_drawn_by_their_probabilities) {
  const std::string arpa =
      "\\data\\\nngram 1=5\nngram 2=2\n\n\\1-grams:\n-1 <unk>\n-99 <s> 0\n-1 </s>\n"
      "-0.5 a 0\n-0.5 b 0\n\n\\2-grams:\n-0.1 a a\n-0.3 <s> b\n\n\\end\\\n";
  const ArpaModel model(arpa);
  const auto& layout = std::get<FastLayout>(model->layout());
  OwnState room_of_first(2);
  State first = room_of_first.view();
  context_state(layout, std::vector{begin_word}, first);
  const Sampler sampler(layout, 5, first);
  auto room = sampler.room();
  std::vector<int> times(5);
  constexpr int drawn = 4000;
  for (std::uint64_t seed = 0; seed < drawn; ++seed) {
    const Words text = sampler.draw(seed, 3, room);
    CHECK(text == sampler.draw(seed, 3, room));  // the seed says it all
    CHECK(text.size() <= 3);
    const Words shorter = sampler.draw(seed, 1, room);
    CHECK(shorter == before(text, std::min<std::size_t>(1, text.size())));
    ++times[text.empty() ? end_word : text[0]];
    for (const auto word : text) CHECK(word != begin_word && word != end_word);
  }
  double all = 0, probability[] = {-1, -99, -1, -0.5, -0.3};
  for (double& each : probability) all += each = std::pow(10.0, each);
  for (std::size_t word = 0; word < 5; ++word)
    CHECK(std::abs(times[word] / double{drawn} - probability[word] / all) < 0.03);
  CHECK(sampler.draw(1, 0, room).empty());
}

TEST(parts_of_a_file) {
  const std::vector<std::uint8_t> file{1, 2, 3, 4};
  const Sections sections(file, {{"a", {0, 4}}, {"b", {4, 0}}, {"c", {1, 2}}});
  CHECK_EQUAL(sections["a"].size(), std::size_t{4});
  CHECK(sections["b"].empty());
  CHECK_EQUAL(*sections.exactly("c", 2), 2);
  CHECK_REFUSED(LanguageModelError, "file.damaged", sections["d"]);
  CHECK_REFUSED(LanguageModelError, "file.damaged", sections.exactly("c", 3));
  constexpr auto most = ~std::uint64_t{0};
  for (const Places& places : {Places{{"a", {5, 0}}}, Places{{"a", {1, 4}}},
                               Places{{"a", {1, most}}}, Places{{"a", {most, 1}}}})
    CHECK_REFUSED(LanguageModelError, "file.damaged", Sections(file, places));
}

TEST(words_of_a_model) {
  const std::vector<std::string> names{"<unk>", "<s>",           "</s>",    "a",
                                       "",      "a longer word", "12345678"};
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint64_t> start{0};
  for (const auto& name : names) {
    bytes.insert(bytes.end(), name.begin(), name.end());
    start.push_back(bytes.size());
  }
  const auto view = [&] {
    return WordList(bytes, {reinterpret_cast<const std::uint8_t*>(start.data()), 8 * start.size()});
  };
  std::vector<std::uint8_t> hashes;
  Sink sink([&](std::span<const std::uint8_t> piece) {
    hashes.insert(hashes.end(), piece.begin(), piece.end());
  });
  CHECK(write_word_hashes(view(), 3, SortRoom{}, sink));
  sink.flush();
  const ModelVocabulary vocabulary(view(), hashes, 3);
  vocabulary.check();
  for (std::uint32_t w = 0; w < names.size(); ++w) {
    CHECK_EQUAL(vocabulary.find(Piece(names[w])), w);
    CHECK_EQUAL(view()[w], names[w]);
  }
  for (const char* other : {"b", "aa", "a longer wors", "1234567", "123456789"})
    CHECK_EQUAL(vocabulary.find(Piece(other)), unknown_word);
  CHECK_REFUSED(LanguageModelError, "file.damaged", ModelVocabulary(view(), hashes, 4).check());
  // Offsets are not believed.
  for (const std::uint64_t bad : {std::uint64_t{1000}, ~std::uint64_t{0}, std::uint64_t{2}}) {
    const std::uint64_t good = std::exchange(start[4], bad);
    CHECK_REFUSED(LanguageModelError, "file.damaged", view().check());
    for (std::uint32_t w = 0; w < names.size(); ++w) CHECK(view()[w].size() <= bytes.size());
    start[4] = good;
  }
  bytes[1] = 'U';
  CHECK_REFUSED(LanguageModelError, "file.damaged", view().check());
  bytes[1] = 'u';
  start[7] = start[6] = start[5];  // two empty words
  CHECK_REFUSED(LanguageModelError, "argument.duplicate",
                write_word_hashes(view(), 3, SortRoom{}, sink));
  CHECK_REFUSED(LanguageModelError, "file.damaged",
                WordList(bytes, std::span<const std::uint8_t>(hashes).first(31)));
}

TEST(damaged_models_never_lead_outside) {
  check::Chance chance(12);
  const auto list = NgramList::random(chance, 3, 6);
  for (const auto& [is_small, bits] : {std::pair{false, 0}, {true, 0}, {true, 4}}) {
    ArpaModel model(list.arpa(), is_small, bits);
    for (int round = 0; round < 300; ++round) {
      const auto damage = model.damage(chance);
      try {
        model.open();
        for (int each = 0; each < 5; ++each) {
          const Words context = random_words(chance, 6, 3);
          (void)model->advance(context, static_cast<std::uint32_t>(chance.below(6)));
          (void)model->score(text_of(random_sentence(chance, 6, 4)), {});
        }
        model->check();
      } catch (const LanguageModelError&) {
      }
      model.repair(damage);
    }
    model.open();
    model->check();
  }
}

}  // namespace lm_tests
