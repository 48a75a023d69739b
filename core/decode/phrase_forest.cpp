// core/decode/phrase_forest.cpp: what a search has found: the best translation, and all of them as
// a forest.
#include <algorithm>
#include <utility>

#include "decode/phrase_search.hpp"

namespace rosewood {

/// All features of an edge between two nodes.
void PhraseSearch::write_features(const Edge& edge, std::span<double> out) {
  const auto option = static_cast<std::size_t>(edge.option);
  const Node& from = nodes_[edge.from];
  std::fill(out.begin(), out.end(), 0.0);
  std::copy_n(options_.features.begin() + static_cast<std::ptrdiff_t>(option * model_.stateless()),
              model_.stateless(), out.begin());
  out[model_.distortion()] = distortion(from.place, options_.begin[option]);
  const auto values = language_.values(from.language, phrase_[option]);
  std::copy(values.begin(), values.end(),
            out.begin() + static_cast<std::ptrdiff_t>(model_.first_language_model()));
  const OptionList step{options_.begin[option], options_.end[option], options_.links[option], {}};
  for_each_class(codes(from.place, step, from.coverage), [&](const OrientationSlot& slot,
                                                             std::size_t number) {
    const std::size_t column = slot.column(number);
    const std::int32_t owner =
        slot.direction == Direction::forward ? forward_row_option_[from.forward_row] : edge.option;
    out[model_.first_orientation() + column] =
        options_
            .orientations[static_cast<std::size_t>(owner) * model_.orientation_columns().size() +
                          column];
  });
  model_.write_trees(out);
}

/// What the end of the sentence behind a node adds to its score.
double PhraseSearch::end_score(std::int32_t node) {
  const std::int32_t state = nodes_[node].language;
  double score = language_.finish(state);
  if (model_.has_trees()) {
    std::vector<double> row(model_.features());
    std::ranges::copy(language_.final_values(state),
                      row.begin() + static_cast<std::ptrdiff_t>(model_.first_language_model()));
    score += weighted_.tree_score(row);
  }
  return score;
}

/// The final node of the best translation; -1 if there is none.
std::int32_t PhraseSearch::best_node() {
  std::int32_t best = -1;
  double best_score = 0;
  for (const std::int32_t node : final_nodes()) {
    const double score = nodes_[node].score + end_score(node);
    if (best >= 0 && score <= best_score) continue;
    best = node;
    best_score = score;
  }
  return best;
}

BestPath PhraseSearch::best() {
  BestPath path;
  path.features.resize(model_.features());
  const std::int32_t last = best_node();
  if (last < 0) return path;
  path.score = nodes_[last].score + end_score(last);
  const auto ending = language_.final_values(nodes_[last].language);
  for (std::size_t k = 0; k < ending.size(); ++k)
    path.features[model_.first_language_model() + k] += ending[k];
  model_.write_trees(path.features);
  std::vector<double> row(model_.features());
  if (model_.has_trees())  // of the beginning
    path.features[model_.tree_feature()] += model_.trees().of_row(row);
  for (std::int32_t node = last; nodes_[node].best_edge >= 0;) {
    const Edge& edge = edges_[nodes_[node].best_edge];
    path.options.push_back(edge.option);
    write_features(edge, row);
    for (std::size_t i = 0; i < row.size(); ++i) path.features[i] += row[i];
    node = edge.from;
  }
  std::reverse(path.options.begin(), path.options.end());
  for (const std::int32_t option : path.options) {
    const auto number = static_cast<std::size_t>(option);
    const auto target = options_.target_of(number);
    const std::int64_t rule = options_.rule[number];
    path.begin.push_back(options_.begin[number]);
    path.end.push_back(options_.end[number]);
    path.rule.push_back(
        rule < 0 ? -1
                 : static_cast<std::int64_t>(model_.table().id(static_cast<std::uint64_t>(rule))));
    path.origin.push_back(static_cast<std::uint8_t>(options_.origin[number]));
    path.target.insert(path.target.end(), target.begin(), target.end());
    path.target_start.push_back(static_cast<std::int64_t>(path.target.size()));
  }
  return path;
}

/// The hypergraph of a search: its nodes and edges, and a root above the final nodes. Edge 0 leads
/// to the first node and has no tails; the last edges, from the final nodes to the root, have what
/// language models say of the end.
class PhraseSearch::Graph {
 public:
  Graph(PhraseSearch& search, std::vector<std::int32_t> ends)
      : search_(search),
        ends_(std::move(ends)),
        root_(static_cast<std::int32_t>(search.nodes_.size())),
        first_end_(static_cast<std::int32_t>(search.edges_.size()) + 1) {
    const auto best = std::find(ends_.begin(), ends_.end(), search.best_node());
    best_end_ = first_end_ + static_cast<std::int32_t>(best - ends_.begin());
  }

  std::int32_t nodes() const { return root_ + 1; }
  std::int32_t edges() const { return first_end_ + static_cast<std::int32_t>(ends_.size()); }
  std::size_t features() const { return search_.model_.features(); }
  std::int32_t root() const { return root_; }
  std::int32_t head(std::int32_t edge) const {
    return edge == 0 ? 0 : edge < first_end_ ? step(edge).head : root_;
  }
  std::span<const std::int32_t> tails(std::int32_t edge) const {
    if (edge == 0) return {};
    return {edge < first_end_ ? &step(edge).from : &ends_[edge - first_end_], 1};
  }
  std::int32_t best_edge(std::int32_t node) const {
    return node == root_ ? best_end_ : search_.nodes_[node].best_edge + 1;
  }
  std::int32_t label(std::int32_t edge) const {
    return 0 < edge && edge < first_end_ ? step(edge).option : -1;
  }
  void append_yield(std::int32_t edge, std::vector<std::int32_t>& out) const {
    if (edge == 0) return;
    out.push_back(-1);
    if (edge >= first_end_) return;
    const auto target = search_.options_.target_of(static_cast<std::size_t>(step(edge).option));
    out.insert(out.end(), target.begin(), target.end());
  }
  void write_features(std::int32_t edge, std::span<double> row) {
    if (0 < edge && edge < first_end_) return search_.write_features(step(edge), row);
    if (edge > 0) {
      const auto ending =
          search_.language_.final_values(search_.nodes_[ends_[edge - first_end_]].language);
      std::ranges::copy(ending, row.subspan(search_.model_.first_language_model()).begin());
    }
    search_.model_.write_trees(row);
  }

 private:
  const Edge& step(std::int32_t edge) const { return search_.edges_[edge - 1]; }

  PhraseSearch& search_;
  std::vector<std::int32_t> ends_;
  std::int32_t root_, first_end_, best_end_;
};

ForestArrays PhraseSearch::forest() {
  std::vector<std::int32_t> ends = final_nodes();
  if (ends.empty()) return {};
  Graph graph(*this, std::move(ends));
  return ForestWriter(graph).write();
}

}  // namespace rosewood
