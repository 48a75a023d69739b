// core/decode/phrase_forest.cpp: what a search has found: the best translation, and all of them as
// a forest.
#include <algorithm>

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
                                                             Orientation orientation) {
    const std::size_t column = slot.column(orientation);
    const std::int32_t owner =
        slot.direction == Direction::forward ? tail_option_[from.tail] : edge.option;
    out[model_.first_orientation() + column] =
        options_
            .orientations[static_cast<std::size_t>(owner) * model_.orientation_columns().size() +
                          column];
  });
}

/// The final node of the best translation; -1 if there is none.
std::int32_t PhraseSearch::best_node() {
  std::int32_t best = -1;
  double best_score = 0;
  for (const std::int32_t node : final_nodes()) {
    const double score = nodes_[node].score + language_.finish(nodes_[node].language);
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
  path.score = nodes_[last].score + language_.finish(nodes_[last].language);
  const auto ending = language_.final_values(nodes_[last].language);
  for (std::size_t k = 0; k < ending.size(); ++k)
    path.features[model_.first_language_model() + k] += ending[k];
  std::vector<double> row(model_.features());
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

PhraseForest PhraseSearch::forest() {
  PhraseForest out;
  const std::vector<std::int32_t> ends = final_nodes();
  if (ends.empty()) return out;
  // Nodes that lead to an end, from the last to the first: edges go to later nodes only.
  std::vector<std::int32_t> number(nodes_.size(), -1);
  for (const std::int32_t node : ends) number[node] = 0;
  std::vector<std::int64_t> start(nodes_.size() + 1);  // of the edges of each node
  for (const Edge& edge : edges_) ++start[edge.head + 1];
  for (std::size_t node = 0; node < nodes_.size(); ++node) start[node + 1] += start[node];
  std::vector<std::int32_t> sorted(edges_.size());
  {
    std::vector<std::int64_t> next(start.begin(), start.end() - 1);
    for (std::size_t edge = 0; edge < edges_.size(); ++edge)
      sorted[next[edges_[edge].head]++] = static_cast<std::int32_t>(edge);
  }
  std::size_t edges = 1 + ends.size();
  for (std::size_t node = nodes_.size(); node-- > 0;) {
    if (number[node] < 0) continue;
    edges += static_cast<std::size_t>(start[node + 1] - start[node]);
    for (std::int64_t i = start[node]; i < start[node + 1]; ++i) number[edges_[sorted[i]].from] = 0;
  }
  const std::size_t width = model_.features();
  out.dense.resize(edges * width);
  std::size_t row = 0;
  const auto add_edge = [&](std::int32_t tail, std::int32_t option) {
    if (tail >= 0) {
      out.tail.push_back(tail);
      out.yield_symbol.push_back(-1);
    }
    if (option >= 0) {
      const auto target = options_.target_of(static_cast<std::size_t>(option));
      out.yield_symbol.insert(out.yield_symbol.end(), target.begin(), target.end());
    }
    out.tail_start.push_back(static_cast<std::int64_t>(out.tail.size()));
    out.yield_start.push_back(static_cast<std::int64_t>(out.yield_symbol.size()));
    out.edge_option.push_back(option);
    return std::span(out.dense).subspan(width * row++, width);
  };
  std::vector<std::int64_t> place(edges_.size());  // of an edge, in the forest
  std::int32_t count = 0;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (number[node] < 0) continue;
    number[node] = count++;
    if (node == 0) add_edge(-1, -1);
    for (std::int64_t i = start[node]; i < start[node + 1]; ++i) {
      const Edge& edge = edges_[sorted[i]];
      place[sorted[i]] = static_cast<std::int64_t>(row);
      write_features(edge, add_edge(number[edge.from], edge.option));
    }
    out.edge_start.push_back(static_cast<std::int64_t>(out.edge_option.size()));
  }
  std::int32_t best = best_node();
  for (const std::int32_t node : ends) {
    if (node == best) out.best_edges.push_back(static_cast<std::int64_t>(row));
    const auto features = add_edge(number[node], -1);
    const auto ending = language_.final_values(nodes_[node].language);
    std::copy(ending.begin(), ending.end(),
              features.begin() + static_cast<std::ptrdiff_t>(model_.first_language_model()));
  }
  out.edge_start.push_back(static_cast<std::int64_t>(out.edge_option.size()));
  for (; nodes_[best].best_edge >= 0; best = edges_[nodes_[best].best_edge].from)
    out.best_edges.push_back(place[nodes_[best].best_edge]);
  out.best_edges.push_back(0);  // the beginning
  return out;
}

}  // namespace rosewood
