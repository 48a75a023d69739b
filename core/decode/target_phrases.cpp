// core/decode/target_phrases.cpp: phrases interned, and scored alone.
#include "decode/target_phrases.hpp"

#include <algorithm>
#include <bit>

namespace rosewood {

PhraseNumbers::PhraseNumbers(std::size_t most)
    : slots_(std::bit_ceil(2 * most + 1), Slot{0, -1, {}}) {}

PhraseNumbers::Added PhraseNumbers::add(std::span<const std::int32_t> words) {
  std::uint64_t hash = words.size();
  for (const std::int32_t word : words)
    hash = (hash ^ static_cast<std::uint32_t>(word)) * 0x9e3779b97f4a7c15ULL;
  hash ^= hash >> 32;
  for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
    Slot& slot = slots_[at];
    if (slot.number < 0) {
      slot = {hash, size_++, words};
      return {slot.number, true};
    }
    if (slot.hash == hash && std::ranges::equal(slot.words, words)) return {slot.number, false};
  }
}

std::size_t longest_state(WordModels models) {
  std::size_t longest = 1;
  for (const auto& model : models)
    longest = std::max(longest, static_cast<std::size_t>(model->order()) - 1);
  return longest;
}

TargetPhrases::TargetPhrases(WordModels models)
    : models_(models), spare_words_(longest_state(models)), spare_backoffs_(longest_state(models)) {
  for (const auto& model : models) {
    room_.push_back(width_);
    width_ += static_cast<std::size_t>(model->order()) - 1;
  }
}

std::int32_t TargetPhrases::add(std::span<const std::int32_t> target,
                                std::span<const std::uint32_t> words) {
  const std::size_t number = target_.size(), length = target.size();
  target_.push_back(target);
  word_start_.push_back(words_.size());
  rest_start_.push_back(rest_.size());
  words_.insert(words_.end(), words.begin(), words.end());
  rest_.resize(rest_.size() + models_.size() * (length + 1));
  end_words_.resize(end_words_.size() + width_);
  end_backoffs_.resize(end_words_.size());
  for (std::size_t k = 0; k < models_.size(); ++k) {
    const std::size_t room = number * width_ + room_[k];
    State end{end_words_.data() + room, end_backoffs_.data() + room, 0};
    State spare{spare_words_.data(), spare_backoffs_.data(), 0};
    models_[k]->score_alone(words.subspan(k * length, length),
                            {rest_.data() + rest_start_[number] + k * (length + 1), length + 1},
                            end, spare);
    end_lengths_.push_back(end.length);
  }
  return static_cast<std::int32_t>(number);
}

WordModelPhrase TargetPhrases::of(std::int32_t phrase, std::size_t model) {
  const auto number = static_cast<std::size_t>(phrase);
  const std::size_t length = target_[number].size(), room = number * width_ + room_[model];
  return {{words_.data() + word_start_[number] + model * length, length},
          {rest_.data() + rest_place(phrase, model), length + 1},
          {end_words_.data() + room, end_backoffs_.data() + room,
           end_lengths_[number * models_.size() + model]}};
}

}  // namespace rosewood
