// core/decode/chart_language.cpp: states numbered.
#include "decode/chart_language.hpp"

#include <algorithm>

namespace rosewood {

namespace {

constexpr std::size_t many_states = 4096;  // as many as most sentences have

std::vector<std::unique_ptr<PartScorer>> scorers_of(std::span<const LanguageModel* const> models) {
  std::vector<std::unique_ptr<PartScorer>> made;
  for (const LanguageModel* model : models) made.push_back(make_part_scorer(*model));
  return made;
}

std::vector<std::size_t> places_of(std::span<const std::unique_ptr<PartScorer>> scorers) {
  std::vector<std::size_t> places{0};
  for (const auto& scorer : scorers) places.push_back(places.back() + scorer->row_width());
  return places;
}

}  // namespace

ChartLanguage::ChartLanguage(std::span<const LanguageModel* const> models,
                             std::span<const double> weights)
    : scorers_(scorers_of(models)),
      weights_(weights),
      place_(places_of(scorers_)),
      states_(std::max<std::size_t>(1, place_.back()), many_states),
      row_(states_.width()) {}

ChartLanguage::Part ChartLanguage::score(std::span<const std::int32_t> symbols,
                                         std::span<const std::uint32_t> words,
                                         std::span<const std::int32_t> tails, bool begins_sentence,
                                         std::span<double> values) {
  double score = 0;
  for (std::size_t k = 0; k < scorers_.size(); ++k) {
    tails_.clear();
    for (const std::int32_t tail : tails) tails_.push_back(states_[tail].data() + place_[k]);
    values[k] = scorers_[k]->score(symbols, words.subspan(k * symbols.size(), symbols.size()),
                                   tails_, begins_sentence,
                                   std::span(row_).subspan(place_[k], place_[k + 1] - place_[k]));
    score += weights_[k] * values[k];
  }
  return {states_.add(row_.data()).number, score};
}

double ChartLanguage::finish(std::int32_t state, std::span<double> values) {
  double score = 0;
  for (std::size_t k = 0; k < scorers_.size(); ++k) {
    values[k] = scorers_[k]->finish(states_[state].subspan(place_[k], place_[k + 1] - place_[k]));
    score += weights_[k] * values[k];
  }
  return score;
}

}  // namespace rosewood
