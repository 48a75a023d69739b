// core/decode/chart_search.cpp: cells, filled one after the other.
#include "decode/chart_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace rosewood {

namespace {

constexpr std::size_t many_nodes = 4096;  // as many as most sentences have
constexpr double largest_score = 1e200;   // of an option: sums of many are numbers still
constexpr std::int32_t glue_symbols[] = {-1, -2};

}  // namespace

ChartSearch::ChartSearch(const WeightedHieroModel& model, const ChartOptions& options,
                         const ChartLimits& limits, std::function<void()> beat,
                         std::optional<std::span<const std::int32_t>> reference)
    : weighted_(model),
      model_(model.model()),
      options_(options),
      limits_(limits),
      reference_(reference),
      beat_(std::move(beat)),
      language_(model_.language_models(), model.language_model_weights()),
      no_words_(models() * std::size(glue_symbols)),
      cells_at_(static_cast<std::size_t>(options.length + 1) *
                static_cast<std::size_t>(options.length + 1)),
      keys_(4, many_nodes) {
  set_options();
}

/// Scores of options by themselves, and the order of those that match together.
void ChartSearch::set_options() {
  const auto& lms = model_.word_models();
  const auto table_words = static_cast<std::int32_t>(model_.table().target_words().size());
  std::vector<double> estimate(options_.size());
  std::vector<double> alone(lms.size());
  for (std::size_t option = 0; option < options_.size(); ++option) {
    const auto target = options_.target_of(option);
    word_start_.push_back(lm_words_.size());
    for (std::size_t k = 0; k < lms.size(); ++k)
      for (const std::int32_t symbol : target)
        lm_words_.push_back(
            symbol < 0 ? 0
            : symbol < table_words
                ? model_.lm_word(k, symbol)
                : lms[k]->find(
                      options_.extra_words[static_cast<std::size_t>(symbol - table_words)]));
    double score = options_.added_score.empty() ? 0 : options_.added_score[option];
    for (std::size_t i = 0; i < model_.stateless(); ++i)
      score += weighted_.weight(i) * options_.features[option * model_.stateless() + i];
    score_.push_back(score);
    // Words between gaps, as if nothing stood before them.
    double words = 0;
    for (std::size_t begin = 0; begin < target.size();) {
      std::size_t end = begin;
      while (end < target.size() && target[end] >= 0) ++end;
      if (end > begin && !lms.empty()) {
        std::vector<std::uint32_t> run;
        for (std::size_t k = 0; k < lms.size(); ++k)
          for (std::size_t i = begin; i < end; ++i)
            run.push_back(lm_words_[word_start_[option] + k * target.size() + i]);
        words += language_.score(target.subspan(begin, end - begin), run, {}, false, alone).score;
      }
      begin = end + 1;
    }
    estimate[option] = score + words;
    if (!(std::abs(estimate[option]) <= largest_score))
      fail<DecodingError>("decoding.score", "a translation of words ", options_.begin[option],
                          " to ", options_.end[option],
                          " has a score that is no number, or too large");
  }
  order_.resize(options_.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::vector<std::uint8_t> is_sorted(options_.size());
  for (const ChartMatch& match : options_.matches) {
    if (match.first == match.last || std::exchange(is_sorted[match.first], 1)) continue;
    std::sort(order_.begin() + match.first, order_.begin() + match.last,
              [&](std::int32_t a, std::int32_t b) {
                return estimate[a] != estimate[b] ? estimate[a] > estimate[b] : a < b;
              });
  }
}

void ChartSearch::run() {
  fill_spans();
  fill_glue();
  report_.is_reachable = !final_nodes().empty();
}

std::int32_t ChartSearch::cell(std::int32_t begin, std::int32_t end, std::int32_t label) const {
  const auto span = static_cast<std::size_t>(begin) * static_cast<std::size_t>(options_.length + 1);
  for (const std::int32_t number : cells_at_[span + static_cast<std::size_t>(end)])
    if (cells_[number].label == label) return number;
  return -1;
}

std::int32_t ChartSearch::open_cell(std::int32_t begin, std::int32_t end, std::int32_t label) {
  const std::int32_t known = cell(begin, end, label);
  if (known >= 0) return known;
  const auto number = static_cast<std::int32_t>(cells_.size());
  cells_.push_back({begin, end, label, {}});
  cells_at_[static_cast<std::size_t>(begin) * static_cast<std::size_t>(options_.length + 1) +
            static_cast<std::size_t>(end)]
      .push_back(number);
  return number;
}

/// Cells of spans that rules match, the shortest first. Rules whose source is a single gap come
/// last, by the rank of the gap's label: what can fill it is complete then.
void ChartSearch::fill_spans() {
  const auto& matches = options_.matches;
  const auto ranks = model_.label_ranks();
  std::uint64_t spans = static_cast<std::uint64_t>(options_.length);
  const auto is_same = [](const ChartMatch& a, const ChartMatch& b) {
    return a.begin == b.begin && a.end == b.end;
  };
  for (std::size_t i = 0; i < matches.size(); ++i)
    spans += i == 0 || !is_same(matches[i - 1], matches[i]);
  std::vector<Grid> grids;
  const auto add_grid = [&](const ChartMatch& match) {
    if (match.first == match.last) return;
    Grid grid{std::span(order_).subspan(static_cast<std::size_t>(match.first),
                                        static_cast<std::size_t>(match.last - match.first)),
              {},
              match.begin,
              match.end};
    for (std::int32_t gap = match.gap; gap < match.gap + match.gaps; ++gap) {
      const ChartGap& filled = options_.gaps[static_cast<std::size_t>(gap)];
      grid.cells.push_back(cell(filled.begin, filled.end, filled.label));
      if (grid.cells.back() < 0 || cells_[grid.cells.back()].nodes.empty()) return;
    }
    grids.push_back(std::move(grid));
  };
  for (std::size_t first = 0, last; first < matches.size(); first = last) {
    grids.clear();
    std::vector<const ChartMatch*> unary;
    for (last = first; last < matches.size() && is_same(matches[first], matches[last]); ++last) {
      if (matches[last].is_unary)
        unary.push_back(&matches[last]);
      else
        add_grid(matches[last]);
    }
    const std::int32_t begin = matches[first].begin, end = matches[first].end;
    fill(grids, spans);
    std::stable_sort(unary.begin(), unary.end(), [&](const ChartMatch* a, const ChartMatch* b) {
      return ranks[options_.gaps[a->gap].label] < ranks[options_.gaps[b->gap].label];
    });
    for (const ChartMatch* match : unary) {
      close(begin, end, options_.gaps[match->gap].label);
      grids.clear();
      add_grid(*match);
      fill(grids, spans);
    }
    for (std::int32_t label = 0; label < static_cast<std::int32_t>(ranks.size()); ++label)
      close(begin, end, label);
    --spans;
  }
}

/// Nodes that begin the sentence, the shortest first.
void ChartSearch::fill_glue() {
  const std::int32_t first = open_cell(0, 0, glue_label);
  std::vector<double> values(models());
  const ChartLanguage::Part begin = language_.score({}, {}, {}, true, values);
  const std::uint32_t key[] = {static_cast<std::uint32_t>(first),
                               static_cast<std::uint32_t>(begin.state), 0, 0};
  cells_[first].nodes.push_back(keys_.add(key).number);
  nodes_.push_back({first, begin.state, 0, 0, static_cast<std::int32_t>(edges_.size()), 0});
  edges_.push_back({cells_[first].nodes.front(), -1, static_cast<std::int32_t>(tails_.size()), 0});
  values_.insert(values_.end(), values.begin(), values.end());
  std::vector<Grid> grids;
  for (std::int32_t end = 1; end <= options_.length; ++end) {
    grids.clear();
    for (std::int32_t middle = 0; middle < end; ++middle) {
      const std::int32_t before = cell(0, middle, glue_label);
      if (before < 0 || cells_[before].nodes.empty()) continue;
      for (const std::int32_t behind : cells_at_[static_cast<std::size_t>(middle) *
                                                     static_cast<std::size_t>(options_.length + 1) +
                                                 static_cast<std::size_t>(end)])
        if (cells_[behind].label != glue_label && !cells_[behind].nodes.empty())
          grids.push_back({{}, {before, behind}, 0, end});
    }
    fill(grids, static_cast<std::uint64_t>(options_.length - end) + 1);
    close(0, end, glue_label);
  }
}

/// Takes points of grids that all lead to one span. What is left of max_pops is shared equally by
/// the spans to come.
void ChartSearch::fill(const std::vector<Grid>& grids, std::uint64_t spans_left) {
  if (grids.empty()) return;
  constexpr std::uint64_t unlimited = ~std::uint64_t{0};
  std::uint64_t share = unlimited;
  if (limits_.max_pops) {
    const std::uint64_t left = limits_.max_pops - std::min(limits_.max_pops, report_.pops);
    share = std::max<std::uint64_t>(1, left / spans_left);
  }
  if (reference_) return fill_all(grids);
  const bool takes_all = limits_.is_full || limits_.pop_limit == 0;
  const std::uint64_t wanted = takes_all ? unlimited : limits_.pop_limit;
  if (takes_all && share == unlimited && limits_.seconds <= 0) return fill_all(grids);
  fill_best(grids, std::min(wanted, share), share < wanted);
}

void ChartSearch::fill_all(const std::vector<Grid>& grids) {
  std::vector<std::int32_t> place;
  for (std::uint32_t number = 0; number < grids.size(); ++number) {
    const Grid& grid = grids[number];
    place.assign(1 + grid.cells.size(), 0);
    for (bool is_done = false; !is_done;) {
      points_.clear();
      places_.clear();
      point_values_.clear();
      look(grids, number, place);
      for (const Point& point : points_) accept(grid, point);
      is_done = true;
      for (std::size_t d = place.size(); d-- > 0 && is_done;) {
        const auto size = static_cast<std::int32_t>(size_of(grid, d));
        if (++place[d] < size)
          is_done = false;
        else
          place[d] = 0;
      }
    }
  }
}

void ChartSearch::fill_best(const std::vector<Grid>& grids, std::uint64_t limit,
                            bool is_narrowing) {
  points_.clear();
  places_.clear();
  point_values_.clear();
  heap_.clear();
  std::vector<std::int32_t> place;
  const auto push = [&](std::uint32_t grid) {
    look(grids, grid, place);
    heap_.push_back({points_.back().score, static_cast<std::uint32_t>(points_.size()) - 1});
  };
  for (std::uint32_t grid = 0; grid < grids.size(); ++grid) {
    place.assign(1 + grids[grid].cells.size(), 0);
    push(grid);
  }
  std::make_heap(heap_.begin(), heap_.end());
  for (std::uint64_t pops = 0; !heap_.empty(); ++pops) {
    if (pops >= limit) {
      report_.is_narrowed |= is_narrowing;
      return;
    }
    if (pops > 0 && limits_.seconds > 0 && is_out_of_time()) return;
    std::pop_heap(heap_.begin(), heap_.end());
    const Point best = points_[heap_.back().point];
    heap_.pop_back();
    const Grid& grid = grids[best.grid];
    accept(grid, best);
    // Each point is reached in one way: from the one before it in the last place that is not 0.
    place.assign(places_.begin() + best.place,
                 places_.begin() + best.place + 1 + static_cast<std::ptrdiff_t>(grid.cells.size()));
    for (std::size_t d = place.size(); d-- > 0;) {
      const auto size = size_of(grid, d);
      const bool is_last = place[d] != 0;
      if (++place[d] < size) {
        push(best.grid);
        std::push_heap(heap_.begin(), heap_.end());
      }
      --place[d];
      if (is_last) break;
    }
  }
}

bool ChartSearch::is_out_of_time() {
  if (!report_.is_timed_out) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    report_.is_timed_out = passed.count() > limits_.seconds;
  }
  return report_.is_timed_out;
}

