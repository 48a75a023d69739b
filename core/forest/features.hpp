// core/forest/features.hpp: products of the feature matrix [E, dense + sparse] with a vector, from
// either side. No Python here. The parameter vector has the dense features first.
#pragma once

#include <span>

#include "forest/view.hpp"

namespace rosewood {

/// The features of a forest's edges: `dense` is E rows of `width` numbers, `sparse` has E rows.
struct FeatureView {
  std::span<const double> dense;
  std::int64_t width;
  SparseView sparse;
};

/// score[e] = theta · φ_e. theta.size() is width plus the number of sparse features.
void edge_scores(const FeatureView& features, std::span<const double> theta,
                 std::span<double> score, int threads);

/// total[i] += Σ_e coefficient[e] φ_e[i], in the order of the edges at any number of threads.
void add_features(const FeatureView& features, std::span<const double> coefficient,
                  std::span<double> total, int threads);

/// Σ_i a[i] b[i] over the i with a[i] != 0, whatever b is elsewhere; always in the same order (a
/// library's product may depend on the number of threads).
double dot(std::span<const double> a, std::span<const double> b);

}  // namespace rosewood
