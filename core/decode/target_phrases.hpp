// core/decode/target_phrases.hpp: the distinct target phrases of one sentence, and their language
// model scores in the empty context. No Python here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "decode/word_model.hpp"

namespace rosewood {

/// Numbers target phrases as they come: equal words have equal numbers.
class PhraseNumbers {
 public:
  /// `most`: an upper bound of the phrases that are added.
  explicit PhraseNumbers(std::size_t most);

  struct Added {
    std::int32_t number;
    bool is_new;
  };
  /// The words are not copied: they must stay where they are.
  Added add(std::span<const std::int32_t> words);

 private:
  struct Slot {
    std::uint64_t hash;
    std::int32_t number;
    std::span<const std::int32_t> words;
  };
  std::vector<Slot> slots_;
  std::int32_t size_ = 0;
};

using WordModels = std::span<const std::unique_ptr<WordModel>>;

/// Target phrases with the score that each model gives them alone, and the state behind them.
class TargetPhrases {
 public:
  explicit TargetPhrases(WordModels models);

  /// A phrase, which must stay where it is; word i as model k numbers it is
  /// words[k * target.size() + i].
  std::int32_t add(std::span<const std::int32_t> target, std::span<const std::uint32_t> words);
  std::span<const std::int32_t> target(std::int32_t phrase) const { return target_[phrase]; }
  std::size_t length(std::int32_t phrase) const { return target_[phrase].size(); }
  WordModelPhrase of(std::int32_t phrase, std::size_t model);
  /// The score of the phrase in the empty context.
  double alone(std::int32_t phrase, std::size_t model) const {
    return rest_[rest_place(phrase, model)];
  }

 private:
  std::size_t rest_place(std::int32_t phrase, std::size_t model) const {
    return rest_start_[phrase] + model * (length(phrase) + 1);
  }

  WordModels models_;
  std::size_t width_ = 0;          // words of the states of all models
  std::vector<std::size_t> room_;  // where the state of each model begins
  std::vector<std::span<const std::int32_t>> target_;
  std::vector<std::size_t> word_start_, rest_start_;
  std::vector<std::uint32_t> words_, end_words_;
  std::vector<double> rest_;
  std::vector<float> end_backoffs_;
  std::vector<int> end_lengths_;
  std::vector<std::uint32_t> spare_words_;
  std::vector<float> spare_backoffs_;
};

/// Words of the longest state of these models; at least one.
std::size_t longest_state(WordModels models);

}  // namespace rosewood
