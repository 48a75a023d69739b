// core/lm/batch.hpp: many sentences, from text to scores, in threads. No Python here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lm/query.hpp"
#include "lm/vocabulary.hpp"
#include "util/parallel.hpp"

namespace rosewood {

/// Sentences in one text, a line feed between each two; words stand between spaces and tabs.
struct SentenceText {
  std::string_view text;
  std::vector<std::uint64_t> start;  // sentence s ends one before start[s+1]

  /// Refuses a text that does not have `count` sentences.
  SentenceText(std::string_view text, std::uint64_t count);

  std::uint64_t size() const { return start.size() - 1; }
  std::string_view operator[](std::uint64_t s) const {
    return text.substr(start[s], start[s + 1] - 1 - start[s]);
  }
};

/// Whether a sentence begins after <s>, and whether </s> is scored at its end.
struct Edges {
  bool begin = true, end = true;
};

inline bool is_gap(char c) { return c == ' ' || c == '\t'; }

/// Spaces and tabs among eight bytes: the upper bit of the first one is set, and none before it.
inline std::uint64_t gaps_in(std::uint64_t eight) {
  constexpr std::uint64_t ones = 0x0101010101010101ULL;
  const auto zeros = [](std::uint64_t bytes) { return (bytes - ones) & ~bytes & ones << 7; };
  return zeros(eight ^ ones * ' ') | zeros(eight ^ ones * '\t');
}

/// Where a word ends, in a sentence that ends at `end` of a text that ends at `limit`.
inline const char* word_end(const char* at, const char* end, const char* limit) {
  for (; limit - at >= 8; at += 8) {
    if (const std::uint64_t gaps = gaps_in(loaded<std::uint64_t>(at)))
      return std::min(at + std::countr_zero(gaps) / 8, end);
    if (end - at <= 8) return end;
  }
  while (at != end && !is_gap(*at)) ++at;
  return at;
}

/// A word that is not allowed in a sentence: <s> or </s>.
struct BadWord {
  std::uint64_t sentence, place;
  std::uint32_t word;
};

[[noreturn]] inline void refuse_word(const BadWord& found, std::uint64_t first_number) {
  const char* mark = found.word == begin_word ? "<s>" : "</s>";
  const std::uint64_t number = first_number + found.sentence;
  fail<LanguageModelError>({"lm.sentence-mark", mark, number}, "sentence ", number, ", word ",
                           found.place, ": ", mark, " is not a word, it marks where a sentence ",
                           found.word == begin_word ? "begins" : "ends");
}

/// Scores one sentence word by word, with little memory: calls emit(word number, score) for each
/// word. The scores are the same as those of TextScorer.
template <Layout L, class Emit>
void score_sentence(const ModelVocabulary& vocabulary, const L& layout, std::string_view sentence,
                    Edges edges, Emit&& emit) {
  constexpr std::size_t few = 8;  // words of a context that need no memory of their own
  const auto most = static_cast<std::size_t>(layout.order());
  std::uint32_t near_words[2 * few];
  float near_backoffs[2 * few];
  std::vector<std::uint32_t> far_words(most > few ? 2 * most : 0);
  std::vector<float> far_backoffs(far_words.size());
  std::uint32_t* const words = most > few ? far_words.data() : near_words;
  float* const backoffs = most > few ? far_backoffs.data() : near_backoffs;
  State state{words, backoffs, 0}, next{words + most, backoffs + most, 0};
  if (edges.begin) context_state(layout, {&begin_word, 1}, state);
  const auto say = [&](std::uint32_t word) {
    emit(word, score_word(layout, state, word, next));
    std::swap(state, next);
  };
  const char *at = sentence.data(), *const end = at + sentence.size();
  for (std::uint64_t place = 1;; ++place) {
    while (at != end && is_gap(*at)) ++at;
    if (at == end) break;
    const char* const begin = std::exchange(at, word_end(at, end, end));
    const std::uint32_t word = vocabulary.find(Piece(begin, at, end));
    if (word == begin_word || word == end_word) refuse_word({0, place, word}, 1);
    say(word);
  }
  if (edges.end) say(end_word);
}

/// Turns sentences into word numbers and scores them, a block at a time.
template <Layout L>
class TextScorer {
 public:
  TextScorer(const ModelVocabulary& vocabulary, const L& layout, Edges edges)
      : vocabulary_(vocabulary), layout_(layout), scorer_(layout), edges_(edges) {}

