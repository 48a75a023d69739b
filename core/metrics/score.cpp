// core/metrics/score.cpp
#include "metrics/score.hpp"

namespace rosewood {

void metric_scores(const MetricScorer& scorer, std::span<const double> statistics,
                   std::span<double> score) {
  const auto width = static_cast<std::size_t>(scorer.width());
  for (std::size_t i = 0; i < score.size(); ++i)
    score[i] = scorer.score(statistics.data() + i * width);
}

}  // namespace rosewood
