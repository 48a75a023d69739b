// core/forest/ngram_keys.hpp: n-grams looked up among sorted keys. No Python here.
//
// A key is the number that the ids of an n-gram's words make in some base, which is larger than all
// ids; ids begin at 1, so that n-grams of other lengths have other keys.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "forest/view.hpp"

namespace rosewood {

/// Rows of word numbers, and the id of each number; 0 for words that no key has.
struct NumberedNgrams {
  Rows<SymbolId> ngrams;
  std::span<const std::int64_t> id;
};

/// The place of each n-gram among the ascending keys; -1 where it is none of them. N-grams of more
/// than `order` words are none.
inline void find_ngrams(const NumberedNgrams& from, std::span<const std::int64_t> keys,
                        std::int64_t base, std::size_t order, std::span<std::int64_t> place) {
  for (std::size_t g = 0; g < place.size(); ++g) {
    const auto words = from.ngrams[g];
    place[g] = -1;
    if (words.size() > order) continue;
    std::int64_t key = 0;
    for (const SymbolId word : words) {
      const std::int64_t id = from.id[static_cast<std::size_t>(word)];
      if (id == 0) {
        key = -1;
        break;
      }
      key = key * base + id;
    }
    const auto found = std::ranges::lower_bound(keys, key);
    if (key >= 0 && found != keys.end() && *found == key) place[g] = found - keys.begin();
  }
}

}  // namespace rosewood
