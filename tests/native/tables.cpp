// tests/native/tables.cpp: tables of hashes, words and rows, n-grams packed and as a tree, numbers
// that stand for many.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "check.hpp"
#include "corpus/word_table.hpp"
#include "lm/hash_table.hpp"
#include "lm/ngram_keys.hpp"
#include "lm/quantise.hpp"
#include "metrics/ngrams.hpp"
#include "util/interner.hpp"
#include "util/string_hash.hpp"

namespace tables_tests {

using namespace rosewood;

TEST(rows_are_numbered_as_they_come) {
  check::Chance chance(1);
  for (const std::size_t width : {1, 2, 5}) {
    RowInterner interner(width, 1);  // it must grow
    std::map<std::vector<std::uint32_t>, std::int32_t> expected;
    for (int round = 0; round < 5000; ++round) {
      std::vector<std::uint32_t> row(width);
      for (auto& number : row) number = static_cast<std::uint32_t>(chance.below(20));
      const auto [place, is_new] = expected.emplace(row, static_cast<int>(expected.size()));
      const auto added = interner.add(row.data());
      CHECK_EQUAL(added.number, place->second);
      CHECK_EQUAL(added.is_new, is_new);
    }
    CHECK_EQUAL(interner.size(), static_cast<int>(expected.size()));
    for (const auto& [row, number] : expected) CHECK(std::ranges::equal(interner[number], row));
  }
}

TEST(hashes_of_strings_are_put_together) {
  check::Chance chance(2);
  std::set<std::vector<std::int32_t>> strings;
  std::vector<StringHash> hashes;
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::int32_t> words(chance.below(6));
    for (auto& word : words) word = static_cast<std::int32_t>(chance.below(3)) - 1;
    StringHash whole, first, second;
    const std::size_t cut = chance.below(words.size() + 1);
    for (std::size_t n = 0; n < words.size(); ++n) {
      whole.append(words[n]);
      (n < cut ? first : second).append(words[n]);
    }
    first.append(second);
    CHECK(first == whole);
    CHECK_EQUAL(StringHash::Hasher()(first), StringHash::Hasher()(whole));
    if (strings.insert(words).second) {
      for (const StringHash& other : hashes) CHECK(!(other == whole));
      hashes.push_back(whole);
    }
  }
}

TEST(words_are_numbered_as_they_come) {
  WordTable table;
  std::map<std::string, std::int32_t> expected;
  check::Chance chance(3);
  for (int round = 0; round < 5000; ++round) {
    std::string word(chance.below(20), 'a');
    for (char& letter : word) letter = static_cast<char>('a' + chance.below(2));
    const auto number = static_cast<std::int32_t>(expected.size());
    const auto [place, is_new] = expected.emplace(word, number);
    if (is_new) CHECK_EQUAL(table.find(word), -1);
    CHECK_EQUAL(table.add(word), place->second);
    CHECK_EQUAL(table.find(word), place->second);
  }
  CHECK_EQUAL(table.size(), static_cast<std::int64_t>(expected.size()));
  for (const auto& [word, number] : expected) CHECK_EQUAL(table[number], word);
}

TEST(upper_halves_of_products) {
  check::Chance chance(4);
  const auto most = ~std::uint64_t{0};
  CHECK_EQUAL(high_product(most, most), most - 1);
  CHECK_EQUAL(high_product(most, 1), std::uint64_t{0});
  CHECK_EQUAL(high_product(std::uint64_t{1} << 63, 2), std::uint64_t{1});
  for (int round = 0; round < 1000; ++round) {
    const std::uint64_t a = chance.bits(64), b = chance.bits(32);  // a b, in base 2^32, by hand
    const std::uint64_t low = (a & 0xffffffff) * b, high = (a >> 32) * b + (low >> 32);
    CHECK_EQUAL(high_product(a, b), high >> 32);
  }
}

TEST(a_word_has_one_hash_wherever_it_stands) {
  const std::string text = "one second antidisestablishment x ";
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(' ', begin)) != text.npos; begin = end + 1) {
    const std::string word = text.substr(begin, end - begin);
    const char* data = text.data();
    CHECK_EQUAL(hash_of_word(Piece(data + begin, data + end, data + text.size()), 9),
                hash_of_word(Piece(word), 9));
    CHECK(hash_of_word(Piece(word), 9) != hash_of_word(Piece(word), 10));
  }
}

