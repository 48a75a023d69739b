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

/// The parts of one shard, summed over its forests, before they are weighted.
struct ObjectiveParts {
  double risk = 0.0;      // E[loss]
  double entropy = 0.0;   // in nats
  double log_loss = 0.0;  // -log p(the derivations that `target` allows)
};

/// Adds the parts of the forests `subset` of the batch, and the gradient of their weighted sum with
/// respect to theta, to the sums of their shards: forest subset[k] to parts[shard[k]] and to row
/// shard[k] of `gradient`. Shards ascend, and forests of a shard are added in order: so a set that
/// is cut into several batches, one call each, has the same sums as in one batch, at any number of
/// threads. `loss` is a number for each edge of the batch, `target` a log weight that is added to
/// the score (0, or -inf: not wanted); either may be empty where its term is 0.
void batch_objective(const ForestBatch& batch, std::span<const std::int64_t> subset,
                     std::span<const std::int64_t> shard, std::span<const double> theta,
                     std::span<const double> loss, std::span<const double> target,
                     const ObjectiveTerms& terms, std::span<ObjectiveParts> parts,
                     std::span<double> gradient, int threads);

}  // namespace rosewood
