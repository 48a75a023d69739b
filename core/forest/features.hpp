// core/forest/features.hpp: products of the feature matrix [E, dense + sparse] with a vector, from
// either side. No Python here. The parameter vector has the dense features first.
#pragma once

#include <span>
#include <vector>

#include "forest/view.hpp"
#include "util/clones.hpp"

namespace rosewood {

/// The features of a forest's edges: `dense` is E rows of `width` numbers, `sparse` has E rows.
struct FeatureView {
  std::span<const double> dense;
  std::int64_t width;
  SparseView sparse;
};

/// a · b over n numbers, in four sums side by side: additions overlap, and their order is fixed.
ROSEWOOD_INLINE double dense_dot(const double* a, const double* b, std::int64_t n) {
  double sum[4] = {0.0, 0.0, 0.0, 0.0};
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; ++k) sum[k] += a[i + k] * b[i + k];
  for (; i < n; ++i) sum[0] += a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// theta · φ of one row; theta has the dense features first.
ROSEWOOD_INLINE double row_score(const FeatureView& features, const double* theta,
                                 std::int64_t row) {
  double sum = dense_dot(theta, features.dense.data() + row * features.width, features.width);
  const double* sparse_theta = theta + features.width;
  const auto& sparse = features.sparse;
  for (Offset i = sparse.start[row]; i < sparse.start[row + 1]; ++i)
    sum += sparse_theta[sparse.id[i]] * sparse.value[i];
  return sum;
}

/// score[i] = theta · φ of row first + i.
void row_scores(const FeatureView& features, Offset first, const double* theta,
                std::span<double> score);

/// score[e] = theta · φ_e. theta.size() is width plus the number of sparse features.
void edge_scores(const FeatureView& features, std::span<const double> theta,
                 std::span<double> score, int threads);

/// total[i] += Σ_e coefficient[e] φ_e[i], in the order of the edges at any number of threads.
void add_features(const FeatureView& features, std::span<const double> coefficient,
                  std::span<double> total, int threads);

/// Sums of rows of features: `dense` has `width` numbers each; sparse features ascend in a sum.
struct FeatureSums {
  std::vector<double> dense;
  std::vector<Offset> start;
  std::vector<FeatureId> id;
  std::vector<double> value;
};

/// The features of each of `sums`, which are rows of edges, added up edge after edge.
FeatureSums feature_sums(const FeatureView& features, const Rows<std::int64_t>& sums);

/// Σ_i a[i] b[i] over the i with a[i] != 0, whatever b is elsewhere; always in the same order (a
/// library's product may depend on the number of threads).
double dot(std::span<const double> a, std::span<const double> b);

}  // namespace rosewood
