// core/lm/table.hpp: a back-off model in suffix order: what estimation and the reader of ARPA files
// make, and what every writer reads. No Python here.
//
// The n-grams of an order are sorted by their last word, then the one before it, and so on to the
// first. So those that end in the same (n-1)-gram stand together, in the order of that (n-1)-gram
// in its own list: a trie in which the children of an n-gram are the words before it. Example,
// words a < b:
//
//   order 1   a, b                word a b             children 2 1
//   order 2   (a a) (b a) (a b)   word a b a           children ...
//
// Words are numbers: 0 is <unk>, 1 is <s>, 2 is </s>. The unigrams are all words, in order.
#pragma once

#include <cstdint>
#include <vector>

#include "util/spool.hpp"

namespace rosewood {

inline constexpr std::uint32_t unknown_word = 0, begin_word = 1, end_word = 2;

struct NgramOrder {
  Spool<std::uint32_t> word;      // the first word of each n-gram
  Spool<std::uint32_t> children;  // how many (n+1)-grams end in it; empty for the highest order
  Spool<float> probability;       // log10 p(last word | the others)
  Spool<float> backoff;  // log10, and -0.0 where no longer n-gram begins with it; empty for the
                         // highest order
};

struct NgramTable {
  NgramTable() = default;
  NgramTable(NgramTable&&) = default;
  NgramTable& operator=(NgramTable&&) = default;

  std::vector<NgramOrder> orders;  // orders[0] are the unigrams

  int order() const { return static_cast<int>(orders.size()); }
  std::uint64_t size(int n) const { return orders[n - 1].word.size(); }
};

}  // namespace rosewood
