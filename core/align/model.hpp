// core/align/model.hpp: a model of word alignment in both directions, and what it thinks of a
// corpus. No Python here.
//
// Direction 0, forward: target words are observed, and come from source words. Direction 1,
// backward: the other way round. Both read the same entries of the lexicon.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "align/bitext.hpp"
#include "align/chain.hpp"
#include "align/collapsed.hpp"
#include "align/counts.hpp"
#include "align/lexicon.hpp"

namespace rosewood {

/// A link that was counted; each target word keeps its two strongest.
struct KeptLink {
  std::int32_t place = -1;  // of the source word; -1: none
  std::int32_t weight = 0;  // as a Count
};
inline constexpr std::size_t kept_links = 2;
inline constexpr double least_kept = 1e-4;  // weaker links are not counted

/// The links of a whole corpus: kept_links for each target word, and for each word of either side
/// how much it was without a link.
template <class L, class W>
struct BasicKept {
  std::span<L> link;
  std::array<std::span<W>, 2> null;  // by direction: target words, source words

  bool is_empty() const { return link.empty(); }
};
using KeptView = BasicKept<const KeptLink, const std::int32_t>;
using KeptEdit = BasicKept<KeptLink, std::int32_t>;

struct AlignmentModel {
  LexiconView lexicon;
  std::array<Placement, 2> placement;
  std::array<std::span<const float>, 2> null_word;  // p(observed word | no place)
  bool agreement = false;                // links count as much as both directions believe in them
  const Collapsed* collapsed = nullptr;  // with `kept`: probabilities leave out a link's own count
  KeptView kept;
};

/// What the expectation step adds up.
struct ExpectedCounts {
  std::span<Count> link;  // a place of the lexicon: forward and backward; one with agreement
  std::array<std::span<Count>, 2> null;
  std::array<std::vector<double>, 2> jump, chance;  // see Chain::add_jumps
  std::array<double, 2> distance{};                 // see Chain::distance
  std::array<double, 2> log_probability{};
  /// Where wanted: words that have a place, by position; sentence k's begin at position[k].
  std::array<std::span<const std::int64_t>, 2> position;
  std::array<std::span<Count>, 2> placed;
  KeptEdit keep;  // not empty: only these links count, and they are kept here
};

/// Posteriors of the whole corpus, added up.
void expect(const BitextView& bitext, const AlignmentModel& model, ExpectedCounts& sums,
            int threads);

/// For each target word its source word, and the other way round, or -1; by sentence, the
/// logarithms of the probabilities of one side given the other. Words choose by their posterior;
/// with agreement, by the geometric mean of both directions where that is `least` or more.
void choose(const BitextView& bitext, const AlignmentModel& model, double least,
            std::array<std::span<std::int32_t>, 2> choice,
            std::array<std::span<double>, 2> log_probability, int threads);

/// Posteriors of links: for sentence k from `start[k]` on, [source word, target word].
void posteriors(const BitextView& bitext, const AlignmentModel& model,
                std::span<const std::int64_t> start, std::array<std::span<float>, 2> posterior,
                int threads);

/// Refuses a model that does not fit the corpus.
void check_model(const BitextView& bitext, const AlignmentModel& model);

}  // namespace rosewood