  /// Calls emit(sentence, word number, score) for each word of some sentences. Ends at the first
  /// that has a bad word.
  template <class Emit>
  std::optional<BadWord> score(const SentenceText& text, std::uint64_t from, std::uint64_t to,
                               Emit&& emit) {
    used_ = 0;
    for (std::uint64_t s = from; s < to; ++s) {
      bool is_first = true;
      std::uint64_t place = 0;
      const auto add = [&](Place next) {
        next.sentence = s;
        next.place = place;
        firsts_[used_] = std::exchange(is_first, false);
        places_[used_++] = next;
        if (used_ == block) flush(emit);
      };
      if (edges_.begin) add({.special = begin_word});
      const std::string_view sentence = text[s];
      const char *at = sentence.data(), *const end = at + sentence.size();
      const char* const limit = text.text.data() + text.text.size();
      for (;;) {
        while (at != end && is_gap(*at)) ++at;
        if (at == end) break;
        const char* const begin = std::exchange(at, word_end(at, end, limit));
        const Piece word(begin, at, limit);
        ++place;
        add({.word = word, .hash = vocabulary_.aim(word)});
        if (bad_) return bad_;
      }
      if (edges_.end) add({.special = end_word});
    }
    flush(emit);
    return bad_;
  }

 private:
  static constexpr std::size_t block = BlockScorer<L>::block;

  struct Place {
    Piece word{std::string_view()};
    std::uint64_t hash = 0;  // 0: not a word of the text, but this one
    std::uint32_t special = 0;
    std::uint64_t sentence = 0, place = 0;
  };

  template <class Emit>
  void flush(Emit&& emit) {
    for (std::size_t i = 0; i < used_; ++i) {
      const Place& at = places_[i];
      numbers_[i] = at.hash ? vocabulary_.likely(at.hash) : at.special;
      vocabulary_.words().prefetch(numbers_[i]);
      layout_.prefetch_unigram(numbers_[i]);
    }
    for (std::size_t i = 0; i < used_ && !bad_; ++i) {
      const Place& at = places_[i];
      if (!at.hash) continue;
      numbers_[i] = vocabulary_.sure(numbers_[i], at.word);
      if (numbers_[i] == begin_word || numbers_[i] == end_word)
        bad_ = BadWord{at.sentence, at.place, numbers_[i]};
    }
    const std::size_t used = std::exchange(used_, 0);
    if (bad_) return;
    scorer_.score({numbers_, used}, {firsts_, used}, [&](std::size_t i, const WordScore& score) {
      const Place& at = places_[i];
      if (at.hash || at.special == end_word) emit(at.sentence, numbers_[i], score);
    });
  }

  const ModelVocabulary& vocabulary_;
  const L& layout_;
  BlockScorer<L> scorer_;
  Edges edges_;
  std::optional<BadWord> bad_;
  Place places_[block];
  std::uint8_t firsts_[block];
  std::uint32_t numbers_[block];
  std::size_t used_ = 0;
};

/// Sentences that a thread takes at a time.
inline constexpr std::uint64_t sentences_at_once = 512;

/// Calls emit(piece, sentence, word number, score) for each word; a piece is some sentences in
/// order. Throws if a sentence has a bad word: the first, at any number of threads.
template <Layout L, class Emit>
void score_sentences(const ModelVocabulary& vocabulary, const L& layout, const SentenceText& text,
                     Edges edges, std::uint64_t first_number, int threads, Emit&& emit) {
  const std::uint64_t pieces = (text.size() + sentences_at_once - 1) / sentences_at_once;
  std::vector<std::optional<BadWord>> bad(pieces);
  parallel_blocks(
      static_cast<std::int64_t>(pieces), threads, [] { return 0; },
      [&](int, std::int64_t index) {
        const auto piece = static_cast<std::uint64_t>(index);
        const std::uint64_t from = piece * sentences_at_once;
        const std::uint64_t to = std::min(from + sentences_at_once, text.size());
        bad[piece] = TextScorer<L>(vocabulary, layout, edges)
                         .score(text, from, to,
                                [&](std::uint64_t s, std::uint32_t word, const WordScore& score) {
                                  emit(piece, s, word, score);
                                });
      });
  for (const auto& found : bad)
    if (found) refuse_word(*found, first_number);
}

}  // namespace rosewood
