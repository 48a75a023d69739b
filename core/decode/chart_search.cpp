// core/decode/chart_search.cpp: cells, filled one after the other.
#include "decode/chart_search.hpp"

#include <algorithm>

namespace rosewood {

void ChartSearch::run() {
  fill_spans();
  fill_glue();
  control_.report().is_reachable = !final_nodes().empty();
}

std::int32_t ChartSearch::cell(std::int32_t begin, std::int32_t end, std::int32_t label) const {
  const auto& lengths = spans_[static_cast<std::size_t>(begin)];
  const auto length = static_cast<std::size_t>(end - begin);
  if (length >= lengths.size()) return -1;
  for (std::int32_t number = lengths[length].first; number < lengths[length].last; ++number)
    if (cells_[number].label == label) return number;
  return -1;
}

/// The cell of a label in the span that is being filled.
std::int32_t ChartSearch::open_cell(std::int32_t label) {
  if (label == glue_label) return glue_cells_[static_cast<std::size_t>(end_)];
  const std::int32_t known = cell(begin_, end_, label);
  if (known >= 0) return known;
  cells_.push_back({begin_, end_, label, {}});
  return spans_[static_cast<std::size_t>(begin_)][static_cast<std::size_t>(end_ - begin_)].last++;
}

void ChartSearch::begin_span(std::int32_t begin, std::int32_t end) {
  begin_ = begin;
  end_ = end;
  auto& lengths = spans_[static_cast<std::size_t>(begin)];
  const auto length = static_cast<std::size_t>(end - begin);
  if (lengths.size() <= length) lengths.resize(length + 1);
  first_cell_ = lengths[length].first = lengths[length].last =
      static_cast<std::int32_t>(cells_.size());
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
  std::vector<const ChartMatch*> unary;
  for (std::size_t first = 0, last; first < matches.size(); first = last) {
    const std::int32_t begin = matches[first].begin, end = matches[first].end;
    begin_span(begin, end);
    unary.clear();
    for (last = first; last < matches.size() && is_same(matches[first], matches[last]); ++last) {
      if (matches[last].is_unary)
        unary.push_back(&matches[last]);
      else
        add_grid(matches[last]);
    }
    fill(spans);
    std::stable_sort(unary.begin(), unary.end(), [&](const ChartMatch* a, const ChartMatch* b) {
      return ranks[options_.gaps[a->gap].label] < ranks[options_.gaps[b->gap].label];
    });
    for (const ChartMatch* match : unary) {
      close(cell(begin, end, options_.gaps[match->gap].label));
      add_grid(*match);
      fill(spans);
    }
    const CellRange made = spans_[begin][end - begin];
    for (std::int32_t number = made.first; number < made.last; ++number) close(number);
    --spans;
  }
}

/// The points of a match, if there is something in each of its gaps.
void ChartSearch::add_grid(const ChartMatch& match) {
  if (match.first == match.last) return;
  const std::size_t first = gap_nodes_.size();
  for (std::int32_t gap = match.gap; gap < match.gap + match.gaps; ++gap) {
    const ChartGap& filled = options_.gaps[static_cast<std::size_t>(gap)];
    const std::int32_t number = cell(filled.begin, filled.end, filled.label);
    if (number < 0 || cells_[number].nodes.empty()) {
      gap_nodes_.resize(first);
      return;
    }
    gap_nodes_.push_back(cells_[number].nodes);
  }
  grids_.push_back({std::span(order_).subspan(static_cast<std::size_t>(match.first),
                                              static_cast<std::size_t>(match.last - match.first)),
                    static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(match.gaps)});
}

/// Nodes that begin the sentence, the shortest first.
void ChartSearch::fill_glue() {
  glue_cells_.assign(static_cast<std::size_t>(options_.length) + 1, -1);
  std::int32_t longest = 0;
  for (const ChartMatch& match : options_.matches)
    longest = std::max(longest, match.end - match.begin);
  for (std::int32_t end = 0; end <= options_.length; ++end) {
    const auto number = static_cast<std::int32_t>(cells_.size());
    cells_.push_back({0, end, glue_label, {}});
    glue_cells_[static_cast<std::size_t>(end)] = number;
    begin_ = 0;
    end_ = end;
    first_cell_ = number;
    if (end == 0) {
      Point begin{};
      begin.state = language_.begin_sentence().state;
      if (model_.has_trees()) begin.score = tree_score(-1, 0.0, {});
      edges_.push_back({add_node(number, begin), -1, static_cast<std::int32_t>(tails_.size()), 0});
      values_.resize(values_.size() + models());
      continue;
    }
    for (std::int32_t middle = std::max(0, end - longest); middle < end; ++middle) {
      const auto& before = cells_[glue_cells_[static_cast<std::size_t>(middle)]].nodes;
      const auto& lengths = spans_[static_cast<std::size_t>(middle)];
      if (before.empty() || static_cast<std::size_t>(end - middle) >= lengths.size()) continue;
      const CellRange behind = lengths[static_cast<std::size_t>(end - middle)];
      for (std::int32_t other = behind.first; other < behind.last; ++other) {
        if (cells_[other].nodes.empty() || !model_.is_joined(cells_[other].label, middle)) continue;
        grids_.push_back({{}, static_cast<std::uint32_t>(gap_nodes_.size()), 2});
        gap_nodes_.push_back(before);
        gap_nodes_.push_back(cells_[other].nodes);
      }
    }
    fill(static_cast<std::uint64_t>(options_.length - end) + 1);
    close(number);
  }
}

/// Sorts the nodes of a cell, and drops those that are not good enough.
void ChartSearch::close(std::int32_t number) {
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
  std::vector<std::int32_t> found;
  for (const std::int32_t node : cells_[glue_cells_.back()].nodes)
    if (!reference_ || static_cast<std::size_t>(nodes_[node].length) == reference_->size())
      found.push_back(node);
  return found;
}

}  // namespace rosewood
