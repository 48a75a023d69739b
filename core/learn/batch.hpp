// core/learn/batch.hpp: many forests at once, as learners see them. No Python here.
//
// Numbers of edges (scores, losses, slopes) stand in one array for the whole batch: those of forest
// i from edge_begin[i] on. Threads share out forests, and what is summed over forests is summed in
// `shards` pieces that do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forest/features.hpp"
#include "forest/view.hpp"

namespace rosewood {

struct ForestBatch {
  std::vector<ForestView> forest;
  std::vector<FeatureView> features;
  std::vector<Offset> edge_begin;  // one more than forests

  std::int64_t size() const { return std::ssize(forest); }
  Offset num_edges() const { return edge_begin.back(); }
  template <class T>
  std::span<T> of(std::int64_t i, std::span<T> edges) const {
    return edges.subspan(static_cast<std::size_t>(edge_begin[i]),
                         static_cast<std::size_t>(edge_begin[i + 1] - edge_begin[i]));
  }
};

/// Row t of `score` is theta_t · φ_e of all edges e. `theta` and `score` have `vectors` rows, one
/// after the other; features are read once for all of them.
void batch_scores(const ForestBatch& batch, std::int64_t vectors, std::span<const double> theta,
                  std::span<double> score, int threads);

/// The edges of each forest's best derivation under `score`, in pre-order, and where they begin:
/// numbers in the batch. Among equals, the first edges.
struct BatchDerivations {
  std::vector<Offset> start;
  std::vector<Offset> edge;
};
BatchDerivations batch_best(const ForestBatch& batch, std::span<const double> score, int threads);

}  // namespace rosewood
