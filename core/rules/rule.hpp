// core/rules/rule.hpp: one translation rule, as extractors and readers pass it to tables. No Python
// here.
//
// Symbols    words are numbers from 0; gaps are negative. In a source, -1-l is a gap of label l;
//            in a target, -1-k is the place of the k-th gap of the source, counted from 0
// Order      sources are sorted symbol by symbol: gaps (by label) before words, and a prefix before
//            the sources that begin with it (is_source_before)
// A phrase pair is a rule without gaps whose left-hand side is label 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace rosewood {

/// A link between two words of a rule: places among its symbols, gaps counted.
struct RuleLink {
  std::uint16_t source, target;
  friend auto operator<=>(const RuleLink&, const RuleLink&) = default;
};

struct RuleView {
  std::int32_t left = 0;  // label of the left-hand side
  std::span<const std::int32_t> source, target;
  std::span<const RuleLink> links;  // ascending; of words only
  double count = 0, source_count = 0, target_count = 0;
  std::span<const float> features;  // as many as the table has names
  std::int64_t sentence = -1;       // of the training corpus, where it was seen; -1: not known
  std::int64_t target_place = -1;  // where the target stands in the text the table has; -1: nowhere
};

/// The rank of a source symbol: labels first, then words.
inline std::int64_t source_rank(std::int32_t symbol, std::int32_t labels) {
  return symbol < 0 ? -1 - std::int64_t{symbol} : std::int64_t{labels} + symbol;
}

inline bool is_source_before(std::span<const std::int32_t> a, std::span<const std::int32_t> b,
                             std::int32_t labels) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [labels](std::int32_t x, std::int32_t y) {
                                        return source_rank(x, labels) < source_rank(y, labels);
                                      });
}

}  // namespace rosewood
