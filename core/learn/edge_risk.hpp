// core/learn/edge_risk.hpp: the expected loss of forests, as a function of the scores of edges.
#pragma once

#include <span>

#include "learn/batch.hpp"

namespace rosewood {

/// E[loss] of each forest under p(d) ∝ exp(scale · Σ score), and its derivative by the score of
/// each row of features. Rows of forest i are row_begin[i] .. row_begin[i+1]-1 of `score` and
/// `slope`; edges of a refined forest share the rows of its edge map. `loss` has a number for each
/// edge of the batch.
void batch_risk(const ForestBatch& batch, std::span<const Offset> row_begin,
                std::span<const double> score, std::span<const double> loss, double scale,
                std::span<double> risk, std::span<double> slope, int threads);

}  // namespace rosewood