TEST(what_belongs_to_hashes_is_found) {
  check::Chance chance(5);
  for (const std::size_t count : {0, 1, 5, 6, 1000}) {
    std::map<std::uint64_t, std::uint64_t> expected;
    while (expected.size() < count) {
      const std::uint64_t hash = slot_hash(chance.bits(64));
      // Neighbours fill their home and the buckets behind it.
      expected.emplace(
          count == 1000 && chance.below(3) == 0 ? hash | ~std::uint64_t{0} << 20 : hash,
          chance.bits(32));
    }
    std::vector<std::uint8_t> bytes;
    Sink sink([&](std::span<const std::uint8_t> piece) {
      bytes.insert(bytes.end(), piece.begin(), piece.end());
    });
    auto at = expected.begin();
    std::uint64_t row[2];
    const auto next = [&]() -> const std::uint64_t* {
      if (at == expected.end()) return nullptr;
      row[0] = at->first;
      row[1] = at++->second;
      return row;
    };
    CHECK(HashTable<4>::write(count, next, sink));
    sink.flush();
    const HashTable<4> table(bytes, count);
    CHECK_EQUAL(table.check([&](std::uint64_t hash, const std::uint8_t* payload) {
      CHECK_EQUAL(loaded<std::uint32_t>(payload), expected[hash]);
    }),
                count);
    for (const auto& [hash, value] : expected) {
      const std::uint8_t* found = table.find(hash, table.home(hash));
      CHECK(found && loaded<std::uint32_t>(found) == value);
      const std::uint64_t other = hash ^ 2;
      if (other && !expected.contains(other))
        CHECK(table.find(other, table.home(other)) == nullptr);
    }
    CHECK_THROWS(LanguageModelError, HashTable<4>(std::span(bytes).first(bytes.size() - 1), count));
    CHECK_THROWS(LanguageModelError, HashTable<4>(bytes, 1'000'000));
  }
}

TEST(two_equal_hashes_are_told) {
  std::uint64_t rows[][2] = {{7, 1}, {7, 2}};
  std::size_t at = 0;
  Sink sink([](std::span<const std::uint8_t>) {});
  const auto next = [&]() -> const std::uint64_t* { return at < 2 ? rows[at++] : nullptr; };
  CHECK(!HashTable<4>::write(2, next, sink));
}

TEST(packed_ngrams_are_in_suffix_order) {
  check::Chance chance(6);
  for (const std::uint32_t words : {1U, 2U, 3U, 1000U, 70'000U, 1U << 31}) {
    const NgramKeys keys(words);
    for (int round = 0; round < 300; ++round) {
      const int n = 1 + static_cast<int>(chance.below(7));
      const auto any = [&] {
        std::vector<std::uint32_t> made(static_cast<std::size_t>(n));
        const std::uint32_t limit = chance.below(2) ? words : std::min(words, 2U);
        for (auto& word : made) word = static_cast<std::uint32_t>(chance.below(limit));
        return made;
      };
      const auto a = any(), b = any();
      const auto packed = [&](const std::vector<std::uint32_t>& from) {
        std::vector<std::uint64_t> key(static_cast<std::size_t>(keys.size(n)));
        keys.pack(from.data(), n, key.data());
        return key;
      };
      const auto x = packed(a), y = packed(b);
      std::vector<std::uint32_t> again(a.size());
      keys.unpack(x.data(), n, again.data());
      CHECK(again == a);
      CHECK_EQUAL(keys.first_word(x.data(), n), a[0]);
      CHECK_EQUAL(x < y,
                  std::ranges::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend()));
      int common = 0;
      while (common < n && a.rbegin()[common] == b.rbegin()[common]) ++common;
      CHECK_EQUAL(keys.common(x.data(), y.data(), n), common);
      if (n == 1) continue;
      std::vector<std::uint64_t> suffix(static_cast<std::size_t>(keys.size(n - 1))),
          expected(suffix);
      keys.suffix(x.data(), n, suffix.data());
      keys.pack(a.data() + 1, n - 1, expected.data());
      CHECK(suffix == expected);
    }
  }
}

