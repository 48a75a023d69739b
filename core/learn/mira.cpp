// core/learn/mira.cpp
#include "learn/mira.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace rosewood {

namespace {

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
  std::vector<double> sum(width);
  Difference difference(state.theta.size());
  std::int64_t moved = 0;
  for (const auto list : order) {
    Offset hope = -1, fear = -1;
    double best_hope = 0.0, best_fear = 0.0;
    double hope_score = 0.0, hope_gain = 0.0, fear_score = 0.0, fear_gain = 0.0;
    for (Offset c = table.start[list]; c < table.start[list + 1]; ++c) {
      const double score = row_score(features, state.theta.data(), c);
      const double* row = table.statistics.data() + static_cast<std::size_t>(c) * width;
      for (std::size_t s = 0; s < width; ++s) sum[s] = state.background[s] + row[s];
      const double gain = settings.gain_scale * scorer.gain(sum.data()) * scorer.size(sum.data());
      if (hope < 0 || score + gain > best_hope) {
        hope = c, best_hope = score + gain, hope_score = score, hope_gain = gain;
      }
      if (fear < 0 || score - gain > best_fear) {
        fear = c, best_fear = score - gain, fear_score = score, fear_gain = gain;
      }
    }
    ++state.steps;
    const double loss = (hope_gain - fear_gain) - (hope_score - fear_score);
    if (hope != fear && loss > 0.0) {
      difference.add(features, hope, 1.0);
      difference.add(features, fear, -1.0);
      const double norm = difference.norm();
      const double step = norm > 0.0 ? std::min(settings.step, loss / norm) : 0.0;
      const auto time = static_cast<double>(state.steps);
      difference.drain([&](std::int64_t id, double value) {
        state.theta[id] += step * value;
        state.drift[id] += time * step * value;
      });
      if (step > 0.0) ++moved;
    }
    const double* row = table.statistics.data() + static_cast<std::size_t>(hope) * width;
    for (std::size_t s = 0; s < width; ++s)
      state.background[s] = settings.decay * state.background[s] + row[s];
  }
  return moved;
}

}  // namespace rosewood
