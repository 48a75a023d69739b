// core/decode/chart_forest.cpp: what a search has found, as a forest.
#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "decode/chart_search.hpp"

namespace rosewood {

/// The hypergraph of a search: its nodes and edges, and a root above the nodes of the whole
/// sentence. The last edges lead to the root, and have what language models say of the end.
class ChartSearch::Graph {
 public:
  Graph(ChartSearch& search, std::vector<std::int32_t> ends, bool is_best_alone)
      : search_(search), ends_(std::move(ends)) {
    std::vector<double> values(search_.models());
    std::size_t best = 0;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const Node& node = search_.nodes_[ends_[i]];
      double score = node.score + search_.language_.finish(node.state, values);
      if (search_.model_.has_trees()) score += search_.tree_score(-1, 0.0, values);
      if (i == 0 || score > score_) score_ = score, best = i;
      ending_.insert(ending_.end(), values.begin(), values.end());
    }
    if (is_best_alone) {
      keep_best(best);
    } else {
      edges_.resize(search_.edges_.size());
      std::iota(edges_.begin(), edges_.end(), 0);
      by_place_.resize(search_.nodes_.size());
      std::iota(by_place_.begin(), by_place_.end(), 0);
    }
    set_order();
    root_ = static_cast<std::int32_t>(by_place_.size());
    best_end_ = first_end() + static_cast<std::int32_t>(is_best_alone ? 0 : best);
    edge_place_.assign(search_.edges_.size(), -1);
    for (std::size_t i = 0; i < edges_.size(); ++i)
      edge_place_[edges_[i]] = static_cast<std::int32_t>(i);
  }

  double score() const { return score_; }
  const Cell& cell(std::int32_t node) const {
    return search_.cells_[search_.nodes_[by_place_[node]].cell];
  }

  std::int32_t nodes() const { return root_ + 1; }
  std::int32_t edges() const { return first_end() + static_cast<std::int32_t>(ends_.size()); }
  std::size_t features() const { return search_.model_.features(); }
  std::int32_t root() const { return root_; }
  std::int32_t head(std::int32_t edge) const {
    return edge < first_end() ? place_[step(edge).head] : root_;
  }
  std::span<const std::int32_t> tails(std::int32_t edge) {
    if (edge >= first_end()) {
      tails_.assign(1, place_[ends_[edge - first_end()]]);
    } else {
      tails_.clear();
      for (std::int32_t i = 0; i < step(edge).tails; ++i)
        tails_.push_back(place_[search_.tails_[step(edge).tail + i]]);
    }
    return tails_;
  }
  std::int32_t best_edge(std::int32_t node) const {
    return node == root_ ? best_end_ : edge_place_[search_.nodes_[by_place_[node]].best_edge];
  }
  std::int32_t label(std::int32_t edge) const {
    return edge < first_end() ? step(edge).option : -1;
  }
  void append_yield(std::int32_t edge, std::vector<std::int32_t>& out) const {
    if (edge < first_end() && step(edge).option >= 0) {
      const auto target = search_.options_.target_of(static_cast<std::size_t>(step(edge).option));
      out.insert(out.end(), target.begin(), target.end());
      return;
    }
    const std::int32_t tails = edge < first_end() ? step(edge).tails : 1;
    for (std::int32_t i = 0; i < tails; ++i) out.push_back(-1 - i);
  }
  void write_features(std::int32_t edge, std::span<double> row) const {
    const HieroModel& model = search_.model_;
    const double* values = nullptr;
    if (edge >= first_end()) {
      values = ending_.data() + static_cast<std::size_t>(edge - first_end()) * search_.models();
    } else {
      const Edge& made = step(edge);
      values = search_.values_.data() + static_cast<std::size_t>(edges_[edge]) * search_.models();
      if (made.option >= 0)
        std::copy_n(search_.options_.features.data() +
                        static_cast<std::size_t>(made.option) * model.stateless(),
                    model.stateless(), row.data());
      else if (made.tails > 0)
        row[model.glue()] = 1;
    }
    std::copy_n(values, search_.models(), row.data() + model.first_language_model());
    model.write_trees(row);
  }

