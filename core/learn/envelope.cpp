// core/learn/envelope.cpp
#include "learn/envelope.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "forest/search.hpp"
#include "util/clones.hpp"
#include "util/error.hpp"
#include "util/parallel.hpp"

namespace rosewood {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The flattest line, the steepest one and the highest one at x = 0 (the flatter among equals).
struct Extremes {
  double low, low_intercept;
  double high, high_intercept;
  double top, top_slope;
};

/// Eight sums side by side, so that the compiler can use vectors; each entry is looked at twice.
ROSEWOOD_CLONES Extremes extremes(const double* slope, const double* intercept, std::size_t n) {
  constexpr std::size_t lanes = 8;
  double low[lanes], high[lanes], top[lanes];
  for (std::size_t k = 0; k < lanes; ++k) {
    low[k] = infinity;
    high[k] = top[k] = -infinity;
  }
  const auto less = [](double a, double b) { return a < b ? a : b; };
  const auto more = [](double a, double b) { return a > b ? a : b; };
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (std::size_t k = 0; k < lanes; ++k) {
      low[k] = less(slope[i + k], low[k]);
      high[k] = more(slope[i + k], high[k]);
      top[k] = more(intercept[i + k], top[k]);
    }
  for (; i < n; ++i) {
    low[0] = less(slope[i], low[0]);
    high[0] = more(slope[i], high[0]);
    top[0] = more(intercept[i], top[0]);
  }
  Extremes found{low[0], -infinity, high[0], -infinity, top[0], infinity};
  for (std::size_t k = 1; k < lanes; ++k) {
    found.low = less(low[k], found.low);
    found.high = more(high[k], found.high);
    found.top = more(top[k], found.top);
  }
  for (std::size_t k = 0; k < lanes; ++k) {
    high[k] = low[k] = -infinity;
    top[k] = infinity;
  }
  for (i = 0; i + lanes <= n; i += lanes)
    for (std::size_t k = 0; k < lanes; ++k) {
      low[k] = more(slope[i + k] == found.low ? intercept[i + k] : -infinity, low[k]);
      high[k] = more(slope[i + k] == found.high ? intercept[i + k] : -infinity, high[k]);
      top[k] = less(intercept[i + k] == found.top ? slope[i + k] : infinity, top[k]);
    }
  for (; i < n; ++i) {
    if (slope[i] == found.low) low[0] = more(intercept[i], low[0]);
    if (slope[i] == found.high) high[0] = more(intercept[i], high[0]);
    if (intercept[i] == found.top) top[0] = less(slope[i], top[0]);
  }
  for (std::size_t k = 0; k < lanes; ++k) {
    found.low_intercept = more(low[k], found.low_intercept);
    found.high_intercept = more(high[k], found.high_intercept);
    found.top_slope = less(top[k], found.top_slope);
  }
  return found;
}

struct Point {
  double x, y;
};

/// Where two lines cross, a little below it, so that rounding loses no line; `steepest` is the
/// largest absolute slope of any line. A point below everything where that is beyond all doubles.
Point crossing(double slope, double intercept, double other_slope, double other_intercept,
               double steepest) {
  const double run = slope - other_slope;
  const double x = run == 0.0 ? 0.0 : (other_intercept - intercept) / run;
  const double height = intercept + slope * x;
  const double reach = std::abs(height) + std::abs(intercept) + steepest * std::abs(x);
  if (!(reach < infinity)) return {0.0, -infinity};
  return {x, height - 1e-9 * (1.0 + reach)};
}

/// above[i] is 1 where a line is not below the left point, if it is flatter than `middle`, or else
/// the right one.
ROSEWOOD_CLONES void compare(const double* slope, const double* intercept, std::size_t n,
                             double middle, Point left, Point right, std::int64_t* above) {
  const double left_x = left.x, left_y = left.y, right_x = right.x, right_y = right.y;
  for (std::size_t i = 0; i < n; ++i) {  // written so that the compiler sees selections
    const double x = slope[i] < middle ? left_x : right_x;
    const double y = slope[i] < middle ? left_y : right_y;
    above[i] = intercept[i] + slope[i] * x >= y ? 1 : 0;
  }
}

/// The lines of a list that may be part of its upper envelope: most go before anything is sorted.
/// A line below the corner of a flatter and a steeper line is nowhere on the envelope.
class Sieve {
 public:
  /// The numbers of the lines that are left, in order.
  std::span<const Offset> sift(const double* slope, const double* intercept, std::size_t n) {
    const Extremes at = extremes(slope, intercept, n);
    kept_.resize(n);
    if (!(at.low_intercept > -infinity && at.high_intercept > -infinity)) {
      std::iota(kept_.begin(), kept_.end(), Offset{0});
      return kept_;
    }
    const double steepest = std::max(std::abs(at.low), std::abs(at.high));
    const Point left = crossing(at.top_slope, at.top, at.low, at.low_intercept, steepest);
    const Point right = crossing(at.top_slope, at.top, at.high, at.high_intercept, steepest);
    above_.resize(n);
    compare(slope, intercept, n, at.top_slope, left, right, above_.data());
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) {
      kept_[count] = static_cast<Offset>(i);
      count += static_cast<std::size_t>(above_[i]);
    }
    kept_.resize(count);
    if (count >= enough) refine(slope, intercept, at, steepest, left.x, right.x);
    return kept_;
  }

