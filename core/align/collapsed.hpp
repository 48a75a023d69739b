// core/align/collapsed.hpp: translation probabilities from counts without the current link. No
// Python here.
//
// Collapsed inference (as in Gibbs sampling, here with expected counts): the counts for a link
// leave out the link itself. Otherwise words that occur once would keep confirming their first
// link. Pseudo-counts: a small one for every pair of words, a larger one for words that are spelled
// alike, and the probability of the pair of stems, by which the forms of a word share statistics.
#pragma once

#include <array>
#include <span>

#include "align/counts.hpp"

namespace rosewood {

/// What is counted of the words of one side, 0 the source and 1 the target.
struct CollapsedSide {
  std::span<const Count> total;            // of a word's links
  std::span<const std::int32_t> stem;      // of a word
  std::span<const Count> stem_total;       // of a stem's links
  std::span<const double> share;           // of a word among the words of its stem
  std::span<const double> spelling_total;  // of a word's pseudo-counts
  std::span<const Count> null;             // of a word without a link
  Count null_total = 0;
  std::int32_t words = 0, stems = 0;
};

struct Collapsed {
  std::span<const Count> count;        // of each place of the lexicon
  std::span<const float> spelling;     // pseudo-counts, before `spelling_weight`
  std::span<const std::int32_t> pair;  // the pair of stems
  std::span<const Count> pair_count;   // of each pair of stems
  std::array<CollapsedSide, 2> side;
  double prior = 0.001, null_prior = 0.001, spelling_weight = 1.0;
  double stem_weight = 1.0, stem_prior = 0.01;

  /// The probability of the word `to` of side `given`^1 from the word `from` of side `given`, whose
  /// pair is at `place`, with `own` left out of all counts.
  double probability(int given, std::size_t place, std::int32_t from, std::int32_t to,
                     Count own) const {
    const CollapsedSide& x = side[static_cast<std::size_t>(given)];
    const CollapsedSide& y = side[static_cast<std::size_t>(given ^ 1)];
    const auto f = static_cast<std::size_t>(from);
    const auto t = static_cast<std::size_t>(to);
    double numerator = static_cast<double>(count[place] - own) * count_unit + prior +
                       spelling_weight * static_cast<double>(spelling[place]);
    double denominator = static_cast<double>(x.total[f] - own) * count_unit + prior * y.words +
                         spelling_weight * x.spelling_total[f];
    if (stem_weight > 0.0) {
      const auto p = static_cast<std::size_t>(pair[place]);
      const auto s = static_cast<std::size_t>(x.stem[f]);
      const double stems =
          (static_cast<double>(pair_count[p] - own) * count_unit + stem_prior) /
          (static_cast<double>(x.stem_total[s] - own) * count_unit + stem_prior * y.stems);
      numerator += stem_weight * stems * y.share[t];
      denominator += stem_weight;
    }
    return numerator / denominator;
  }

  /// The probability of a word of `observed` where it comes from nothing.
  double null_probability(int observed, std::int32_t word, Count own) const {
    const CollapsedSide& y = side[static_cast<std::size_t>(observed)];
    return (static_cast<double>(y.null[static_cast<std::size_t>(word)] - own) * count_unit +
            null_prior) /
           (static_cast<double>(y.null_total - own) * count_unit + null_prior * y.words);
  }
};

}  // namespace rosewood
