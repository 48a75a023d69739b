// core/learn/mira.cpp
#include "learn/mira.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "forest/kernels.hpp"
#include "forest/search.hpp"

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

namespace {

/// The best derivation under `weight`, in rows of features.
std::vector<Offset> best_rows(const ForestView& f, std::span<const Offset> edge_map,
                              std::span<const double> weight) {
  std::vector<double> best(static_cast<std::size_t>(f.num_nodes()));
  std::vector<std::int64_t> back(best.size());
  viterbi(f, weight, best, back);
  auto edges = follow(f, back);
  if (!edge_map.empty())
    for (auto& e : edges) e = edge_map[e];
  return edges;
}

}  // namespace

HopeAndFear hope_and_fear(const ForestBatch& batch, std::int64_t i, std::span<const double> theta,
                          std::span<const double> gain, double scale) {
  const ForestView& f = batch.forest[i];
  std::vector<double> rows, score;
  forest_scores(batch, i, theta, rows, score);
  std::vector<double> weight(score.size());
  const auto best = [&](double sign) {
    for (std::size_t e = 0; e < score.size(); ++e) weight[e] = score[e] + sign * (scale * gain[e]);
    return best_rows(f, batch.edge_map[i], weight);
  };
  return {best(1.0), best(-1.0)};
}

SparseFeatures feature_difference(const FeatureView& features, std::span<const Offset> more,
                                  std::span<const Offset> less) {
  std::vector<std::pair<Offset, int>> uses;
  for (const auto row : more) uses.emplace_back(row, 1);
  for (const auto row : less) uses.emplace_back(row, -1);
  std::sort(uses.begin(), uses.end());
  SparseFeatures found;
  for (std::int64_t d = 0; d < features.width; ++d) found.id.push_back(d);
  found.value.resize(found.id.size());
  std::vector<std::pair<std::int64_t, double>> sparse;
  for (std::size_t k = 0; k < uses.size();) {
    const auto row = uses[k].first;
    double times = 0.0;
    for (; k < uses.size() && uses[k].first == row; ++k) times += uses[k].second;
    if (times == 0.0) continue;
    const double* dense = features.dense.data() + row * features.width;
    for (std::int64_t d = 0; d < features.width; ++d) found.value[d] += times * dense[d];
    for (Offset n = features.sparse.start[row]; n < features.sparse.start[row + 1]; ++n)
      sparse.emplace_back(features.width + features.sparse.id[n], times * features.sparse.value[n]);
  }
  const auto by_id = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(sparse.begin(), sparse.end(), by_id);  // values are added in the order of rows
  for (const auto& [id, value] : sparse) {
    if (found.id.empty() || found.id.back() != id) {
      found.id.push_back(id);
      found.value.push_back(0.0);
    }
    found.value.back() += value;
  }
  return found;
}

}  // namespace rosewood
