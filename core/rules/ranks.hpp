// core/rules/ranks.hpp: numbers for the phrases of a text, in the order of their words. No Python
// here.
//
// All places of the text are sorted by the words that follow. Phrases that are the same stand next
// to each other there, so where the first of them stands, with how long it is, names a phrase
// exactly, and names ascend as phrases do: by their words, a beginning before what it begins.
#pragma once

#include <cstdint>
#include <string>

#include "rules/aligned_corpus.hpp"
#include "util/row_sort.hpp"

namespace rosewood {

/// The longest phrases that have numbers: lengths are kept in 8 bits.
constexpr std::int32_t longest_phrase = 255;

/// The number of a phrase: 32 bits of rank, 8 of length. 40 bits in all; 0 is no phrase.
inline std::uint64_t phrase_key(std::uint32_t rank, std::int32_t length) {
  return std::uint64_t{rank} << 8 | static_cast<std::uint64_t>(length);
}

struct PhraseFiles {
  std::string ranks;   // the rank of the phrase of n words at place p: number p * length + n - 1
  std::string places;  // the places in their order; no name: not wanted
  std::string shared;  // how many words each shares with the one before it, 8 bits; as places
};

/// Ranks of all phrases of up to `length` words (those that would leave their sentence have 0).
void rank_phrases(const TextView& text, std::int32_t words, std::int32_t length,
                  const SortRoom& room, const PhraseFiles& files);

}  // namespace rosewood