 private:
  static constexpr std::size_t enough = 6;  // fewer are sorted as fast

  /// Again, with the lines that are highest at the two corners, which makes four corners.
  void refine(const double* slope, const double* intercept, const Extremes& at, double steepest,
              double left_x, double right_x) {
    Offset left = kept_[0], right = kept_[0];
    double left_y = -infinity, right_y = -infinity;
    for (const Offset e : kept_) {
      const double y = intercept[e] + slope[e] * left_x, z = intercept[e] + slope[e] * right_x;
      left = y > left_y ? e : left;
      left_y = y > left_y ? y : left_y;
      right = z > right_y ? e : right;
      right_y = z > right_y ? z : right_y;
    }
    const double low = slope[left], high = slope[right];
    if (!(low <= at.top_slope && at.top_slope <= high)) return;  // only by rounding
    const auto corner = [&](Offset e, double other_slope, double other_intercept) {
      return crossing(slope[e], intercept[e], other_slope, other_intercept, steepest);
    };
    const Point corners[] = {
        corner(left, at.low, at.low_intercept), corner(left, at.top_slope, at.top),
        corner(right, at.top_slope, at.top), corner(right, at.high, at.high_intercept)};
    std::size_t count = 0;
    for (const Offset e : kept_) {
      const double s = slope[e];
      const Point& at_corner = corners[(s >= low) + (s >= at.top_slope) + (s >= high)];
      kept_[count] = e;
      count += intercept[e] + s * at_corner.x >= at_corner.y ? 1 : 0;
    }
    kept_.resize(count);
  }

  std::vector<std::int64_t> above_;
  std::vector<Offset> kept_;
};

struct Line {
  double slope;
  double intercept;
  double begin;        // where it becomes the highest
  Offset edge;         // the top edge of its derivation
  std::size_t choice;  // where the lines of the edge's tails stand in `chosen`
};

/// What lines are sorted by: less to move around than lines.
struct Key {
  double slope;
  std::size_t line;
};

/// Edges come in their order, so equal lines keep the first.
void sort_by_slope(std::vector<Key>& key) {
  std::sort(key.begin(), key.end(), [](const Key& a, const Key& b) {
    return a.slope != b.slope ? a.slope < b.slope : a.line < b.line;
  });
}

/// The upper envelope of the lines pushed so far, by increasing slope, above `bottom` of a stack.
class Stack {
 public:
  explicit Stack(std::vector<Line>& lines) : lines_(lines), bottom_(lines.size()) {}

