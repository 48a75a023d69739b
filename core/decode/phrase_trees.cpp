// core/decode/phrase_trees.cpp: what trees over features add to the steps of a search. Each tree is
// asked where the last of the features that it looks at becomes known.
#include <algorithm>

#include "decode/phrase_search.hpp"

namespace rosewood {

std::optional<LanguageStates::Trees> PhraseSearch::language_trees() const {
  const TreeSum& sum = model_.trees()[TreeStage::language];
  if (sum.empty()) return {};
  return LanguageStates::Trees{sum, model_.first_language_model() - model_.stateless(),
                               weighted_.weight(model_.tree_feature())};
}

/// What the trees of a stage add to a score, weighted; tree_rest_ has what they look at.
double PhraseSearch::tree_score(TreeStage stage, std::int32_t option) {
  const TreeSum& sum = model_.trees()[stage];
  if (sum.empty()) return 0.0;
  return weighted_.weight(model_.tree_feature()) *
         sum(option < 0 ? nullptr : option_row(option), tree_rest_.data());
}

/// The same, where they look at the orientations of an option, too; -1: there are none.
double PhraseSearch::tree_score(TreeStage stage, std::int32_t option, const Order& order,
                                std::int32_t owner) {
  if (model_.trees()[stage].empty()) return 0.0;
  set_tree_orientations(owner, order);
  const double score = tree_score(stage, option);
  clear_tree_orientations(order);
  return score;
}

void PhraseSearch::set_tree_orientations(std::int32_t owner, const Order& order) {
  if (owner < 0 || order.first_class == order.last_class) return;
  double* out = tree_rest_.data() + (model_.first_orientation() - model_.stateless());
  for_each_orientation(order, owner,
                       [&](std::uint32_t column, double value) { out[column] = value; });
}

/// All that is not set is 0.
void PhraseSearch::clear_tree_orientations(const Order& order) {
  if (order.first_class == order.last_class) return;
  double* out = tree_rest_.data() + (model_.first_orientation() - model_.stateless());
  for (auto i = order.first_class; i < order.last_class; ++i) out[classes_[i]] = 0.0;
}

/// What trees add to a step, those that look at more than grid, row or column know.
double PhraseSearch::tree_step(const Grid& grid, const Node& from, std::int32_t option,
                               const LanguageStates::Step& step) {
  const EdgeTrees& trees = model_.trees();
  const std::size_t first = model_.stateless();
  double score = 0.0;
  const auto set_language = [&] {
    auto place = model_.first_language_model() - first;
    for (const double value : language_.values(step)) tree_rest_[place++] = value;
  };
  const auto set_distortion = [&](double far) { tree_rest_[model_.distortion() - first] = far; };
  const Order &rows = orders_[grid.rows], &columns = orders_[grid.columns];
  if (!trees[TreeStage::option_words].empty()) {
    const auto number = static_cast<std::size_t>(step.number);
    if (number >= trees_of_step_.size()) trees_of_step_.resize(2 * number + 1);
    KnownStep& known = trees_of_step_[number];
    if (known.option != option || known.order != grid.columns) {
      set_language();
      known = {option, grid.columns, tree_score(TreeStage::option_words, option, columns, option)};
    }
    score += known.value;
  }
  if (!trees[TreeStage::option_jump].empty()) {
    KnownJump& known = trees_of_jump_[static_cast<std::size_t>(option)];
    const double far = distortion(from.place, lists_[grid.list].begin);
    if (known.distortion != far || known.order != grid.columns) {
      set_distortion(far);
      known = {far, grid.columns, tree_score(TreeStage::option_jump, option, columns, option)};
    }
    score += known.value;
  }
  if (!trees[TreeStage::all].empty()) {
    set_distortion(distortion(from.place, lists_[grid.list].begin));
    set_language();
    set_tree_orientations(forward_row_option_[from.forward_row], rows);
    score += tree_score(TreeStage::all, option, columns, option);
    clear_tree_orientations(rows);
  }
  return score;
}

}  // namespace rosewood
