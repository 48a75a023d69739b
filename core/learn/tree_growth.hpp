// core/learn/tree_growth.hpp: regression trees over binned columns, grown greedily.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/bin_sums.hpp"

namespace rosewood {

struct TreeSettings {
  int leaves;         // at most, up to 256
  double min_weight;  // of the rows of a leaf
  double l2;          // added to Σ w·x² of a leaf
};

/// Rows of leaf `leaf` whose bin in `column` is greater than `bin` are leaf number-of-split + 1
/// from then on. `gain` is how much less squared error there is.
struct TreeSplit {
  std::int32_t leaf;
  std::int32_t column;
  std::int32_t bin;
  double gain;
};

struct GrownTree {
  std::vector<TreeSplit> split;       // in the order they were made
  std::vector<double> value;          // the coefficient of each leaf
  std::vector<double> weight;         // of the rows of each leaf
  std::vector<std::uint8_t> leaf_of;  // of each row
  double explained = 0.0;             // how much less squared error there is than without a tree
};

/// Fits a tree by least squares: a row has Σ y·x, Σ w·x² and Σ w over what it stands for. The split
/// that gains most is made first, wherever it is; of equal ones that of the first leaf, column and
/// bin. Gains of the size of rounding errors are none.
///
/// `known` are sums of the curves and weights of all rows, if there are any: curves and weights
/// stay the same from round to round, and the first split then sums slopes alone.
GrownTree grow_tree(const PackedColumns& data, const RowMoments& values,
                    const TreeSettings& settings, int threads, const BinSums* known = nullptr);

/// Sums of the curves of all rows; the weights are those of `weights`, or the same.
BinSums sum_curves(const PackedColumns& data, std::span<const double> curve, const BinSums* weights,
                   int threads);

}  // namespace rosewood
