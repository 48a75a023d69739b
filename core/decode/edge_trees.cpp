// core/decode/edge_trees.cpp
#include "decode/edge_trees.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "util/error.hpp"

namespace rosewood {

namespace {

constexpr std::uint32_t no_factor = ~0U;

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

EdgeTrees::EdgeTrees(std::span<const EdgeTree> trees, std::size_t stateless, std::size_t features)
    : stateless_(stateless) {
  std::map<std::pair<std::int32_t, std::vector<std::int32_t>>, std::vector<const EdgeTree*>> stumps;
  const auto is_alone = [&](const EdgeTree& tree) {
    const auto is_known = [&](std::int32_t column) {
      return static_cast<std::size_t>(column) < stateless;
    };
    return std::ranges::all_of(tree.splits, is_known, &EdgeTree::Split::column) &&
           std::ranges::all_of(tree.factors, is_known);
  };
  for (const EdgeTree& tree : trees) {
    check(tree, features);
    if (tree.splits.size() == 1) {
      stumps[{tree.splits[0].column, tree.factors}].push_back(&tree);
      continue;
    }
    (is_alone(tree) ? alone_ : context_)
        .trees.push_back({static_cast<std::uint32_t>(splits_.size()),
                          static_cast<std::uint32_t>(tree.splits.size()),
                          static_cast<std::uint32_t>(values_.size()),
                          static_cast<std::uint32_t>(factors_.size()),
                          static_cast<std::uint32_t>(tree.factors.size())});
    splits_.insert(splits_.end(), tree.splits.begin(), tree.splits.end());
    values_.insert(values_.end(), tree.values.begin(), tree.values.end());
    factors_.insert(factors_.end(), tree.factors.begin(), tree.factors.end());
  }
  for (auto& [key, same] : stumps) add_steps(same, is_alone(*same[0]) ? alone_ : context_);
  plan_folding();
}

/// Between two thresholds the trees below have their right values, the others their left ones.
void EdgeTrees::add_steps(std::span<const EdgeTree* const> trees, Part& to) {
  std::vector<const EdgeTree*> sorted(trees.begin(), trees.end());
  std::ranges::stable_sort(sorted, {},
                           [](const EdgeTree* each) { return each->splits[0].threshold; });
  const EdgeTree& first = *trees[0];
  std::vector<std::int32_t> factors = first.factors;
  const auto context = std::stable_partition(factors.begin(), factors.end(), [&](auto column) {
    return static_cast<std::size_t>(column) < stateless_;
  });
  const auto known = static_cast<std::uint32_t>(context - factors.begin());
  to.steps.push_back({first.splits[0].column, static_cast<std::uint32_t>(thresholds_.size()),
                      static_cast<std::uint32_t>(sorted.size()),
                      static_cast<std::uint32_t>(values_.size()),
                      static_cast<std::uint32_t>(factors_.size()),
                      static_cast<std::uint32_t>(first.factors.size()), known});
  factors_.insert(factors_.end(), factors.begin(), factors.end());
  for (std::size_t passed = 0; passed <= sorted.size(); ++passed) {
    double total = 0.0;
    for (std::size_t i = 0; i < sorted.size(); ++i) total += sorted[i]->values[i < passed];
    values_.push_back(total);
  }
  for (const EdgeTree* each : sorted) thresholds_.push_back(each->splits[0].threshold);
}

bool EdgeTrees::looks_at(std::size_t first, std::size_t size) const {
  const auto is_there = [&](std::int32_t column) {
    return static_cast<std::size_t>(column) - first < size;
  };
  const auto has_factor = [&](const auto& tree) {
    const auto begin = factors_.begin() + tree.factor;
    return std::any_of(begin, begin + tree.factors, is_there);
  };
  return std::ranges::any_of(
             context_.steps,
             [&](const Steps& steps) { return is_there(steps.column) || has_factor(steps); }) ||
         std::ranges::any_of(context_.trees, [&](const Range& tree) {
           const auto begin = splits_.begin() + tree.split;
           return has_factor(tree) ||
                  std::any_of(begin, begin + tree.splits,
                              [&](const auto& split) { return is_there(split.column); });
         });
}

/// The sum between the thresholds around a value. There are few: counting does not branch.
double EdgeTrees::step_value(const Steps& steps, double at) const {
  const double* threshold = thresholds_.data() + steps.threshold;
  std::size_t passed = 0;
  for (std::uint32_t i = 0; i < steps.thresholds; ++i) passed += threshold[i] < at ? 1 : 0;
  return values_[steps.value + passed];
}

double EdgeTrees::tree_value(const Range& tree, const double* option, const double* rest) const {
  const auto value_of = [&](std::int32_t column) {
    const auto at = static_cast<std::size_t>(column);
    return at < stateless_ ? option[at] : rest[at - stateless_];
  };
  std::int32_t leaf = 0;
  for (std::uint32_t i = 0; i < tree.splits; ++i) {
    const EdgeTree::Split& split = splits_[tree.split + i];
    const bool goes_on = leaf == split.leaf && value_of(split.column) > split.threshold;
    leaf = goes_on ? static_cast<std::int32_t>(i) + 1 : leaf;
  }
  double value = values_[tree.value + static_cast<std::uint32_t>(leaf)];
  for (std::uint32_t i = 0; i < tree.factors; ++i) value *= value_of(factors_[tree.factor + i]);
  return value;
}

double EdgeTrees::sum(const Part& part, const double* option, const double* rest) const {
  const auto value_of = [&](std::int32_t column) {
    const auto at = static_cast<std::size_t>(column);
    return at < stateless_ ? option[at] : rest[at - stateless_];
  };
  double total = 0.0;
  for (const Steps& steps : part.steps) {
    double factor = 1.0;
    for (std::uint32_t i = 0; i < steps.factors; ++i)
      factor *= value_of(factors_[steps.factor + i]);
    total += factor * step_value(steps, value_of(steps.column));
  }
  for (const Range& tree : part.trees) total += tree_value(tree, option, rest);
  return total;
}

/// Which steps of the context are merged, which are a coefficient of one feature, which neither.
void EdgeTrees::plan_folding() {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> alike;
  std::map<std::uint32_t, std::vector<std::uint32_t>> slopes;
  for (std::uint32_t i = 0; i < context_.steps.size(); ++i) {
    const Steps& steps = context_.steps[i];
    const auto rest_of = [&](std::int32_t column) {
      return static_cast<std::uint32_t>(static_cast<std::size_t>(column) - stateless_);
    };
    const bool is_known = static_cast<std::size_t>(steps.column) < stateless_;
    const std::uint32_t open = steps.factors - steps.known;
    const std::uint32_t factor =
        open == 1 ? rest_of(factors_[steps.factor + steps.known]) : no_factor;
    if (open > 1)
      mixed_.push_back({i, 0});
    else if (is_known)
      slopes[factor].push_back(i);
    else
      alike[{rest_of(steps.column), factor}].push_back(i);
  }
  for (auto& [key, numbers] : alike) {
    const auto begin = static_cast<std::uint32_t>(merged_thresholds_.size());
    std::vector<double> all;
    for (const std::uint32_t number : numbers) {
      const auto first = thresholds_.begin() + context_.steps[number].threshold;
      all.insert(all.end(), first, first + context_.steps[number].thresholds);
    }
    std::ranges::sort(all);
    const auto same = std::ranges::unique(all);
    all.erase(same.begin(), same.end());
    merged_thresholds_.insert(merged_thresholds_.end(), all.begin(), all.end());
    const auto count = static_cast<std::uint32_t>(all.size());
    Merged merged{key.first, key.second, begin, count, folded_, std::move(numbers), {}};
    for (const std::uint32_t number : merged.steps) {
      const auto first = thresholds_.begin() + context_.steps[number].threshold;
      const auto last = first + context_.steps[number].thresholds;
      merged.passed.push_back(0);
      for (const double threshold : all)
        merged.passed.push_back(
            static_cast<std::uint32_t>(std::upper_bound(first, last, threshold) - first));
    }
    folded_ += count + 1;
    merged_.push_back(std::move(merged));
  }
  for (const auto& [column, numbers] : slopes) {
    for (const std::uint32_t number : numbers) linear_.push_back({number, folded_});
    slopes_.push_back({column, folded_++});
  }
  for (Folded& each : mixed_) each.out = folded_++;
}

double EdgeTrees::known_factor(const Steps& steps, const double* option) const {
  double factor = 1.0;
  for (std::uint32_t i = 0; i < steps.known; ++i) factor *= option[factors_[steps.factor + i]];
  const auto column = static_cast<std::size_t>(steps.column);
  return column < stateless_ ? factor * step_value(steps, option[column]) : factor;
}

void EdgeTrees::fold(const double* option, std::span<double> out) const {
  std::ranges::fill(out, 0.0);
  for (const Merged& merged : merged_) {
    const std::size_t places = merged.thresholds + 1;
    for (std::size_t i = 0; i < merged.steps.size(); ++i) {
      const Steps& steps = context_.steps[merged.steps[i]];
      const double factor = known_factor(steps, option);
      if (factor == 0.0) continue;
      for (std::size_t place = 0; place < places; ++place)
        out[merged.out + place] +=
            factor * values_[steps.value + merged.passed[i * places + place]];
    }
  }
  for (const Folded& each : linear_)
    out[each.out] += known_factor(context_.steps[each.step], option);
  for (const Folded& each : mixed_) out[each.out] = known_factor(context_.steps[each.step], option);
}

double EdgeTrees::of_context(const double* option, const double* folded, const double* rest) const {
  double total = 0.0;
  for (const Merged& merged : merged_) {
    const double at = rest[merged.column];
    const double* threshold = merged_thresholds_.data() + merged.threshold;
    std::size_t passed = 0;
    for (std::uint32_t i = 0; i < merged.thresholds; ++i) passed += threshold[i] < at ? 1 : 0;
    const double value = folded[merged.out + passed];
    total += merged.factor == no_factor ? value : value * rest[merged.factor];
  }
  for (const Slope& slope : slopes_) total += folded[slope.out] * rest[slope.column];
  for (const Folded& each : mixed_) {
    const Steps& steps = context_.steps[each.step];
    double value = folded[each.out];
    const auto column = static_cast<std::size_t>(steps.column);
    if (column >= stateless_) value *= step_value(steps, rest[column - stateless_]);
    for (std::uint32_t k = steps.known; k < steps.factors; ++k)
      value *= rest[static_cast<std::size_t>(factors_[steps.factor + k]) - stateless_];
    total += value;
  }
  for (const Range& tree : context_.trees) total += tree_value(tree, option, rest);
  return total;
}

}  // namespace rosewood
