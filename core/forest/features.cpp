// core/forest/features.cpp
#include "forest/features.hpp"

#include <algorithm>
#include <utility>

#include "util/clones.hpp"
#include "util/error.hpp"
#include "util/parallel.hpp"
#include "util/prefetch.hpp"

namespace rosewood {

namespace {

/// Sums over a million features miss the cache: what is written next is asked for.
constexpr Offset ahead = 24;

/// total[d] += Σ_e coefficient[e] · dense[e, d], edge after edge. A sum of eight columns at a time
/// stays in registers.
ROSEWOOD_CLONES void add_dense(const double* dense, std::int64_t width,
                               std::span<const double> coefficient, double* total) {
  constexpr std::int64_t block = 8;
  std::int64_t d = 0;
  for (; d + block <= width; d += block) {
    double sum[block];
    std::copy_n(total + d, block, sum);
    for (std::size_t e = 0; e < coefficient.size(); ++e) {
      const double* row = dense + static_cast<std::int64_t>(e) * width + d;
      for (std::int64_t i = 0; i < block; ++i) sum[i] += coefficient[e] * row[i];
    }
    std::copy_n(sum, block, total + d);
  }
  for (; d < width; ++d) {
    double sum = total[d];
    for (std::size_t e = 0; e < coefficient.size(); ++e)
      sum += coefficient[e] * dense[static_cast<std::int64_t>(e) * width + d];
    total[d] = sum;
  }
}

}  // namespace

ROSEWOOD_CLONES void row_scores(const FeatureView& features, Offset first, const double* theta,
                                std::span<double> score) {
  for (std::size_t i = 0; i < score.size(); ++i)
    score[i] = row_score(features, theta, first + static_cast<Offset>(i));
}

void edge_scores(const FeatureView& features, std::span<const double> theta,
                 std::span<double> score, int threads) {
  parallel_for(std::ssize(score), threads, 4096, [&](std::int64_t begin, std::int64_t end) {
    row_scores(
        features, begin, theta.data(),
        score.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
  });
}

void add_features(const FeatureView& features, std::span<const double> coefficient,
                  std::span<double> total, int threads) {
  const auto width = features.width;
  const auto edges = std::ssize(coefficient);
  const auto start = features.sparse.start;
  const auto id = features.sparse.id;
  const auto value = features.sparse.value;
  if (width > 0) add_dense(features.dense.data(), width, coefficient, total.data());
  // Each thread owns a range of features and passes over all edges: every sum has one order.
  double* sparse_total = total.data() + width;
  const auto sparse_features = std::ssize(total) - width;
  const Offset non_zeros = start[edges];
  parallel_for(sparse_features, threads, 65536, [&](std::int64_t begin, std::int64_t end) {
    if (begin == 0 && end == sparse_features) {
      for (std::int64_t e = 0; e < edges; ++e) {
        const double c = coefficient[e];
        const Offset last = start[e + 1];
        for (Offset i = start[e]; i < last; ++i) {
          if (i + ahead < non_zeros) prefetch_to_write(&sparse_total[id[i + ahead]]);
          sparse_total[id[i]] += c * value[i];
        }
      }
      return;
    }
    for (std::int64_t e = 0; e < edges; ++e) {
      const double c = coefficient[e];
      for (Offset i = start[e]; i < start[e + 1]; ++i)
        if (id[i] >= begin && id[i] < end) sparse_total[id[i]] += c * value[i];
    }
  });
}

FeatureSums feature_sums(const FeatureView& features, const Rows<std::int64_t>& sums) {
  const auto width = static_cast<std::size_t>(features.width);
  const auto count = static_cast<std::size_t>(sums.size());
  FeatureSums found;
  found.dense.assign(count * width, 0.0);
  found.start.reserve(count + 1);
  found.start.push_back(0);
  std::vector<std::pair<FeatureId, double>> terms;
  for (std::size_t s = 0; s < count; ++s) {
    double* total = found.dense.data() + s * width;
    terms.clear();
    for (const auto edge : sums[static_cast<std::int64_t>(s)]) {
      const double* dense = features.dense.data() + edge * features.width;
      for (std::size_t d = 0; d < width; ++d) total[d] += dense[d];
      for (Offset i = features.sparse.start[edge]; i < features.sparse.start[edge + 1]; ++i)
        terms.emplace_back(features.sparse.id[i], features.sparse.value[i]);
    }
    std::stable_sort(terms.begin(), terms.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (i > 0 && terms[i].first == terms[i - 1].first) {
        found.value.back() += terms[i].second;
      } else {
        found.id.push_back(terms[i].first);
        found.value.push_back(terms[i].second);
      }
    }
    found.start.push_back(std::ssize(found.id));
  }
  return found;
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum[4] = {0.0, 0.0, 0.0, 0.0};  // four chains: additions overlap
  const std::size_t n = a.size();
  for (std::size_t i = 0; i < n; ++i) sum[i % 4] += a[i] == 0.0 ? 0.0 : a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace rosewood