TEST(matches_are_those_of_the_richest_reference) {
  using Text = std::vector<SymbolId>;
  check::Chance chance(8);
  NgramLimits limits;  // used again and again: what was counted before leaves no trace
  for (int round = 0; round < 300; ++round) {
    const auto any = [&] {
      Text text(chance.below(9));
      for (auto& symbol : text) symbol = static_cast<SymbolId>(chance.below(3)) - 1;
      return text;
    };
    const auto counts = [](const Text& text, std::size_t n) {
      std::map<Text, int> found;
      for (std::size_t i = 0; i + n <= text.size(); ++i)
        ++found[Text(text.begin() + static_cast<std::ptrdiff_t>(i),
                     text.begin() + static_cast<std::ptrdiff_t>(i + n))];
      return found;
    };
    const int orders = 1 + static_cast<int>(chance.below(5));
    std::vector<Text> references(chance.below(4));
    std::int64_t symbols = 0;
    for (auto& reference : references) symbols += std::ssize(reference = any());
    limits.clear(symbols, orders);
    for (const auto& reference : references) limits.add_reference(reference);
    for (int again = 0; again < 3; ++again) {
      const Text text = any();
      std::vector<double> clipped(static_cast<std::size_t>(orders) * 2, 0.5), all(clipped);
      limits.count(text, true, clipped.data(), 2);
      limits.count(text, false, all.data());
      for (std::size_t n = 1; n <= static_cast<std::size_t>(orders); ++n) {
        double expected = 0.5, unclipped = 0.5;
        for (const auto& [ngram, times] : counts(text, n)) {
          int most = 0;
          for (const auto& reference : references)
            most = std::max(most, counts(reference, n)[ngram]);
          expected += std::min(times, most);
          unclipped += most ? times : 0;
          CHECK_EQUAL(limits.contains(ngram), most > 0);
        }
        CHECK_EQUAL(clipped[2 * (n - 1)], expected);
        CHECK_EQUAL(clipped[2 * n - 1], 0.5);  // between two, nothing is written
        CHECK_EQUAL(all[n - 1], unclipped);
        CHECK_EQUAL(ngrams_of(text.size(), static_cast<int>(n)),
                    static_cast<double>(std::max<std::ptrdiff_t>(
                        0, std::ssize(text) + 1 - static_cast<std::ptrdiff_t>(n))));
      }
    }
    CHECK(limits.contains({}));
  }
}

TEST(children_of_a_tree_of_ngrams) {
  NgramTree tree;
  tree.clear(1000, 1);
  CHECK_EQUAL(tree.size(), 1);
  for (SymbolId symbol = 0; symbol < 1000; ++symbol) {
    CHECK_EQUAL(tree.child(0, symbol), NgramTree::none);
    CHECK_EQUAL(tree.add(0, symbol), symbol + 1);
  }
  for (SymbolId symbol = 0; symbol < 1000; ++symbol) {
    CHECK_EQUAL(tree.add(0, symbol), symbol + 1);
    CHECK_EQUAL(tree.child(symbol + 1, symbol), NgramTree::none);
  }
  CHECK_EQUAL(tree.size(), 1001);
  tree.clear(0, 4);
  CHECK_EQUAL(tree.size(), 1);
  CHECK_EQUAL(tree.child(0, 0), NgramTree::none);
  CHECK_REFUSED(MetricError, "metric.too-long", tree.clear(std::int64_t{1} << 28, 4));
}

TEST(few_numbers_stand_for_many) {
  check::Chance chance(7);
  Histogram few, many;
  for (const float value : {-1.5F, -0.25F, -0.25F, -7.0F}) few.add(value);
  CHECK(few.centres(4) == std::vector<float>({-7.0F, -1.5F, -0.25F}));
  std::vector<float> values(5000);
  for (auto& value : values) {
    value = static_cast<float>(-10 * chance.unit());
    many.add(value);
  }
  double before = 1e9;
  for (const int bits : {1, 3, 5, 8}) {
    const Codebook book(many, bits, false);
    CHECK_EQUAL(book.values().size(), std::size_t{1} << bits);
    double error = 0;
    for (const float value : values) {
      const float kept = book.values()[book.code(value)];
      error += std::abs(kept - value);
      for (const float other : book.values())
        CHECK(std::abs(kept - value) <= std::abs(other - value) || other == 0.0F);
    }
    CHECK(error < before / 2);
    before = error;
  }
}

TEST(zeros_of_both_signs_keep_their_codes) {
  Histogram seen;
  for (int n = 0; n < 100; ++n) seen.add(-0.01F * static_cast<float>(n + 1));
  const Codebook book(seen, 4, true);
  CHECK(std::signbit(book.values()[book.code(-0.0F)]));
  CHECK_EQUAL(book.values()[book.code(-0.0F)], 0.0F);
  CHECK(!std::signbit(book.values()[book.code(0.0F)]));
  CHECK_EQUAL(book.values()[book.code(0.0F)], 0.0F);
  CHECK(book.values()[book.code(-1e-6F)] < 0.0F);
}

}  // namespace tables_tests
