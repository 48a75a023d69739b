// core/learn/batch.hpp: many forests at once, as learners see them. No Python here.
//
// Numbers of edges (scores, losses, slopes) are in one array for the whole batch: those of forest i
// from edge_begin[i] on. Threads share out forests; what is summed over forests is summed in shards
// that the caller chooses, so sums depend neither on threads nor on how a set is cut into batches.
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
  std::vector<std::span<const Offset>> edge_map;  // row of `features` of each edge; empty: edge e
                                                  // has row e
  std::vector<std::int64_t> number;               // of each forest in the whole set, for errors
  std::vector<Offset> edge_begin;                 // one more than forests

  std::int64_t size() const { return std::ssize(forest); }
  Offset num_edges() const { return edge_begin.back(); }
  template <class T>
  std::span<T> of(std::int64_t i, std::span<T> edges) const {
    return edges.subspan(static_cast<std::size_t>(edge_begin[i]),
                         static_cast<std::size_t>(edge_begin[i + 1] - edge_begin[i]));
  }
};

/// theta · φ of each edge of forest i. `rows` is working space: each row of features is scored
/// once, however many edges share it.
void forest_scores(const ForestBatch& batch, std::int64_t i, std::span<const double> theta,
                   std::vector<double>& rows, std::vector<double>& score);

/// Row t of `score` is theta_t · φ_e of all edges e. `theta` and `score` have `vectors` rows, one
/// after the other; features are read once for all of them. Requires forests without edge maps.
void batch_scores(const ForestBatch& batch, std::int64_t vectors, std::span<const double> theta,
                  std::span<double> score, int threads);

/// The edges of each forest's best derivation under `theta`, in pre-order, and where they begin:
/// numbers in the batch. Among equals, the first edges.
struct BatchDerivations {
  std::vector<Offset> start;
  std::vector<Offset> edge;
};
BatchDerivations batch_best(const ForestBatch& batch, std::span<const double> theta, int threads);

}  // namespace rosewood
