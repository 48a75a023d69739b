// core/decode/phrase_search.cpp: stacks, filled one after the other.
#include "decode/phrase_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <unordered_map>

namespace rosewood {

namespace {

std::int32_t longest_gap(const SentenceOptions& options, const SearchLimits& limits) {
  // With a limit, no jump leads further than this from the first word that is left.
  if (limits.distortion_limit < 0) return options.length;
  return std::min(options.length, limits.distortion_limit);
}

}  // namespace

PhraseSearch::PhraseSearch(const WeightedPhraseModel& model, const SentenceOptions& options,
                           const SearchLimits& limits,
                           std::optional<std::span<const std::int32_t>> reference)
    : weighted_(model),
      model_(model.model()),
      options_(options),
      limits_(limits),
      reference_(reference),
      phrases_(model_.word_models()),
      language_(model_.word_models(), model.language_model_weights(), phrases_),
      tracker_(model_.slots()),
      coverages_(options.length),
      future_(options.length, longest_gap(options, limits), model.weight(model_.distortion())),
      keys_(5),
      grids_(static_cast<std::size_t>(options.length) + 1) {
  set_options();
  set_tails();
  set_future();
}

/// Scores of options by themselves, and which of them go together.
void PhraseSearch::set_options() {
  const auto& lms = model_.word_models();
  RowInterner lists(3);
  std::unordered_map<std::u32string, std::int32_t> known;  // phrases by their words
  std::vector<std::uint32_t> words;
  lists_at_.resize(static_cast<std::size_t>(options_.length));
  const auto table_words = static_cast<std::int32_t>(model_.table().target_words().size());
  for (std::size_t option = 0; option < options_.size(); ++option) {
    const auto target = options_.target_of(option);
    const auto [found, is_new] = known.emplace(std::u32string(target.begin(), target.end()),
                                               static_cast<std::int32_t>(known.size()));
    if (is_new) {
      words.clear();
      for (std::size_t k = 0; k < lms.size(); ++k)
        for (const std::int32_t word : target)
          words.push_back(
              word < table_words
                  ? model_.lm_word(k, word)
                  : lms[k]->find(
                        options_.extra_words[static_cast<std::size_t>(word - table_words)]));
      phrases_.add(target.size(), words);
    }
    phrase_.push_back(found->second);
    double score = options_.added_score.empty() ? 0 : options_.added_score[option];
    for (std::size_t i = 0; i < model_.stateless(); ++i)
      score += weighted_.weight(i) * options_.features[option * model_.stateless() + i];
    double estimate = score;
    for (std::size_t k = 0; k < lms.size(); ++k)
      estimate += weighted_.language_model_weights()[k] * phrases_.alone(found->second, k);
    score_.push_back(score);
    estimate_.push_back(estimate);
    EdgeLinks links = options_.links[option];
    if (!tracker_.needs_last_links()) links.last = 0;
    if (!tracker_.needs_first_links()) links.first = 0;
    const std::uint32_t row[] = {static_cast<std::uint32_t>(options_.begin[option]),
                                 static_cast<std::uint32_t>(options_.end[option]),
                                 links.last * 8U + links.first};
    const RowInterner::Added list = lists.add(row);
    if (list.is_new) {
      lists_.push_back({options_.begin[option], options_.end[option], links, {}, {}});
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
void PhraseSearch::set_tails() {
  std::vector<std::size_t> columns;
  for (const OrientationSlot& slot : model_.slots())
    if (slot.direction == Direction::forward)
      for (std::size_t i = 0; i < slot.classes(); ++i) columns.push_back(slot.first + i);
  RowInterner tails(2 * columns.size() + 1);
  std::vector<std::uint32_t> row(tails.width());
  tails.add(row.data());  // the beginning: nothing is said
  tail_option_.push_back(-1);
  row.back() = 1;
  for (std::size_t option = 0; option < options_.size(); ++option) {
    const double* values =
        options_.orientations.data() + option * model_.orientation_columns().size();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto bits = std::bit_cast<std::uint64_t>(values[columns[i]] + 0.0);
      row[2 * i] = static_cast<std::uint32_t>(bits);
      row[2 * i + 1] = static_cast<std::uint32_t>(bits >> 32);
    }
    const RowInterner::Added tail = tails.add(row.data());
    if (tail.is_new) tail_option_.push_back(static_cast<std::int32_t>(option));
    tail_.push_back(tail.number);
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

void PhraseSearch::run() {
  const std::uint32_t key[] = {0, 0, 0, 0, 0};
  keys_.add(key);
  nodes_.push_back({0, 0, language_.begin(), 0, 0, -1, 0, 0});
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
  report_.is_reachable = !final_nodes().empty();
}

/// Makes the nodes of a stack. What is left of max_pops is shared equally by the stacks to come.
void PhraseSearch::fill(std::size_t stack) {
  const std::vector<Grid>& grids = grids_[stack];
  constexpr std::uint64_t unlimited = ~std::uint64_t{0};
  std::uint64_t share = unlimited;
  if (limits_.max_pops) {
    const std::uint64_t left = limits_.max_pops - std::min(limits_.max_pops, report_.pops);
    share = std::max<std::uint64_t>(1, left / (grids_.size() - stack));
  }
  const bool takes_all = reference_ || limits_.is_full || limits_.pop_limit == 0;
  std::uint64_t wanted = takes_all ? unlimited : limits_.pop_limit;
  if (takes_all) {
    std::uint64_t cells = 0;
    for (const Grid& grid : grids)
      cells += std::uint64_t{groups_[grid.group].nodes.size()} * lists_[grid.list].options.size();
    if (cells <= share && limits_.seconds <= 0) return fill_all(grids);
  }
  fill_best(grids, std::min(wanted, share), share < wanted);
}

void PhraseSearch::fill_all(const std::vector<Grid>& grids) {
  for (const Grid& grid : grids)
    for (const Row& row : groups_[grid.group].orders[grid.rows].rows)
      for (const Ranked& option : lists_[grid.list].rankings[grid.ranking].options)
        evaluate(grid, row, option);
}

void PhraseSearch::fill_best(const std::vector<Grid>& grids, std::uint64_t limit,
                             bool is_narrowing) {
  std::vector<Cell> heap;
  const auto is_worse = [](const Cell& a, const Cell& b) {
    if (a.priority != b.priority) return a.priority < b.priority;
    if (a.grid != b.grid) return a.grid > b.grid;
    return a.row != b.row ? a.row > b.row : a.column > b.column;
  };
  const auto cell = [&](std::uint32_t number, std::uint32_t row, std::uint32_t column) {
    const Grid& grid = grids[number];
    return Cell{groups_[grid.group].orders[grid.rows].rows[row].score + grid.step + grid.future +
                    lists_[grid.list].rankings[grid.ranking].options[column].estimate,
                number, row, column};
  };
  for (std::uint32_t grid = 0; grid < grids.size(); ++grid) heap.push_back(cell(grid, 0, 0));
  std::make_heap(heap.begin(), heap.end(), is_worse);
  for (std::uint64_t pops = 0; !heap.empty(); ++pops) {
    if (pops >= limit) {
      report_.is_narrowed |= is_narrowing;
      return;
    }
    if (pops > 0 && limits_.seconds > 0 && is_out_of_time()) return;
    std::pop_heap(heap.begin(), heap.end(), is_worse);
    const Cell best = heap.back();
    heap.pop_back();
    const Grid& grid = grids[best.grid];
    const auto& rows = groups_[grid.group].orders[grid.rows].rows;
    const auto& options = lists_[grid.list].rankings[grid.ranking].options;
    const auto add = [&](std::uint32_t row, std::uint32_t column) {
      heap.push_back(cell(best.grid, row, column));
      std::push_heap(heap.begin(), heap.end(), is_worse);
    };
    // Each cell is reached in one way: along its row, whose first cell comes from the row before.
    if (best.column + 1 < options.size()) add(best.row, best.column + 1);
    if (best.column == 0 && best.row + 1 < rows.size()) add(best.row + 1, 0);
    evaluate(grid, rows[best.row], options[best.column]);
  }
}

bool PhraseSearch::is_out_of_time() {
  if (!report_.is_timed_out) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    report_.is_timed_out = passed.count() > limits_.seconds;
  }
  return report_.is_timed_out;
}

/// Makes the hypothesis of a cell, and its node if there is none yet.
void PhraseSearch::evaluate(const Grid& grid, const Row& row, const Ranked& option) {
  ++report_.pops;
  const Node& from = nodes_[row.node];
  if (reference_ && !fits(from, option.option)) return;
  const LanguageStates::Step step = language_.follow(from.language, phrase_[option.option]);
  const double score = row.score + grid.step + option.score + step.score;
  const std::int32_t position =
      reference_
          ? from.position + static_cast<std::int32_t>(phrases_.length(phrase_[option.option]))
          : 0;
  const std::uint32_t key[] = {
      static_cast<std::uint32_t>(grid.coverage), static_cast<std::uint32_t>(grid.place),
      static_cast<std::uint32_t>(step.state), static_cast<std::uint32_t>(tail_[option.option]),
      static_cast<std::uint32_t>(position)};
  const RowInterner::Added added = keys_.add(key);
  const auto edge = static_cast<std::int32_t>(edges_.size());
  edges_.push_back({added.number, row.node, option.option});
  if (added.is_new) {
    nodes_.push_back({grid.coverage, grid.place, step.state, tail_[option.option], position, edge,
                      score, score + grid.future});
  } else if (Node& node = nodes_[added.number]; score > node.score) {
    node.best_edge = edge;
    node.score = score;
    node.total = score + grid.future;
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

/// Makes the groups of a stack, and the grids that lead from them to later ones.
void PhraseSearch::branch(std::size_t stack, std::vector<std::int32_t>& nodes) {
  std::sort(nodes.begin(), nodes.end(), [&](std::int32_t a, std::int32_t b) {
    const Node &left = nodes_[a], &right = nodes_[b];
    if (left.coverage != right.coverage) return left.coverage < right.coverage;
    if (left.place != right.place) return left.place < right.place;
    return left.score != right.score ? left.score > right.score : a < b;
  });
  for (std::size_t i = 0; i < nodes.size();) {
    const Node& head = nodes_[nodes[i]];
    Group group{head.coverage, head.place, {}, {}};
    for (; i < nodes.size() && nodes_[nodes[i]].coverage == group.coverage &&
           nodes_[nodes[i]].place == group.place;
         ++i)
      group.nodes.push_back(nodes[i]);
    groups_.push_back(std::move(group));
    add_grids(stack, static_cast<std::int32_t>(groups_.size()) - 1);
  }
}

/// Spans that may come next: no word twice, and no jump further than the limit, neither to the span
/// nor from it back to the first word that is left.
void PhraseSearch::add_grids(std::size_t stack, std::int32_t group) {
  const std::int32_t coverage = groups_[group].coverage, limit = limits_.distortion_limit;
  const std::int32_t at = tracker_.end(groups_[group].place);
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

void PhraseSearch::add_grid(std::size_t stack, std::int32_t group, std::int32_t list) {
  OptionList& to = lists_[list];
  const std::int32_t place = groups_[group].place;
  const std::int32_t coverage = coverages_.with(groups_[group].coverage, to.begin, to.end);
  const Codes code = codes(place, to, coverage);
  grids_[stack + static_cast<std::size_t>(to.end - to.begin)].push_back(
      {group, list, rows_of(groups_[group], code.forward), ranking_of(to, code.backward), coverage,
       tracker_.next(place, to.begin, to.end, to.links.last),
       weighted_.weight(model_.distortion()) * distortion(place, to.begin),
       future_(coverages_, coverage, to.end)});
}

double PhraseSearch::distortion(std::int32_t place, std::int32_t begin) const {
  const std::int32_t distance = std::abs(begin - tracker_.end(place));
  return distance ? -static_cast<double>(distance) : 0.0;
}

PhraseSearch::Codes PhraseSearch::codes(std::int32_t place, const OptionList& list,
                                        std::int32_t coverage) const {
  Codes found;
  for (const OrientationSlot& slot : model_.slots()) {
    const bool is_forward = slot.direction == Direction::forward;
    std::uint64_t number = 0;  // nothing comes before the first phrase
    if (!is_forward || place != 0)
      number = 1 + static_cast<std::uint64_t>(tracker_.orientation(
                       slot, place, list.begin, list.end, list.links.first,
                       [&](std::int32_t word) { return coverages_.has(coverage, word); }));
    std::uint64_t& code = is_forward ? found.forward : found.backward;
    code = code * Codes::base + number;
  }
  return found;
}

double PhraseSearch::forward_score(std::int32_t tail, std::uint64_t code) const {
  if (tail_option_[tail] < 0) return 0;
  const double* row = options_.orientations.data() + static_cast<std::size_t>(tail_option_[tail]) *
                                                         model_.orientation_columns().size();
  double score = 0;
  for_each_class({0, code}, [&](const OrientationSlot& slot, Orientation orientation) {
    const std::size_t column = slot.column(orientation);
    score += weighted_.orientation_weights()[column] * row[column];
  });
  return score;
}

double PhraseSearch::backward_score(std::int32_t option, std::uint64_t code) const {
  const double* row = options_.orientations.data() +
                      static_cast<std::size_t>(option) * model_.orientation_columns().size();
  double score = 0;
  for_each_class({code, 0}, [&](const OrientationSlot& slot, Orientation orientation) {
    const std::size_t column = slot.column(orientation);
    score += weighted_.orientation_weights()[column] * row[column];
  });
  return score;
}

/// The nodes of a group, best first when the next step has these classes.
std::int32_t PhraseSearch::rows_of(Group& group, std::uint64_t code) const {
  for (std::size_t i = 0; i < group.orders.size(); ++i)
    if (group.orders[i].code == code) return static_cast<std::int32_t>(i);
  Rows made{code, {}};
  for (const std::int32_t node : group.nodes)
    made.rows.push_back({node, nodes_[node].score + forward_score(nodes_[node].tail, code)});
  std::stable_sort(made.rows.begin(), made.rows.end(),
                   [](const Row& a, const Row& b) { return a.score > b.score; });
  group.orders.push_back(std::move(made));
  return static_cast<std::int32_t>(group.orders.size()) - 1;
}

/// The options of a list, best first when this step has these classes.
std::int32_t PhraseSearch::ranking_of(OptionList& list, std::uint64_t code) const {
  for (std::size_t i = 0; i < list.rankings.size(); ++i)
    if (list.rankings[i].code == code) return static_cast<std::int32_t>(i);
  Ranking made{code, {}};
  for (const std::int32_t option : list.options) {
    const double score = backward_score(option, code);
    made.options.push_back({option, score_[option] + score, estimate_[option] + score});
  }
  std::stable_sort(made.options.begin(), made.options.end(),
                   [](const Ranked& a, const Ranked& b) { return a.estimate > b.estimate; });
  list.rankings.push_back(std::move(made));
  return static_cast<std::int32_t>(list.rankings.size()) - 1;
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