/// Adds the point of a place in a grid; with a reference, one for each way to fit it.
void ChartSearch::look(const std::vector<Grid>& grids, std::uint32_t grid_number,
                       std::span<const std::int32_t> place) {
  tick();
  const Grid& grid = grids[grid_number];
  const std::int32_t option = grid.options.empty() ? -1 : grid.options[place[0]];
  Point point{grid_number, static_cast<std::uint32_t>(places_.size()),
              static_cast<std::uint32_t>(point_values_.size())};
  places_.insert(places_.end(), place.begin(), place.end());
  double score = option < 0 ? weighted_.weight(model_.glue()) : score_[option];
  states_.clear();
  for (std::size_t gap = 0; gap < grid.cells.size(); ++gap) {
    const Node& tail = nodes_[cells_[grid.cells[gap]].nodes[place[gap + 1]]];
    score += tail.score;
    states_.push_back(tail.state);
  }
  const std::span<const std::int32_t> symbols =
      option < 0 ? std::span(glue_symbols) : options_.target_of(static_cast<std::size_t>(option));
  const std::span<const std::uint32_t> words =
      option < 0 ? std::span<const std::uint32_t>(no_words_)
                 : std::span(lm_words_).subspan(word_start_[option], models() * symbols.size());
  point_values_.resize(point_values_.size() + models());
  const auto values = std::span(point_values_).last(models());
  const ChartLanguage::Part part = language_.score(symbols, words, states_, false, values);
  point.state = part.state;
  point.score = score + part.score;
  if (!reference_) {
    points_.push_back(point);
    return;
  }
  look_at_reference(point, grid, place, symbols);
}

