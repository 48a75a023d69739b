// core/align/symmetrize.cpp: the heuristics on lists of points, never on whole matrices, so that
// sentences of any length take memory for their links alone.
#include "align/symmetrize.hpp"

#include <algorithm>
#include <array>

#include "util/error.hpp"
#include "util/parallel.hpp"

namespace rosewood {

namespace {

/// A link of either alignment. Points stand row by row; a row is a target word in the order of
/// symal, a source word in that of atools.
struct Point {
  std::int32_t row, column;
  bool forward = false, backward = false, chosen = false;
};

bool comes_before(const Point& a, const Point& b) {
  return a.row != b.row ? a.row < b.row : a.column < b.column;
}

bool is_same_place(const Point& a, const Point& b) {
  return a.row == b.row && a.column == b.column;
}

/// Room to work in for one sentence after the other.
class Sentence {
 public:
  explicit Sentence(Order order) : order_(order) {}

  /// All links of sentence k of the two, those of both only once.
  void load(const LinksView& forward, const LinksView& backward, std::int64_t k) {
    points_.clear();
    add(forward, k, true);
    add(backward, k, false);
    std::sort(points_.begin(), points_.end(), comes_before);
    std::size_t kept = 0;
    for (const Point& point : points_) {
      if (kept && is_same_place(points_[kept - 1], point))
        points_[kept - 1].forward = points_[kept - 1].backward = true;
      else
        points_[kept++] = point;
    }
    points_.resize(kept);
  }

  void choose(Symmetrization method) {
    if (method == Symmetrization::join) {
      for (Point& point : points_) point.chosen = true;
      return;
    }
    if (method == Symmetrization::intersection) {
      for (Point& point : points_) point.chosen = point.forward && point.backward;
      return;
    }
    number_words();
    for (std::size_t n = 0; n < points_.size(); ++n)
      if (points_[n].forward && points_[n].backward) choose_point(n);
    while (order_ == Order::symal ? grows_from_chosen() : grows_from_free()) continue;
    if (method == Symmetrization::grow_diag) return;
    const bool both = method == Symmetrization::grow_diag_final_and;
    finish([](const Point& point) { return point.forward; }, both);
    finish([](const Point& point) { return point.backward; }, both);
  }

  /// Writes the chosen links, by source word, and tells how many there are.
  std::int64_t write(std::int32_t* source, std::int32_t* target) {
    std::size_t kept = 0;
    for (const Point& point : points_)
      if (point.chosen) points_[kept++] = point;
    points_.resize(kept);
    if (order_ == Order::symal)
      std::sort(points_.begin(), points_.end(), [](const Point& a, const Point& b) {
        return a.column != b.column ? a.column < b.column : a.row < b.row;
      });
    for (std::size_t n = 0; n < kept; ++n) {
      source[n] = order_ == Order::symal ? points_[n].column : points_[n].row;
      target[n] = order_ == Order::symal ? points_[n].row : points_[n].column;
    }
    return static_cast<std::int64_t>(kept);
  }

 private:
  void add(const LinksView& links, std::int64_t k, bool forward) {
    for (std::int64_t n = links.start[k]; n < links.start[k + 1]; ++n) {
      const std::int32_t source = links.source[n], target = links.target[n];
      points_.push_back(order_ == Order::symal ? Point{target, source, forward, !forward, false}
                                               : Point{source, target, forward, !forward, false});
    }
  }

  /// Words that have points get numbers without gaps: nothing here is as large as a word's place.
  void number_words() {
    columns_.clear();
    for (const Point& point : points_) columns_.push_back(point.column);
    std::sort(columns_.begin(), columns_.end());
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
    row_of_.resize(points_.size());
    column_of_.resize(points_.size());
    row_start_.clear();
    for (std::size_t n = 0; n < points_.size(); ++n) {
      const auto at = std::lower_bound(columns_.begin(), columns_.end(), points_[n].column);
      column_of_[n] = static_cast<std::size_t>(at - columns_.begin());
      if (n == 0 || points_[n].row != points_[n - 1].row) row_start_.push_back(n);
      row_of_[n] = row_start_.size() - 1;
    }
    is_row_linked_.assign(row_start_.size(), false);
    is_column_linked_.assign(columns_.size(), false);
    row_start_.push_back(points_.size());
  }

