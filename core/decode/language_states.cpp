// core/decode/language_states.cpp: states numbered, steps computed once.
#include "decode/language_states.hpp"

#include <algorithm>
#include <bit>

namespace rosewood {

namespace {

constexpr std::size_t many_steps = 4096;  // as many as most sentences have

/// A row has, for each model, the length of its state, then words, then back-offs.
std::size_t row_width(WordModels models) {
  std::size_t width = 0;
  for (const auto& model : models) width += 2 * static_cast<std::size_t>(model->order()) - 1;
  return width;
}

}  // namespace

LanguageStates::LanguageStates(WordModels models, std::span<const double> weights,
                               TargetPhrases& phrases, std::size_t boundary_words,
                               const std::optional<Trees>& trees)
    : models_(models),
      weights_(weights),
      trees_(trees),
      tree_rest_(trees ? trees->first + models.size() : 0),
      phrases_(phrases),
      boundary_(boundary_words),
      states_(std::max<std::size_t>(1, row_width(models) + boundary_.row_width())),
      row_(states_.width()),
      keys_(2, many_steps),
      words_(3 * longest_state(models)),
      backoffs_(words_.size()),
      final_values_(models.size()) {
  std::size_t place = 0;
  for (std::size_t k = 0; k < models.size(); ++k) {
    room_.push_back(place);
    place += 2 * static_cast<std::size_t>(models[k]->order()) - 1;
    State begin{words_.data(), backoffs_.data(), 0};
    models[k]->begin(begin);
    store(begin, k);
  }
  room_.push_back(place);
  boundary_.begin(true);
  if (boundary_.row_width()) boundary_.store(row_.data() + place);
  states_.add(row_.data());
}

State LanguageStates::load(std::int32_t state, std::size_t model) {
  const std::uint32_t* row = states_[state].data() + room_[model];
  const auto room = static_cast<std::size_t>(models_[model]->order()) - 1;
  State found{words_.data(), backoffs_.data(), static_cast<int>(row[0])};
  for (int i = 0; i < found.length; ++i) {
    found.words[i] = row[1 + i];
    found.backoffs[i] = std::bit_cast<float>(row[1 + room + i]);
  }
  return found;
}

void LanguageStates::store(const State& state, std::size_t model) {
  std::uint32_t* row = row_.data() + room_[model];
  const auto room = static_cast<std::size_t>(models_[model]->order()) - 1;
  std::fill_n(row, 1 + 2 * room, 0U);
  row[0] = static_cast<std::uint32_t>(state.length);
  for (int i = 0; i < state.length; ++i) {
    row[1 + i] = state.words[i];
    row[1 + room + i] = std::bit_cast<std::uint32_t>(state.backoffs[i]);
  }
}

std::size_t LanguageStates::step(std::int32_t state, std::int32_t phrase) {
  const std::uint32_t key[] = {static_cast<std::uint32_t>(state),
                               static_cast<std::uint32_t>(phrase)};
  const RowInterner::Added added = keys_.add(key);
  if (added.is_new) add_step(state, phrase);
  return static_cast<std::size_t>(added.number);
}

void LanguageStates::add_step(std::int32_t state, std::int32_t phrase) {
  double score = 0;
  const std::size_t room = words_.size() / 3;
  for (std::size_t k = 0; k < models_.size(); ++k) {
    State out{words_.data() + room, backoffs_.data() + room, 0};
    State spare{words_.data() + 2 * room, backoffs_.data() + 2 * room, 0};
    const State in = load(state, k);
    double value = 0;
    if (phrases_.length(phrase))
      value = models_[k]->follow(in, phrases_.of(phrase, k), out, spare);
    else
      out = in;
    store(out, k);
    values_.push_back(value);
    score += weights_[k] * value;
  }
  if (trees_) {
    std::copy(values_.end() - static_cast<std::ptrdiff_t>(models_.size()), values_.end(),
              tree_rest_.end() - static_cast<std::ptrdiff_t>(models_.size()));
    score += trees_->weight * trees_->sum(nullptr, tree_rest_.data());
  }
  if (boundary_.row_width()) {
    boundary_.begin_with(states_[state].data() + room_.back());
    for (const std::int32_t word : phrases_.target(phrase))
      boundary_.add_word(static_cast<std::uint32_t>(word));
    boundary_.store(row_.data() + room_.back());
  }
  const auto number = static_cast<std::int32_t>(steps_.size());
  steps_.push_back({states_.add(row_.data()).number, number, score});
}

std::span<const double> LanguageStates::final_values(std::int32_t state) {
  const std::size_t room = words_.size() / 3;
  for (std::size_t k = 0; k < models_.size(); ++k) {
    State spare{words_.data() + room, backoffs_.data() + room, 0};
    final_values_[k] = models_[k]->finish(load(state, k), spare);
  }
  return final_values_;
}

double LanguageStates::finish(std::int32_t state) {
  double score = 0;
  const auto values = final_values(state);
  for (std::size_t k = 0; k < values.size(); ++k) score += weights_[k] * values[k];
  return score;
}

}  // namespace rosewood
