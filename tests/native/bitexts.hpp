// tests/native/bitexts.hpp: texts as numbers and their lexicon, as views look at them.
#pragma once

#include <cstdint>
#include <vector>

#include "align/bitext.hpp"
#include "align/lexicon.hpp"

namespace bitexts {

using namespace rosewood;

/// Words and offsets that a view looks at.
struct Text {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> start{0};
  std::int32_t words;

  Text(const std::vector<std::vector<std::int32_t>>& sentences, std::int32_t all) : words(all) {
    for (const auto& sentence : sentences) {
      ids.insert(ids.end(), sentence.begin(), sentence.end());
      start.push_back(static_cast<std::int64_t>(ids.size()));
    }
  }
  TextView view() const { return {ids, start, words}; }
};

struct Lexicon {
  std::vector<std::int64_t> row;
  std::vector<Entry> entry;

  Lexicon(const BitextView& bitext, int threads)
      : row(static_cast<std::size_t>(bitext.source.words) + 1) {
    lexicon_rows(bitext, row, threads);
    entry.resize(static_cast<std::size_t>(row.back()));
    lexicon_fill(bitext, {row, entry}, threads);
  }
  LexiconView view() const { return {row, entry}; }
};

}  // namespace bitexts