 private:
  std::int32_t first_end() const { return static_cast<std::int32_t>(edges_.size()); }
  const Edge& step(std::int32_t edge) const { return search_.edges_[edges_[edge]]; }

  /// Nodes by the time their cells are complete: tails then come before heads.
  void set_order() {
    const auto ranks = search_.model_.label_ranks();
    const auto key = [&](std::int32_t number) {
      const Cell& cell = search_.cells_[number];
      const bool is_glue = cell.label == glue_label;
      return std::tuple(is_glue, cell.end - cell.begin, cell.begin,
                        is_glue ? 0 : ranks[cell.label]);
    };
    // Cells that are complete at the same time are one bin; nodes of a bin keep their order.
    std::vector<std::int32_t> cells(search_.cells_.size()), bin(cells.size());
    std::iota(cells.begin(), cells.end(), 0);
    std::sort(cells.begin(), cells.end(),
              [&](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
    std::int32_t bins = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      bins += i > 0 && key(cells[i - 1]) < key(cells[i]);
      bin[cells[i]] = bins;
    }
    const auto bin_of = [&](std::int32_t node) { return bin[search_.nodes_[node].cell]; };
    std::vector<std::int32_t> next(static_cast<std::size_t>(bins) + 2);
    for (const std::int32_t node : by_place_) ++next[bin_of(node) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<std::int32_t> sorted(by_place_.size());
    for (const std::int32_t node : by_place_) sorted[next[bin_of(node)]++] = node;
    by_place_ = std::move(sorted);
    place_.assign(search_.nodes_.size(), -1);
    for (std::size_t i = 0; i < by_place_.size(); ++i)
      place_[by_place_[i]] = static_cast<std::int32_t>(i);
  }

  /// Only the nodes and edges of the best derivation; a node may be in it more than once.
  void keep_best(std::size_t end) {
    ends_ = {ends_[end]};
    ending_ = {ending_.begin() + static_cast<std::ptrdiff_t>(end * search_.models()),
               ending_.begin() + static_cast<std::ptrdiff_t>((end + 1) * search_.models())};
    std::vector<std::int32_t> open{ends_.front()};
    while (!open.empty()) {
      const std::int32_t number = search_.nodes_[open.back()].best_edge;
      const Edge& edge = search_.edges_[number];
      open.pop_back();
      edges_.push_back(number);
      open.insert(open.end(), search_.tails_.begin() + edge.tail,
                  search_.tails_.begin() + edge.tail + edge.tails);
    }
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    for (const std::int32_t edge : edges_) by_place_.push_back(search_.edges_[edge].head);
    std::sort(by_place_.begin(), by_place_.end());
  }

  ChartSearch& search_;
  std::vector<std::int32_t> ends_;
  std::int32_t root_ = 0, best_end_ = 0;
  double score_ = 0;
  std::vector<double> ending_;                  // of language models, for each end
  std::vector<std::int32_t> edges_;             // that are kept
  std::vector<std::int32_t> edge_place_;        // of each edge of the search, among those; -1: none
  std::vector<std::int32_t> by_place_, place_;  // nodes that are kept in their new order; and back
  std::vector<std::int32_t> tails_;
};

ChartForest ChartSearch::forest(bool is_best_alone) {
  std::vector<std::int32_t> ends = final_nodes();
  ChartForest found;
  if (ends.empty()) return found;
  Graph graph(*this, std::move(ends), is_best_alone);
  found.score = graph.score();
  found.arrays = ForestWriter(graph).write();
  for (const std::int32_t node : found.arrays.node) {
    const bool is_root = node == graph.root();
    found.begin.push_back(is_root ? 0 : graph.cell(node).begin);
    found.end.push_back(is_root ? options_.length : graph.cell(node).end);
    found.label.push_back(is_root ? glue_label : graph.cell(node).label);
  }
  return found;
}

}  // namespace rosewood
