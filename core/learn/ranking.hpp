// core/learn/ranking.hpp: stochastic descent on a ranking loss with an L1 penalty. No Python here.
#pragma once

#include <cstdint>
#include <span>

#include "forest/features.hpp"

namespace rosewood {

enum class RankingLoss { hinge, logistic };

struct L1Settings {
  RankingLoss loss;
  double penalty;  // λ of the mean loss + λ Σ|θ|
  double rate;     // the first step size
  double decay;    // what the step size is multiplied with in a pass
};

/// What passes carry on.
struct L1State {
  std::span<double> theta;
  std::span<double> paid;  // penalty that each weight has had so far, with its sign
  double owed;             // penalty that each weight could have had
  std::int64_t steps;
};

/// Visits rows of `difference` (features of a better candidate less those of a worse one) in
/// `order`, each a step on its loss. The penalty is cumulative (Tsuruoka et al. 2009): a weight is
/// charged when it is touched, all it has not paid since, and never past zero. At the end of the
/// pass every weight is charged. Returns the sum of losses before each step.
double l1_pass(const FeatureView& difference, std::span<const std::int64_t> order,
               const L1Settings& settings, L1State& state);

}  // namespace rosewood
