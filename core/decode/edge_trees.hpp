// core/decode/edge_trees.hpp: boosted trees over the features of an edge, whose sum is a feature
// itself. No Python here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rosewood {

/// A tree begins with leaf 0; a split makes another leaf of those rows of a leaf whose value is
/// above a threshold. The value of a row is that of its leaf, times the tree's factors.
struct EdgeTree {
  struct Split {
    std::int32_t leaf, column;
    double threshold;
  };
  std::vector<Split> splits;
  std::vector<double> values;  // of leaves
  std::vector<std::int32_t> factors;
};

/// Trees that look at features of the option alone are kept apart from those that look at more, the
/// features of the context: their part of the score is known before the search. Trees with one
/// split, of the same column and with the same factors, add up to steps over that column, however
/// many they are. Once the option is known, all steps over a feature of the context add up to one
/// (`fold`): a search pays for the features that trees look at, not for trees.
class EdgeTrees {
 public:
  /// Columns are positions of features; the first `stateless` are of options, and there are so many
  /// `features`. Refuses trees that look elsewhere, or whose leaves are not numbered so.
  EdgeTrees(std::span<const EdgeTree> trees, std::size_t stateless, std::size_t features);

  /// Whether there is a tree that looks at more than the option.
  bool has_context() const { return !context_.empty(); }
  /// Whether one of those looks at the features first .. first+size-1.
  bool looks_at(std::size_t first, std::size_t size) const;

  /// The trees of an option; `option` has its features.
  double of_option(const double* option) const { return sum(alone_, option, option); }
  /// The other trees; `rest` has the features behind those of options.
  double of_context(const double* option, const double* rest) const {
    return sum(context_, option, rest);
  }

  /// How many numbers `fold` writes.
  std::size_t folded() const { return folded_; }
  /// What the other trees make of an option, whatever the context is.
  void fold(const double* option, std::span<double> out) const;
  /// The other trees of an option that was folded.
  double of_context(const double* option, const double* folded, const double* rest) const;
  /// All trees of a row of features.
  double of_row(std::span<const double> row) const {
    return of_option(row.data()) + of_context(row.data(), row.data() + stateless_);
  }

 private:
  struct Range {
    std::uint32_t split, splits, value, factor, factors;
  };
  /// `value` is where the sums between thresholds are, one more than those.
  struct Steps {
    std::int32_t column;
    std::uint32_t threshold, thresholds, value, factor, factors;
    std::uint32_t known;  // the first factors, which are of the option
  };
  struct Part {
    std::vector<Range> trees;
    std::vector<Steps> steps;
    bool empty() const { return trees.empty() && steps.empty(); }
  };
  /// Steps over one feature of the context (`column` of the rest) that have the same factor there,
  /// or none: one sequence of thresholds, and where `fold` writes the sums between them.
  struct Merged {
    std::uint32_t column, factor, threshold, thresholds, out;
    std::vector<std::uint32_t> steps;   // of context_
    std::vector<std::uint32_t> passed;  // thresholds of each of those, below each place
  };
  /// Steps that are known with the option, but for their factors: `out` is where `fold` adds them.
  struct Folded {
    std::uint32_t step, out;
  };
  struct Slope {
    std::uint32_t column, out;
  };
  void add_steps(std::span<const EdgeTree* const> trees, Part& to);
  void plan_folding();
  double known_factor(const Steps& steps, const double* option) const;
  double sum(const Part& part, const double* option, const double* rest) const;
  double step_value(const Steps& steps, double at) const;
  double tree_value(const Range& tree, const double* option, const double* rest) const;

  std::size_t stateless_;
  std::uint32_t folded_ = 0;
  Part alone_, context_;
  std::vector<Merged> merged_;
  std::vector<Folded> linear_, mixed_;  // one factor of the context, several
  std::vector<Slope> slopes_;           // of linear_: one number for all of a column
  std::vector<double> thresholds_, merged_thresholds_;
  std::vector<EdgeTree::Split> splits_;
  std::vector<double> values_;
  std::vector<std::int32_t> factors_;
};

}  // namespace rosewood
