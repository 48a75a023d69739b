// core/decode/phrase_setup.cpp: what a search knows of its options before it begins.
#include <algorithm>
#include <bit>
#include <utility>

#include "decode/phrase_search.hpp"

namespace rosewood {

namespace {

constexpr std::size_t many_nodes = 4096;          // as many as most sentences have
constexpr std::uint64_t ticks_of_beat = 1 << 15;  // cells and grids: some milliseconds

std::int32_t longest_gap(const SentenceOptions& options, const SearchLimits& limits) {
  // With a limit, no jump leads further than this from the first word that is left.
  if (limits.distortion_limit < 0) return options.length;
  return std::min(options.length, limits.distortion_limit);
}

}  // namespace

PhraseSearch::PhraseSearch(const WeightedPhraseModel& model, const SentenceOptions& options,
                           const SearchLimits& limits, std::function<void()> beat,
                           Reference reference)
    : weighted_(model),
      model_(model.model()),
      options_(options),
      limits_(limits),
      reference_(reference),
      control_(limits, std::move(beat), ticks_of_beat),
      phrases_(model_.word_models()),
      language_(model_.word_models(), model.language_model_weights(), phrases_,
                static_cast<std::size_t>(limits.boundary_words), language_trees()),
      tracker_(model_.slots()),
      coverages_(options.length),
      future_(options.length, longest_gap(options, limits), model.weight(model_.distortion())),
      keys_(5, many_nodes),
      grids_(static_cast<std::size_t>(options.length) + 1) {
  if (const EdgeTrees& trees = model_.trees(); trees.has_context()) {
    tree_rest_.resize(model_.features() - model_.stateless());
    trees_of_jump_.resize(options_.size());
    has_step_trees_ = !trees[TreeStage::option_words].empty() ||
                      !trees[TreeStage::option_jump].empty() || !trees[TreeStage::all].empty();
  }
  set_options();
  set_forward_rows();
  set_future();
}

/// Scores of options by themselves, and which of them go together.
void PhraseSearch::set_options() {
  const auto& lms = model_.word_models();
  RowInterner lists(3);
  PhraseNumbers numbers(options_.size());
  std::vector<std::uint32_t> words;
  lists_at_.resize(static_cast<std::size_t>(options_.length));
  for (std::size_t option = 0; option < options_.size(); ++option) {
    const auto target = options_.target_of(option);
    const auto [phrase, is_new] = numbers.add(target);
    if (is_new) {
      words.clear();
      append_lm_words(model_, options_, option, words);
      phrases_.add(target, words);
    }
    phrase_.push_back(phrase);
    const double score = score_alone(weighted_, options_, option);
    double estimate = score;
    for (std::size_t k = 0; k < lms.size(); ++k)
      estimate += weighted_.language_model_weights()[k] * phrases_.alone(phrase, k);
    if (!tree_rest_.empty()) {  // as if it stood alone, without a jump
      for (std::size_t k = 0; k < lms.size(); ++k)
        tree_rest_[model_.first_language_model() - model_.stateless() + k] =
            phrases_.alone(phrase, k);
      for (const TreeStage stage :
           {TreeStage::language, TreeStage::option_words, TreeStage::option_jump, TreeStage::all})
        estimate += tree_score(stage, static_cast<std::int32_t>(option));
    }
    check_score(options_, option, estimate);
    score_.push_back(score);
    estimate_.push_back(estimate);
    if (reference_ && std::ranges::search(*reference_, target).empty() && !target.empty()) continue;
    EdgeLinks links = options_.links[option];
    if (!tracker_.needs_last_links()) links.last = 0;
    if (!tracker_.needs_first_links()) links.first = 0;
    const std::uint32_t row[] = {static_cast<std::uint32_t>(options_.begin[option]),
                                 static_cast<std::uint32_t>(options_.end[option]),
                                 links.last * 8U + links.first};
    const RowInterner::Added list = lists.add(row);
    if (list.is_new) {
      lists_.push_back({options_.begin[option], options_.end[option], links, {}, -1, -1, 0});
      lists_at_[static_cast<std::size_t>(options_.begin[option])].push_back(list.number);
    }
    lists_[static_cast<std::size_t>(list.number)].options.push_back(
        static_cast<std::int32_t>(option));
  }
  for (auto& at : lists_at_)
    std::stable_sort(at.begin(), at.end(),
                     [&](std::int32_t a, std::int32_t b) { return lists_[a].end < lists_[b].end; });
}

/// Options with the same forward probabilities are the same to whatever comes next.
void PhraseSearch::set_forward_rows() {
  std::vector<std::size_t> columns;
  for (const OrientationSlot& slot : model_.slots())
    if (slot.direction == Direction::forward)
      for (std::size_t i = 0; i < slot.classes(); ++i) columns.push_back(slot.first + i);
  RowInterner rows(2 * columns.size() + 1);
  std::vector<std::uint32_t> row(rows.width());
  rows.add(row.data());  // the beginning: there is no option before
  forward_row_option_.push_back(-1);
  row.back() = 1;
  for (std::size_t option = 0; option < options_.size(); ++option) {
    const double* values =
        options_.orientations.data() + option * model_.orientation_columns().size();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto bits = std::bit_cast<std::uint64_t>(values[columns[i]] + 0.0);
      row[2 * i] = static_cast<std::uint32_t>(bits);
      row[2 * i + 1] = static_cast<std::uint32_t>(bits >> 32);
    }
    const RowInterner::Added added = rows.add(row.data());
    if (added.is_new) forward_row_option_.push_back(static_cast<std::int32_t>(option));
    forward_row_.push_back(added.number);
  }
}

void PhraseSearch::set_future() {
  for (std::size_t begin = lists_at_.size(); begin-- > 0;)
    for (const std::int32_t list : lists_at_[begin]) {
      double best = -std::numeric_limits<double>::infinity();
      for (const std::int32_t option : lists_[list].options)
        best = std::max(best, estimate_[option]);
      future_.add(lists_[list].begin, lists_[list].end, best);
    }
}

}  // namespace rosewood
