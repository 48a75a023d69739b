// core/decode/edge_trees.cpp
#include "decode/edge_trees.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "util/error.hpp"

namespace rosewood {

namespace {

using namespace tree_source;

/// What a stage knows, in the order of TreeStage: a tree belongs to the first that knows enough.
constexpr std::array<std::uint8_t, 8> known{option,
                                            language,
                                            distortion,
                                            option | backward,
                                            forward,
                                            option | backward | language,
                                            option | backward | distortion,
                                            0xff};

/// Refuses trees whose leaves or columns are not there, and numbers that are none.
void check(const EdgeTree& tree, std::size_t features) {
  if (tree.values.size() != tree.splits.size() + 1)
    fail<DecodingError>({"argument.shape", "trees"}, "a tree has ", tree.values.size(),
                        " leaves and ", tree.splits.size(), " splits");
  const auto check_column = [&](std::int32_t column) {
    if (column < 0 || static_cast<std::size_t>(column) >= features)
      fail<DecodingError>({"argument.range", "trees", column}, "a tree looks at feature ", column,
                          ", there are ", features);
  };
  for (std::size_t i = 0; i < tree.splits.size(); ++i) {
    const auto& [leaf, column, threshold] = tree.splits[i];
    check_column(column);
    if (leaf < 0 || static_cast<std::size_t>(leaf) > i || !std::isfinite(threshold))
      fail<DecodingError>({"argument.value", "trees", leaf}, "split ", i, " of a tree is damaged");
  }
  for (const double value : tree.values)
    if (!std::isfinite(value))
      fail<DecodingError>({"argument.value", "trees"}, "a leaf of a tree is not finite");
  for (const std::int32_t factor : tree.factors) check_column(factor);
}

}  // namespace

TreeSum::TreeSum(std::span<const EdgeTree* const> trees, std::size_t stateless)
    : stateless_(stateless) {
  std::map<std::pair<std::int32_t, std::vector<std::int32_t>>, std::vector<const EdgeTree*>> stumps;
  for (const EdgeTree* tree : trees) {
    if (tree->splits.size() == 1) {
      stumps[{tree->splits[0].column, tree->factors}].push_back(tree);
      continue;
    }
    trees_.push_back({static_cast<std::uint32_t>(splits_.size()),
                      static_cast<std::uint32_t>(tree->splits.size()),
                      static_cast<std::uint32_t>(values_.size()),
                      static_cast<std::uint32_t>(factors_.size()),
                      static_cast<std::uint32_t>(tree->factors.size())});
    splits_.insert(splits_.end(), tree->splits.begin(), tree->splits.end());
    values_.insert(values_.end(), tree->values.begin(), tree->values.end());
    factors_.insert(factors_.end(), tree->factors.begin(), tree->factors.end());
  }
  for (const auto& [key, same] : stumps) add_steps(same);
}

/// Between two thresholds the trees below have their right values, the others their left ones.
void TreeSum::add_steps(std::span<const EdgeTree* const> trees) {
  std::vector<const EdgeTree*> sorted(trees.begin(), trees.end());
  std::ranges::stable_sort(sorted, {},
                           [](const EdgeTree* each) { return each->splits[0].threshold; });
  const EdgeTree& first = *trees[0];
  if (trees.size() == 1 && first.factors.size() <= 1) {
    stumps_.push_back({place_of(first.splits[0].column),
                       first.factors.empty() ? Place{2, 0} : place_of(first.factors[0]),
                       first.splits[0].threshold, first.values[0], first.values[1]});
    return;
  }
  steps_.push_back({first.splits[0].column, static_cast<std::uint32_t>(thresholds_.size()),
                    static_cast<std::uint32_t>(sorted.size()),
                    static_cast<std::uint32_t>(values_.size()),
                    static_cast<std::uint32_t>(factors_.size()),
                    static_cast<std::uint32_t>(first.factors.size())});
  factors_.insert(factors_.end(), first.factors.begin(), first.factors.end());
  for (std::size_t passed = 0; passed <= sorted.size(); ++passed) {
    double total = 0.0;
    for (std::size_t i = 0; i < sorted.size(); ++i) total += sorted[i]->values[i < passed];
    values_.push_back(total);
  }
  for (const EdgeTree* each : sorted) thresholds_.push_back(each->splits[0].threshold);
}

TreeSum::Place TreeSum::place_of(std::int32_t column) const {
  const auto at = static_cast<std::size_t>(column);
  const std::uint32_t part = at < stateless_ ? 0 : 1;
  return {part, static_cast<std::uint32_t>(part ? at - stateless_ : at)};
}

double TreeSum::operator()(const double* option, const double* rest) const {
  const auto value_of = [&](std::int32_t column) {
    const auto at = static_cast<std::size_t>(column);
    return at < stateless_ ? option[at] : rest[at - stateless_];
  };
  double total = 0.0;
  constexpr double one = 1.0;
  const double* const parts[] = {option, rest, &one};
  for (const Stump& stump : stumps_) {
    const double at = parts[stump.column.part][stump.column.index];
    total += (stump.threshold < at ? stump.high : stump.low) *
             parts[stump.factor.part][stump.factor.index];
  }
  for (const Steps& steps : steps_) {
    const double at = value_of(steps.column);
    const double* threshold = thresholds_.data() + steps.threshold;
    std::size_t passed = 0;  // there are few: counting does not branch
    for (std::uint32_t i = 0; i < steps.thresholds; ++i) passed += threshold[i] < at ? 1 : 0;
    double value = values_[steps.value + passed];
    for (std::uint32_t i = 0; i < steps.factors; ++i) value *= value_of(factors_[steps.factor + i]);
    total += value;
  }
  for (const Range& tree : trees_) {
    std::int32_t leaf = 0;
    for (std::uint32_t i = 0; i < tree.splits; ++i) {
      const EdgeTree::Split& split = splits_[tree.split + i];
      const bool goes_on = leaf == split.leaf && value_of(split.column) > split.threshold;
      leaf = goes_on ? static_cast<std::int32_t>(i) + 1 : leaf;
    }
    double value = values_[tree.value + static_cast<std::uint32_t>(leaf)];
    for (std::uint32_t i = 0; i < tree.factors; ++i) value *= value_of(factors_[tree.factor + i]);
    total += value;
  }
  return total;
}

EdgeTrees::EdgeTrees(std::span<const EdgeTree> trees, std::span<const std::uint8_t> sources,
                     std::size_t stateless)
    : stateless_(stateless) {
  std::array<std::vector<const EdgeTree*>, known.size()> of_stage;
  for (const EdgeTree& tree : trees) {
    check(tree, sources.size());
    unsigned needs = 0;
    for (const EdgeTree::Split& split : tree.splits) needs |= sources[split.column];
    for (const std::int32_t factor : tree.factors) needs |= sources[factor];
    const auto stage =
        std::ranges::find_if(known, [&](std::uint8_t has) { return (needs & ~has & 0xffU) == 0; });
    of_stage[static_cast<std::size_t>(stage - known.begin())].push_back(&tree);
  }
  for (const auto& own : of_stage) sums_.emplace_back(own, stateless);
}

bool EdgeTrees::has_context() const {
  return std::any_of(sums_.begin() + 1, sums_.end(),
                     [](const TreeSum& sum) { return !sum.empty(); });
}

double EdgeTrees::of_row(std::span<const double> row) const {
  double total = 0.0;
  for (const TreeSum& sum : sums_) total += sum(row.data(), row.data() + stateless_);
  return total;
}

}  // namespace rosewood
