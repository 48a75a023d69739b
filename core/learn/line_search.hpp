// core/learn/line_search.hpp: the best point of a line, from envelopes and statistics. No Python.
#pragma once

#include <span>

#include "forest/view.hpp"
#include "metrics/score.hpp"

namespace rosewood {

/// Where to look, and how finely.
struct LineBounds {
  double lower;
  double upper;
  double min_width;  // narrower intervals, relative to max(1, |x|), are passed over
};

struct LinePoint {
  double x;     // the middle of the best interval; 0 where no other than the one around 0 is better
  double gain;  // what the metric gains there
  double before;  // and at 0; -inf where lines meet at 0, so that what is chosen there is a tie
};

/// The x in [lower, upper] (0 among them) with the best gain of the summed statistics. Lines of
/// each sentence are line_start[i] .. line_start[i+1]-1, highest from begin[k] on, with the
/// statistics of row[k]. Exact: every interval between breakpoints is tried that is wide enough to
/// be met. Among equals the interval nearest to 0.
LinePoint line_search(std::span<const Offset> line_start, std::span<const double> begin,
                      std::span<const Offset> row, std::span<const double> statistics,
                      const MetricScorer& scorer, const LineBounds& bounds);

}  // namespace rosewood
