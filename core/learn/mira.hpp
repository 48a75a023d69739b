// core/learn/mira.hpp: batch MIRA: passes over lists of candidates, steps on forests. No Python
// here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forest/features.hpp"
#include "learn/batch.hpp"
#include "metrics/score.hpp"

namespace rosewood {

/// Candidates of list i: rows start[i] .. start[i+1]-1 of `features` and `statistics`.
struct CandidateTable {
  std::span<const Offset> start;
  FeatureView features;
  std::span<const double> statistics;
};

struct MiraSettings {
  double step;        // the largest step (C)
  double decay;       // of the pseudo-corpus
  double gain_scale;  // what gains are multiplied with
};

/// What a pass changes.
struct MiraState {
  std::span<double> theta;
  std::span<double> drift;  // Σ t·change of theta at step t: the average without touching it all
  std::span<double> background;  // statistics of the pseudo-corpus
  std::int64_t steps;            // sentences seen so far
};

/// Visits the lists in `order`: the hope candidate (model score plus gain) and the fear candidate
/// (model score less gain) pull theta apart until their margin is their difference in gain (Cherry
/// & Foster 2012). The gain of a candidate is what the metric says of the pseudo-corpus with it,
/// times its size. Returns the number of sentences that moved theta.
std::int64_t mira_pass(const CandidateTable& table, const MetricScorer& scorer,
                       std::span<const std::int64_t> order, const MiraSettings& settings,
                       MiraState& state);

/// The derivations of a forest that are best by the model's score plus its gain, and less its gain.
/// Edges in pre-order, numbered as the rows of features are.
struct HopeAndFear {
  std::vector<Offset> hope;
  std::vector<Offset> fear;
};
/// Of forest i of the batch; `gain` has a number for each of its edges, `scale` multiplies them.
HopeAndFear hope_and_fear(const ForestBatch& batch, std::int64_t i, std::span<const double> theta,
                          std::span<const double> gain, double scale);

/// Features that have a value, ascending, and their values.
struct SparseFeatures {
  std::vector<std::int64_t> id;  // places in theta
  std::vector<double> value;
};
/// The features of the rows `more` less those of the rows `less`: all dense ones, and the sparse
/// ones that these rows have. Costs what the rows have, whatever the length of theta.
SparseFeatures feature_difference(const FeatureView& features, std::span<const Offset> more,
                                  std::span<const Offset> less);

}  // namespace rosewood
