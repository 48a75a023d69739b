// core/decode/chart_language.cpp: states numbered.
#include "decode/chart_language.hpp"

#include <algorithm>
#include <numbers>

namespace rosewood {

namespace {

constexpr std::size_t many_states = 4096;  // as many as most sentences have

std::vector<std::unique_ptr<PartScorer>> scorers_of(std::span<const LanguageModel* const> models) {
  std::vector<std::unique_ptr<PartScorer>> made;
  for (const LanguageModel* model : models) made.push_back(make_part_scorer(*model));
  return made;
}

/// Where each of the parts of a row begins, and the end.
template <class Width>
std::vector<std::size_t> places_of(std::span<const std::unique_ptr<PartScorer>> scorers,
                                   std::size_t first, Width width) {
  std::vector<std::size_t> places{first};
  for (const auto& scorer : scorers) places.push_back(places.back() + ((*scorer).*width)());
  return places;
}

}  // namespace

ChartLanguage::ChartLanguage(std::span<const LanguageModel* const> models,
                             std::span<const double> weights, std::size_t boundary_words)
    : scorers_(scorers_of(models)),
      weights_(weights),
      boundary_(boundary_words),
      key_place_(places_of(scorers_, 0, &PartScorer::key_width)),
      numbers_place_(places_of(scorers_, key_place_.back() + boundary_.row_width(),
                               &PartScorer::numbers_width)),
      states_(std::max<std::size_t>(1, numbers_place_.back()), many_states,
              numbers_place_.back() - numbers_place_.front()),
      row_(states_.width()) {}

std::int32_t ChartLanguage::add_state() {
  if (boundary_.row_width()) boundary_.store(row_.data() + key_place_.back());
  return states_.add(row_.data()).number;
}

ChartLanguage::Part ChartLanguage::begin_sentence() {
  boundary_.begin(true);
  for (std::size_t k = 0; k < scorers_.size(); ++k)
    scorers_[k]->score({true}, {}, nullptr, {}, row_.data() + key_place_[k],
                       row_.data() + numbers_place_[k]);
  return {add_state(), 0};
}

ChartLanguage::Run ChartLanguage::score_run(const ChartTarget& target, std::size_t first) {
  std::size_t last = first;
  while (last < target.symbols.size() && target.symbols[last] >= 0) ++last;
  const auto symbols = target.symbols.subspan(first, last - first);
  double score = 0;
  for (std::size_t k = 0; k < scorers_.size(); ++k) {
    run_scores_.push_back(
        scorers_[k]->score({}, symbols, target.words.data() + k * target.symbols.size() + first, {},
                           row_.data() + key_place_[k], row_.data() + numbers_place_[k]));
    score += weights_[k] * (run_scores_.back() * std::numbers::ln10);
  }
  add_boundary(symbols, {}, no_run);
  runs_.push_back({static_cast<std::int32_t>(runs_.size()), add_state(), symbols.size(), score});
  return runs_.back();
}

ChartLanguage::Part ChartLanguage::score(const ChartTarget& target, std::int32_t run,
                                         std::span<const std::int32_t> tails,
                                         std::span<double> values) {
  std::size_t first = 0;
  const double* run_scores = nullptr;
  if (run != no_run) {
    first = runs_[run].length;
    run_scores = run_scores_.data() + static_cast<std::size_t>(run) * scorers_.size();
    if (first == target.symbols.size()) {
      for (std::size_t k = 0; k < scorers_.size(); ++k)
        values[k] = run_scores[k] * std::numbers::ln10;
      return {runs_[run].state, runs_[run].score};
    }
  }
  double score = 0;
  tails_.resize(tails.size());
  for (std::size_t k = 0; k < scorers_.size(); ++k) {
    for (std::size_t i = 0; i < tails.size(); ++i) tails_[i] = row(tails[i], k);
    PartBeginning beginning;
    if (run_scores) beginning = {false, row(runs_[run].state, k), run_scores[k]};
    values[k] = std::numbers::ln10 *
                scorers_[k]->score(beginning, target.symbols.subspan(first),
                                   target.words.data() + k * target.symbols.size() + first, tails_,
                                   row_.data() + key_place_[k], row_.data() + numbers_place_[k]);
    score += weights_[k] * values[k];
  }
  add_boundary(target.symbols.subspan(first), tails, run);
  return {add_state(), score};
}

/// Puts the boundary words of a part together.
void ChartLanguage::add_boundary(std::span<const std::int32_t> symbols,
                                 std::span<const std::int32_t> tails, std::int32_t run) {
  if (!boundary_.row_width()) return;
  const auto row_of = [&](std::int32_t state) { return states_[state].data() + key_place_.back(); };
  boundary_.begin(false);
  if (run != no_run) boundary_.add_part(row_of(runs_[run].state));
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (symbols[i] >= 0) {
      boundary_.add_word(static_cast<std::uint32_t>(symbols[i]));
      continue;
    }
    const std::uint32_t* row = row_of(tails[static_cast<std::size_t>(-1 - symbols[i])]);
    if (i == 0 && run == no_run)
      boundary_.begin_with(row);
    else
      boundary_.add_part(row);
  }
}

double ChartLanguage::finish(std::int32_t state, std::span<double> values) {
  double score = 0;
  for (std::size_t k = 0; k < scorers_.size(); ++k) {
    values[k] = std::numbers::ln10 * scorers_[k]->finish(row(state, k));
    score += weights_[k] * values[k];
  }
  return score;
}

}  // namespace rosewood
