// core/rules/aligned_corpus.hpp: a corpus as numbers with its links: what extraction reads. No
// Python here.
#pragma once

#include <cstdint>
#include <span>

#include "align/links.hpp"
#include "rules/sentence.hpp"

namespace rosewood {

/// One side: sentence k is ids[start[k]] .. ids[start[k+1]-1].
struct TextView {
  std::span<const std::int32_t> ids;
  std::span<const std::int64_t> start;

  std::int64_t size() const { return static_cast<std::int64_t>(start.size()) - 1; }
  std::span<const std::int32_t> sentence(std::int64_t k) const {
    const auto at = static_cast<std::size_t>(k);
    return ids.subspan(static_cast<std::size_t>(start[at]),
                       static_cast<std::size_t>(start[at + 1] - start[at]));
  }
  /// The sentence that has the word at this place.
  std::int64_t sentence_of(std::int64_t place) const {
    return std::upper_bound(start.begin(), start.end(), place) - start.begin() - 1;
  }
};

struct AlignedCorpus {
  TextView source, target;
  LinksView links;

  std::int64_t size() const { return source.size(); }
  void set(AlignedSentence& sentence, std::int64_t k) const {
    const auto at = static_cast<std::size_t>(k);
    const auto first = static_cast<std::size_t>(links.start[at]);
    const auto count = static_cast<std::size_t>(links.start[at + 1]) - first;
    sentence.set(static_cast<std::int32_t>(source.start[at + 1] - source.start[at]),
                 static_cast<std::int32_t>(target.start[at + 1] - target.start[at]),
                 links.source.subspan(first, count), links.target.subspan(first, count));
  }
};

/// Refuses what cannot be extracted from: other numbers of sentences, links beyond a sentence,
/// words without a number, more words than 32 bits count.
void check_corpus(const AlignedCorpus& corpus, std::int64_t source_words,
                  std::int64_t target_words);

}  // namespace rosewood
