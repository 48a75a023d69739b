// core/reorder/primal.hpp: multinomial logistic regression by averaged stochastic gradient descent.
// No Python here.
#pragma once

#include <cstdint>
#include <span>

#include "reorder/examples.hpp"

namespace rosewood {

/// Minimises λ/2 Σ_k |w_k|² − mean log p(label), λ = 1/(σ²N), one example at a time (Bottou 2010),
/// and averages the weights of all steps from `average_from` on (Xu 2011).
struct PrimalProblem {
  ExampleView examples;
  std::span<const std::uint8_t> label;
  int classes;
  double lambda;
};

/// Weights are products of a scale and rows, so that a step changes the rows of its features alone:
/// w = row / divisor, and the average is (sum + share · row) / count. A feature's row of weights is
/// followed by its row of sums.
struct PrimalState {
  std::span<double> rows;  // two rows for each feature
  double divisor = 1.0;
  double count = 1.0;
  double share = 0.0;
  std::int64_t steps = 0;
};

struct PrimalSettings {
  double rate;                // η0 of η0 (1 + λ η0 t)^(−3/4)
  std::int64_t average_from;  // step
  std::int64_t block;         // examples that are shuffled together
  std::uint64_t seed;
};

/// A part of pass `pass`: blocks number first .. last-1 of its random order.
void primal_pass(const PrimalProblem& problem, const PrimalSettings& settings, PrimalState& state,
                 std::int64_t pass, std::int64_t first, std::int64_t last);

/// The weights, or their average, as rows for each feature.
void primal_weights(const PrimalState& state, int classes, bool average, std::span<double> weight);

/// −Σ log p(label), summed over fixed blocks in their order.
double log_loss(const PrimalProblem& problem, std::span<const double> weight, int threads);

}  // namespace rosewood
