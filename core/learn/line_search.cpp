// core/learn/line_search.cpp
#include "learn/line_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "util/prefetch.hpp"
#include "util/radix_sort.hpp"

namespace rosewood {

namespace {

constexpr Offset ahead = 64;

/// A sentence changes from the statistics of one line to those of the next.
struct Change {
  double x;
  Offset line;
};

/// A number to be at home in an interval: its middle, or a step into one that is cut off at a
/// bound.
double inner_point(double left, double right, const LineBounds& bounds) {
  if (left < 0.0 && 0.0 < right) return 0.0;
  const auto step = [](double x) { return 0.1 * std::max(1.0, std::abs(x)); };
  if (left == bounds.lower) return std::max(left, right - step(right));
  if (right == bounds.upper) return std::min(right, left + step(left));
  return left + (right - left) / 2.0;
}

}  // namespace

LinePoint line_search(std::span<const Offset> line_start, std::span<const double> begin,
                      std::span<const Offset> row, std::span<const double> statistics,
                      const MetricScorer& scorer, const LineBounds& bounds) {
  const auto width = static_cast<std::size_t>(scorer.width());
  std::vector<double> sum(width, 0.0);
  const auto add = [&](Offset line, double sign) {
    const double* values = statistics.data() + static_cast<std::size_t>(row[line]) * width;
    for (std::size_t s = 0; s < width; ++s) sum[s] += sign * values[s];
  };
  const auto ask_for = [&](Offset line) {
    const double* values = statistics.data() + static_cast<std::size_t>(row[line]) * width;
    prefetch_to_read(values);
    prefetch_to_read(values + width - 1);
  };
  std::vector<Change> changes;
  changes.reserve(begin.size());
  // Rows lie all over a large table, which takes longer than all the rest: those of a list are
  // asked for while others are looked at, and are at hand when the changes are made, in another
  // order.
  Offset asked = 0;
  for (std::size_t i = 0; i + 1 < line_start.size(); ++i) {
    Offset line = line_start[i];
    for (const Offset end = std::min(line + ahead, line_start.back()); asked < end; ++asked)
      ask_for(asked);
    while (line + 1 < line_start[i + 1] && begin[line + 1] <= bounds.lower) ++line;
    add(line, 1.0);
    for (++line; line < line_start[i + 1] && begin[line] < bounds.upper; ++line)
      changes.push_back({begin[line], line});
  }
  std::vector<Change> spare;
  radix_sort(changes, spare);  // by place, then by sentence: sums have one order
  constexpr double nothing = -std::numeric_limits<double>::infinity();
  LinePoint best{0.0, nothing, nothing};
  double left = bounds.lower;
  for (std::size_t next = 0;;) {
    const double right = next < changes.size() ? changes[next].x : bounds.upper;
    const bool here = left < 0.0 && 0.0 < right;
    const bool wide = right - left > bounds.min_width * std::max(1.0, std::abs(left));
    if (here || (wide && scorer.may_reach(sum.data(), best.gain))) {
      const double gain = scorer.gain(sum.data());
      if (here) best.before = gain;
      const double x = inner_point(left, right, bounds);
      if (gain > best.gain || (gain == best.gain && std::abs(x) < std::abs(best.x)))
        best = {x, gain, best.before};
    }
    if (next == changes.size()) break;
    for (left = right; next < changes.size() && changes[next].x == left; ++next) {
      add(changes[next].line - 1, -1.0);
      add(changes[next].line, 1.0);
    }
  }
  return best;
}

}  // namespace rosewood
