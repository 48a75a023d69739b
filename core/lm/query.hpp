// core/lm/query.hpp: probabilities of words in their contexts, for any layout. No Python here.
//
// A layout finds n-grams from their last word to their first:
//
//   Found unigram(word, cursor)     what is said of a word; the cursor is at it
//   bool aim(cursor, n, word)       look for the n-gram with this word before the one found; false
//                                   if there is none for sure. Asks for memory, does not wait
//   bool settle(cursor, n)          a step on the way, for those who have many under way; false if
//                                   there is no other
//   bool find(cursor, n, found)     wait: is it there?
//   bool extends(cursor, n)         does a longer n-gram end in the one that was found?
//
// The probability of a word is that of the longest n-gram which ends in it and is in the model,
// times the back-offs of the contexts that are longer. Every suffix of an n-gram is in the model,
// too, so the first one that is missing ends the search.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "lm/fast.hpp"
#include "lm/walk.hpp"

namespace rosewood {

template <class L>
concept Layout =
    requires(const L& layout, typename L::Cursor& at, std::uint32_t word, int n, Found& found) {
      { layout.order() } -> std::same_as<int>;
      { layout.unigram(word, at) } -> std::same_as<Found>;
      { layout.aim(at, n, word) } -> std::same_as<bool>;
      { layout.settle(at, n) } -> std::same_as<bool>;
      { layout.find(at, n, found) } -> std::same_as<bool>;
      { layout.extends(at, n) } -> std::same_as<bool>;
      layout.prefetch_unigram(word);
    };

/// The last words that can affect later scores, the latest first, and the back-offs of the contexts
/// of one word, of two and so on. The caller owns the memory: order - 1 of each.
struct State {
  std::uint32_t* words = nullptr;
  float* backoffs = nullptr;
  int length = 0;
};

/// log10 of a probability, and how long the n-gram was that it comes from.
struct WordScore {
  double score;
  int length;
};

/// Drops words that cannot affect later scores: contexts that begin no longer n-gram and have no
/// back-off.
inline void shorten(State& state) {
  while (state.length > 0 && is_dead_end(state.backoffs[state.length - 1])) --state.length;
}

/// The state after some words, the latest first: as many of them as matter.
template <Layout L>
void context_state(const L& layout, std::span<const std::uint32_t> latest_first, State& out) {
  const int most = static_cast<int>(std::min<std::size_t>(latest_first.size(), layout.order() - 1));
  typename L::Cursor at;
  out.length = 0;
  for (int n = 1; n <= most; ++n) {
    const std::uint32_t word = latest_first[n - 1];
    Found found{};
    if (n == 1)
      found = layout.unigram(word, at);
    else if (!layout.aim(at, n, word) || !layout.find(at, n, found))
      break;
    out.words[n - 1] = word;
    out.backoffs[n - 1] = found.backoff;
    out.length = n;
  }
  shorten(out);
}

/// The score of a word after a state, and the state after it, in another room. The cursor is at the
/// n-gram that the score comes from if that has the whole state; otherwise it is anywhere.
template <Layout L>
WordScore score_word(const L& layout, const State& in, std::uint32_t word, State& out,
                     typename L::Cursor& at) {
  Found found = layout.unigram(word, at);
  double score = found.probability;
  const int most = layout.order() - 1;
  int length = 1;
  const auto keep = [&](std::uint32_t said) {
    if (length > most) return;
    out.words[length - 1] = said;
    out.backoffs[length - 1] = found.backoff;
    out.length = length;
  };
  out.length = 0;
  keep(word);
  while (length <= in.length) {
    const std::uint32_t before = in.words[length - 1];
    if (!layout.aim(at, length + 1, before) || !layout.find(at, length + 1, found)) break;
    score = found.probability;
    ++length;
    keep(before);
  }
  for (int k = length; k <= in.length; ++k) score += in.backoffs[k - 1];
  shorten(out);
  return {score, length};
}

template <Layout L>
WordScore score_word(const L& layout, const State& in, std::uint32_t word, State& out) {
  typename L::Cursor at;
  return score_word(layout, in, word, out, at);
}

/// Scores every word below `size` after a state: calls emit(word, score).
template <Layout L, class Emit>
void score_all_words(const L& layout, const State& in, std::uint64_t size, Emit&& emit) {
  constexpr std::size_t block = 64;
  std::vector<double> lost(static_cast<std::size_t>(in.length) + 2);  // in backing off to length k
  for (int k = in.length; k > 0; --k) lost[k] = lost[k + 1] + in.backoffs[k - 1];
  typename L::Cursor at[block];
  WordScore scores[block];
  std::size_t open[block];
  for (std::uint64_t from = 0; from < size; from += block) {
    const auto words = static_cast<std::size_t>(std::min<std::uint64_t>(block, size - from));
    std::size_t left = 0;
    for (std::size_t i = 0; i < words; ++i) {
      const Found found = layout.unigram(static_cast<std::uint32_t>(from + i), at[i]);
      scores[i] = {found.probability + lost[1], 1};
      open[left] = i;
      left += in.length && layout.aim(at[i], 2, in.words[0]);
    }
    for (int n = 2; left > 0; ++n) {
      std::size_t kept = 0;
      for (std::size_t j = 0; j < left; ++j) {
        const std::size_t i = open[j];
        Found found;
        if (!layout.find(at[i], n, found)) continue;
        scores[i] = {found.probability + lost[n], n};
        if (n <= in.length && layout.aim(at[i], n + 1, in.words[n - 1])) open[kept++] = i;
      }
      left = kept;
    }
    for (std::size_t i = 0; i < words; ++i) emit(from + i, scores[i]);
  }
}

/// Scores running text, many words at a time: while memory answers for one, others are looked for.
/// First the unigrams of all words of a block, then all bigrams, and so on. A longer n-gram is only
/// looked for where both the one that lacks its first word and the one that lacks its last have
/// been found and say that there is one.
template <Layout L>
class BlockScorer {
 public:
  static constexpr std::size_t block = 256;

