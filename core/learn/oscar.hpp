// core/learn/oscar.hpp: online learning of groups of features: hinge loss on pairs of candidates,
// OSCAR penalty (Liu et al. 2013, algorithm 2). No Python here. Specification:
// tests/reference/oscar.py.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forest/features.hpp"
#include "learn/oscar_order.hpp"
#include "util/prefetch.hpp"

namespace rosewood {

/// Weights of many features under OSCAR's penalty. Features of equal size are one block: a proximal
/// step costs what has changed since the last one, not the number of weights.
///
/// Which block a feature is in is a forest of nodes, as blocks only merge: a root is a block, and
/// each node has the difference between its sum of sizes and that of the node it was merged into.
class OscarWeights final : BlockOrder::Owner {
 public:
  /// Starts at these weights, all finite, at most as many of them not zero as there are dimensions.
  OscarWeights(const OscarPenalty& penalty, std::span<const double> weight);
  OscarWeights(const OscarWeights&) = delete;
  OscarWeights& operator=(const OscarWeights&) = delete;

  std::int64_t size() const { return std::ssize(feature_); }
  /// Blocks, by the size of their weights alone.
  std::int64_t blocks() const { return order_.blocks(); }

  double weight(std::int64_t id) {
    const Node node = feature_[id].node;
    if (node == none) return 0.0;
    const Node root = find(feature_[id]);
    return root == none ? 0.0 : feature_[id].sign * order_.size(root);
  }
  void prefetch(std::int64_t id) const { prefetch_to_write(&feature_[id]); }
  /// The half-step of some features.
  void add(std::span<const std::int64_t> id, std::span<const double> change);
  void add(std::int64_t id, double change);
  /// The proximal step.
  void shrink(double eta) { order_.shrink(eta, *this); }

  /// All weights, and the sums of each weight after each proximal step.
  void write(std::span<double> weight, std::span<double> sum);

 private:
  using Node = BlockOrder::Node;
  static constexpr Node none = -1, over = -2;

  struct Feature {
    Node node = none;
    float sign = 1.0F;
    double sum = 0.0;  // of sizes with the sign; in a block, what the block's own sum lacks
  };
  struct Link {
    Node parent;  // none: a block; over: one that has reached zero
    double sum;   // what the parent's sum lacks; of a block that is over, its sum
  };

  Node merge(Node first, Node second) override;
  void end(Node node) override;
  Node find(Feature& feature);
  Node fresh_node();
  void collect();

  std::vector<Feature> feature_;
  std::vector<Link> link_;
  std::vector<Node> free_;
  std::size_t collect_at_;
  BlockOrder order_;
};

struct OscarSettings {
  OscarPenalty penalty;
  std::int64_t batch;  // half-steps for each proximal step
};

/// What passes carry on. Weights have the dense features first; those carry no penalty.
struct OscarState {
  std::vector<double> weight;
  std::vector<double> sum;      // of each weight after each proximal step
  std::int64_t half_steps = 0;  // t: the step size of the next one is 1 / (t + 1)
  std::int64_t steps = 0;       // proximal ones
};

/// Runs algorithm 2 over rows of a table, one pass after another.
class OscarPass {
 public:
  OscarPass(const OscarSettings& settings, std::int64_t dense, const OscarState& start);

  /// Rows of `difference` (features of a better candidate less those of a worse one), in this
  /// order, each a half-step on max(0, 1 − margin). Returns the sum of losses before each.
  double run(const FeatureView& difference, std::span<const std::int64_t> order);
  /// Ends a batch that is not full, and returns the state. Passes that start from it give the same
  /// numbers as passes that start from a copy of it.
  OscarState finish();

  std::int64_t blocks() const { return sparse_.blocks(); }

 private:
  void shrink();

  OscarSettings settings_;
  std::vector<double> dense_;
  std::vector<double> late_;  // of each dense weight: Σ change · proximal steps before it
  std::vector<double> sum_;   // of the passes before
  OscarWeights sparse_;
  std::int64_t half_steps_;
  std::int64_t steps_before_;
  std::int64_t steps_ = 0;  // of this pass
  std::int64_t in_batch_ = 0;
  double pending_ = 0.0;
};

}  // namespace rosewood