  void choose_point(std::size_t n) {
    points_[n].chosen = true;
    is_row_linked_[row_of_[n]] = true;
    is_column_linked_[column_of_[n]] = true;
  }
  bool is_either_free(std::size_t n) const {
    return !(is_row_linked_[row_of_[n]] && is_column_linked_[column_of_[n]]);
  }
  bool is_each_free(std::size_t n) const {
    return !is_row_linked_[row_of_[n]] && !is_column_linked_[column_of_[n]];
  }

  static constexpr std::array<std::array<std::int32_t, 2>, 8> steps = {
      {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}};

  /// One sweep over the chosen points, those just chosen among them, which chooses neighbours that
  /// link a free word; tells whether there were any.
  bool grows_from_chosen() {
    bool grows = false;
    for (std::size_t n = 0; n < points_.size(); ++n) {
      if (!points_[n].chosen) continue;
      for (const auto& [down, right] : steps) {
        const std::size_t other = neighbour(n, down, right);
        if (other == points_.size() || !is_either_free(other)) continue;
        choose_point(other);
        grows = true;
      }
    }
    return grows;
  }

  /// One sweep over the other points, which chooses those that link a free word and have a chosen
  /// neighbour.
  bool grows_from_free() {
    bool grows = false;
    for (std::size_t n = 0; n < points_.size(); ++n) {
      if (points_[n].chosen || !is_either_free(n)) continue;
      const bool is_next = std::any_of(steps.begin(), steps.end(), [&](const auto& step) {
        const std::size_t other = neighbour(n, step[0], step[1]);
        return other < points_.size() && points_[other].chosen;
      });
      if (!is_next) continue;
      choose_point(n);
      grows = true;
    }
    return grows;
  }

  /// The point one step away, or, where there is none, the number of points.
  std::size_t neighbour(std::size_t n, std::int32_t down, std::int32_t right) const {
    const std::size_t none = points_.size();
    const std::size_t row = row_of_[n] + static_cast<std::size_t>(down);
    if (row >= row_start_.size() - 1) return none;  // a step up from the first row wraps around
    const auto begin = points_.begin() + static_cast<std::ptrdiff_t>(row_start_[row]);
    const auto end = points_.begin() + static_cast<std::ptrdiff_t>(row_start_[row + 1]);
    if (begin->row != points_[n].row + down) return none;
    // By halves: a word may have thousands of links, and be asked about as often.
    const std::int32_t column = points_[n].column + right;
    const auto found = std::partition_point(
        begin, end, [column](const Point& point) { return point.column < column; });
    if (found == end || found->column != column) return none;
    return static_cast<std::size_t>(found - points_.begin());
  }

  template <class IsOf>
  void finish(IsOf&& is_of, bool both) {
    for (std::size_t n = 0; n < points_.size(); ++n)
      if (!points_[n].chosen && is_of(points_[n]) && (both ? is_each_free(n) : is_either_free(n)))
        choose_point(n);
  }

  Order order_;
  std::vector<Point> points_;
  std::vector<std::int32_t> columns_;
  std::vector<std::size_t> row_of_, column_of_, row_start_;
  std::vector<std::uint8_t> is_row_linked_, is_column_linked_;
};

}  // namespace

LinksArrays symmetrize(const LinksView& forward, const LinksView& backward, Symmetrization method,
                       Order order, int threads) {
  if (forward.size() != backward.size())
    fail<AlignmentError>("argument.shape", "alignments of ", forward.size(), " and of ",
                         backward.size(), " sentences");
  const std::int64_t count = forward.size();
  const std::size_t most = forward.source.size() + backward.source.size();
  LinksArrays made;
  made.source.resize(most);
  made.target.resize(most);
  made.start.resize(static_cast<std::size_t>(count) + 1);
  // Each sentence has room for all of its links; then they are moved together.
  const auto room = [&](std::int64_t k) { return forward.start[k] + backward.start[k]; };
  parallel_for(count, threads, 256, [&](std::int64_t begin, std::int64_t end) {
    Sentence sentence(order);
    for (std::int64_t k = begin; k < end; ++k) {
      sentence.load(forward, backward, k);
      sentence.choose(method);
      made.start[k + 1] =
          sentence.write(made.source.data() + room(k), made.target.data() + room(k));
    }
  });
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t from = room(k), to = made.start[k], size = made.start[k + 1];
    std::copy_n(made.source.begin() + from, size, made.source.begin() + to);
    std::copy_n(made.target.begin() + from, size, made.target.begin() + to);
    made.start[k + 1] = to + size;
  }
  made.source.resize(static_cast<std::size_t>(made.start.back()));
  made.target.resize(static_cast<std::size_t>(made.start.back()));
  return made;
}

}  // namespace rosewood
