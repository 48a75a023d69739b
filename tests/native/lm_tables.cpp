// tests/native/lm_tables.cpp: tables of n-grams: from the lines of ARPA files, closed under
// prefixes and suffixes, counted and smoothed; and walks over them.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "check.hpp"
#include "folder.hpp"
#include "lm/arpa_close.hpp"
#include "lm/arpa_line.hpp"
#include "lm/contexts.hpp"
#include "lm/counts.hpp"
#include "lm/smoothing.hpp"
#include "lm/walk.hpp"
#include "models.hpp"
#include "util/error.hpp"

namespace lm_tables_tests {

using namespace rosewood;

namespace {

using Words = std::vector<std::uint32_t>;

/// Suffix order: by the last word, then the one before it, and so on.
bool is_before(const Words& a, const Words& b) {
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

/// The n-grams of a table, whose order, columns and children are checked on the way.
NgramList listed(const NgramTable& table) {
  NgramList list{table.order(), static_cast<std::uint32_t>(table.size(1)), {}};
  std::vector<Words> shorter, found;
  for (int n = 1; n <= table.order(); ++n) {
    found.clear();
    std::vector<std::uint64_t> parents;
    walk_order(
        table, n, [&](std::uint64_t parent) { parents.push_back(parent); },
        [&](std::uint64_t parent, const Ngram& ngram) {
          Words words{ngram.word};
          if (n > 1) words.insert(words.end(), shorter[parent].begin(), shorter[parent].end());
          CHECK(found.empty() || is_before(found.back(), words));
          found.push_back(words);
          list.ngrams[words] = {ngram.probability, ngram.backoff};
        });
    if (n > 1) CHECK_EQUAL(parents.size(), shorter.size());
    CHECK_EQUAL(found.size(), table.size(n));
    shorter = found;
  }
  return list;
}

/// A table of two words a < b besides the special ones, and the bigrams (a a) (b a) (a b).
NgramTable small_table() {
  NgramTable table;
  table.orders.resize(2);
  const auto add = [](NgramOrder& order, std::uint32_t word, float probability) {
    order.word.push(word);
    order.probability.push(probability);
  };
  const std::uint32_t children[] = {0, 0, 0, 2, 1};
  for (std::uint32_t w = 0; w < 5; ++w) {
    add(table.orders[0], w, -1.0F - static_cast<float>(w));
    table.orders[0].children.push(children[w]);
    table.orders[0].backoff.push(w < 3 ? -0.0F : -0.5F);
  }
  for (const std::uint32_t first : {3, 4, 3}) add(table.orders[1], first, -0.25F);
  return table;
}

template <class T>
void set(Spool<T>& column, std::size_t place, T value) {
  column.held()[place] = value;
}

}  // namespace

TEST(fields_of_an_arpa_line) {
  std::vector<std::string_view> fields;
  CHECK(line_fields(" -1.5\ta  b\t-0.5 \r", 100, fields).empty());
  CHECK(fields == std::vector<std::string_view>({"-1.5", "a", "b", "-0.5"}));
  CHECK(line_fields("", 100, fields).empty() && fields.empty());
  CHECK(line_fields(" \t ", 100, fields).empty() && fields.empty());
  CHECK(line_fields("a\xc2\xa0"
                    "b\v",
                    100, fields)
            .empty() &&
        fields.size() == 1);
  CHECK(line_fields("12345", 5, fields).empty());
  CHECK_EQUAL(std::string(line_fields("123456", 5, fields).fault.code.text), "corpus.too-long");
  CHECK_EQUAL(trimmed(" \t a b\r "), "a b");
  CHECK_EQUAL(trimmed("\r\r"), "");
  CHECK_EQUAL(trimmed(""), "");
}

TEST(numbers_of_an_arpa_line) {
  ArpaRepairs repairs;
  float value = 7;
  CHECK(read_probability("-0.5", value, repairs).empty() && value == -0.5F);
  CHECK(read_probability("-0", value, repairs).empty() && !std::signbit(value));
  CHECK_EQUAL(repairs.positive + repairs.infinite, 0);
  CHECK(read_probability("0.00005", value, repairs).empty() && value == 0.0F);
  CHECK_EQUAL(repairs.positive, 1);
  CHECK(read_probability("-inf", value, repairs).empty() && value == log_zero);
  CHECK(read_backoff("-inf", value, repairs).empty() && value == log_zero);
  CHECK_EQUAL(repairs.infinite, 2);
  CHECK(read_backoff("1.5", value, repairs).empty() && value == 1.5F);
  CHECK(read_backoff("-0", value, repairs).empty() && !std::signbit(value));
  for (const char* bad : {"", "x", "nan", "1e99", "0.5,"}) {
    CHECK_EQUAL(std::string(read_probability(bad, value, repairs).fault.code.text), "line.number");
    CHECK_EQUAL(std::string(read_backoff(bad, value, repairs).fault.code.text), "line.number");
  }
  CHECK_EQUAL(std::string(read_probability("0.1", value, repairs).fault.code.text), "line.value");
  CHECK(!read_probability("inf", value, repairs).empty());
  CHECK(!read_backoff("inf", value, repairs).empty());
  ArpaRepairs sum;
  sum += repairs;
  sum += repairs;
  CHECK(sum.infinite == 2 * repairs.infinite && sum.positive == 2 * repairs.positive);
}

TEST(weights_of_an_arpa_line) {
  ArpaRepairs repairs;
  float probability = 7, backoff = 7;
  const auto code = [&](std::vector<std::string_view> fields, int n, bool is_highest) {
    const Reason reason = read_weights(fields, n, is_highest, probability, backoff, repairs);
    return std::string(reason.empty() ? "fine" : reason.fault.code.text);
  };
  CHECK_EQUAL(code({"-1", "a", "b", "-2"}, 2, false), "fine");
  CHECK(probability == -1 && backoff == -2);
  CHECK_EQUAL(code({"-1", "a", "b"}, 2, false), "fine");
  CHECK_EQUAL(backoff, 0.0F);
  CHECK_EQUAL(code({"-1", "a", "0"}, 1, true), "fine");  // as SRILM may write it
  CHECK_EQUAL(code({"-1", "a", "-2"}, 1, true), "line.value");
  CHECK_EQUAL(code({"-1"}, 1, true), "line.fields");
  CHECK_EQUAL(code({"-1", "a", "b", "c", "d"}, 2, false), "line.fields");
  CHECK_EQUAL(code({}, 1, false), "line.fields");
}

TEST(closed_tables_have_all_prefixes_and_suffixes) {
  check::Chance chance(1);
  const Folder folder;
  for (int round = 0; round < 40; ++round) {
    const auto list = NgramList::random(chance, 1 + round % 5, 3 + chance.below(4));
    const NgramKeys keys(list.words);
    std::vector<float> probability, backoff;
    std::map<Words, NgramList::Weights> by_suffix[5];  // the words from last to first
    for (const auto& [words, weights] : list.ngrams) {
      if (words.size() == 1) {
        probability.push_back(weights.probability);
        backoff.push_back(weights.backoff);
      }
      by_suffix[words.size() - 1][Words(words.rbegin(), words.rend())] = weights;
    }
    std::set<Words> expected;
    for (const auto& [words, weights] : list.ngrams)
      for (std::size_t begin = 0; begin < words.size(); ++begin)
        for (std::size_t end = begin + 1; end <= words.size(); ++end)
          expected.insert({words.begin() + static_cast<std::ptrdiff_t>(begin),
                           words.begin() + static_cast<std::ptrdiff_t>(end)});
    for (const bool is_on_disk : {false, true}) {
      std::vector<NgramRows> rows;
      for (int n = 2; n <= list.order; ++n) {
        rows.emplace_back();
        for (const auto& [reversed, weights] : by_suffix[n - 1]) {
          std::vector<std::uint64_t> key(static_cast<std::size_t>(keys.size(n)));
          keys.pack(Words(reversed.rbegin(), reversed.rend()).data(), n, key.data());
          rows.back().append(key);
          rows.back().push(pack_weights(weights.probability, weights.backoff));
        }
      }
      SortRoom room;
      if (is_on_disk) room = {folder.path.string(), std::size_t{1} << 16, 1};
      const ClosedTable closed = close_table(keys, probability, backoff, rows, room);
      const NgramList found = listed(closed.table);
      CHECK_EQUAL(found.ngrams.size(), expected.size());
      std::vector<std::int64_t> added(static_cast<std::size_t>(list.order));
      for (const auto& [words, weights] : found.ngrams) {
        CHECK(expected.contains(words));
        const auto known = list.ngrams.find(words);
        added[words.size() - 1] += known == list.ngrams.end();
        Words context = words;
        context.pop_back();
        CHECK_NEAR(double{weights.probability}, list.score(context, words.back()), 1e-6);
        bool is_context = false;
        for (const auto& longer : expected)
          is_context = is_context || (longer.size() == words.size() + 1 &&
                                      std::equal(words.begin(), words.end(), longer.begin()));
        const float wanted = known == list.ngrams.end() ? 0 : known->second.backoff;
        CHECK_EQUAL(weights.backoff, wanted);
        CHECK_EQUAL(is_dead_end(weights.backoff), wanted == 0 && !is_context);
      }
      CHECK(closed.added == added);
    }
  }
  CHECK_EQUAL(pack_weights(-1.0F, 0.0F), 0xbf80000000000000ULL);
}

TEST(tables_that_no_model_has_are_refused) {
  const auto walk = [](const NgramTable& table, int n) {
    walk_order(table, n, [](std::uint64_t) {}, [](std::uint64_t, const Ngram&) {});
  };
  const auto code = [&](int n, auto&& change) -> std::string {
    NgramTable table = small_table();
    change(table.orders);
    try {
      walk(table, n);
    } catch (const LanguageModelError& error) {
      return error.fault.code.text;
    }
    return "fine";
  };
  using Orders = std::vector<NgramOrder>;
  CHECK_EQUAL(code(1, [](Orders&) {}), "fine");
  CHECK_EQUAL(code(2, [](Orders&) {}), "fine");
  CHECK_EQUAL(code(1, [](Orders& o) { o[0].backoff.push(0); }), "argument.shape");
  CHECK_EQUAL(code(2, [](Orders& o) { o[1].probability.push(0); }), "argument.shape");
  CHECK_EQUAL(code(2, [](Orders& o) { o[1].children.push(0); }), "argument.shape");
  CHECK_EQUAL(code(1, [](Orders& o) { set(o[0].word, 1, 0U); }), "lm.ngram-order");
  CHECK_EQUAL(code(2, [](Orders& o) { set(o[1].word, 1, 3U); }), "lm.ngram-order");
  CHECK_EQUAL(code(2, [](Orders& o) { set(o[1].word, 1, 5U); }), "lm.ngram-order");
  CHECK_EQUAL(code(2, [](Orders& o) { set(o[0].children, 4, 2U); }), "lm.ngrams");
  CHECK_EQUAL(code(2, [](Orders& o) { set(o[0].children, 4, 0U); }), "lm.ngrams");
  for (const float bad : {0.5F, std::nanf(""), -INFINITY})
    CHECK_EQUAL(code(2, [&](Orders& o) { set(o[1].probability, 2, bad); }), "lm.probability");
  for (const float bad : {INFINITY, std::nanf("")})
    CHECK_EQUAL(code(1, [&](Orders& o) { set(o[0].backoff, 2, bad); }), "lm.backoff");
  CHECK(is_dead_end(-0.0F) && !is_dead_end(0.0F) && !is_dead_end(-1.0F));
}

TEST(parts_cover_an_order) {
  const NgramTable table = small_table();
  for (std::size_t count = 1; count < 9; ++count) {
    std::uint64_t parents = 0, ngrams = 0;
    for (const WalkPart& part : parts_of(table, 2, count)) {
      CHECK_EQUAL(part.begin, parents);
      walk_part(
          table, 2, part, [&](std::uint64_t parent) { CHECK_EQUAL(parent, parents++); },
          [&](std::uint64_t, std::uint64_t place, const Ngram&) { CHECK_EQUAL(place, ngrams++); });
    }
    CHECK(parents == 5 && ngrams == 3);
  }
}

TEST(ngrams_are_counted_as_kneser_and_ney_do) {
  check::Chance chance(2);
  const Folder folder;
  for (int round = 0; round < 30; ++round) {
    const int order = 1 + round % 4;
    const std::uint32_t words = 3 + static_cast<std::uint32_t>(chance.below(6));
    Words text;
    std::vector<std::int64_t> ends;
    std::map<Words, std::uint64_t> times;
    for (std::uint64_t s = chance.below(round % 5 ? 20 : 600); s > 0; --s) {
      Words sentence{begin_word};
      for (std::uint64_t n = chance.below(7); n > 0; --n) {
        const auto word = static_cast<std::uint32_t>(chance.below(words));
        sentence.push_back(word == begin_word || word == end_word ? unknown_word : word);
        text.push_back(sentence.back());
      }
      ends.push_back(std::ssize(text));
      sentence.push_back(end_word);
      for (std::size_t last = 1; last < sentence.size(); ++last)
        for (std::size_t first = last + 1; first-- > 0 && last - first < std::size_t(order);)
          ++times[{sentence.begin() + static_cast<std::ptrdiff_t>(first),
                   sentence.begin() + static_cast<std::ptrdiff_t>(last) + 1}];
    }
    std::map<Words, std::uint64_t> expected;
    for (const auto& [ngram, often] : times) {
      if (std::ssize(ngram) == order || ngram[0] == begin_word) expected[ngram] = often;
      if (ngram.size() > 1) ++expected[Words(ngram.begin() + 1, ngram.end())];
    }
    for (std::uint32_t w = 0; w < words; ++w) expected[{w}];
    std::vector<std::uint64_t> cutoffs(static_cast<std::size_t>(order));
    for (int n = 1; n < order; ++n) cutoffs[n] = cutoffs[n - 1] + chance.below(2);
    for (const int how : {0, 1, 2}) {  // in memory, with threads, on disk
      SortRoom room;
      if (how == 1) room.threads = 3;
      if (how == 2) room = {folder.path.string(), 1, 1};
      NgramCounter counter(order, words, cutoffs, room);
      if (how == 1) counter.expect(text.size() + ends.size());
      counter.add(text, ends);
      const auto counted = counter.finish();
      std::vector<Words> shorter{{}}, found;
      for (int n = 1; n <= order; ++n) {
        const CountedOrder& each = counted[n - 1];
        auto word = each.word.read();
        auto count = each.count.read();
        std::uint64_t kept = 0;
        std::array<std::uint64_t, 5> with_count{};
        found.clear();
        for (const Words& suffix : shorter) {
          const auto children = n == 1 ? words : suffix[0] == begin_word ? 0 : expected[suffix];
          for (std::uint64_t k = 0; k < children; ++k) {
            Words ngram{word.next()};
            ngram.insert(ngram.end(), suffix.begin(), suffix.end());
            const std::uint64_t marked = count.next();
            CHECK_EQUAL(marked & ~cut, expected[ngram]);
            const bool is_cut = times[ngram] <= cutoffs[n - 1] && n > 1;
            CHECK_EQUAL((marked & cut) != 0, is_cut);
            kept += !is_cut;
            if (const auto c = marked & ~cut; c > 0 && c < 5) ++with_count[c];
            CHECK(found.empty() || is_before(found.back(), ngram));
            found.push_back(ngram);
          }
        }
        CHECK(word.is_done() && count.is_done());
        CHECK_EQUAL(each.kept, kept);
        CHECK(each.with_count == with_count);
        shorter = found;
      }
      for (auto counts = counted.begin(); how == 2 && counts != counted.end(); ++counts) {
        CHECK(!counts->word.is_in_memory());
        Spool<std::uint32_t>::written(counts->word.path(), 0).discard();
        Spool<std::uint64_t>::written(counts->count.path(), 0).discard();
      }
    }
    CHECK(folder.is_empty());
  }
}

TEST(smoothed_probabilities_add_up_to_one) {
  check::Chance chance(3);
  for (int round = 0; round < 20; ++round) {
    const int order = 1 + round % 4;
    const std::uint32_t words = 4 + static_cast<std::uint32_t>(chance.below(5));
    Words text;
    std::vector<std::int64_t> ends;
    for (std::uint64_t s = 1 + chance.below(30); s > 0; --s) {
      for (std::uint64_t n = chance.below(6); n > 0; --n)
        text.push_back(chance.below(4) ? 3 + static_cast<std::uint32_t>(chance.below(words - 3))
                                       : unknown_word);
      ends.push_back(std::ssize(text));
    }
    std::vector<std::uint64_t> cutoffs(static_cast<std::size_t>(order));
    for (int n = 1; n < order; ++n) cutoffs[n] = cutoffs[n - 1] + chance.below(2);
    std::map<Words, NgramList::Weights> first;
    for (const int how : {0, 1, 2}) {
      const Folder folder;
      SortRoom room;
      if (how == 1) room.threads = 3;
      if (how == 2) room = {folder.path.string(), 1 << 12, 1};
      NgramCounter counter(order, words, cutoffs, room);
      counter.add(text, ends);
      Smoother smoother(counter.finish(), room);
      for (int n = 1; n <= order; ++n) smoother.smooth(n, {0.0, 0.5, 0.75, 1.25});
      const NgramList list = listed(smoother.finish());
      for (const auto& [ngram, weights] : list.ngrams) {
        CHECK(first.empty() || (first.at(ngram).probability == weights.probability &&
                                first.at(ngram).backoff == weights.backoff));
        if (how == 0 && ngram.back() == begin_word) CHECK_EQUAL(weights.probability, 0.0F);
        if (how || std::ssize(ngram) == order || ngram.back() == end_word) continue;
        double sum = 0;
        for (std::uint32_t w = 0; w < words; ++w)
          if (w != begin_word) sum += std::pow(10.0, list.score(ngram, w));
        CHECK_NEAR(sum, 1.0, 1e-5);
      }
      if (how == 0) first = list.ngrams;
    }
  }
  NgramCounter nothing(2, 4, {0, 0}, SortRoom{});
  Smoother smoother(nothing.finish(), SortRoom{});
  CHECK_REFUSED(LanguageModelError, "lm.no-sentences", smoother.smooth(1, {0, 0.5, 0.5, 0.5}));
}

TEST(weights_of_ngrams_in_memory_and_on_disk) {
  check::Chance chance(4);
  const Folder folder;
  const std::uint64_t size = 5000;
  std::vector<std::uint64_t> order(size);
  for (std::uint64_t n = 0; n < size; ++n) order[n] = n;
  for (std::uint64_t n = size; n > 1; --n) std::swap(order[n - 1], order[chance.below(n)]);
  for (const bool is_in_memory : {true, false}) {
    NgramWeights weights(size, is_in_memory, {folder.path.string(), 1 << 14, 1}, "weights");
    for (const std::uint64_t place : order)
      weights.put(place, {static_cast<float>(place), -static_cast<float>(place), place << 33});
    weights.finish();
    for (std::uint64_t place = 0; place < size; ++place) {
      const auto found = weights.get(place);
      CHECK(found.share == static_cast<float>(place) && found.left == -found.share);
      CHECK_EQUAL(found.context, place << 33);
    }
  }
}

TEST(contexts_are_walked_with_their_suffixes) {
  const Words text{3, 4, 3, 3};
  const std::int64_t ends[] = {2, 4};
  NgramCounter counter(3, 5, {0, 0, 0}, SortRoom{});
  counter.add(text, ends);
  const auto counted = counter.finish();
  constexpr int bits = 3;
  // Bigrams in suffix order, as (place of the last word, first word).
  ContextWalk bigrams(counted, 3, bits, {0, counted[1].word.size(), 0, 0, 0});
  std::uint64_t last = 0;
  auto word = counted[1].word.read();
  for (std::uint64_t n = 0; n < counted[1].word.size(); ++n) {
    const std::uint64_t key = bigrams.next();
    CHECK(key > last || n == 0);
    CHECK_EQUAL(key & 7, std::uint64_t{word.next()});
    last = key;
  }
  CHECK_EQUAL(last, 4U << bits | 3);  // (3 4) is the last
  ContextWalk unigrams(counted, 2, bits, {0, 5, 0, 0, 0});
  for (std::uint64_t w = 0; w < 5; ++w) CHECK_EQUAL(unigrams.next(), w);
  CHECK_EQUAL(children_of(begin_word, 7), 0U);
  CHECK_EQUAL(children_of(3, 7 | cut), 7U);
  RowSorter sorter(2, 1, SortRoom{}, "rows");
  for (std::uint64_t n = 10; n > 0; --n) *sorter.add() = n;
  sorter.finish();
  SortedRows rows(sorter, 2, 3, 5);
  CHECK_EQUAL(*rows.next(), 4U);
  CHECK_EQUAL(*rows.next(), 5U);
  CHECK(rows.next() == nullptr);
}

}  // namespace lm_tables_tests
