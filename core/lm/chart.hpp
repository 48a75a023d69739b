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

#include <bit>
#include <cstdint>
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

// A state as rows of numbers, for core/util/interner.hpp: equal states have equal keys. A key has
// both lengths, whether it is full, then the words of the left side, then of the right. What the
// model says of these words, the scores of the left side and the back-offs of the right, follows
// from the key, and is a row of its own.

constexpr std::size_t chart_key_width(int order) {
  return 3 + 2 * (static_cast<std::size_t>(order) - 1);
}
constexpr std::size_t chart_numbers_width(int order) {
  return 2 * (static_cast<std::size_t>(order) - 1);
}
constexpr std::size_t chart_row_width(int order) {
  return chart_key_width(order) + chart_numbers_width(order);
}

inline void store_chart_row(const ChartState& state, int order, std::uint32_t* key,
                            std::uint32_t* numbers) {
  const std::size_t room = static_cast<std::size_t>(order) - 1;
  key[0] = static_cast<std::uint32_t>(state.left_length);
  key[1] = static_cast<std::uint32_t>(state.right.length);
  key[2] = state.is_full;
  const auto store = [&](std::size_t at, const std::uint32_t* words, const float* values, int n) {
    for (std::size_t i = 0; i < room; ++i) {
      const bool is_set = i < static_cast<std::size_t>(n);
      key[3 + at + i] = is_set ? words[i] : 0;
      numbers[at + i] = is_set ? std::bit_cast<std::uint32_t>(values[i]) : 0;
    }
  };
  store(0, state.left_words, state.left_scores, state.left_length);
  store(room, state.right.words, state.right.backoffs, state.right.length);
}

/// A state in rows, which are not copied.
class ChartPart {
 public:
  ChartPart(const std::uint32_t* key, const std::uint32_t* numbers, int order)
      : key_(key), numbers_(numbers), room_(static_cast<std::size_t>(order) - 1) {}

  int left_length() const { return static_cast<int>(key_[0]); }
  int right_length() const { return static_cast<int>(key_[1]); }
  bool is_full() const { return key_[2] != 0; }
  std::uint32_t left_word(int i) const { return left_words()[i]; }
  float left_score(int i) const { return std::bit_cast<float>(numbers_[i]); }

  void copy_left(ChartState& out) const {
    out.left_length = left_length();
    copy(out.left_length, left_words(), numbers_, out.left_words, out.left_scores);
  }
  void copy_right(State& out) const {
    out.length = right_length();
    copy(out.length, left_words() + room_, numbers_ + room_, out.words, out.backoffs);
  }

 private:
  const std::uint32_t* left_words() const { return key_ + 3; }
  static void copy(int length, const std::uint32_t* words, const std::uint32_t* numbers,
                   std::uint32_t* out_words, float* out_numbers) {
    for (int i = 0; i < length; ++i) {
      out_words[i] = words[i];
      out_numbers[i] = std::bit_cast<float>(numbers[i]);
    }
  }

  const std::uint32_t *key_, *numbers_;
  std::size_t room_;
};

/// Scores one part, from left to right: begin(), words and smaller parts, finish(). It is used for
/// one part after the other.
template <Layout L>
class ChartScorer {
 public:
  explicit ChartScorer(const L& layout)
      : layout_(layout),
        most_(layout.order() - 1),
        own_(layout.order()),
        other_(layout.order()),
        out_(own_.view()),
        spare_(other_.view().right) {}

  /// A part before which anything may come.
  void begin() {
    out_.left_length = out_.right.length = 0;
    score_ = 0;
    is_left_done_ = false;
  }
  /// A part that begins a sentence: nothing comes before it.
  void begin_sentence(std::uint32_t begin_word) {
    begin();
    context_state(layout_, {&begin_word, 1}, out_.right);
    is_left_done_ = true;
  }

  /// A part that goes on with another one, whose score is counted.
  void begin_with(const ChartPart& part, double score) {
    begin();
    copy(part);
    score_ = score;
  }

  void add_word(std::uint32_t word) { score_ += next_word(word); }

  /// Adds a part, whose score the caller has already. What its left side gains or loses by the
  /// words before it is counted here.
  void add_part(const ChartPart& part) {
    if (out_.left_length == 0 && !is_left_done_) return copy(part);
    const int left = part.left_length();
    for (int i = 0; i < left; ++i) {
      score_ += next_word(part.left_word(i)) - double{part.left_score(i)};
      if (out_.right.length > i + 1) continue;
      // Only words of the part are left in the state: from here on, the part is as it was.
      is_left_done_ = is_left_done_ || i + 1 < left || part.is_full();
      return part.copy_right(out_.right);
    }
    if (!part.is_full()) return;  // the state is behind all its words
    for (int i = left; i < out_.right.length; ++i) score_ += out_.right.backoffs[i];
    is_left_done_ = true;
    part.copy_right(out_.right);
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

  void copy(const ChartPart& part) {
    part.copy_left(out_);
    part.copy_right(out_.right);
    is_left_done_ = part.is_full();
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
