// core/learn/mira.cpp
#include "learn/mira.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace rosewood {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Sums of sparse vectors: what was touched is known, and cleared afterwards.
class Difference {
 public:
  explicit Difference(std::size_t features) : value_(features, 0.0), listed_(features, 0) {}

  void add(const FeatureView& features, Offset row, double sign) {
    for (std::int64_t d = 0; d < features.width; ++d)
      touch(d, sign * features.dense[row * features.width + d]);
    for (Offset i = features.sparse.start[row]; i < features.sparse.start[row + 1]; ++i)
      touch(features.width + features.sparse.id[i], sign * features.sparse.value[i]);
  }
  double norm() const {
    double sum = 0.0;
    for (const auto id : touched_) sum += value_[id] * value_[id];
    return sum;
  }
  template <class Each>
  void drain(Each&& each) {
    for (const auto id : touched_) {
      each(id, value_[id]);
      value_[id] = 0.0;
      listed_[id] = 0;
    }
    touched_.clear();
  }

 private:
  void touch(std::int64_t id, double value) {
    if (!listed_[id]) touched_.push_back(id);
    listed_[id] = 1;
    value_[id] += value;
  }
  std::vector<double> value_;
  std::vector<std::uint8_t> listed_;
  std::vector<std::int64_t> touched_;
};

}  // namespace

std::int64_t mira_pass(const CandidateTable& table, const MetricScorer& scorer,
                       std::span<const std::int64_t> order, const MiraSettings& settings,
                       MiraState& state) {
  const auto width = static_cast<std::size_t>(scorer.width());
  const auto& features = table.features;
  std::vector<double> scores, gains, room;
  Difference difference(state.theta.size());
  std::int64_t moved = 0;
  for (const auto list : order) {
    const Offset first = table.start[list];
    const auto count = static_cast<std::size_t>(table.start[list + 1] - first);
    const double* rows = table.statistics.data() + static_cast<std::size_t>(first) * width;
    scores.resize(count);
    gains.resize(count);
    row_scores(features, first, state.theta.data(), scores);
    gains_beside(scorer, state.background.data(), rows, gains, room);
    std::size_t hope = 0, fear = 0;
    double best_hope = -infinity, best_fear = -infinity;
    for (std::size_t c = 0; c < count; ++c) {
      const double size = state.background[1] + rows[c * width + 1];  // the second statistic
      gains[c] = settings.gain_scale * gains[c] * size;
      if (scores[c] + gains[c] > best_hope) best_hope = scores[c] + gains[c], hope = c;
      if (scores[c] - gains[c] > best_fear) best_fear = scores[c] - gains[c], fear = c;
    }
    ++state.steps;
    const double loss = (gains[hope] - gains[fear]) - (scores[hope] - scores[fear]);
    if (hope != fear && loss > 0.0) {
      difference.add(features, first + static_cast<Offset>(hope), 1.0);
      difference.add(features, first + static_cast<Offset>(fear), -1.0);
      const double norm = difference.norm();
      const double step = norm > 0.0 ? std::min(settings.step, loss / norm) : 0.0;
      const auto time = static_cast<double>(state.steps);
      difference.drain([&](std::int64_t id, double value) {
        state.theta[id] += step * value;
        state.drift[id] += time * step * value;
      });
      if (step > 0.0) ++moved;
    }
    for (std::size_t s = 0; s < width; ++s)
      state.background[s] = settings.decay * state.background[s] + rows[hope * width + s];
  }
  return moved;
}

}  // namespace rosewood
