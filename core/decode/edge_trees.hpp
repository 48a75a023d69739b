// core/decode/edge_trees.hpp: boosted trees over the features of an edge, whose sum is a feature
// itself. No Python here.
#pragma once

#include <array>
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

/// The sum of some trees. Those with one split, of the same column and with the same factors, add
/// up to steps over that column, however many they are.
class TreeSum {
 public:
  TreeSum(std::span<const EdgeTree* const> trees, std::size_t stateless);

  bool empty() const { return trees_.empty() && steps_.empty() && stumps_.empty(); }
  /// `option` has the features of options, `rest` those behind them.
  double operator()(const double* option, const double* rest) const;

 private:
  struct Range {
    std::uint32_t split, splits, value, factor, factors;
  };
  /// `value` is where the sums between thresholds are, one more than those.
  struct Steps {
    std::int32_t column;
    std::uint32_t threshold, thresholds, value, factor, factors;
  };
  /// A feature of the option, one of the rest, or 1, which stands for no factor.
  struct Place {
    std::uint32_t part, index;
  };
  /// Steps with one threshold and at most one factor, as most are: evaluated without branches.
  struct Stump {
    Place column, factor;
    double threshold, low, high;
  };
  void add_steps(std::span<const EdgeTree* const> trees);
  Place place_of(std::int32_t column) const;

  std::size_t stateless_;
  std::vector<Range> trees_;
  std::vector<Steps> steps_;
  std::vector<Stump> stumps_;
  std::vector<double> thresholds_;
  std::vector<EdgeTree::Split> splits_;
  std::vector<double> values_;
  std::vector<std::int32_t> factors_;
};

/// Where a feature of an edge comes from.
namespace tree_source {
inline constexpr std::uint8_t option = 1, language = 2, distortion = 4, backward = 8, forward = 16,
                              other = 32;
}

/// What trees may look at together. A tree is evaluated where the last of its features is found,
/// and no more often than that: most hypotheses share the parts of their trees with others.
enum class TreeStage : std::uint8_t {
  option,        // features of the option: known before the search
  language,      // language models: of a phrase after a state
  distortion,    // of all options of a span after a place
  backward,      // an option and its orientation: of a span after a place
  forward,       // the orientation of the option before
  option_words,  // an option, its orientation and language models: of the option after a state
  option_jump,   // an option, its orientation and its distance
  all,           // anything else
};

class EdgeTrees {
 public:
  /// `sources` of each feature; the first `stateless` are of options. Refuses trees that look
  /// elsewhere, or whose leaves are not numbered so.
  EdgeTrees(std::span<const EdgeTree> trees, std::span<const std::uint8_t> sources,
            std::size_t stateless);
  EdgeTrees() : EdgeTrees({}, {}, 0) {}

  const TreeSum& operator[](TreeStage stage) const {
    return sums_[static_cast<std::size_t>(stage)];
  }
  /// Whether there is a tree that looks at more than the option.
  bool has_context() const;
  /// All trees of a row of features.
  double of_row(std::span<const double> row) const;

 private:
  std::size_t stateless_;
  std::vector<TreeSum> sums_;
};

}  // namespace rosewood