/// All places of the reference that say what a point says; none if none does.
void ChartSearch::look_at_reference(Point point, const Grid& grid,
                                    std::span<const std::int32_t> place,
                                    std::span<const std::int32_t> symbols) {
  const auto reference = *reference_;
  const auto tail = [&](std::int32_t symbol) -> const Node& {
    const auto gap = static_cast<std::size_t>(-1 - symbol);
    return nodes_[cells_[grid.cells[gap]].nodes[place[gap + 1]]];
  };
  const auto length = static_cast<std::int32_t>(reference.size());
  const auto fits_at = [&](std::int32_t at) {
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
    for (std::int32_t at = 0; at <= length; ++at) fits_at(at);
    return;
  }
  const std::int32_t at = tail(*gap).position - static_cast<std::int32_t>(gap - symbols.begin());
  if (at >= 0) fits_at(at);
}

/// Makes the edge of a point, and its node if there is none yet.
void ChartSearch::accept(const Grid& grid, const Point& point) {
  ++report_.pops;
  const auto place = std::span(places_).subspan(point.place, 1 + grid.cells.size());
  const std::int32_t option = grid.options.empty() ? -1 : grid.options[place[0]];
  const std::int32_t label = option < 0 ? glue_label : options_.left[option];
  const std::int32_t head = open_cell(grid.begin, grid.end, label);
  const std::uint32_t key[] = {
      static_cast<std::uint32_t>(head), static_cast<std::uint32_t>(point.state),
      static_cast<std::uint32_t>(point.position), static_cast<std::uint32_t>(point.length)};
  const RowInterner::Added added = keys_.add(key);
  const auto edge = static_cast<std::int32_t>(edges_.size());
  edges_.push_back({added.number, option, static_cast<std::int32_t>(tails_.size()),
                    static_cast<std::int32_t>(grid.cells.size())});
  for (std::size_t gap = 0; gap < grid.cells.size(); ++gap)
    tails_.push_back(cells_[grid.cells[gap]].nodes[place[gap + 1]]);
  const auto values = std::span(point_values_).subspan(point.value, models());
  values_.insert(values_.end(), values.begin(), values.end());
  if (added.is_new) {
    nodes_.push_back({head, point.state, point.position, point.length, edge, point.score});
    cells_[head].nodes.push_back(added.number);
  } else if (Node& node = nodes_[added.number]; point.score > node.score) {
    node.best_edge = edge;
    node.score = point.score;
  }
}

