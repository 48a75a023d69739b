// core/rules/significance.hpp: is it by chance that two phrases occur in the same sentence pairs?
// Fisher's exact test (Johnson et al. 2007). No Python here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "rules/aligned_corpus.hpp"

namespace rosewood {

/// -log of the probability that at least `both` of `all` sentence pairs have two phrases of which
/// one is in `source` and the other in `target` of them, if they have nothing to do with each
/// other.
double significance(std::int64_t both, std::int64_t source, std::int64_t target, std::int64_t all);

/// The places of a text in the order of what follows, as rank_phrases wrote them.
struct PhraseIndex {
  std::span<const std::uint32_t> ranks;   // by place and length
  std::span<const std::uint32_t> places;  // in their order
  std::span<const std::uint8_t> shared;
  std::int32_t length;  // of the longest phrases

  std::size_t rank_of(std::int64_t place, std::int32_t words) const {
    return ranks[static_cast<std::size_t>(place * length + words - 1)];
  }
  /// Behind the last place of the phrase whose first one is at `rank`, or behind `most` of them.
  std::size_t end_of(std::size_t rank, std::int32_t words,
                     std::size_t most = std::numeric_limits<std::uint32_t>::max()) const {
    const std::size_t last = std::min(shared.size(), rank + most);
    std::size_t end = rank + 1;
    while (end < last && shared[end] >= words) ++end;
    return end;
  }
};

/// In how many sentence pairs phrases occur, counted one source after the other. Not to be shared
/// by threads.
class SentenceCounter {
 public:
  SentenceCounter(const AlignedCorpus& corpus, PhraseIndex source, PhraseIndex target)
      : corpus_(corpus),
        source_(source),
        target_(target),
        is_in_(static_cast<std::size_t>(corpus.size())),
        seen_(static_cast<std::size_t>(corpus.size())) {}

  /// The phrase of so many words at this place of the source text is the one in question.
  void set_source(std::int64_t place, std::int32_t words);
  /// The significance of that and the phrase at this place of the target text.
  double with_target(std::int64_t place, std::int32_t words);

 private:
  AlignedCorpus corpus_;
  PhraseIndex source_, target_;
  std::vector<std::uint8_t> is_in_;  // sentences that have the source phrase
  std::vector<std::uint32_t> seen_;  // when each sentence was last counted
  std::uint32_t time_ = 0;
  std::vector<std::int64_t> sentences_;  // of the source phrase
  struct Frequent {
    std::size_t end;         // behind its last place
    std::int64_t sentences;  // that have it
  };
  std::unordered_map<std::uint64_t, Frequent> frequent_;  // targets with many places
};

}  // namespace rosewood
