// core/learn/objective.hpp: sums over forests of risk, entropy and log loss, with gradients.
#pragma once

#include <span>

#include "learn/batch.hpp"

namespace rosewood {

/// How much each part counts, and γ: p(d) ∝ exp(scale · θ·Φ(d)).
struct ObjectiveTerms {
  double scale;
  double risk;
  double entropy;
  double log_loss;
};

/// The parts summed over forests, before they are weighted.
struct ObjectiveParts {
  double risk = 0.0;      // E[loss]
  double entropy = 0.0;   // in nats
  double log_loss = 0.0;  // -log p(the derivations that `target` allows)
};

/// The parts for the forests whose numbers are in `subset`, and the gradient of their weighted sum
/// with respect to theta, which is added to `gradient`. `loss` is a number for each edge of the
/// batch, `target` a log weight that is added to the score (0, or -inf: not wanted); either may be
/// empty where its term is 0. The same bytes at any number of threads.
ObjectiveParts batch_objective(const ForestBatch& batch, std::span<const std::int64_t> subset,
                               std::span<const double> theta, std::span<const double> loss,
                               std::span<const double> target, const ObjectiveTerms& terms,
                               std::span<double> gradient, int threads);

}  // namespace rosewood
