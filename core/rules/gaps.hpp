// core/rules/gaps.hpp: hierarchical rules of one sentence pair (Chiang 2007, section 3). No Python
// here.
//
// An initial phrase pair is a phrase pair of limited length; a rule is one of them with up to two
// smaller ones taken out of it, each of which leaves a gap. Initial phrase pairs are tight: a word
// without links is at none of their edges, so that of those with the same links the smallest is
// left. They may also be loose; then those that leave gaps may be loose or tight.
//
// What is counted: an initial phrase pair counts one, divided equally among all the ways to take
// phrase pairs out of it (or none) that give an allowed rule. Two ways that give the same symbols,
// because a word stands there twice, are two: the rule gets both shares. With whole counts every
// way counts 1.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "rules/sentence.hpp"

namespace rosewood {

struct GapSettings {
  std::int32_t max_source = 10, max_target = 10;        // words of an initial phrase pair
  std::int32_t max_symbols = 5;                         // words and gaps of a rule's source
  std::int32_t max_gaps = 2;                            // at most 2
  std::int32_t min_gap_source = 1, min_gap_target = 1;  // words that a gap stands for
  bool allow_adjacent = false;  // may two gaps stand side by side in the source?
  bool need_link = true;        // must two words of the rule be linked?
  bool tight = true;            // no words without links at the edges of initial phrase pairs
  bool tight_gaps = false;      // none at the edges of those that leave gaps
  bool whole_counts = false;    // every rule of an initial phrase pair counts one
};

/// Refuses settings that mean nothing.
void check_gap_settings(const GapSettings& settings);

struct GappedRule {
  Box outer;
  std::int32_t gaps = 0;     // how many of `gap` are used
  std::array<Box, 2> gap{};  // in the order of the source
  std::int32_t share = 1;    // it counts 1 / share
};

/// Goes from one initial phrase pair to the next.
class GapSearch {
 public:
  /// The sentence must stay as it is.
  GapSearch(const AlignedSentence& sentence, const GapSettings& settings);

  /// False when there are no more initial phrase pairs.
  bool next();
  /// The rules of this one, which may be none: itself, then with the first gap (by its source
  /// begin, source end, target begin, target end), each followed by those with a second one too.
  std::span<const GappedRule> rules() const { return rules_; }

 private:
  std::int32_t num_links(const Box& box) const;
  void collect_inside(const Box& outer);
  void add(const GappedRule& rule);

  GapSettings settings_;
  std::vector<std::int32_t> links_before_;  // of each source word: links of the words before it
  std::vector<Box> outer_;                  // initial phrase pairs in the order of for_each_phrase
  std::vector<Box> by_source_;              // those that may be gaps, by source begin, …
  std::vector<std::size_t> first_;          // of each source begin, in by_source_
  std::vector<Box> inside_;                 // those in the current one
  std::vector<GappedRule> rules_;
  std::size_t place_ = 0;
};

/// Calls body(rule) for every rule. Initial phrase pairs come in the order of for_each_phrase.
template <class Body>
void for_each_gapped(const AlignedSentence& sentence, const GapSettings& settings, Body&& body) {
  GapSearch search(sentence, settings);
  while (search.next())
    for (const GappedRule& rule : search.rules()) body(rule);
}

}  // namespace rosewood
