// core/metrics/score.cpp
#include "metrics/score.hpp"

#include <algorithm>

#include "util/clones.hpp"

namespace rosewood {

namespace {

constexpr std::size_t bleu_width = 10;

/// The columns of base + rows, one after the other.
ROSEWOOD_CLONES void add_up(const double* base, const double* rows, std::size_t n, double* column) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t s = 0; s < bleu_width; ++s)
      column[s * n + i] = base[s] + rows[i * bleu_width + s];
}

/// Geometric means of four precisions, none of which is zero; the operations of BLEU, in its order.
ROSEWOOD_CLONES void mean_precisions(const double* match, const double* total, std::size_t n,
                                     double* mean) {
  for (std::size_t i = 0; i < n; ++i) {
    double product = match[i] / total[i];
    product *= match[n + i] / total[n + i];
    product *= match[2 * n + i] / total[2 * n + i];
    product *= match[3 * n + i] / total[3 * n + i];
    mean[i] = std::sqrt(std::sqrt(product));
  }
}

}  // namespace

void gains_beside(const MetricScorer& scorer, const double* base, const double* rows,
                  std::span<double> gain, std::vector<double>& room) {
  const auto width = static_cast<std::size_t>(scorer.width());
  const auto n = gain.size();
  const bool plain = scorer.kind == MetricKind::bleu && scorer.orders == 4 &&
                     scorer.smoothing != Smoothing::add_k &&
                     std::all_of(base + 2, base + width, [](double x) { return x > 0; });
  if (!plain) {
    room.resize(width);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t s = 0; s < width; ++s) room[s] = base[s] + rows[i * width + s];
      gain[i] = scorer.gain(room.data());
    }
    return;
  }
  room.resize(n * width);
  add_up(base, rows, n, room.data());
  mean_precisions(room.data() + 2 * n, room.data() + 6 * n, n, gain.data());
  for (std::size_t i = 0; i < n; ++i) {
    const double words = room[i], reference = room[n + i];
    const double brevity = words < reference ? std::exp(1.0 - reference / words) : 1.0;
    gain[i] = scorer.factor * brevity * gain[i];
  }
}

void metric_scores(const MetricScorer& scorer, std::span<const double> statistics,
                   std::span<double> score) {
  const auto width = static_cast<std::size_t>(scorer.width());
  for (std::size_t i = 0; i < score.size(); ++i)
    score[i] = scorer.score(statistics.data() + i * width);
}

}  // namespace rosewood
