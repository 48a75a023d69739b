// core/decode/phrase_search.cpp: stacks, filled one after the other.
#include "decode/phrase_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace rosewood {

namespace {

std::int32_t longest_gap(const SentenceOptions& options, const SearchLimits& limits) {
  // With a limit, no jump leads further than this from the first word that is left.
  if (limits.distortion_limit < 0) return options.length;
  return std::min(options.length, limits.distortion_limit);
}

/// The first of a heap, its greatest, becomes another one.
template <class T>
void replace_first(std::vector<T>& heap, const T& value) {
  std::size_t at = 0;
  for (std::size_t child = 1; child < heap.size(); child = 2 * at + 1) {
    if (child + 1 < heap.size() && heap[child] < heap[child + 1]) ++child;
    if (!(value < heap[child])) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = value;
}

/// Numbers of target phrases: the same for the same words.
class PhraseNumbers {
 public:
  explicit PhraseNumbers(const SentenceOptions& options)
      : options_(options), slots_(std::bit_ceil(2 * options.size() + 1), Slot{0, -1, 0}) {}

  /// The number of the target of an option; is it a new one?
  std::pair<std::int32_t, bool> add(std::size_t option) {
    const auto target = options_.target_of(option);
    std::uint64_t hash = target.size();
    for (const std::int32_t word : target)
      hash = (hash ^ static_cast<std::uint32_t>(word)) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 32;
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.number < 0) {
        slot = {hash, size_++, option};
        return {slot.number, true};
      }
      if (slot.hash != hash) continue;
      const auto known = options_.target_of(slot.option);
      if (std::equal(known.begin(), known.end(), target.begin(), target.end()))
        return {slot.number, false};
    }
  }

 private:
  struct Slot {
    std::uint64_t hash;
    std::int32_t number;
    std::size_t option;
  };
  const SentenceOptions& options_;
  std::vector<Slot> slots_;
  std::int32_t size_ = 0;
};

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
  PhraseNumbers numbers(options_);
  std::vector<std::uint32_t> words;
  lists_at_.resize(static_cast<std::size_t>(options_.length));
  const auto table_words = static_cast<std::int32_t>(model_.table().target_words().size());
  for (std::size_t option = 0; option < options_.size(); ++option) {
    const auto target = options_.target_of(option);
    const auto [phrase, is_new] = numbers.add(option);
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
    phrase_.push_back(phrase);
    double score = options_.added_score.empty() ? 0 : options_.added_score[option];
    for (std::size_t i = 0; i < model_.stateless(); ++i)
      score += weighted_.weight(i) * options_.features[option * model_.stateless() + i];
    double estimate = score;
    for (std::size_t k = 0; k < lms.size(); ++k)
      estimate += weighted_.language_model_weights()[k] * phrases_.alone(phrase, k);
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
      lists_.push_back({options_.begin[option], options_.end[option], links, {}});
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
      cells += static_cast<std::uint64_t>(orders_[grid.rows].size()) *
               static_cast<std::uint64_t>(orders_[grid.columns].size());
    if (cells <= share && limits_.seconds <= 0) return fill_all(grids);
  }
  fill_best(grids, std::min(wanted, share), share < wanted);
}

void PhraseSearch::fill_all(const std::vector<Grid>& grids) {
  for (const Grid& grid : grids)
    for (std::int32_t row = orders_[grid.rows].begin; row < orders_[grid.rows].end; ++row)
      for (std::int32_t column = orders_[grid.columns].begin; column < orders_[grid.columns].end;
           ++column)
        evaluate(grid, rows_[row], columns_[column]);
}

double PhraseSearch::estimate(const Grid& grid, std::uint32_t row, std::uint32_t column) const {
  return rows_[orders_[grid.rows].begin + row].score + grid.step + grid.future +
         columns_[orders_[grid.columns].begin + column].estimate;
}

