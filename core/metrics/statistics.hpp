// core/metrics/statistics.hpp: additive statistics of many hypotheses. No Python here.
//
// Sentences are groups: sentence g has the hypotheses hypothesis_start[g] .. [g+1]-1 and the
// references reference_start[g] .. [g+1]-1. Texts are rows of symbols: words or characters,
// numbered anyhow as long as equal ones have equal numbers within a sentence.
// Each row of the result depends on its sentence alone, so threads change nothing.
#pragma once

#include <cstdint>
#include <span>

#include "forest/view.hpp"
#include "metrics/score.hpp"

namespace rosewood {

struct Sentences {
  std::span<const Offset> hypothesis_start, reference_start;

  std::int64_t size() const { return static_cast<std::int64_t>(hypothesis_start.size()) - 1; }
};

using Texts = Rows<SymbolId>;

/// Refuses offsets that do not fit, and a sentence that has hypotheses and no reference.
void check_sentences(const Sentences& sentences, const Texts& hypotheses, const Texts& references);

/// Words, words of the reference nearest in length (of two, the shorter), matches of each order,
/// n-grams of each order; a width of 3 + 2·orders has the smaller of the two lengths last. Matches
/// are clipped to what the richest reference has, or, without `clip`, not at all.
void bleu_statistics(const Sentences& sentences, const Texts& hypotheses, const Texts& references,
                     int orders, std::int64_t width, bool clip, int threads,
                     std::span<double> statistics);

/// For each order of characters, then of words: n-grams of the hypothesis, of the reference,
/// matches; those of the reference with the best score (of equals, the first).
void chrf_statistics(const Sentences& sentences, const Texts& hypothesis_chars,
                     const Texts& reference_chars, const Texts& hypothesis_words,
                     const Texts& reference_words, int char_orders, int word_orders,
                     const MetricScorer& scorer, int threads, std::span<double> statistics);

/// Edits (insertions, deletions, substitutions) and length of the reference that needs the fewest
/// (of equals, the longest).
void edit_statistics(const Sentences& sentences, const Texts& hypotheses, const Texts& references,
                     int threads, std::span<double> statistics);

/// known[g] is 1 where one of the references has n-gram g.
void known_ngrams(const Texts& references, const Texts& ngrams, std::span<std::uint8_t> known);

}  // namespace rosewood
