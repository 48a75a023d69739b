// core/learn/mira.hpp: one pass of batch MIRA over lists of candidates. No Python here.
#pragma once

#include <cstdint>
#include <span>

#include "forest/features.hpp"
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

}  // namespace rosewood