void PhraseSearch::fill_best(const std::vector<Grid>& grids, std::uint64_t limit,
                             bool is_narrowing) {
  std::vector<Cell> heap;
  for (std::uint32_t grid = 0; grid < grids.size(); ++grid)
    heap.push_back({estimate(grids[grid], 0, 0), grid, 0, 0});
  std::uint64_t left_out = 0;
  if (heap.size() > limit) {  // no others can be among the best
    std::nth_element(heap.begin(), heap.begin() + static_cast<std::ptrdiff_t>(limit), heap.end(),
                     [](const Cell& a, const Cell& b) { return b < a; });
    left_out = heap.size() - limit;
    heap.resize(limit);
  }
  std::make_heap(heap.begin(), heap.end());
  for (std::uint64_t pops = 0; !heap.empty(); ++pops) {
    if (pops >= limit) {
      report_.is_narrowed |= is_narrowing;
      return;
    }
    if (pops > 0 && limits_.seconds > 0 && is_out_of_time()) return;
    const Cell best = heap.front();
    const Grid& grid = grids[best.grid];
    const Order &rows = orders_[grid.rows], &columns = orders_[grid.columns];
    const double score =
        evaluate(grid, rows_[rows.begin + best.row], columns_[columns.begin + best.column]);
    // Each cell is reached in one way: along its row, whose first cell comes from the row before.
    const bool goes_down =
        best.column == 0 && best.row + 1 < static_cast<std::uint32_t>(rows.size());
    const Cell down{goes_down ? estimate(grid, best.row + 1, 0) : 0, best.grid, best.row + 1, 0};
    if (best.column + 1 < static_cast<std::uint32_t>(columns.size())) {
      // What follows in the row is likely to be better or worse than was thought, too.
      const double surprise = score - estimate(grid, best.row, best.column);
      replace_first(heap, {estimate(grid, best.row, best.column + 1) + surprise / 2, best.grid,
                           best.row, best.column + 1});
    } else if (goes_down) {
      replace_first(heap, down);
      continue;
    } else {
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
    }
    if (!goes_down) continue;
    heap.push_back(down);
    std::push_heap(heap.begin(), heap.end());
  }
  report_.is_narrowed |= is_narrowing && left_out > 0;
}

bool PhraseSearch::is_out_of_time() {
  if (!report_.is_timed_out) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    report_.is_timed_out = passed.count() > limits_.seconds;
  }
  return report_.is_timed_out;
}

/// Makes the hypothesis of a cell, and its node if there is none yet; its score, with what is to
/// come.
double PhraseSearch::evaluate(const Grid& grid, const Row& row, const Column& option) {
  ++report_.pops;
  const Node& from = nodes_[row.node];
  if (reference_ && !fits(from, option.option)) return row.score + grid.future + option.estimate;
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
  return score + grid.future;
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
      add_grid(stack, group, lists_[list]);
    }
  }
}

void PhraseSearch::add_grid(std::size_t stack, Group& group, OptionList& list) {
  const std::int32_t coverage = coverages_.with(group.coverage, list.begin, list.end);
  const Codes code = codes(group.place, list, coverage);
  grids_[stack + static_cast<std::size_t>(list.end - list.begin)].push_back(
      {rows_of(group, code.forward), columns_of(list, code.backward), coverage,
       tracker_.next(group.place, list.begin, list.end, list.links.last),
       weighted_.weight(model_.distortion()) * distortion(group.place, list.begin),
       future_(coverages_, coverage, list.end)});
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

std::int32_t PhraseSearch::find_order(std::int32_t first, std::uint64_t code) const {
  while (first >= 0 && orders_[first].code != code) first = orders_[first].next;
  return first;
}

std::int32_t PhraseSearch::rows_of(Group& group, std::uint64_t code) {
  const std::int32_t found = find_order(group.first_order, code);
  if (found >= 0) return found;
  const auto begin = static_cast<std::int32_t>(rows_.size());
  for (const std::int32_t node : group.nodes)
    rows_.push_back({node, nodes_[node].score + forward_score(nodes_[node].tail, code)});
  std::stable_sort(rows_.begin() + begin, rows_.end(),
                   [](const Row& a, const Row& b) { return a.score > b.score; });
  orders_.push_back({code, begin, static_cast<std::int32_t>(rows_.size()), group.first_order});
  return group.first_order = static_cast<std::int32_t>(orders_.size()) - 1;
}

std::int32_t PhraseSearch::columns_of(OptionList& list, std::uint64_t code) {
  const std::int32_t found = find_order(list.first_order, code);
  if (found >= 0) return found;
  const auto begin = static_cast<std::int32_t>(columns_.size());
  for (const std::int32_t option : list.options) {
    const double score = backward_score(option, code);
    columns_.push_back({option, score_[option] + score, estimate_[option] + score});
  }
  std::stable_sort(columns_.begin() + begin, columns_.end(),
                   [](const Column& a, const Column& b) { return a.estimate > b.estimate; });
  orders_.push_back({code, begin, static_cast<std::int32_t>(columns_.size()), list.first_order});
  return list.first_order = static_cast<std::int32_t>(orders_.size()) - 1;
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
