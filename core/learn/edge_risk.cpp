// core/learn/edge_risk.cpp
#include "learn/edge_risk.hpp"

#include <algorithm>
#include <vector>

#include "forest/expectation.hpp"
#include "util/error.hpp"
#include "util/parallel.hpp"

namespace rosewood {

void batch_risk(const ForestBatch& batch, std::span<const Offset> row_begin,
                std::span<const double> score, std::span<const double> loss, double scale,
                std::span<double> risk, std::span<double> slope, int threads) {
  parallel_for(batch.size(), threads, 1, [&](std::int64_t first, std::int64_t last) {
    std::vector<double> weight, q, covariance;
    for (auto i = first; i < last; ++i) {
      const ForestView& f = batch.forest[i];
      const auto edges = static_cast<std::size_t>(f.num_edges());
      const auto begin = static_cast<std::size_t>(row_begin[i]);
      const auto rows = static_cast<std::size_t>(row_begin[i + 1]) - begin;
      const auto map = batch.edge_map[i];
      for (auto* buffer : {&weight, &q, &covariance}) buffer->resize(edges);
      for (std::size_t e = 0; e < edges; ++e)
        weight[e] = scale * score[begin + (map.empty() ? e : static_cast<std::size_t>(map[e]))];
      try {
        edge_conditionals(f, weight, q);
        risk[i] = edge_covariances(f, q, batch.of(i, loss), covariance);
      } catch (const EmptyForestError& error) {
        throw restated(error, "forest", batch.number[i]);
      } catch (const ForestError& error) {
        throw restated(error, "forest", batch.number[i]);
      }
      const auto own = slope.subspan(begin, rows);
      std::fill(own.begin(), own.end(), 0.0);
      for (std::size_t e = 0; e < edges; ++e)
        own[map.empty() ? e : static_cast<std::size_t>(map[e])] += scale * covariance[e];
    }
  });
}

}  // namespace rosewood