  void push(Line line) {
    if (lines_.size() > bottom_ && lines_.back().slope == line.slope) {
      if (line.intercept <= lines_.back().intercept) return;
      lines_.pop_back();
    }
    line.begin = -infinity;
    while (lines_.size() > bottom_) {
      const Line& top = lines_.back();
      line.begin = (top.intercept - line.intercept) / (line.slope - top.slope);
      if (line.begin > top.begin) break;
      lines_.pop_back();
      line.begin = -infinity;
    }
    // A crossing beyond all doubles is nowhere: the line is never the highest.
    if (line.begin < infinity) lines_.push_back(line);
  }

 private:
  std::vector<Line>& lines_;
  std::size_t bottom_;
};

/// Envelopes of one forest after another; the buffers live on.
class Hulls {
 public:
  /// Lines of the root, from left to right.
  std::span<const Line> build(const ForestView& f, std::span<const double> intercept,
                              std::span<const double> slope) {
    lines_.clear();
    chosen_.clear();
    first_.assign(static_cast<std::size_t>(f.num_nodes()) + 1, 0);
    for (std::int64_t v = 0; v < f.num_nodes(); ++v) {
      drawn_.clear();
      for (Offset e = f.edge_start[v]; e < f.edge_start[v + 1]; ++e)
        if (intercept[e] > -infinity) add_sums(f, e, slope[e], intercept[e]);
      key_.clear();
      for (std::size_t i = 0; i < drawn_.size(); ++i) key_.push_back({drawn_[i].slope, i});
      sort_by_slope(key_);
      Stack stack(lines_);
      for (const Key& key : key_) stack.push(drawn_[key.line]);
      first_[v + 1] = lines_.size();
    }
    return std::span<const Line>(lines_).subspan(first_[f.num_nodes() - 1]);
  }

  /// Lines of an n-best list: each is an edge, and has nothing to unfold.
  std::span<const Line> build_list(std::span<const double> intercept,
                                   std::span<const double> slope) {
    key_.clear();
    for (const Offset e : sieve_.sift(slope.data(), intercept.data(), slope.size()))
      if (intercept[e] > -infinity) key_.push_back({slope[e], static_cast<std::size_t>(e)});
    sort_by_slope(key_);
    lines_.clear();
    Stack stack(lines_);
    for (const Key& key : key_)
      stack.push({key.slope, intercept[key.line], 0.0, static_cast<Offset>(key.line), 0});
    return lines_;
  }

  /// Appends the edges of a line's derivation, in pre-order.
  void unfold(const ForestView& f, const Line& top, Offset edge_begin, std::vector<Offset>& out) {
    pending_.assign(1, &top);
    ListLimit limit(f);
    while (!pending_.empty()) {
      const Line& line = *pending_.back();
      pending_.pop_back();
      out.push_back(edge_begin + line.edge);
      const auto tails = f.tails(line.edge);
      limit.check(out.size() + pending_.size() + tails.size());
      for (auto slot = std::ssize(tails) - 1; slot >= 0; --slot)
        pending_.push_back(&lines_[chosen_[line.choice + static_cast<std::size_t>(slot)]]);
    }
  }

 private:
  /// The Minkowski sum of an edge's line and the hulls of its tails: all are walked from left to
  /// right together, breakpoint by breakpoint.
  void add_sums(const ForestView& f, Offset e, double slope, double intercept) {
    const auto tails = f.tails(e);
    at_.clear();
    for (const NodeId t : tails) {
      if (first_[t] == first_[t + 1]) return;  // a tail without derivations
      at_.push_back(first_[t]);
    }
    while (true) {
      Line sum{slope, intercept, -infinity, e, chosen_.size()};
      double next = infinity;
      for (std::size_t slot = 0; slot < at_.size(); ++slot) {
        const Line& part = lines_[at_[slot]];
        sum.slope += part.slope;
        sum.intercept += part.intercept;
        chosen_.push_back(at_[slot]);
        if (at_[slot] + 1 < first_[tails[slot] + 1])
          next = std::min(next, lines_[at_[slot] + 1].begin);
      }
      drawn_.push_back(sum);
      if (next == infinity) return;
      for (std::size_t slot = 0; slot < at_.size(); ++slot)
        if (at_[slot] + 1 < first_[tails[slot] + 1] && lines_[at_[slot] + 1].begin == next)
          ++at_[slot];
    }
  }

