// core/learn/batch.cpp
#include "learn/batch.hpp"

#include <algorithm>

#include "forest/kernels.hpp"
#include "forest/search.hpp"
#include "util/clones.hpp"
#include "util/parallel.hpp"

namespace rosewood {

namespace {

/// Scores of the rows of one forest; `score` has a row for each parameter vector, `stride` apart.
ROSEWOOD_CLONES void score_rows(const FeatureView& features, Offset rows, const double* theta,
                                std::int64_t size, std::int64_t vectors, double* score,
                                Offset stride) {
  for (Offset e = 0; e < rows; ++e)
    for (std::int64_t t = 0; t < vectors; ++t)
      score[t * stride + e] = row_score(features, theta + t * size, e);
}

}  // namespace

void forest_scores(const ForestBatch& batch, std::int64_t i, std::span<const double> theta,
                   std::vector<double>& rows, std::vector<double>& score) {
  const auto& features = batch.features[i];
  const auto map = batch.edge_map[i];
  score.resize(static_cast<std::size_t>(batch.forest[i].num_edges()));
  if (map.empty()) {
    edge_scores(features, theta, score, 1);
    return;
  }
  rows.resize(features.sparse.start.size() - 1);
  edge_scores(features, theta, rows, 1);
  for (std::size_t e = 0; e < score.size(); ++e) score[e] = rows[map[e]];
}

void batch_scores(const ForestBatch& batch, std::int64_t vectors, std::span<const double> theta,
                  std::span<double> score, int threads) {
  const auto size = std::ssize(theta) / std::max<std::int64_t>(1, vectors);
  parallel_for(batch.size(), threads, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      score_rows(batch.features[i], batch.forest[i].num_edges(), theta.data(), size, vectors,
                 score.data() + batch.edge_begin[i], batch.num_edges());
  });
}

BatchDerivations batch_best(const ForestBatch& batch, std::span<const double> theta, int threads) {
  std::vector<std::vector<std::int64_t>> each(static_cast<std::size_t>(batch.size()));
  parallel_for(batch.size(), threads, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> rows, score, best;
    std::vector<std::int64_t> back;
    for (std::int64_t i = begin; i < end; ++i) {
      const ForestView& f = batch.forest[i];
      best.resize(static_cast<std::size_t>(f.num_nodes()));
      back.resize(best.size());
      forest_scores(batch, i, theta, rows, score);
      viterbi(f, score, best, back);
      each[i] = follow(f, back);
    }
  });
  BatchDerivations result;
  result.start.push_back(0);
  for (std::int64_t i = 0; i < batch.size(); ++i) {
    for (const auto e : each[i]) result.edge.push_back(batch.edge_begin[i] + e);
    result.start.push_back(std::ssize(result.edge));
  }
  return result;
}

}  // namespace rosewood
