// core/rules/aligned_corpus.hpp: a corpus as numbers with its links: what extraction reads. No
// Python here.
#pragma once

#include <cstdint>

#include "align/bitext.hpp"
#include "align/links.hpp"
#include "rules/sentence.hpp"

namespace rosewood {

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
