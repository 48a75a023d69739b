// core/learn/tree_growth.cpp
#include "learn/tree_growth.hpp"

#include <algorithm>
#include <optional>

#include "util/parallel.hpp"

namespace rosewood {

namespace {

/// The rows of a leaf and what is known of its splits.
struct Leaf {
  std::vector<std::uint32_t> rows;  // empty in the first leaf: it has all rows
  Moments total;
  std::optional<BinSums> sums;
  std::optional<TreeSplit> best;
  Moments left;  // of the best split
};

class Growth {
 public:
  Growth(const PackedColumns& packed, const RowMoments& values, const TreeSettings& settings,
         int threads, const BinSums* known)
      : packed_(packed),
        data_(packed.data()),
        values_(values),
        settings_(settings),
        threads_(threads),
        known_(known) {}

  GrownTree run() {
    GrownTree tree;
    tree.leaf_of.assign(static_cast<std::size_t>(data_.rows), 0);
    std::vector<Leaf> leaves(1);
    leaves.reserve(static_cast<std::size_t>(settings_.leaves));
    const auto& weight = values_.weight.empty() ? values_.curve : values_.weight;
    for (std::int64_t r = 0; r < data_.rows; ++r)
      leaves[0].total += {values_.slope[r], values_.curve[r], weight[r]};
    least_curve_ = rounding * leaves[0].total.curve;
    if (settings_.leaves > 1) {
      leaves[0].sums.emplace(data_.bins);
      add_all(*leaves[0].sums);
      find_split(leaves[0], 0);
    }
    while (std::ssize(leaves) < settings_.leaves) {
      Leaf* chosen = nullptr;
      for (Leaf& leaf : leaves)
        if (leaf.best && (!chosen || is_more(leaf.best->gain, chosen->best->gain))) chosen = &leaf;
      if (!chosen) break;
      tree.split.push_back(*chosen->best);
      divide(leaves, *chosen, tree.leaf_of);
    }
    for (const Leaf& leaf : leaves) {
      const double curve = leaf.total.curve + settings_.l2;
      tree.value.push_back(curve > least_curve_ ? leaf.total.slope / curve : 0.0);
      tree.explained += gain(leaf.total);
      tree.weight.push_back(leaf.total.weight);
    }
    return tree;
  }

 private:
  static constexpr double alike = 1e-10;     // gains that differ by no more are equal
  static constexpr double rounding = 1e-12;  // sums of fewer than that of their parts are noise

  /// Sums of equal columns are added in different orders: a little more is the same.
  static bool is_more(double gain, double than) { return gain > than * (1.0 + alike); }

  double gain(const Moments& m) const {
    const double curve = m.curve + settings_.l2;
    return curve > least_curve_ ? m.slope * m.slope / curve : 0.0;
  }

  void add_all(BinSums& sums) const {
    if (known_) {
      sums.add_slopes(packed_, values_.slope, threads_);
      sums.set_curves(*known_);
    } else {
      sums.add(packed_, {}, values_, threads_);
    }
  }

  /// The best split of a leaf by its sums.
  void find_split(Leaf& leaf, std::int32_t number) {
    leaf.best.reset();
    const double before = gain(leaf.total);
    for (std::int64_t c = 0; c < data_.columns(); ++c) {
      const std::span<const Moments> sums = leaf.sums->of(c);
      Moments left;
      for (std::size_t b = 0; b + 1 < sums.size(); ++b) {
        left += sums[b];
        const Moments right = leaf.total - left;
        if (left.weight < settings_.min_weight || right.weight < settings_.min_weight) continue;
        const double after = gain(left) + gain(right), more = after - before;
        if (more > rounding * after && (!leaf.best || is_more(more, leaf.best->gain))) {
          leaf.best =
              TreeSplit{number, static_cast<std::int32_t>(c), static_cast<std::int32_t>(b), more};
          leaf.left = left;
        }
      }
    }
  }

