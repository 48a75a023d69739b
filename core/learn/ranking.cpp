// core/learn/ranking.cpp
#include "learn/ranking.hpp"

#include <algorithm>
#include <cmath>

namespace rosewood {

namespace {

void charge(L1State& state, std::int64_t id) {
  double& weight = state.theta[id];
  const double before = weight;
  if (weight > 0.0)
    weight = std::max(0.0, weight - (state.owed + state.paid[id]));
  else if (weight < 0.0)
    weight = std::min(0.0, weight + (state.owed - state.paid[id]));
  state.paid[id] += weight - before;
}

}  // namespace

double l1_pass(const FeatureView& difference, std::span<const std::int64_t> order,
               const L1Settings& settings, L1State& state) {
  const auto width = difference.width;
  const auto& sparse = difference.sparse;
  const auto count = static_cast<double>(std::max<std::size_t>(1, order.size()));
  double total = 0.0;
  for (const auto row : order) {
    const double rate =
        settings.rate * std::pow(settings.decay, static_cast<double>(state.steps) / count);
    ++state.steps;
    state.owed += rate * settings.penalty;
    const double margin = row_score(difference, state.theta.data(), row);
    double slope = 0.0;  // minus the derivative of the loss by the margin
    if (settings.loss == RankingLoss::hinge) {
      total += std::max(0.0, 1.0 - margin);
      slope = margin < 1.0 ? 1.0 : 0.0;
    } else {
      total += margin > 0.0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
      slope = 1.0 / (1.0 + std::exp(margin));
    }
    const auto move = [&](std::int64_t id, double value) {
      state.theta[id] += rate * slope * value;
      charge(state, id);
    };
    for (std::int64_t d = 0; d < width; ++d) move(d, difference.dense[row * width + d]);
    for (Offset i = sparse.start[row]; i < sparse.start[row + 1]; ++i)
      move(width + sparse.id[i], sparse.value[i]);
  }
  for (std::int64_t id = 0; id < std::ssize(state.theta); ++id) charge(state, id);
  return total;
}

}  // namespace rosewood
