// core/reorder/dual.hpp: multinomial logistic regression in its dual, with shrinking. No Python
// here.
#pragma once

#include <cstdint>
#include <span>

#include "reorder/examples.hpp"

namespace rosewood {

/// Minimises D(α) = 1/(2σ²) Σ_k |w_k|² + Σ_i Σ_k α_ik log α_ik over α_i on the simplex, where
/// w_k = σ² Σ_i (p̃_ik − α_ik) φ_i (Alrajeh & Niranjan 2014, eq. 9–10).
struct DualProblem {
  ExampleView examples;
  std::span<const std::uint8_t> label;
  int classes;
  double sigma2;
};

/// How the step of an example is chosen. `halving` is the paper's: η = 1/2 for all classes, halved
/// until D falls. `exact` minimises D over the α of the example.
enum class DualStep { halving, exact };

struct DualSettings {
  double shrink;  // an example whose gradients differ by no more becomes inactive
  int trials;     // of a step size
  DualStep step;
  int shards;          // that work side by side, each on weights of its own
  std::int64_t block;  // examples that are shuffled together
  std::uint64_t seed;
};

/// What passes change. Rows of weights are row_width(classes) wide.
struct DualState {
  std::span<double> log_alpha;     // a row for each example
  std::span<std::uint8_t> active;  // 1: is visited
  std::span<double> weight;        // one block of rows for each shard
};

struct PassCounts {
  std::int64_t visited = 0;   // examples that were active
  std::int64_t remained = 0;  // of them, those that still are
  std::int64_t stuck = 0;     // of them, those without a step that makes D smaller
};

/// Blocks of a problem that shard s works on: s, s + shards, …
inline std::int64_t blocks_of_shard(std::int64_t examples, const DualSettings& settings, int s) {
  const std::int64_t blocks = (examples + settings.block - 1) / settings.block;
  return blocks <= s ? 0 : (blocks - s - 1) / settings.shards + 1;
}

/// A part of pass `pass`: each shard visits its blocks number first .. last-1 in the random order
/// of this pass, and of each block its active examples in random order (alg. 1). With several
/// shards, each sees its own changes times their number (CoCoA+), so that D falls when all are
/// added up.
PassCounts dual_pass(const DualProblem& problem, const DualSettings& settings,
                     const DualState& state, std::int64_t pass, std::int64_t first,
                     std::int64_t last, int threads);

/// Adds what the shards have changed to the weights from before the pass, in the order of the
/// shards, and gives all of them the result.
void merge_shards(std::span<double> before, std::span<double> weight, int shards, int threads);

/// Adds what examples contribute to w(α) to zeros: shard s adds up its blocks first .. last-1.
void dual_weights(const DualProblem& problem, const DualSettings& settings,
                  std::span<const double> log_alpha, std::span<double> weight, std::int64_t first,
                  std::int64_t last, int threads);

/// Adds up the weights of all shards, in their order, and gives all of them the sum.
void add_shards(std::span<double> weight, int shards, int threads);

struct DualSums {
  double loss = 0.0;     // −Σ log p(label)
  double entropy = 0.0;  // Σ α log α
  double gap = 0.0;      // Σ KL(α || p): P(w) + D(α), if w = w(α)
  std::int64_t violating = 0;
};

/// Sums over the examples of blocks first .. last-1, and which are active: those whose gradients
/// differ by more than `shrink`. Sums are of blocks, in their order.
DualSums dual_check(const DualProblem& problem, const DualSettings& settings,
                    std::span<const double> log_alpha, std::span<const double> weight,
                    std::span<std::uint8_t> active, std::int64_t first, std::int64_t last,
                    int threads);

/// log α at the start: 1 − ε for the label, ε shared by the other classes.
void start_alpha(const DualProblem& problem, double epsilon, std::span<double> log_alpha);

}  // namespace rosewood
