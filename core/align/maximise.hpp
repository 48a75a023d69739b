// core/align/maximise.hpp: probabilities of words from counts, and what is counted along the way.
// No Python here.
#pragma once

#include <array>
#include <span>

#include "align/collapsed.hpp"
#include "align/lexicon.hpp"

namespace rosewood {

/// exp(digamma(x)) for x > 0: what a count of x is worth under a Dirichlet prior.
double exp_digamma(double x);
void exp_digamma(std::span<const double> x, std::span<double> out);

/// Counts of all places by their source and by their target word. With two columns the first is
/// summed by source words, the second by target words; one column is summed both ways.
void add_up(const LexiconView& lexicon, std::span<const Count> count, std::size_t columns,
            std::array<std::span<Count>, 2> total);

/// How many words each source and each target word occurs with.
void count_partners(const LexiconView& lexicon, std::array<std::span<std::int64_t>, 2> partners);

/// Entries from counts: relative frequencies where `prior` is 0, else exp(digamma(count + prior))
/// over the same of the total, in which each partner has its prior. `total` and `partners` may know
/// of more than is counted here.
void maximise(const LexiconEdit& lexicon, std::span<const Count> count, std::size_t columns,
              std::array<std::span<const Count>, 2> total,
              std::array<std::span<const std::int64_t>, 2> partners, double prior, int threads);

/// Entries from collapsed counts that leave nothing out.
void maximise_collapsed(const LexiconEdit& lexicon, const Collapsed& collapsed, int threads);

/// Pairs of words with counts, sorted: those of source word s are start[s] .. start[s+1]-1, by
/// target word. What a trained model keeps.
struct CountedPairs {
  std::span<const std::int64_t> start;
  std::span<const std::int32_t> word;
  std::span<const Count> count;  // `columns` for each pair
};

/// The counts of the lexicon's pairs, 0 where they were never counted.
void transfer(const CountedPairs& pairs, const LexiconView& lexicon, std::span<Count> count,
              std::size_t columns, int threads);

/// pair[place] = the place of the pair of stems in the lexicon of stems.
void pair_stems(const LexiconView& lexicon, std::array<std::span<const std::int32_t>, 2> stem,
                const LexiconView& stems, std::span<std::int32_t> pair, int threads);

/// pair_count[p] = sum of counts of the places whose pair of stems is p.
void add_pairs(std::span<const Count> count, std::span<const std::int32_t> pair,
               std::span<Count> pair_count);

}  // namespace rosewood
