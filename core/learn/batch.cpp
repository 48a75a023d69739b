// core/learn/batch.cpp
#include "learn/batch.hpp"

#include "forest/kernels.hpp"
#include "forest/search.hpp"
#include "util/parallel.hpp"

namespace rosewood {

void batch_scores(const ForestBatch& batch, std::span<const double> theta, std::span<double> score,
                  int threads) {
  parallel_for(batch.size(), threads, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      edge_scores(batch.features[i], theta, batch.of(i, score), 1);
  });
}

BatchDerivations batch_best(const ForestBatch& batch, std::span<const double> score, int threads) {
  std::vector<std::vector<std::int64_t>> each(static_cast<std::size_t>(batch.size()));
  parallel_for(batch.size(), threads, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> best;
    std::vector<std::int64_t> back;
    for (std::int64_t i = begin; i < end; ++i) {
      const ForestView& f = batch.forest[i];
      best.resize(static_cast<std::size_t>(f.num_nodes()));
      back.resize(best.size());
      viterbi(f, batch.of(i, score), best, back);
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
