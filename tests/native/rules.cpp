// tests/native/rules.cpp: phrase pairs and orientations of one sentence, the order of rules, codes
// of rule tables, rules from text.
#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <span>
#include <utility>

#include "check.hpp"
#include "rules/orientation.hpp"
#include "rules/rule.hpp"
#include "rules/sentence.hpp"
#include "rules/table_layout.hpp"
#include "rules/table_pools.hpp"
#include "rules/text_rules.hpp"
#include "util/error.hpp"

namespace rules_tests {

using namespace rosewood;

namespace {

/// A sentence pair with random links, and what follows from the definitions by looking at all.
struct Pair {
  std::int32_t rows, columns;
  std::vector<std::int32_t> source, target;
  AlignedSentence sentence;

  explicit Pair(check::Chance& chance)
      : rows(static_cast<std::int32_t>(chance.below(7))),
        columns(static_cast<std::int32_t>(chance.below(7))) {
    for (std::int32_t i = 0; i < rows; ++i)
      for (std::int32_t j = 0; j < columns; ++j)
        if (chance.below(4) == 0) {
          source.push_back(i);
          target.push_back(j);
        }
    sentence.set(rows, columns, source, target);
  }

  bool is_linked(std::int32_t i, std::int32_t j) const {
    for (std::size_t n = 0; n < source.size(); ++n)
      if (source[n] == i && target[n] == j) return true;
    return false;
  }
  bool is_phrase(const Box& box, std::int32_t most) const {
    if (box.source_size() > most || box.target_size() > most) return false;
    bool has_link = false;
    for (std::size_t n = 0; n < source.size(); ++n) {
      const bool in_source = source[n] >= box.source_begin && source[n] < box.source_end;
      const bool in_target = target[n] >= box.target_begin && target[n] < box.target_end;
      if (in_source != in_target) return false;
      has_link = has_link || in_source;
    }
    return has_link;
  }
  /// All phrase pairs, by target begin, target end, source begin downwards, source end.
  std::vector<Box> phrases(std::int32_t most) const {
    std::vector<Box> found;
    for (std::int32_t b = 0; b < columns; ++b)
      for (std::int32_t e = b + 1; e <= columns; ++e)
        for (std::int32_t sb = rows; sb-- > 0;)
          for (std::int32_t se = sb + 1; se <= rows; ++se)
            if (is_phrase({sb, se, b, e}, most)) found.push_back({sb, se, b, e});
    return found;
  }
  Orientation orientation(Direction direction, OrientationKind kind, const Box& box,
                          std::int32_t most) const {
    const bool is_back = direction == Direction::backward;
    const std::int32_t j = is_back ? box.target_begin - 1 : box.target_end;
    if (j < 0 || j >= columns) {
      const bool is_at_edge = is_back ? box.source_begin == 0 : box.source_end == rows;
      return is_at_edge ? Orientation::monotone : Orientation::right;
    }
    const bool left = is_linked(box.source_begin - 1, j), right = is_linked(box.source_end, j);
    bool goes_on = is_back ? left && !right : right && !left;
    bool swaps = is_back ? right && !left : left && !right;
    bool jumps_left = false;
    if (kind == OrientationKind::word) {
      std::int32_t first = rows, last = -1;
      for (std::int32_t i = 0; i < rows; ++i)
        if (is_linked(i, j)) first = std::min(first, i), last = i;
      jumps_left = last >= 0 && (is_back ? first > box.source_end : last + 1 < box.source_begin);
    } else {
      for (const Box& other : phrases(kind == OrientationKind::phrase ? most : 100)) {
        if ((is_back ? other.target_end - 1 : other.target_begin) != j) continue;
        const bool ends = other.source_end == box.source_begin;
        const bool begins = other.source_begin == box.source_end;
        goes_on = goes_on || (is_back ? ends : begins);
        swaps = swaps || (is_back ? begins : ends);
        jumps_left = jumps_left || (is_back ? other.source_begin > box.source_end
                                            : other.source_end < box.source_begin);
      }
    }
    if (goes_on) return Orientation::monotone;
    if (swaps) return Orientation::swap;
    return jumps_left ? Orientation::left : Orientation::right;
  }
};

TextRule rule_of(std::vector<std::string_view> source, std::vector<std::string_view> target,
                 float score) {
  TextRule rule;
  rule.left = "X";
  for (const auto word : source) rule.source.push_back({word});
  for (const auto word : target) rule.target.push_back({word});
  rule.features.push_back({"score", score});
  return rule;
}

}  // namespace

TEST(phrase_pairs_are_those_of_the_definition_in_order) {
  check::Chance chance(1);
  for (int round = 0; round < 300; ++round) {
    const Pair pair(chance);
    for (const std::int32_t most : {1, 2, 4, 9}) {
      std::vector<Box> found;
      for_each_phrase(pair.sentence, most, most, [&](const Box& box) { found.push_back(box); });
      CHECK(found == pair.phrases(most));
    }
    for (std::int32_t i = 0; i < pair.rows; ++i) {
      const AlignedSentence::Reach& reach = pair.sentence.of_source(i);
      std::int32_t first = -1, last = -1;
      for (std::int32_t j = 0; j < pair.columns; ++j)
        if (pair.is_linked(i, j)) first = first < 0 ? j : first, last = j;
      CHECK_EQUAL(reach.is_empty(), first < 0);
      if (first >= 0) CHECK(reach.begin == first && reach.end == last + 1);
    }
  }
}

TEST(sides_of_phrase_pairs_have_limits_of_their_own) {
  const std::int32_t source[] = {0, 1, 2}, target[] = {0, 0, 1};
  AlignedSentence sentence;
  sentence.set(3, 2, source, target);
  std::vector<Box> found;
  for_each_phrase(sentence, 3, 1, [&](const Box& box) { found.push_back(box); });
  CHECK(found == std::vector<Box>({{0, 2, 0, 1}, {2, 3, 1, 2}}));
  found.clear();
  for_each_phrase(sentence, 1, 2, [&](const Box& box) { found.push_back(box); });
  CHECK(found == std::vector<Box>({{2, 3, 1, 2}}));
}

TEST(orientations_are_those_of_the_definition) {
  check::Chance chance(2);
  Orientations orientations;
  for (int round = 0; round < 150; ++round) {
    const Pair pair(chance);
    const auto most = 1 + static_cast<std::int32_t>(chance.below(4));
    orientations.set(pair.sentence, most);
    for (const Box& box : pair.phrases(9))
      for (const auto kind :
           {OrientationKind::word, OrientationKind::phrase, OrientationKind::hierarchy})
        for (const auto direction : {Direction::backward, Direction::forward})
          CHECK_EQUAL(static_cast<int>(orientations.of(direction, kind, box)),
                      static_cast<int>(pair.orientation(direction, kind, box, most)));
  }
  CHECK_EQUAL(three_classes(Orientation::swap), 1);
  CHECK_EQUAL(three_classes(Orientation::left), three_classes(Orientation::right));
}

TEST(sources_have_one_order) {
  constexpr std::int32_t labels = 2;
  // From the first to the last: gaps by label before words, a beginning before what it begins.
  const std::vector<std::vector<std::int32_t>> sorted = {
      {}, {-1}, {-1, -2}, {-1, 0}, {-2}, {-2, -1}, {0}, {0, -1}, {0, 0}, {0, 3}, {7}};
  for (std::size_t a = 0; a < sorted.size(); ++a)
    for (std::size_t b = 0; b < sorted.size(); ++b)
      CHECK_EQUAL(is_source_before(sorted[a], sorted[b], labels), a < b);
  CHECK_EQUAL(source_rank(std::numeric_limits<std::int32_t>::max(), labels), 0x80000001LL);
  CHECK_EQUAL(source_rank(std::numeric_limits<std::int32_t>::min(), labels), 0x7fffffffLL);
}

TEST(numbers_of_a_column_are_read_back) {
  check::Chance chance(3);
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  for (int round = 0; round < 300; ++round) {
    const bool is_count = chance.below(2);
    ColumnRange range(is_count);
    std::vector<std::uint64_t> seen(chance.below(5));
    for (auto& value : seen) {
      const double some[] = {0.0, -0.0, 1.0, 9007199254740992.0, 0.5, 1e300, 3.0};
      value = is_count ? bits(some[chance.below(chance.below(2) ? 3 : 7)])
                       : chance.bits(static_cast<int>(chance.below(33)));
      range.see(value);
    }
    const ColumnCode code = range.code();
    for (const std::uint64_t value : seen) {
      const std::uint64_t taken = code.is_whole ? ColumnRange::whole_of(value) : value;
      CHECK_EQUAL(code.decoded(code.encoded(taken)), taken);
      CHECK(code.width == 64 || code.encoded(taken) >> code.width == 0);
      CHECK(!code.is_whole || ColumnRange::is_whole(value));
    }
  }
  CHECK(!ColumnRange::is_whole(bits(-0.0)) && !ColumnRange::is_whole(bits(0.5)));
  CHECK(!ColumnRange::is_whole(bits(9007199254740994.0)) && ColumnRange::is_whole(bits(0.0)));
  ColumnRange all(false);
  all.see(0);
  all.see(1);
  all.see(~std::uint64_t{0});
  CHECK_EQUAL(all.code().decoded(all.code().encoded(~std::uint64_t{0})), ~std::uint64_t{0});
  ColumnRange same(true);
  same.see(bits(7));
  CHECK_EQUAL(same.code().width, 0U);  // what all have in common takes no room
}

TEST(tuples_get_codes_until_there_are_too_many) {
  bool is_new = false;
  TupleCodes pairs(2);
  const std::uint64_t a[] = {1, 2}, b[] = {2, 1};
  CHECK(pairs.code(a, is_new) == 0U && is_new);
  CHECK(pairs.code(b, is_new) == 1U && is_new);
  CHECK(pairs.code(a, is_new) == 0U && !is_new);
  CHECK_EQUAL(pairs.times()[0], 2U);
  CHECK(std::ranges::equal(pairs.tuple(1), b));
  TupleCodes ones(1);
  constexpr std::uint64_t most = 1 << 16;
  for (std::uint64_t n = 0; n < most; ++n) ones.code({&n, 1}, is_new);
  const std::uint64_t known = most - 1;
  CHECK(!ones.code({&most, 1}, is_new));
  CHECK(ones.code({&known, 1}, is_new) == known && !is_new);
  CHECK_EQUAL(ones.size(), most);
}

TEST(places_of_strings_may_be_forgotten_but_are_never_wrong) {
  StringPlaces places;
  const auto key = [](std::int32_t n) {
    StringHash hash;
    hash.append(n);
    hash.append(n / 3);
    return hash;
  };
  CHECK(!places.find(key(0)));
  int kept = 0;
  for (std::int32_t n = 0; n < 20'000; ++n) places.put(key(n), 3 * n);
  for (std::int32_t n = 0; n < 20'000; ++n) {
    const auto found = places.find(key(n));
    CHECK(!found || *found == 3ULL * n);
    kept += found.has_value();
  }
  CHECK(kept > 10'000);
  places.put(key(5), 1);
  CHECK(places.find(key(5)) == 1U);
  CHECK(!places.find(StringHash()));
}

TEST(code_widths_take_the_least_room) {
  check::Chance chance(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint32_t> times(chance.below(20));
    for (auto& count : times) count = static_cast<std::uint32_t>(1 + chance.below(30));
    std::ranges::sort(times, std::greater());
    const std::size_t most = std::size_t{1} << chance.below(3);
    const std::uint64_t numbers = chance.below(2) ? 0 : 1 + chance.below(40);
    const std::uint64_t others = numbers ? chance.below(20) : 0;
    const Chosen chosen = choose_widths(times, most, numbers, others);
    const CodeWidths& code = chosen.code;
    CHECK(code.size() <= most || times.empty());
    CHECK_EQUAL(code.codes == 0, code.widths.empty());
    std::uint64_t bits = code.codes * numbers, rules = others;
    for (std::size_t n = 0; n < times.size(); ++n) {
      rules += times[n];
      bits += times[n] * (n < code.codes ? code.written(n).width : numbers);
    }
    CHECK_EQUAL(code.has_others != 0, others || code.codes < times.size());
    CHECK_EQUAL(chosen.bits, bits + others * numbers + rules * code.shape_width());
    // Codes are read back: those of a width come behind all codes of the widths before.
    for (std::uint64_t n = 0; n < code.codes; ++n) {
      const CodeWidths::Written written = code.written(n);
      std::uint64_t first = 0;
      for (std::uint64_t k = 0; k < written.shape; ++k) first += std::uint64_t{1} << code.widths[k];
      CHECK(written.value >> written.width == 0 && first + written.value == n);
    }
    // No width alone, and no two of them, do better.
    const std::uint64_t one = width_of(times.empty() ? 0 : times.size() - 1);
    if (!numbers) CHECK(chosen.bits <= rules * one);
    for (std::uint64_t width = 0; width < one && most > 1 && !numbers; ++width) {
      const std::uint64_t rest = width_of(times.size() - (std::uint64_t{1} << width) - 1);
      std::uint64_t both = rules;
      for (std::size_t n = 0; n < times.size(); ++n) both += times[n] * (n >> width ? rest : width);
      CHECK(chosen.bits <= both);
    }
  }
}

TEST(a_layout_is_read_back_from_its_numbers) {
  TableLayout layout;
  layout.rules = 5, layout.nodes = 4, layout.levels = 2, layout.features = 1;
  layout.text_width = layout.start_width = layout.pool_width = 3;
  layout.where = 2, layout.place_width = 9, layout.length_width = 2;
  layout.links = {{0, 2}, 5, 0};
  layout.columns.resize(4);
  layout.columns[1] = {1, 1, ~std::uint64_t{0}, 63, 64};
  layout.columns[3] = {0, 0, 7, 1, 10};
  layout.groups.resize(2);
  layout.groups[0] = {{0, 1, 2}, {{1}, 2, 1}, 0};
  layout.groups[1] = {{3}, {{}, 0, 1}, 0};
  layout.settle();
  CHECK_EQUAL(layout.fixed_width, 12U);
  CHECK_EQUAL(layout.tuple_width(layout.groups[0]), 64U);
  CHECK_EQUAL(layout.codes_size, 128U);
  CHECK_EQUAL(layout.widest, 12U + 2 + 64 + 10);
  const auto numbers = layout.numbers();
  const TableLayout again = TableLayout::of(numbers);
  CHECK(again.numbers() == numbers);
  CHECK_EQUAL(again.widest, layout.widest);
  CHECK(again.shape_place == layout.shape_place);
  for (std::size_t size = 0; size < numbers.size(); ++size)
    CHECK_REFUSED(RuleError, "file.damaged", TableLayout::of(std::span(numbers).first(size)));
  auto longer = numbers;
  longer.push_back(0);
  CHECK_REFUSED(RuleError, "file.damaged", TableLayout::of(longer));
  // No damaged number makes more than an error, or a layout that can be written again.
  check::Chance chance(5);
  for (int round = 0; round < 5000; ++round) {
    auto damaged = numbers;
    damaged[chance.below(damaged.size())] = chance.bits(static_cast<int>(chance.below(65)));
    try {
      CHECK(TableLayout::of(damaged).numbers() == damaged);
    } catch (const RuleError&) {
    }
  }
  auto newer = numbers;
  ++newer[0];
  CHECK_REFUSED(RuleError, "file.version", TableLayout::of(newer));
}

TEST(bits_of_any_width) {
  check::Chance chance(6);
  CHECK_EQUAL(width_of(0), 0U);
  CHECK_EQUAL(width_of(1), 1U);
  CHECK_EQUAL(width_of(~std::uint64_t{0}), 64U);
  for (std::uint64_t used = 0; used < 20; ++used)
    for (std::uint64_t width = 0; width <= 8; ++width) {
      const std::uint64_t place = TableLayout::next_shape(used, width);
      CHECK(place >= used && place < used + 8);
      CHECK(width == 0 || place / 8 == (place + width - 1) / 8);  // in one byte
    }
  std::vector<std::uint8_t> bytes;
  Sink sink([&](std::span<const std::uint8_t> piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  });
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pushed;  // value and width
  BitWriter out(sink);
  for (int round = 0; round < 500; ++round) {
    const std::uint64_t width = chance.below(65);
    pushed.emplace_back(chance.bits(static_cast<int>(width)), width);
    push_wide(out, pushed.back().first, width);
  }
  out.finish();
  sink.flush();
  bytes.resize(bytes.size() + 16);
  std::uint64_t place = 0;
  for (const auto& [value, width] : pushed) {
    CHECK_EQUAL(wide_bits_at(bytes.data(), place, width), value);
    place += width;
  }
}

TEST(rules_of_text_do_not_depend_on_the_order_of_lines) {
  struct Line {
    std::vector<std::string_view> source, target;
    float score;
  };
  std::vector<Line> lines = {{{"b"}, {"y"}, 1},
                             {{"a", "b"}, {"z"}, 2},
                             {{"a"}, {"z"}, 3},
                             {{"a"}, {"x"}, 5},
                             {{"c"}, {}, 4}};
  std::vector<std::string> before;
  for (int round = 0; round < 10; ++round) {
    std::rotate(lines.begin(), lines.begin() + round % 5, lines.end());
    TextRules rules;
    for (std::size_t n = 0; n < lines.size(); ++n)
      CHECK_EQUAL(rules.add(rule_of(lines[n].source, lines[n].target, lines[n].score),
                            static_cast<std::int64_t>(n) + 10),
                  0);
    CHECK_EQUAL(rules.add(rule_of(lines[2].source, lines[2].target, 9), 99), 12);  // again
    CHECK_EQUAL(rules.size(), 5);
    for (std::size_t n = 0; n < lines.size(); ++n)
      CHECK_EQUAL(rules.find(lines[n].source, lines[n].target), static_cast<std::int64_t>(n));
    const std::string_view a[] = {"a"}, y[] = {"y"}, unknown[] = {"unknown"};
    CHECK_EQUAL(rules.find(a, y), -1);
    CHECK_EQUAL(rules.find(unknown, y), -1);
    rules.finish(0);
    std::vector<std::string> found;
    TextRules::Room room;
    for (std::int64_t place = 0; place < rules.size(); ++place) {
      const RuleView view = rules.view(place, room);
      std::string text;
      for (const auto symbol : view.source) text += rules.source_words()[symbol];
      text += '|';
      for (const auto symbol : view.target) text += rules.target_words()[symbol];
      found.push_back(text + std::to_string(view.features[0]));
      CHECK(lines[static_cast<std::size_t>(rules.line(place)) - 10].score == view.features[0]);
    }
    CHECK(found[0].starts_with("a|x5") && found[1].starts_with("a|z3"));  // the best one first
    CHECK(before.empty() || found == before);
    before = found;
  }
}

TEST(gaps_labels_and_columns_of_rules_of_text) {
  TextRules rules;
  TextRule rule = rule_of({"a"}, {"b"}, 1);
  rule.left = "S";
  rule.source = {{"VP", 0}, {"a"}, {"NP", 1}};
  rule.target = {{"", 1}, {"b"}, {"", 0}};
  rule.counts = {3, 4, 5};
  rule.links = {{1, 1}};
  CHECK_EQUAL(rules.add(rule, 1), 0);
  rule.left = "NP";  // another left-hand side, another rule
  CHECK_EQUAL(rules.add(rule, 2), 0);
  CHECK_EQUAL(rules.add(rule, 3), 2);
  CHECK_EQUAL(rules.add(rule_of({"a"}, {"b"}, 1), 4), 0);
  CHECK(rules.is_constant(0, 1) && !rules.is_constant(0, 2));
  rules.add_columns(2, -1.5F);
  rules.columns(0)[1] = 7;
  rules.finish(-1);
  CHECK(rules.labels().size() == 4 && rules.labels()[0] == "X" && rules.labels()[1] == "NP");
  TextRules::Room room;
  const RuleView first = rules.view(0, room);
  const auto label = [&](std::string_view name) { return rules.labels().find(name); };
  CHECK_EQUAL(first.left, label("S"));  // of one source, in the order of lines
  CHECK(std::ranges::equal(first.source, std::vector{-1 - label("VP"), 0, -1 - label("NP")}));
  CHECK(std::ranges::equal(first.target, std::vector{-2, 0, -1}));
  CHECK(std::ranges::equal(first.features, std::vector{1.0F, -1.5F, 7.0F}));
  CHECK(first.count == 3 && first.source_count == 4 && first.target_count == 5);
  CHECK(first.links.size() == 1 && rules.line(1) == 2 && rules.line(2) == 4);
  rules.set_constant(0, 2.5F);
  CHECK(rules.is_constant(0, 2.5F));
}

TEST(a_table_has_no_more_than_so_many_features) {
  TextRules rules;
  TextRule rule = rule_of({"a"}, {"b"}, 1);
  std::vector<std::string> names;
  for (std::size_t n = 0; n < most_features; ++n) names.push_back("f" + std::to_string(n));
  rule.features.clear();
  for (const std::string& name : names) rule.features.push_back({name, 1});
  CHECK_EQUAL(rules.add(rule, 1), 0);
  CHECK_REFUSED(RuleError, "rules.too-many-features", rules.add(rule_of({"c"}, {"b"}, 1), 2));
}

}  // namespace rules_tests
