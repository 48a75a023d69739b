// core/lm/chart.hpp: scores of parts of sentences whose left context is not known yet, for decoders
// that build translations bottom-up. No Python here.
//
// A part is a string of words and of smaller parts. Its state has two sides:
//
//   left    its first words, as long as the first one alone, the first two and so on are n-grams
//           with which longer n-grams end. Their scores change when words are put before the part.
//           The part is full if more words follow, or if there are order - 1 of them: then only the
//           back-offs of contexts that cover all of them may still be added, for the next word
//   right   the state after its last word, as in core/lm/query.hpp
//
// Words of the left side count with the probability that they have by themselves. What changes when
// a context is known is added where the part is used. So the scores of all parts of a sentence add
// up to its score from left to right, however it is bracketed.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "lm/query.hpp"

namespace rosewood {

/// The rooms, order - 1 words and numbers on each side, are the caller's.
struct ChartState {
  std::uint32_t* left_words = nullptr;
  float* left_scores = nullptr;  // log10 probabilities that were counted
  int left_length = 0;
  bool is_full = false;
  State right;
};

/// A state with rooms of its own.
class OwnChartState {
 public:
  explicit OwnChartState(int order)
      : words_(2 * static_cast<std::size_t>(order)), numbers_(words_.size()) {}

  ChartState view() {
    const std::size_t half = words_.size() / 2;
    return {words_.data(),
            numbers_.data(),
            0,
            false,
            {words_.data() + half, numbers_.data() + half, 0}};
  }

 private:
  std::vector<std::uint32_t> words_;
  std::vector<float> numbers_;
};

// A state as a row of numbers, for core/util/interner.hpp: equal states are equal rows. A row has
// both lengths, whether it is full, then the words and numbers of the left side, then of the right.

constexpr std::size_t chart_row_width(int order) {
  return 3 + 4 * (static_cast<std::size_t>(order) - 1);
}

inline void store_chart_row(const ChartState& state, int order, std::span<std::uint32_t> row) {
  const std::size_t room = static_cast<std::size_t>(order) - 1;
  std::ranges::fill(row, 0U);
  row[0] = static_cast<std::uint32_t>(state.left_length);
  row[1] = static_cast<std::uint32_t>(state.right.length);
  row[2] = state.is_full;
  const auto store = [&](std::size_t at, const std::uint32_t* words, const float* numbers, int n) {
    for (int i = 0; i < n; ++i) {
      row[at + i] = words[i];
      row[at + room + i] = std::bit_cast<std::uint32_t>(numbers[i]);
    }
  };
  store(3, state.left_words, state.left_scores, state.left_length);
  store(3 + 2 * room, state.right.words, state.right.backoffs, state.right.length);
}

inline void load_chart_row(std::span<const std::uint32_t> row, int order, ChartState& state) {
  const std::size_t room = static_cast<std::size_t>(order) - 1;
  state.left_length = static_cast<int>(row[0]);
  state.right.length = static_cast<int>(row[1]);
  state.is_full = row[2] != 0;
  const auto load = [&](std::size_t at, std::uint32_t* words, float* numbers, int n) {
    for (int i = 0; i < n; ++i) {
      words[i] = row[at + i];
      numbers[i] = std::bit_cast<float>(row[at + room + i]);
    }
  };
  load(3, state.left_words, state.left_scores, state.left_length);
  load(3 + 2 * room, state.right.words, state.right.backoffs, state.right.length);
}

/// Scores one part, from left to right: begin(), words and smaller parts, finish(). It is used for
/// one part after the other.
template <Layout L>
class ChartScorer {
 public:
  explicit ChartScorer(const L& layout)
      : layout_(layout), most_(layout.order() - 1), own_(layout.order()), other_(layout.order()) {
    begin();
  }

  /// A part before which anything may come.
  void begin() {
    out_ = own_.view();
    spare_ = other_.view().right;
    score_ = 0;
    is_left_done_ = false;
  }
  /// A part that begins a sentence: nothing comes before it.
  void begin_sentence(std::uint32_t begin_word) {
    begin();
    context_state(layout_, {&begin_word, 1}, out_.right);
    is_left_done_ = true;
  }

  void add_word(std::uint32_t word) { score_ += next_word(word); }

  /// Adds a part, whose score the caller has already. What its left side gains or loses by the
  /// words before it is counted here.
  void add_part(const ChartState& part) {
    if (out_.left_length == 0 && !is_left_done_) return copy(part);
    for (int i = 0; i < part.left_length; ++i) {
      score_ += next_word(part.left_words[i]) - double{part.left_scores[i]};
      if (out_.right.length > i + 1) continue;
      // Only words of the part are left in the state: from here on, the part is as it was.
      is_left_done_ = is_left_done_ || i + 1 < part.left_length || part.is_full;
      return copy_right(part.right);
    }
    if (!part.is_full) return;  // the state is behind all its words
    for (int i = part.left_length; i < out_.right.length; ++i) score_ += out_.right.backoffs[i];
    is_left_done_ = true;
    copy_right(part.right);
  }

  /// log10 of the words that were added, and of the changes in the parts; and the state of the
  /// whole, in rooms of this scorer, until the next begin().
  std::pair<double, ChartState> finish() {
    out_.is_full = is_left_done_ || out_.left_length == most_;
    return {score_, out_};
  }

 private:
  /// The score of a word behind what is there. It is one of the left side if all words until here
  /// are an n-gram of the model in which longer ones end.
  double next_word(std::uint32_t word) {
    typename L::Cursor at;
    const WordScore found = score_word(layout_, out_.right, word, spare_, at);
    std::swap(out_.right, spare_);
    if (!is_left_done_) {
      if (found.length == out_.left_length + 1 && layout_.extends(at, found.length)) {
        out_.left_words[out_.left_length] = word;
        out_.left_scores[out_.left_length++] = static_cast<float>(found.score);
      } else {
        is_left_done_ = true;
      }
    }
    return found.score;
  }

  void copy_right(const State& from) {
    std::copy_n(from.words, from.length, out_.right.words);
    std::copy_n(from.backoffs, from.length, out_.right.backoffs);
    out_.right.length = from.length;
  }
  void copy(const ChartState& part) {
    std::copy_n(part.left_words, part.left_length, out_.left_words);
    std::copy_n(part.left_scores, part.left_length, out_.left_scores);
    out_.left_length = part.left_length;
    is_left_done_ = part.is_full;
    copy_right(part.right);
  }

  const L& layout_;
  int most_;  // words of a state
  OwnChartState own_, other_;
  ChartState out_;
  State spare_;
  double score_ = 0;
  bool is_left_done_ = false;  // words to come are not of the left side
};

}  // namespace rosewood
