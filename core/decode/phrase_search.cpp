// core/decode/phrase_search.cpp: stacks, filled one after the other.
#include "decode/phrase_search.hpp"

#include <algorithm>

#include "util/heap.hpp"

namespace rosewood {

void PhraseSearch::run() {
  const std::uint32_t key[] = {0, 0, 0, 0, 0};
  keys_.add(key);
  const std::vector<double> nothing(model_.features());
  const double start = weighted_.tree_score(nothing);
  nodes_.push_back({0, 0, language_.begin(), 0, 0, -1, start, start});
  std::vector<std::int32_t> kept{0};
  for (std::size_t stack = 0; stack < grids_.size(); ++stack) {
    const auto first = static_cast<std::int32_t>(stack == 0 ? 0 : nodes_.size());
    if (stack > 0) {
      fill(stack);
      last_first_ = first;
      if (stack + 1 < grids_.size()) kept = pruned(first);
      std::vector<Grid>().swap(grids_[stack]);
    }
    if (stack + 1 < grids_.size()) branch(stack, kept);
  }
  control_.report().is_reachable = !final_nodes().empty();
}

/// Makes the nodes of a stack.
void PhraseSearch::fill(std::size_t stack) {
  std::vector<Grid>& grids = grids_[stack];
  const bool takes_all = reference_ || control_.takes_all();
  std::uint64_t cells = 0;
  if (takes_all)
    for (const Grid& grid : grids)
      cells += static_cast<std::uint64_t>(orders_[grid.rows].size()) *
               static_cast<std::uint64_t>(orders_[grid.columns].size());
  const SearchControl::Share share = control_.share(grids_.size() - stack, takes_all, cells);
  if (share.has_room_for_all)
    fill_all(grids);
  else
    fill_best(grids, share);
}

void PhraseSearch::fill_all(std::vector<Grid>& grids) {
  for (std::uint32_t number = 0; number < grids.size(); ++number) {
    const Order &rows = orders_[grids[number].rows], &columns = orders_[grids[number].columns];
    for (std::int32_t row = rows.begin; row < rows.end; ++row)
      for (std::int32_t column = columns.begin; column < columns.end; ++column)
        accept(grids[number], looked_at(grids, number, row, column));
  }
}

void PhraseSearch::fill_best(std::vector<Grid>& grids, const SearchControl::Share& share) {
  std::vector<Cell>& cells = cells_;
  std::vector<Entry>& heap = heap_;
  cells.clear();
  heap.clear();
  const auto look = [&](std::uint32_t grid, std::int32_t row, std::int32_t column) {
    cells.push_back(looked_at(grids, grid, row, column));
    return Entry{cells.back().score + grids[grid].future,
                 static_cast<std::uint32_t>(cells.size()) - 1};
  };
  for (std::uint32_t grid = 0; grid < grids.size(); ++grid)
    heap.push_back(look(grid, orders_[grids[grid].rows].begin, orders_[grids[grid].columns].begin));
  std::make_heap(heap.begin(), heap.end());
  for (std::uint64_t pops = 0; !heap.empty(); ++pops) {
    if (control_.is_over(pops, share)) return;
    const Cell best = cells[heap.front().cell];
    Grid& grid = grids[best.grid];
    accept(grid, best);
    // Each cell is reached in one way: along its row, whose first cell comes from the row before.
    const bool goes_on = best.column + 1 < orders_[grid.columns].end;
    const bool goes_down =
        best.column == orders_[grid.columns].begin && best.row + 1 < orders_[grid.rows].end;
    if (goes_on) {
      replace_first(heap, look(best.grid, best.row, best.column + 1));
    } else {
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
    }
    if (goes_down) {
      heap.push_back(look(best.grid, best.row + 1, best.column));
      std::push_heap(heap.begin(), heap.end());
    }
  }
}

PhraseSearch::Cell PhraseSearch::looked_at(const std::vector<Grid>& grids, std::uint32_t grid,
                                           std::int32_t row, std::int32_t column) {
  control_.tick();
  const double score = rows_[row].score + grids[grid].step;
  const Column& option = columns_[column];
  const Node& from = nodes_[rows_[row].node];
  if (reference_ && !fits(from, option.option))
    return {grid, row, column, -1, score + option.estimate};
  const LanguageStates::Step step = language_.follow(from.language, phrase_[option.option]);
  double all = score + option.score + step.score;
  if (has_step_trees_) all += tree_step(grids[grid], from, option.option, step);
  return {grid, row, column, step.state, all};
}

/// Makes the hypothesis of a cell, and its node if there is none yet.
void PhraseSearch::accept(Grid& grid, const Cell& cell) {
  control_.count_pop();
  if (cell.language < 0) return;
  if (!grid.is_made) {  // few grids come so far
    const OptionList& list = lists_[grid.list];
    grid.coverage = coverages_.with(grid.coverage, list.begin, list.end);
    grid.place =
        tracker_.next(grid.place, list.begin, list.end, list.links.last, [&](std::int32_t word) {
          return word < 0 || word >= options_.length || coverages_.has(grid.coverage, word);
        });
    grid.is_made = true;
  }
  const std::int32_t from = rows_[cell.row].node, option = columns_[cell.column].option;
  const std::int32_t position =
      reference_
          ? nodes_[from].position + static_cast<std::int32_t>(phrases_.length(phrase_[option]))
          : 0;
  const std::uint32_t key[] = {
      static_cast<std::uint32_t>(grid.coverage), static_cast<std::uint32_t>(grid.place),
      static_cast<std::uint32_t>(cell.language), static_cast<std::uint32_t>(forward_row_[option]),
      static_cast<std::uint32_t>(position)};
  const RowInterner::Added added = keys_.add(key);
  const auto edge = static_cast<std::int32_t>(edges_.size());
  edges_.push_back({added.number, from, option});
  if (added.is_new) {
    nodes_.push_back({grid.coverage, grid.place, cell.language, forward_row_[option], position,
                      edge, cell.score, cell.score + grid.future});
  } else if (Node& node = nodes_[added.number]; cell.score > node.score) {
    node.best_edge = edge;
    node.score = cell.score;
    node.total = cell.score + grid.future;
  }
}

/// Whether an option goes on with the reference.
bool PhraseSearch::fits(const Node& node, std::int32_t option) const {
  const auto target = options_.target_of(static_cast<std::size_t>(option));
  const auto left = reference_->subspan(static_cast<std::size_t>(node.position));
  return target.size() <= left.size() && std::equal(target.begin(), target.end(), left.begin());
}

/// The nodes of a stack that are not too bad; it begins with node `first`.
std::vector<std::int32_t> PhraseSearch::pruned(std::int32_t first) {
  std::vector<std::int32_t> kept;
  double best = -std::numeric_limits<double>::infinity();
  for (auto node = first; node < static_cast<std::int32_t>(nodes_.size()); ++node)
    best = std::max(best, nodes_[node].total);
  for (auto node = first; node < static_cast<std::int32_t>(nodes_.size()); ++node)
    if (reference_ || nodes_[node].total >= best - limits_.beam) kept.push_back(node);
  if (limits_.stack_size && !reference_ && kept.size() > limits_.stack_size) {
    const auto last = kept.begin() + static_cast<std::ptrdiff_t>(limits_.stack_size);
    std::nth_element(kept.begin(), last, kept.end(), [&](std::int32_t a, std::int32_t b) {
      return nodes_[a].total != nodes_[b].total ? nodes_[a].total > nodes_[b].total : a < b;
    });
    kept.erase(last, kept.end());
  }
  return kept;
}

/// Nodes that have translated all words and, if there is a reference, said all of it.
std::vector<std::int32_t> PhraseSearch::final_nodes() const {
  std::vector<std::int32_t> found;
  for (auto node = last_first_; node < static_cast<std::int32_t>(nodes_.size()); ++node)
    if (!reference_ || static_cast<std::size_t>(nodes_[node].position) == reference_->size())
      found.push_back(node);
  return found;
}

}  // namespace rosewood
