// core/reorder/counts.hpp: how often features occur with classes. No Python here.
#pragma once

#include <cstdint>
#include <span>

#include "reorder/examples.hpp"

namespace rosewood {

/// Adds to count[feature * classes + class] what examples have of each feature, or, with
/// `presence`, one for each example that has it. Counts are whole numbers in doubles, so that their
/// sums are exact in any order; values of float are added in the order of the examples.
void count_features(const ExampleView& x, std::span<const std::uint8_t> label, int classes,
                    bool presence, std::span<double> count, int threads);

/// Log probabilities of classes under naive Bayes: prior[k] + Σ count · weight[feature][k], a row
/// for each example. Weights are as wide as row_width(classes).
///
/// With `counts` (Dirichlet-multinomial), weight[f][k] is log(α + counts[f][k]); the j-th repeat of
/// a feature adds log(α + counts[f][k] + j), and from each sum of counts L goes
/// Σ_{j<L} log(totals[k] + j). Counts of examples must then be whole numbers.
struct BayesModel {
  std::span<const double> weight;
  std::span<const double> prior;   // log probabilities of classes
  std::span<const double> counts;  // of features and classes; empty: a multinomial
  std::span<const double> totals;  // Σ_f (α + counts[f][k])
  double alpha;
};
void bayes_log_probabilities(const ExampleView& x, const BayesModel& model, int classes,
                             std::span<double> log_probability, int threads);

}  // namespace rosewood
