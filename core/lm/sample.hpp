// core/lm/sample.hpp: texts drawn from a model. No Python here.
//
// A model finds n-grams by their last word, so the next word is drawn by looking at all of them.
// Nearly all come from their unigrams: those are raised to powers of ten once.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "lm/query.hpp"

namespace rosewood {

template <Layout L>
class Sampler {
 public:
  /// What a thread needs.
  struct Room {
    std::vector<double> probability;
    std::vector<std::uint32_t> words[2];
    std::vector<float> backoffs[2];
  };

  Sampler(const L& layout, std::uint64_t size, const State& first)
      : layout_(layout), first_(first), unigrams_(size), start_(size) {
    score_all_words(layout, State{}, size, [&](std::uint64_t word, const WordScore& each) {
      unigrams_[word] = std::pow(10.0, each.score);
    });
    fill(first, start_);
  }

  Room room() const {
    const auto order = static_cast<std::size_t>(layout_.order());
    Room room{std::vector<double>(start_.size()), {}, {}};
    for (int side : {0, 1}) {
      room.words[side].resize(order);
      room.backoffs[side].resize(order);
    }
    return room;
  }

  /// Draws words up to </s>, which is not included, or up to max_words.
  std::vector<std::uint32_t> draw(std::uint64_t seed, std::uint64_t max_words, Room& room) const {
    std::vector<std::uint32_t> text;
    State state = first_;
    while (text.size() < max_words) {
      if (!text.empty()) fill(state, room.probability);
      const auto& probability = text.empty() ? start_ : room.probability;
      // 53 bits, as many as a number below 1 has.
      const std::uint64_t drawn = mixed(mixed(seed, text.size()), 0) >> 11;
      const std::uint32_t word = choose(probability, static_cast<double>(drawn) * 0x1p-53);
      if (word == end_word) break;
      const std::size_t side = text.size() % 2;  // the state before is in the other room
      State next{room.words[side].data(), room.backoffs[side].data(), 0};
      score_word(layout_, state, word, next);
      state = next;
      text.push_back(word);
    }
    return text;
  }

 private:
  void fill(const State& state, std::vector<double>& probability) const {
    double lost = 0.0;  // in backing off to unigrams
    for (int k = 0; k < state.length; ++k) lost += state.backoffs[k];
    const double factor = std::pow(10.0, lost);
    score_all_words(layout_, state, probability.size(),
                    [&](std::uint64_t word, const WordScore& each) {
                      probability[word] =
                          each.length == 1 ? unigrams_[word] * factor : std::pow(10.0, each.score);
                    });
    probability[begin_word] = 0.0;  // no sentence begins within another
  }

  static std::uint32_t choose(const std::vector<double>& probability, double where) {
    double total = 0.0;
    for (const double each : probability) total += each;
    if (!(total > 0.0) || !std::isfinite(total))
      fail<LanguageModelError>("lm.probabilities", "the probabilities of all words add up to ",
                               total);
    double left = where * total;
    std::size_t last = 0;  // rounding may leave something over behind the last one
    for (std::size_t word = 0; word < probability.size(); ++word) {
      if (probability[word] <= 0.0) continue;
      last = word;
      left -= probability[word];
      if (left < 0.0) break;
    }
    return static_cast<std::uint32_t>(last);
  }

  const L& layout_;
  State first_;
  std::vector<double> unigrams_;  // probabilities without context
  std::vector<double> start_;     // and those of the first word
};

}  // namespace rosewood