  /// Splits a leaf in two; the right part is a new leaf.
  void divide(std::vector<Leaf>& leaves, Leaf& leaf, std::vector<std::uint8_t>& leaf_of) {
    const TreeSplit split = *leaf.best;
    const auto next = static_cast<std::uint8_t>(leaves.size());
    const bool is_last = std::ssize(leaves) + 1 == settings_.leaves;
    Leaf left, right;
    left.total = leaf.left;
    right.total = leaf.total - leaf.left;
    cut_rows(leaf.rows, split, next, leaf_of, is_last ? nullptr : &left.rows,
             is_last ? nullptr : &right.rows);
    if (!is_last) {
      Leaf& fewer = right.rows.size() < left.rows.size() ? right : left;
      Leaf& more = &fewer == &right ? left : right;
      fewer.sums.emplace(data_.bins);
      if (!fewer.rows.empty()) fewer.sums->add(packed_, fewer.rows, values_, threads_);
      more.sums = std::move(leaf.sums);
      more.sums->subtract(*fewer.sums);
      find_split(left, split.leaf);
      find_split(right, static_cast<std::int32_t>(next));
    }
    leaf = std::move(left);
    leaves.push_back(std::move(right));
  }

  /// Rows of the right side become leaf `next`; both sides are listed in order, if they are wanted.
  void cut_rows(const std::vector<std::uint32_t>& rows, const TreeSplit& split, std::uint8_t next,
                std::vector<std::uint8_t>& leaf_of, std::vector<std::uint32_t>* left,
                std::vector<std::uint32_t>* right) const {
    constexpr std::int64_t piece = 1 << 16;
    const auto* bin = data_.column(split.column);
    const auto count = rows.empty() ? data_.rows : std::ssize(rows);
    const auto row_of = [&](std::int64_t i) {
      return rows.empty() ? static_cast<std::uint32_t>(i) : rows[i];
    };
    const auto pieces = (count + piece - 1) / piece;
    std::vector<std::int64_t> before(static_cast<std::size_t>(pieces) + 1, 0);  // rows to the right
    const auto each_piece = [&](auto&& body) {
      parallel_for(pieces, threads_, 1, [&](std::int64_t first, std::int64_t last) {
        for (auto p = first; p < last; ++p) body(p, p * piece, std::min(count, (p + 1) * piece));
      });
    };
    each_piece([&](std::int64_t p, std::int64_t first, std::int64_t last) {
      for (auto i = first; i < last; ++i) {
        const auto row = row_of(i);
        if (bin[row] > split.bin) {
          leaf_of[row] = next;
          ++before[p + 1];
        }
      }
    });
    if (!left) return;
    for (std::size_t p = 1; p < before.size(); ++p) before[p] += before[p - 1];
    right->resize(static_cast<std::size_t>(before.back()));
    left->resize(static_cast<std::size_t>(count - before.back()));
    each_piece([&](std::int64_t p, std::int64_t first, std::int64_t last) {
      auto* to_right = right->data() + before[p];
      auto* to_left = left->data() + (first - before[p]);
      for (auto i = first; i < last; ++i) {
        const auto row = row_of(i);
        *(bin[row] > split.bin ? to_right++ : to_left++) = row;
      }
    });
  }

  const PackedColumns& packed_;
  const BinnedColumns& data_;
  const RowMoments& values_;
  const TreeSettings settings_;
  const int threads_;
  const BinSums* known_;
  double least_curve_ = 0.0;
};

}  // namespace

GrownTree grow_tree(const PackedColumns& data, const RowMoments& values,
                    const TreeSettings& settings, int threads, const BinSums* known) {
  return Growth(data, values, settings, threads, known).run();
}

BinSums sum_curves(const PackedColumns& data, std::span<const double> curve, const BinSums* weights,
                   int threads) {
  BinSums sums(data.data().bins);
  sums.add_slopes(data, curve, threads);
  sums.turn_to_curves(weights);
  return sums;
}

}  // namespace rosewood