  explicit BlockScorer(const L& layout)
      : layout_(layout),
        order_(static_cast<std::size_t>(layout.order())),
        words_(order_ + block),
        lengths_(block + 1),
        probabilities_(block + 1),
        backoffs_((block + 1) * order_),
        cursors_(block + 1),
        open_(block),
        under_way_(block) {}

  /// Scores words that follow those of the last call. firsts[i]: a text begins with word i, and
  /// nothing stands before it. Calls emit(i, score) for each.
  template <class Emit>
  void score(std::span<const std::uint32_t> words, std::span<const std::uint8_t> firsts,
             Emit&& emit) {
    // Place 0 is the word before the block, place i + 1 is words[i].
    std::copy(words.begin(), words.end(), words_.begin() + order_);
    std::size_t open = 0;
    for (std::size_t i = 1; i <= words.size(); ++i) {
      keep(i, 1, layout_.unigram(words[i - 1], cursors_[i]));
      open_[open] = i;
      open += order_ > 1 && !firsts[i - 1] && goes_on(i, 1);
    }
    for (std::size_t n = 2; open > 0; ++n) open = lengthen(n, aim(n, open));
    for (std::size_t i = 1; i <= words.size(); ++i) {
      double score = probabilities_[i];
      const std::size_t length = lengths_[i];
      if (!firsts[i - 1]) {
        const std::size_t longest = std::min<std::size_t>(lengths_[i - 1], order_ - 1);
        for (std::size_t k = length; k <= longest; ++k) score += backoffs(i - 1)[k - 1];
      }
      emit(i - 1, WordScore{score, static_cast<int>(length)});
    }
    carry(words.size());
  }

 private:
  std::uint32_t word(std::size_t place) const { return words_[order_ - 1 + place]; }
  float* backoffs(std::size_t place) { return backoffs_.data() + place * order_; }

  void keep(std::size_t i, std::size_t n, const Found& found) {
    lengths_[i] = static_cast<std::uint32_t>(n);
    probabilities_[i] = found.probability;
    backoffs(i)[n - 1] = found.backoff;
  }

  /// Whether the n-gram that ends before place i has been found, and longer ones begin with it.
  bool goes_on(std::size_t i, std::size_t n) {
    return lengths_[i - 1] >= n && !is_dead_end(backoffs(i - 1)[n - 1]);
  }

  // Which places stay open is decided without branches: nobody could foresee them.

  /// Looks for n-grams at the open places; those where there may be one stay open.
  std::size_t aim(std::size_t n, std::size_t open) {
    std::size_t left = 0;
    for (std::size_t j = 0; j < open; ++j) {
      const std::size_t i = open_[j];
      open_[left] = i;
      left += layout_.aim(cursors_[i], static_cast<int>(n), word(i + 1 - n));
    }
    return left;
  }
  /// What was looked for; places where it was found, and where there may be a longer one, stay
  /// open.
  std::size_t lengthen(std::size_t n, std::size_t open) {
    std::size_t left = 0;
    std::copy_n(open_.begin(), open, under_way_.begin());
    for (std::size_t waiting = open; waiting > 0; waiting = std::exchange(left, 0))
      for (std::size_t j = 0; j < waiting; ++j) {
        const std::size_t i = under_way_[j];
        under_way_[left] = i;
        left += layout_.settle(cursors_[i], static_cast<int>(n));
      }
    for (std::size_t j = 0; j < open; ++j) {
      const std::size_t i = open_[j];
      Found found;
      if (!layout_.find(cursors_[i], static_cast<int>(n), found)) continue;
      keep(i, n, found);
      open_[left] = i;
      left += n < order_ && goes_on(i, n);
    }
    return left;
  }

  void carry(std::size_t size) {
    if (size == 0) return;
    std::copy_n(words_.begin() + size, order_, words_.begin());
    std::copy_n(backoffs(size), order_, backoffs(0));
    lengths_[0] = lengths_[size];
  }

  const L& layout_;
  std::size_t order_;
  std::vector<std::uint32_t> words_;  // the last words before the block, then the block
  std::vector<std::uint32_t> lengths_;
  std::vector<float> probabilities_, backoffs_;
  std::vector<typename L::Cursor> cursors_;
  std::vector<std::size_t> open_, under_way_;
};

}  // namespace rosewood
