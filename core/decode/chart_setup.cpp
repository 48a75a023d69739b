// core/decode/chart_setup.cpp: what a search knows of its options before it begins.
#include <algorithm>
#include <numeric>
#include <utility>

#include "decode/chart_search.hpp"

namespace rosewood {

namespace {

constexpr std::uint64_t ticks_of_beat = 1 << 13;  // points: some milliseconds

}  // namespace

ChartSearch::ChartSearch(const WeightedHieroModel& model, const ChartOptions& options,
                         const ChartLimits& limits, std::function<void()> beat, Reference reference)
    : weighted_(model),
      model_(model.model()),
      options_(options),
      limits_(limits),
      reference_(reference),
      control_(limits, std::move(beat), ticks_of_beat),
      language_(model_.language_models(), model.language_model_weights(),
                static_cast<std::size_t>(limits.boundary_words)),
      no_words_(models() * 2),
      spans_(static_cast<std::size_t>(options.length)) {
  if (model_.trees().has_context()) tree_rest_.resize(model_.features() - model_.stateless());
  set_options();
}

/// Scores of options by themselves, and the order of those that match together.
void ChartSearch::set_options() {
  std::vector<double> estimate(options_.size());
  for (std::size_t option = 0; option < options_.size(); ++option) {
    word_start_.push_back(lm_words_.size());
    append_lm_words(model_, options_, option, lm_words_);
    score_.push_back(score_alone(weighted_, options_, option));
    const ChartTarget target{options_.target_of(option),
                             std::span(lm_words_).subspan(word_start_.back())};
    run_.push_back(ChartLanguage::no_run);
    double words = 0;
    for (std::size_t first = 0; models() && first < target.symbols.size(); ++first) {
      if (target.symbols[first] < 0) continue;
      const ChartLanguage::Run run = language_.score_run(target, first);
      if (first == 0) run_.back() = run.number;
      words += run.score;
      first += run.length;  // to the gap behind it
    }
    estimate[option] = score_.back() + words;
    check_score(options_, option, estimate[option]);
  }
  order_.resize(options_.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::vector<std::uint8_t> is_sorted(options_.size());
  for (const ChartMatch& match : options_.matches) {
    if (match.first == match.last || std::exchange(is_sorted[match.first], 1)) continue;
    std::sort(order_.begin() + match.first, order_.begin() + match.last,
              [&](std::int32_t a, std::int32_t b) {
                return estimate[a] != estimate[b] ? estimate[a] > estimate[b] : a < b;
              });
  }
}

}  // namespace rosewood
