// tests/native/align.cpp: texts as numbers, the lexicon, links and counts.
#include <limits>
#include <set>
#include <utility>

#include "align/counts.hpp"
#include "align/links.hpp"
#include "bitexts.hpp"
#include "check.hpp"

namespace align_tests {

using namespace rosewood;
using bitexts::Lexicon;
using bitexts::Text;

TEST(sentences_of_a_text) {
  const Text text({{}, {3, 4}, {}, {5}, {}}, 6);
  const TextView view = text.view();
  CHECK_EQUAL(view.size(), 5);
  CHECK(view.sentence(0).empty() && view.sentence(4).empty());
  CHECK_EQUAL(view.sentence(1)[1], 4);
  CHECK_EQUAL(view.sentence_of(0), 1);
  CHECK_EQUAL(view.sentence_of(1), 1);
  CHECK_EQUAL(view.sentence_of(2), 3);
  check_bitext({view, view});
  const Text others({{0}}, 6), none({}, 0);
  check_bitext({none.view(), none.view()});
  CHECK_REFUSED(AlignmentError, "argument.shape", check_bitext({view, others.view()}));
  for (const std::int32_t word : {-1, 6}) {
    Text bad({{0}}, 6);
    bad.ids[0] = word;
    CHECK_REFUSED(AlignmentError, "argument.range", check_bitext({bad.view(), others.view()}));
  }
  Text down = text;
  std::swap(down.start[1], down.start[2]);
  CHECK_REFUSED(AlignmentError, "argument.value", check_bitext({down.view(), view}));
  down.start.back() = 2;
  CHECK_REFUSED(AlignmentError, "argument.shape", check_bitext({view, down.view()}));
  CHECK_REFUSED(AlignmentError, "argument.shape", check_bitext({TextView{}, view}));
}

TEST(the_lexicon_has_every_pair_of_words_once) {
  check::Chance chance(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::vector<std::int32_t>> sides[2];
    std::set<std::pair<std::int32_t, std::int32_t>> pairs;
    for (std::uint64_t k = chance.below(12); k > 0; --k) {
      for (auto& side : sides) {
        side.emplace_back(chance.below(9));
        for (auto& word : side.back()) word = static_cast<std::int32_t>(chance.below(40));
      }
      for (const auto s : sides[0].back())
        for (const auto t : sides[1].back()) pairs.emplace(s, t);
    }
    const Text source(sides[0], 40), target(sides[1], 40);
    const BitextView bitext{source.view(), target.view()};
    const Lexicon lexicon(bitext, 1 + static_cast<int>(chance.below(3)));
    check_lexicon(lexicon.view(), 40, 40);
    std::size_t used = 0;
    for (const Entry& entry : lexicon.entry) used += entry.word >= 0;
    CHECK_EQUAL(used, pairs.size());
    for (std::int32_t s = 0; s < 40; ++s) {
      std::int64_t partners = 0;
      for (std::int32_t t = 0; t < 40; ++t) {
        const std::int64_t place = lexicon.view().find(s, t);
        CHECK_EQUAL(place >= 0, pairs.contains({s, t}));
        if (place < 0) continue;
        ++partners;
        CHECK(place >= lexicon.row[static_cast<std::size_t>(s)] &&
              place < lexicon.row[static_cast<std::size_t>(s) + 1]);
        CHECK_EQUAL(lexicon.entry[static_cast<std::size_t>(place)].word, t);
      }
      CHECK_EQUAL(lexicon.row[static_cast<std::size_t>(s) + 1],
                  lexicon.row[static_cast<std::size_t>(s)] + row_places(partners));
    }
  }
}

TEST(a_search_in_a_full_row_ends) {
  const std::int64_t row[] = {0, 3};
  const Entry full[] = {{5}, {6}, {7}};
  const LexiconView lexicon{row, full};
  for (const std::int32_t word : {5, 6, 7}) CHECK(lexicon.find(0, word) >= 0);
  for (const std::int32_t word : {0, 1, 2, 3, 4, 8}) CHECK_EQUAL(lexicon.find(0, word), -1);
  CHECK_EQUAL(LexiconView::home(std::numeric_limits<std::int32_t>::max(), 1), 0);
  CHECK_EQUAL(row_places(0), 0);
  CHECK_EQUAL(row_places(1), 2);
}

TEST(lexicons_that_do_not_fit_are_refused) {
  const Text source({{0, 1}}, 2), target({{0}}, 1);
  Lexicon lexicon({source.view(), target.view()}, 1);
  CHECK_REFUSED(AlignmentError, "argument.shape", check_lexicon(lexicon.view(), 3, 1));
  CHECK_REFUSED(AlignmentError, "argument.range", check_lexicon(lexicon.view(), 2, 0));
  const std::int64_t short_row[] = {0, 1, 2};
  CHECK_REFUSED(AlignmentError, "argument.shape", check_lexicon({short_row, lexicon.entry}, 2, 1));
  CHECK_REFUSED(AlignmentError, "alignment.other-corpus",
                lexicon_fill({source.view(), target.view()}, {short_row, lexicon.entry}, 1));
  lexicon.row[1] = 5;
  CHECK_REFUSED(AlignmentError, "argument.value", check_lexicon(lexicon.view(), 2, 1));
}

TEST(links_are_written_and_read_back) {
  LinksArrays links;
  CHECK(!parse_links("2-1 0-0\t0-1\n\n1-1", 1, 0, false, links));
  CHECK(links.start == std::vector<std::int64_t>({0, 3, 3, 4}));
  const LinksView view{links.start, links.source, links.target};
  check_links(view);
  CHECK_EQUAL(format_links(view, {}, 0, 3), "0-0 0-1 2-1\n\n1-1\n");
  CHECK_EQUAL(format_links(view, {}, 1, 1), "");
  CHECK_REFUSED(AlignmentError, "argument.range", format_links(view, {}, 0, 4));
  CHECK_REFUSED(AlignmentError, "argument.range", format_links(view, {}, 2, 1));
  const std::vector<std::uint8_t> two(2);
  CHECK_REFUSED(AlignmentError, "argument.shape", format_links(view, two, 0, 1));
  LinksArrays marked;
  CHECK(!parse_links("1p2 1-1\n1-2 1p2\n", 1, 1, true, marked));
  CHECK(marked.possible == std::vector<std::uint8_t>({0, 1, 0}));  // both marks: it is sure
  const LinksView marks{marked.start, marked.source, marked.target};
  CHECK_EQUAL(format_links(marks, marked.possible, 0, 2), "0-0 0p1\n0-1\n");
}

TEST(bad_links_have_a_line_and_a_code) {
  const auto code_of = [](std::string_view text, bool may_be_possible) -> std::string {
    LinksArrays links;
    const auto bad = parse_links(text, 5, 1, may_be_possible, links);
    if (!bad) return "fine";
    return std::to_string(bad->line) + " " + bad->reason.fault.code.text;
  };
  CHECK_EQUAL(code_of("1-1\n1-1 2-2 1-1\n", false), "6 line.duplicate");
  CHECK_EQUAL(code_of("1p1 1p1", true), "5 line.duplicate");
  for (const char* bad : {"0-1", "1-0", "1", "1-", "-1-1", "+1-1", "1-1x", "1p1", "1- 1", "a-b",
                          "2147483647-1", "1-99999999999"})
    CHECK_EQUAL(code_of(bad, false), "5 line.value");
  CHECK_EQUAL(code_of("2147483646-1", false), "fine");
}

TEST(links_that_are_not_sorted_are_refused) {
  using Numbers = std::vector<std::int32_t>;
  const auto check = [](std::vector<std::int64_t> start, Numbers source, Numbers target) {
    check_links({start, source, target});
  };
  check({0}, {}, {});
  check({0, 2, 3}, {0, 0, 0}, {1, 2, 0});
  CHECK_REFUSED(AlignmentError, "argument.shape", check({}, {}, {}));
  CHECK_REFUSED(AlignmentError, "argument.shape", check({0, 1}, {0}, {}));
  CHECK_REFUSED(AlignmentError, "argument.shape", check({0, 1}, {}, {}));
  CHECK_REFUSED(AlignmentError, "argument.value", check({0, 2, 1, 2}, {0, 1}, {0, 1}));
  CHECK_REFUSED(AlignmentError, "argument.range", check({0, 1}, {-1}, {0}));
  CHECK_REFUSED(AlignmentError, "alignment.link-order", check({0, 2}, {0, 0}, {1, 1}));
  CHECK_REFUSED(AlignmentError, "alignment.link-order", check({0, 2}, {1, 0}, {0, 0}));
}

TEST(choices_become_links) {
  const std::int32_t choice[] = {2, -1, 0, 1, 1};
  const std::int64_t start[] = {0, 3, 3, 5};
  const LinksArrays targets = links_from_choices(choice, start, true);
  CHECK(targets.start == std::vector<std::int64_t>({0, 2, 2, 4}));
  CHECK(targets.source == std::vector<std::int32_t>({0, 2, 1, 1}));
  CHECK(targets.target == std::vector<std::int32_t>({2, 0, 0, 1}));
  const LinksArrays sources = links_from_choices(choice, start, false);
  CHECK(sources.source == std::vector<std::int32_t>({0, 2, 0, 1}));
  CHECK(sources.target == std::vector<std::int32_t>({2, 0, 1, 1}));
}

TEST(counts_do_not_depend_on_their_order) {
  CHECK_EQUAL(to_count(1.0), Count{1} << 30);
  CHECK_EQUAL(to_count(0x1p-31), 0);  // half a unit goes to the even number
  CHECK_EQUAL(to_count(3 * 0x1p-31), 2);
  CHECK_EQUAL(static_cast<double>(to_count(0x1p32)) * count_unit, 0x1p32);
  Count count = 5;
  add_shared(count, 3);
  add_shared(count, -1);
  CHECK_EQUAL(count, 7);
}

}  // namespace align_tests
