// core/rules/lexical.hpp: how often words are linked, and the lexical weights of rules. No Python
// here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rules/aligned_corpus.hpp"
#include "rules/rule.hpp"
#include "util/row_sort.hpp"

namespace rosewood {

/// Linked words and how often they are, in ascending order. A key has the source word in its upper
/// and the target word in its lower 32 bits, each plus one: 0 stands for nothing, which words
/// without links are linked to.
struct WordPairs {
  std::vector<std::uint64_t> key;
  std::vector<std::uint64_t> count;
};
WordPairs count_word_pairs(const AlignedCorpus& corpus, const SortRoom& room,
                           const std::string& name);

/// Lexical weights (Koehn et al. 2003): for each word its mean probability given those it is linked
/// to, multiplied over the words.
class LexicalWeights {
 public:
  LexicalWeights(std::span<const std::uint64_t> key, std::span<const std::uint64_t> count,
                 std::int64_t source_words, std::int64_t target_words);

  struct Logs {
    double ef, fe;  // logarithms: of the target given the source, of the source given the target
  };
  /// Gaps are passed over; links ascend by source.
  Logs weigh(std::span<const std::int32_t> source, std::span<const std::int32_t> target,
             std::span<const RuleLink> links) const;

 private:
  std::uint64_t count_of(std::uint64_t key) const;

  struct Slot {
    std::uint64_t key = 0, count = 0;
  };
  std::vector<Slot> slots_;
  std::vector<std::uint64_t> source_total_, target_total_;  // by word plus one
};

}  // namespace rosewood
