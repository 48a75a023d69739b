// tests/native/trees.cpp: boosted trees of edges, and sums by bins.
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "check.hpp"
#include "decode/edge_trees.hpp"
#include "learn/bin_sums.hpp"
#include "util/error.hpp"

namespace tree_tests {

using namespace rosewood;

namespace {

constexpr std::uint8_t sources[] = {tree_source::option, tree_source::language,
                                    tree_source::distortion};

/// A tree row by row, as its definition says.
double value_of(const EdgeTree& tree, std::span<const double> row) {
  std::int32_t leaf = 0;
  for (std::size_t i = 0; i < tree.splits.size(); ++i)
    if (tree.splits[i].leaf == leaf && row[tree.splits[i].column] > tree.splits[i].threshold)
      leaf = static_cast<std::int32_t>(i) + 1;
  double value = tree.values[static_cast<std::size_t>(leaf)];
  for (const std::int32_t factor : tree.factors) value *= row[factor];
  return value;
}

std::string code_of(const EdgeTree& tree) {
  try {
    EdgeTrees(std::span(&tree, 1), sources, 1);
  } catch (const DecodingError& error) {
    return error.fault.code.text;
  }
  return "";
}

}  // namespace

TEST(steps_and_trees_add_up) {
  const std::vector<EdgeTree> trees{
      {{{0, 0, 1.0}}, {0.5, -1.0}, {}},  // three of one split on the same column
      {{{0, 0, 0.0}}, {2.0, 1.0}, {}},
      {{{0, 0, 1.0}}, {0.25, 4.0}, {}},
      {{{0, 0, 0.5}}, {1.0, 3.0}, {2}},  // and a factor
      {{{0, 1, 0.0}, {1, 2, -1.0}, {0, 0, 0.0}}, {1.0, 2.0, 3.0, 4.0}, {}},
      {{}, {0.125}, {1, 2}},
  };
  const EdgeTrees made(trees, sources, 1);
  CHECK(made.has_context());
  CHECK(!EdgeTrees(std::span(trees).first(3), sources, 1).has_context());
  CHECK(!EdgeTrees({}, sources, 1).has_context());
  CHECK(!made[TreeStage::option].empty());
  CHECK(!made[TreeStage::option_jump].empty());
  CHECK(!made[TreeStage::all].empty());
  for (const TreeStage stage : {TreeStage::language, TreeStage::distortion, TreeStage::backward,
                                TreeStage::forward, TreeStage::option_words})
    CHECK(made[stage].empty());
  for (const double a : {-1.0, 0.0, 0.5, 1.0, 2.0})
    for (const double b : {-1.0, 0.0, 1.0})
      for (const double c : {-2.0, -1.0, 3.0}) {
        const double row[] = {a, b, c};
        double want = 0.0;
        for (const EdgeTree& tree : trees) want += value_of(tree, row);
        CHECK(std::abs(made.of_row(row) - want) < 1e-12);
        const double parts = made[TreeStage::option](row, row + 1) +
                             made[TreeStage::option_jump](row, row + 1) +
                             made[TreeStage::all](row, row + 1);
        CHECK(std::abs(parts - want) < 1e-12);
      }
}

TEST(trees_belong_to_the_first_stage_that_knows_what_they_look_at) {
  using namespace tree_source;
  const std::uint8_t all[] = {option, language, distortion, backward, forward, other};
  const auto stage_of = [&](std::vector<std::int32_t> columns) {
    const EdgeTree tree{{}, {1.0}, std::move(columns)};
    const EdgeTrees made(std::span(&tree, 1), all, 1);
    for (int stage = 0; stage <= static_cast<int>(TreeStage::all); ++stage)
      if (!made[static_cast<TreeStage>(stage)].empty()) return static_cast<TreeStage>(stage);
    return TreeStage::all;
  };
  CHECK(stage_of({}) == TreeStage::option);
  CHECK(stage_of({0}) == TreeStage::option);
  CHECK(stage_of({1, 1}) == TreeStage::language);
  CHECK(stage_of({2}) == TreeStage::distortion);
  CHECK(stage_of({3}) == TreeStage::backward);
  CHECK(stage_of({3, 0}) == TreeStage::backward);
  CHECK(stage_of({4}) == TreeStage::forward);
  CHECK(stage_of({0, 4}) == TreeStage::all);
  CHECK(stage_of({1, 0}) == TreeStage::option_words);
  CHECK(stage_of({2, 0}) == TreeStage::option_jump);
  CHECK(stage_of({1, 3}) == TreeStage::option_words);
  CHECK(stage_of({2, 3, 0}) == TreeStage::option_jump);
  CHECK(stage_of({1, 2}) == TreeStage::all);
  CHECK(stage_of({1, 4}) == TreeStage::all);
  CHECK(stage_of({5}) == TreeStage::all);
}

TEST(damaged_trees_are_refused) {
  const double nothing = std::nan("");
  CHECK_EQUAL(code_of({{{0, 0, 1.0}}, {1.0}, {}}), std::string("argument.shape"));
  CHECK_EQUAL(code_of({{{0, 3, 1.0}}, {1.0, 2.0}, {}}), std::string("argument.range"));
  CHECK_EQUAL(code_of({{}, {1.0}, {-1}}), std::string("argument.range"));
  CHECK_EQUAL(code_of({{{1, 0, 1.0}}, {1.0, 2.0}, {}}), std::string("argument.value"));
  CHECK_EQUAL(code_of({{{0, 0, nothing}}, {1.0, 2.0}, {}}), std::string("argument.value"));
  CHECK_EQUAL(code_of({{}, {nothing}, {}}), std::string("argument.value"));
}

TEST(sums_of_a_part_and_of_the_rest) {
  const std::vector<std::uint8_t> bin{0, 1, 2, 1, 0, 0, 1, 1};
  const std::vector<std::int32_t> bins{3, 2};
  const PackedColumns data({bin, bins, 4}, 2);
  CHECK_EQUAL(data.packs().size(), std::size_t{1});
  const std::vector<double> slope{1.0, 2.0, 4.0, 8.0}, curve{1.0, 1.0, 2.0, 2.0};
  const RowMoments values{slope, curve, {}};
  BinSums all(bins), part(bins);
  all.add(data, {}, values, 2);
  CHECK_EQUAL(all.of(0)[1].slope, 10.0);
  CHECK_EQUAL(all.of(1)[0].curve, 2.0);
  CHECK_EQUAL(all.of(1)[1].weight, 4.0);
  const std::vector<std::uint32_t> chosen{1, 3};
  part.add(data, chosen, values, 1);
  CHECK(part.has_shape(bins));
  CHECK(!part.has_shape(std::vector<std::int32_t>{3, 3}));
  all.subtract(part);
  CHECK_EQUAL(all.of(0)[1].slope, 0.0);
  CHECK_EQUAL(all.of(1)[0].slope, 1.0);
  CHECK_EQUAL(all.of(1)[1].slope, 4.0);
}

}  // namespace tree_tests