/// The points of a grid along one of its dimensions: options, which glue has one of, then gaps.
std::int32_t ChartSearch::size_of(const Grid& grid, std::size_t dimension) const {
  const std::size_t size = dimension ? cells_[grid.cells[dimension - 1]].nodes.size()
                                     : std::max<std::size_t>(1, grid.options.size());
  return static_cast<std::int32_t>(size);
}

/// Sorts the nodes of a cell, and drops those that are not good enough.
void ChartSearch::close(std::int32_t begin, std::int32_t end, std::int32_t label) {
  const std::int32_t number = cell(begin, end, label);
  if (number < 0) return;
  auto& nodes = cells_[number].nodes;
  std::sort(nodes.begin(), nodes.end(), [&](std::int32_t a, std::int32_t b) {
    return nodes_[a].score != nodes_[b].score ? nodes_[a].score > nodes_[b].score : a < b;
  });
  if (reference_ || nodes.empty()) return;
  const double least = nodes_[nodes.front()].score - limits_.beam;
  const auto last = std::find_if(nodes.begin(), nodes.end(),
                                 [&](std::int32_t node) { return nodes_[node].score < least; });
  nodes.erase(last, nodes.end());
  if (limits_.cell_size && nodes.size() > limits_.cell_size)
    nodes.resize(static_cast<std::size_t>(limits_.cell_size));
}

/// Nodes of the whole sentence that, if there is a reference, say all of it.
std::vector<std::int32_t> ChartSearch::final_nodes() const {
  const std::int32_t whole = cell(0, options_.length, glue_label);
  std::vector<std::int32_t> found;
  if (whole < 0) return found;
  for (const std::int32_t node : cells_[whole].nodes)
    if (!reference_ || static_cast<std::size_t>(nodes_[node].length) == reference_->size())
      found.push_back(node);
  return found;
}

}  // namespace rosewood