  std::vector<Line> lines_;          // hulls of all nodes, one after the other
  std::vector<std::size_t> first_;   // where a node's hull begins
  std::vector<std::size_t> chosen_;  // lines of tails
  std::vector<Line> drawn_;
  std::vector<Key> key_;
  Sieve sieve_;
  std::vector<std::size_t> at_;
  std::vector<const Line*> pending_;
};

ROSEWOOD_CLONES bool are_lines(const double* intercept, const double* slope, std::size_t n) {
  std::int64_t bad = 0;
  for (std::size_t e = 0; e < n; ++e) {
    bad |= std::abs(slope[e]) < infinity ? 0 : 1;
    bad |= intercept[e] < infinity ? 0 : 1;
  }
  return bad == 0;
}

void check_lines(const ForestBatch& batch, std::span<const double> intercept,
                 std::span<const double> slope) {
  if (are_lines(intercept.data(), slope.data(), slope.size())) return;
  for (Offset e = 0; e < batch.num_edges(); ++e) {
    if (std::isfinite(slope[e]) && intercept[e] < infinity) continue;
    const auto i = std::upper_bound(batch.edge_begin.begin(), batch.edge_begin.end(), e) -
                   batch.edge_begin.begin() - 1;
    fail<TuningError>({"argument.range", "forest", batch.number[i]}, "edge ",
                      e - batch.edge_begin[i], " of forest ", batch.number[i], " has slope ",
                      slope[e], " and intercept ", intercept[e]);
  }
}

/// What one thread finds for its forests.
struct Piece {
  std::vector<Offset> lines;  // of each forest
  std::vector<double> begin;
  std::vector<Offset> length;  // of each derivation
  std::vector<Offset> edge;
};

}  // namespace

Envelopes upper_envelopes(const ForestBatch& batch, std::span<const double> intercept,
                          std::span<const double> slope, int threads) {
  check_lines(batch, intercept, slope);
  const auto pieces = static_cast<std::size_t>(
      std::clamp<std::int64_t>(threads, 1, std::max<std::int64_t>(1, batch.size())));
  std::vector<Piece> piece(pieces);
  std::vector<std::int64_t> cut(pieces + 1, batch.size());
  cut[0] = 0;
  const auto run = [&](std::size_t p) {
    Piece& out = piece[p];
    Hulls hulls;
    for (std::int64_t i = cut[p]; i < cut[p + 1]; ++i) {
      const ForestView& f = batch.forest[i];
      const Offset begin = batch.edge_begin[i];
      const auto lines_before = out.begin.size();
      const bool is_list = f.num_nodes() == 1;
      const auto lines = is_list ? hulls.build_list(batch.of(i, intercept), batch.of(i, slope))
                                 : hulls.build(f, batch.of(i, intercept), batch.of(i, slope));
      for (const Line& line : lines) {
        const auto before = out.edge.size();
        if (is_list)
          out.edge.push_back(begin + line.edge);
        else
          hulls.unfold(f, line, begin, out.edge);
        out.begin.push_back(line.begin);
        out.length.push_back(static_cast<Offset>(out.edge.size() - before));
      }
      out.lines.push_back(static_cast<Offset>(out.begin.size() - lines_before));
    }
  };
  for (std::size_t p = 1; p < pieces; ++p)
    cut[p] = batch.size() * static_cast<std::int64_t>(p) / static_cast<std::int64_t>(pieces);
  parallel_for(static_cast<std::int64_t>(pieces), threads, 1,
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t p = first; p < last; ++p) run(static_cast<std::size_t>(p));
               });
  Envelopes result;
  result.line_start.push_back(0);
  result.derivation_start.push_back(0);
  for (const Piece& p : piece) {
    for (const Offset n : p.lines) result.line_start.push_back(result.line_start.back() + n);
    for (const Offset n : p.length)
      result.derivation_start.push_back(result.derivation_start.back() + n);
    result.begin.insert(result.begin.end(), p.begin.begin(), p.begin.end());
    result.edge.insert(result.edge.end(), p.edge.begin(), p.edge.end());
  }
  return result;
}

}  // namespace rosewood
