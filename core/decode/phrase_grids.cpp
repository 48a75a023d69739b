// core/decode/phrase_grids.cpp: where hypotheses can go on, and in which order to look there.
#include <algorithm>
#include <cmath>

#include "decode/phrase_search.hpp"

namespace rosewood {

/// Makes the groups of a stack, and the grids that lead from them to later ones.
void PhraseSearch::branch(std::size_t stack, std::vector<std::int32_t>& nodes) {
  std::sort(nodes.begin(), nodes.end(), [&](std::int32_t a, std::int32_t b) {
    const Node &left = nodes_[a], &right = nodes_[b];
    if (left.coverage != right.coverage) return left.coverage < right.coverage;
    if (left.place != right.place) return left.place < right.place;
    return left.score != right.score ? left.score > right.score : a < b;
  });
  for (std::size_t begin = 0, end = 0; begin < nodes.size(); begin = end) {
    const Node& head = nodes_[nodes[begin]];
    while (end < nodes.size() && nodes_[nodes[end]].coverage == head.coverage &&
           nodes_[nodes[end]].place == head.place)
      ++end;
    Group group{head.coverage, head.place, std::span(nodes).subspan(begin, end - begin)};
    add_grids(stack, group);
  }
}

/// Spans that may come next: no word twice, and no jump further than the limit, neither to the span
/// nor from it back to the first word that is left.
void PhraseSearch::add_grids(std::size_t stack, Group& group) {
  const std::int32_t coverage = group.coverage, limit = limits_.distortion_limit;
  const std::int32_t at = tracker_.end(group.place);
  const std::int32_t gap = coverages_.first_gap(coverage);
  for (std::int32_t begin = gap; begin < options_.length;
       begin = coverages_.first_gap(coverage, begin + 1)) {
    if (limit >= 0 && begin - at > limit) break;
    if (limit >= 0 && at - begin > limit) continue;
    const std::int32_t last = coverages_.first_covered(coverage, begin);
    for (const std::int32_t list : lists_at_[static_cast<std::size_t>(begin)]) {
      const std::int32_t end = lists_[list].end;
      if (end > last) break;
      if (limit >= 0 && begin != gap && end - gap > limit) break;
      add_grid(stack, group, list);
    }
  }
}

void PhraseSearch::add_grid(std::size_t stack, Group& group, std::int32_t number) {
  control_.tick();
  OptionList& list = lists_[number];
  if (list.last_coverage != group.coverage) {
    list.last_coverage = group.coverage;
    list.future = future_(coverages_, group.coverage, list.begin, list.end);
  }
  const Codes code = codes(group.place, list, group.coverage);
  const double far = distortion(group.place, list.begin);
  double step = weighted_.weight(model_.distortion()) * far;
  if (!tree_rest_.empty()) {
    tree_rest_[model_.distortion() - model_.stateless()] = far;
    step += tree_score(TreeStage::distortion, -1);
  }
  grids_[stack + static_cast<std::size_t>(list.end - list.begin)].push_back(
      {rows_of(group, code.forward), columns_of(list, code.backward), number, group.coverage,
       group.place, false, step, list.future});
}

double PhraseSearch::distortion(std::int32_t place, std::int32_t begin) const {
  const std::int32_t distance = std::abs(begin - tracker_.end(place));
  return distance ? -static_cast<double>(distance) : 0.0;
}

/// Of the step to a list of options from nodes with this place and coverage.
PhraseSearch::Codes PhraseSearch::codes(std::int32_t place, const OptionList& list,
                                        std::int32_t coverage) const {
  Codes found;
  for (const OrientationSlot& slot : model_.slots()) {
    const bool is_forward = slot.direction == Direction::forward;
    std::uint64_t number = 0;  // nothing comes before the first phrase
    if (!is_forward || place != 0)
      number = 1 + static_cast<std::uint64_t>(tracker_.step_class(
                       slot, place, list.begin, list.end, list.links.first, [&](std::int32_t word) {
                         return coverages_.has(coverage, word) ||
                                (list.begin <= word && word < list.end);
                       }));
    std::uint64_t& code = is_forward ? found.forward : found.backward;
    code = code * slot.codes() + number;
  }
  return found;
}

/// An order of what is added from place `first` on, for steps with these classes.
PhraseSearch::Order PhraseSearch::begin_order(const Codes& codes, std::size_t first,
                                              std::int32_t next) {
  const auto begin = static_cast<std::uint32_t>(classes_.size());
  for_each_class(codes, [&](const OrientationSlot& slot, std::size_t number) {
    classes_.push_back(static_cast<std::uint32_t>(slot.column(number)));
  });
  return {codes.backward + codes.forward,
          static_cast<std::int32_t>(first),
          0,
          next,
          begin,
          static_cast<std::uint32_t>(classes_.size())};
}

/// What the orientations of an option are worth for a step with these classes.
double PhraseSearch::orientation_score(std::int32_t option, const Order& order) const {
  double score = 0;
  for_each_orientation(order, option, [&](std::uint32_t column, double value) {
    score += weighted_.orientation_weights()[column] * value;
  });
  return score;
}

std::int32_t PhraseSearch::find_order(std::int32_t first, std::uint64_t code) const {
  while (first >= 0 && orders_[first].code != code) first = orders_[first].next;
  return first;
}

std::int32_t PhraseSearch::rows_of(Group& group, std::uint64_t code) {
  const std::int32_t found = find_order(group.first_order, code);
  if (found >= 0) return found;
  Order order = begin_order({0, code}, rows_.size(), group.first_order);
  for (const std::int32_t node : group.nodes) {
    const std::int32_t before = forward_row_option_[nodes_[node].forward_row];
    const double score = (before < 0 ? 0 : orientation_score(before, order)) +
                         tree_score(TreeStage::forward, -1, order, before);
    rows_.push_back({node, nodes_[node].score + score});
  }
  std::stable_sort(rows_.begin() + order.begin, rows_.end(),
                   [](const Row& a, const Row& b) { return a.score > b.score; });
  order.end = static_cast<std::int32_t>(rows_.size());
  orders_.push_back(order);
  return group.first_order = static_cast<std::int32_t>(orders_.size()) - 1;
}

std::int32_t PhraseSearch::columns_of(OptionList& list, std::uint64_t code) {
  const std::int32_t found = find_order(list.first_order, code);
  if (found >= 0) return found;
  Order order = begin_order({code, 0}, columns_.size(), list.first_order);
  for (const std::int32_t option : list.options) {
    const double score =
        orientation_score(option, order) + tree_score(TreeStage::backward, option, order, option);
    columns_.push_back({option, score_[option] + score, estimate_[option] + score});
  }
  std::stable_sort(columns_.begin() + order.begin, columns_.end(),
                   [](const Column& a, const Column& b) { return a.estimate > b.estimate; });
  order.end = static_cast<std::int32_t>(columns_.size());
  orders_.push_back(order);
  return list.first_order = static_cast<std::int32_t>(orders_.size()) - 1;
}

}  // namespace rosewood
