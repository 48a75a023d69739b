// core/decode/chart_points.cpp: the hypotheses of a span: which are looked at, and in which order.
#include <algorithm>

#include "decode/chart_search.hpp"
#include "util/heap.hpp"

namespace rosewood {

namespace {

constexpr std::int32_t glue_symbols[] = {-1, -2};
constexpr std::size_t few_places = 64;  // a power of two

}  // namespace

/// Takes points of the grids, which all lead to one span, and forgets the grids.
void ChartSearch::fill(std::uint64_t spans_left) {
  if (!grids_.empty()) {
    const bool takes_all = reference_ || control_.takes_all();
    const SearchControl::Share share =
        control_.share(spans_left, takes_all, takes_all ? points_of_grids() : 0);
    if (reference_ || share.has_room_for_all)
      fill_all(share);
    else
      fill_best(share);
  }
  grids_.clear();
  gap_nodes_.clear();
}

std::uint64_t ChartSearch::points_of_grids() const {
  std::uint64_t points = 0;
  for (const Grid& grid : grids_) {
    std::uint64_t own = 1;
    for (std::size_t d = 0; d <= grid.gaps; ++d) {
      const auto size = static_cast<std::uint64_t>(size_of(grid, d));
      own = own > SearchControl::unlimited / size ? SearchControl::unlimited : own * size;
    }
    points = points > SearchControl::unlimited - own ? SearchControl::unlimited : points + own;
  }
  return points;
}

void ChartSearch::clear_points() {
  points_.clear();
  places_.clear();
  point_values_.clear();
}

void ChartSearch::fill_all(const SearchControl::Share& share) {
  std::uint64_t pops = 0;
  for (std::uint32_t number = 0; number < grids_.size(); ++number) {
    const Grid& grid = grids_[number];
    clear_points();
    places_.assign(1 + grid.gaps, 0);
    for (bool is_done = false; !is_done; ++pops) {
      if (control_.is_over(pops, share)) return;
      points_.clear();
      point_values_.clear();
      control_.count_pop();
      look(number, 0);
      for (const Point& point : points_) accept(point);
      is_done = true;
      for (std::size_t d = places_.size(); d-- > 0 && is_done;) {
        if (++places_[d] < size_of(grid, d))
          is_done = false;
        else
          places_[d] = 0;
      }
    }
  }
}

void ChartSearch::fill_best(const SearchControl::Share& share) {
  clear_points();
  heap_.clear();
  seen_.assign(few_places, {});
  seen_places_ = 0;
  const auto looked_at = [&](std::uint32_t grid, std::uint32_t place) {
    look(grid, place);
    return Entry{points_.back().score, static_cast<std::uint32_t>(points_.size()) - 1};
  };
  for (std::uint32_t grid = 0; grid < grids_.size(); ++grid) {
    const auto place = static_cast<std::uint32_t>(places_.size());
    places_.resize(place + 1 + grids_[grid].gaps);
    heap_.push_back(looked_at(grid, place));
  }
  std::make_heap(heap_.begin(), heap_.end());
  for (std::uint64_t pops = 0; !heap_.empty(); ++pops) {
    if (control_.is_over(pops, share)) return;
    const Point best = points_[heap_.front().point];
    const Grid& grid = grids_[best.grid];
    control_.count_pop();
    accept(best);
    bool is_replaced = false;
    const std::uint32_t dimensions = 1 + grid.gaps;
    for (std::uint32_t d = dimensions; d-- > 0;) {
      if (places_[best.place + d] + 1 >= size_of(grid, d)) continue;
      const auto place = static_cast<std::uint32_t>(places_.size());
      places_.resize(place + dimensions);
      std::copy_n(places_.begin() + best.place, dimensions, places_.begin() + place);
      ++places_[place + d];
      if (!is_new_place(best.grid, place)) {
        places_.resize(place);
        continue;
      }
      const Entry next = looked_at(best.grid, place);
      if (is_replaced) {
        heap_.push_back(next);
        std::push_heap(heap_.begin(), heap_.end());
      } else {
        replace_first(heap_, next);
        is_replaced = true;
      }
    }
    if (!is_replaced) {
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
    }
  }
}

/// Whether nothing has led to the last of all places yet. A point is looked at as soon as one of
/// those before it is taken, whichever that is: language models make grids uneven, and a point may
/// be good where not all before it are.
bool ChartSearch::is_new_place(std::uint32_t grid, std::uint32_t place) {
  const auto own = std::span(places_).subspan(place);
  if (own.size() - static_cast<std::size_t>(std::ranges::count(own, 0)) < 2) return true;
  std::uint64_t hash = grid + 1;
  for (const std::int32_t each : own)
    hash = (hash + static_cast<std::uint64_t>(each)) * 0x9e3779b97f4a7c15ULL;
  const auto next = [&](std::size_t at) { return (at + 1) & (seen_.size() - 1); };
  std::size_t at = hash >> 32 & (seen_.size() - 1);
  for (; seen_[at].place != Seen::nothing; at = next(at))
    if (seen_[at].grid == grid &&
        std::ranges::equal(own, std::span(places_).subspan(seen_[at].place, own.size())))
      return false;
  seen_[at] = {grid, place, hash};
  if (++seen_places_ * 2 <= seen_.size()) return true;
  std::vector<Seen> before(seen_.size() * 2);
  before.swap(seen_);
  for (const Seen& each : before) {
    if (each.place == Seen::nothing) continue;
    for (at = each.hash >> 32 & (seen_.size() - 1); seen_[at].place != Seen::nothing;)
      at = next(at);
    seen_[at] = each;
  }
  return true;
}

/// Adds the point of a place in a grid; with a reference, one for each way to fit it.
void ChartSearch::look(std::uint32_t grid_number, std::uint32_t place) {
  control_.tick();
  const Grid& grid = grids_[grid_number];
  const std::int32_t option = option_at(grid, place);
  Point point{grid_number, place, static_cast<std::uint32_t>(point_values_.size())};
  double score = option < 0 ? weighted_.weight(model_.glue()) : score_[option];
  states_.clear();
  for (std::size_t gap = 0; gap < grid.gaps; ++gap) {
    const Node& tail = nodes_[node_at(grid, place, gap)];
    score += tail.score;
    states_.push_back(tail.state);
  }
  ChartTarget target{glue_symbols, no_words_};
  std::int32_t run = ChartLanguage::no_run;
  if (option >= 0) {
    target = {options_.target_of(static_cast<std::size_t>(option)),
              std::span(lm_words_).subspan(word_start_[option])};
    run = run_[option];
  }
  const std::size_t first = points_.size();
  if (reference_) {
    fit_reference(grid, point, target.symbols);
    if (points_.size() == first) return;
  } else {
    points_.push_back(point);
  }
  point_values_.resize(point_values_.size() + models());
  const auto values = std::span(point_values_).last(models());
  const ChartLanguage::Part part = language_.score(target, run, states_, values);
  if (model_.has_trees()) score += tree_score(option, 1.0, values);
  for (Point& each : std::span(points_).subspan(first)) {
    each.state = part.state;
    each.score = score + part.score;
  }
}

/// What trees add to the score of an edge, but for those that look at the option alone, whose part
/// is in its score; all of them where there is no option. `glue` is its feature, if it has no
/// option.
double ChartSearch::tree_score(std::int32_t option, double glue, std::span<const double> values) {
  const EdgeTrees& trees = model_.trees();
  const auto lms = static_cast<std::ptrdiff_t>(model_.first_language_model());
  if (option < 0) {
    tree_row_.assign(model_.features(), 0.0);
    tree_row_[model_.glue()] = glue;
    std::ranges::copy(values, tree_row_.begin() + lms);
    return weighted_.tree_score(tree_row_);
  }
  if (tree_rest_.empty()) return 0.0;
  const std::size_t first = model_.stateless();
  for (std::size_t k = 0; k < values.size(); ++k)
    tree_rest_[model_.first_language_model() - first + k] = values[k];
  const double* row = options_.features.data() + static_cast<std::size_t>(option) * first;
  double sum = 0.0;
  for (const TreeStage stage : {TreeStage::language, TreeStage::option_words, TreeStage::all})
    sum += trees[stage](row, tree_rest_.data());
  return weighted_.weight(model_.tree_feature()) * sum;
}

/// Adds a point for each place of the reference that says what the point says.
void ChartSearch::fit_reference(const Grid& grid, Point point,
                                std::span<const std::int32_t> symbols) {
  const auto reference = *reference_;
  const auto tail = [&](std::int32_t symbol) -> const Node& {
    return nodes_[node_at(grid, point.place, static_cast<std::size_t>(-1 - symbol))];
  };
  const auto length = static_cast<std::int32_t>(reference.size());
  const auto fit_at = [&](std::int32_t at) {
    const std::int32_t begin = at;
    for (const std::int32_t symbol : symbols) {
      if (symbol >= 0) {
        if (at >= length || reference[static_cast<std::size_t>(at)] != symbol) return;
        ++at;
      } else {
        if (tail(symbol).position != at) return;
        at += tail(symbol).length;
      }
    }
    point.position = begin;
    point.length = at - begin;
    points_.push_back(point);
  };
  const auto gap = std::ranges::find_if(symbols, [](std::int32_t symbol) { return symbol < 0; });
  if (gap == symbols.end()) {
    for (std::int32_t at = 0; at <= length; ++at) fit_at(at);
    return;
  }
  const std::int32_t at = tail(*gap).position - static_cast<std::int32_t>(gap - symbols.begin());
  if (at >= 0) fit_at(at);
}

/// Makes the edge of a point, and its node if there is none yet.
void ChartSearch::accept(const Point& point) {
  const Grid& grid = grids_[point.grid];
  const std::int32_t option = option_at(grid, point.place);
  const std::int32_t head = open_cell(option < 0 ? glue_label : options_.left[option]);
  std::int32_t number = find_node(head, point);
  if (number < 0) {
    number = add_node(head, point);
  } else if (Node& node = nodes_[number]; point.score > node.score) {
    node.best_edge = static_cast<std::int32_t>(edges_.size());
    node.score = point.score;
  }
  edges_.push_back({number, option, static_cast<std::int32_t>(tails_.size()),
                    static_cast<std::int32_t>(grid.gaps)});
  for (std::size_t gap = 0; gap < grid.gaps; ++gap)
    tails_.push_back(node_at(grid, point.place, gap));
  const auto values = std::span(point_values_).subspan(point.value, models());
  values_.insert(values_.end(), values.begin(), values.end());
}

/// The node of a point in a cell of the span that is being filled; -1: none. Nodes of the span come
/// first among those of a state.
std::int32_t ChartSearch::find_node(std::int32_t cell, const Point& point) const {
  const auto state = static_cast<std::size_t>(point.state);
  if (state >= last_of_state_.size()) return -1;
  for (std::int32_t number = last_of_state_[state];
       number >= 0 && nodes_[number].cell >= first_cell_; number = nodes_[number].previous) {
    const Node& node = nodes_[number];
    if (node.cell == cell && node.position == point.position && node.length == point.length)
      return number;
  }
  return -1;
}

/// The new node of a point, whose best edge is the next one.
std::int32_t ChartSearch::add_node(std::int32_t cell, const Point& point) {
  const auto number = static_cast<std::int32_t>(nodes_.size());
  const auto state = static_cast<std::size_t>(point.state);
  if (state >= last_of_state_.size()) last_of_state_.resize(2 * state + 64, -1);
  nodes_.push_back({cell, point.state, point.position, point.length,
                    static_cast<std::int32_t>(edges_.size()), last_of_state_[state], point.score});
  last_of_state_[state] = number;
  cells_[cell].nodes.push_back(number);
  return number;
}

/// The points of a grid along one of its dimensions: options, which glue has one of, then gaps.
std::int32_t ChartSearch::size_of(const Grid& grid, std::size_t dimension) const {
  const std::size_t size = dimension ? gap_nodes_[grid.gap + dimension - 1].size()
                                     : std::max<std::size_t>(1, grid.options.size());
  return static_cast<std::int32_t>(size);
}

}  // namespace rosewood
