// tests/native/text.cpp: lines of rule tables cut into fields, gaps and labels.
#include "check.hpp"
#include "rules/text_line.hpp"

namespace text_tests {

using namespace rosewood;

TEST(a_line_is_cut_into_fields_of_words) {
  TextLine line;
  CHECK(line.cut(" ein  haus ||| a\thouse |||  ||| 0-0\r").empty());
  CHECK_EQUAL(line.size(), std::size_t{4});
  CHECK_EQUAL(line[0].size(), std::size_t{2});
  CHECK_EQUAL(line[0][1], "haus");
  CHECK_EQUAL(line[1][0], "a");
  CHECK(line[2].empty());
  CHECK_EQUAL(line[3][0], "0-0");
  CHECK(line[4].empty());
  CHECK(!line.is_empty());
  CHECK(line.cut(" \t").empty());
  CHECK(line.is_empty());
  CHECK(line.cut("|||").empty());
  CHECK(!line.is_empty());
  CHECK_EQUAL(line.size(), std::size_t{2});
}

TEST(lines_that_cannot_be_cut) {
  TextLine line;
  CHECK(!line.cut("a|||b").empty());
  CHECK(!line.cut("a ||||").empty());
  CHECK(line.cut("a \xff b").text.find("byte 3") != std::string::npos);
}

TEST(gaps_of_cdec_and_joshua) {
  const auto joshua = [](std::string_view word, bool is_target = false) {
    return hiero_gap(word, RuleFormat::joshua, is_target);
  };
  const auto cdec = [](std::string_view word, bool is_target) {
    return hiero_gap(word, RuleFormat::cdec, is_target);
  };
  CHECK_EQUAL(joshua("[NP,2]")->label, "NP");
  CHECK_EQUAL(joshua("[NP,2]")->number, 2);
  CHECK_EQUAL(joshua("[a,b,1]")->label, "a,b");
  CHECK_EQUAL(joshua("[NP]")->label, "NP");  // numbered by its place
  CHECK_EQUAL(joshua("[NP]")->number, 0);
  for (const char* word : {"[]", "[X,0]", "[X,-1]", "[,1]", "X,1", "[[X],1]", "[X,1"})
    CHECK(!joshua(word) && !joshua(word, true));
  for (const char* word : {"[X]", "[1]"}) CHECK(!joshua(word, true));
  CHECK_EQUAL(cdec("[NP]", false)->label, "NP");
  CHECK_EQUAL(cdec("[NP]", false)->number, 0);
  CHECK_EQUAL(cdec("[2]", true)->number, 2);
  CHECK(!cdec("[NP]", true));
  CHECK(!cdec("[a,b,1]", false));  // a comma ends a label
}

TEST(labels_of_moses) {
  CHECK_EQUAL(*moses_labels("[X][X]"), "X");
  CHECK_EQUAL(*moses_labels("[NP][VP]"), "NP][VP");
  for (const char* word : {"[X]", "[X][]", "[][X]", "[X][Y][Z]", "X", "[]"})
    CHECK(!moses_labels(word));
  CHECK_EQUAL(*label_of("[S]", RuleFormat::moses_grammar), "S");
  CHECK(!label_of("[S,1]", RuleFormat::cdec));
  CHECK(!label_of("S", RuleFormat::cdec));
}

TEST(logarithms_of_probabilities) {
  CHECK_EQUAL(log_probability(1.0), 0.0);
  CHECK_EQUAL(log_probability(0.0), log_floor);
  CHECK_EQUAL(log_probability(1e-300), log_floor);
  for (const double bad : {-0.5, static_cast<double>(INFINITY), static_cast<double>(NAN)})
    CHECK(std::isnan(log_probability(bad)));
}

}  // namespace text_tests
