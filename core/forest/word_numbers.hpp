// core/forest/word_numbers.hpp: words of a forest numbered from 0. No Python here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "forest/view.hpp"

namespace rosewood {

/// The words among `symbols` (those that are not negative), ascending, each once; in `numbered`
/// each word is its place among them, and other symbols are as they were.
inline std::vector<SymbolId> number_words(std::span<const SymbolId> symbols,
                                          std::span<SymbolId> numbered) {
  std::vector<SymbolId> used;
  for (const auto symbol : symbols)
    if (symbol >= 0) used.push_back(symbol);
  const SymbolId most = used.empty() ? 0 : *std::max_element(used.begin(), used.end());
  constexpr SymbolId few = 1 << 20;  // a place for each word is quicker than looking them up
  std::vector<SymbolId> place(most < few ? static_cast<std::size_t>(most) + 1 : 0, -1);
  if (!place.empty())
    std::erase_if(used, [&](SymbolId word) {
      return std::exchange(place[static_cast<std::size_t>(word)], 0) == 0;
    });
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  if (!place.empty())
    for (std::size_t i = 0; i < used.size(); ++i)
      place[static_cast<std::size_t>(used[i])] = static_cast<SymbolId>(i);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const SymbolId symbol = symbols[i];
    if (symbol < 0)
      numbered[i] = symbol;
    else if (!place.empty())
      numbered[i] = place[static_cast<std::size_t>(symbol)];
    else
      numbered[i] =
          static_cast<SymbolId>(std::lower_bound(used.begin(), used.end(), symbol) - used.begin());
  }
  return used;
}

}  // namespace rosewood
