#include "rules/ranks.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "util/error.hpp"
#include "util/spool.hpp"

namespace rosewood {
namespace {

/// Words as digits of numbers: as many a number as fit, the first in the highest bits; 0 is the end
/// of a sentence.
struct Digits {
  int bits, each, numbers;

  Digits(std::int32_t words, std::int32_t length)
      : bits(std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint32_t>(words))))),
        each(64 / bits),
        numbers((length + each - 1) / each) {}

  void pack(std::span<const std::int32_t> sentence, std::size_t from, std::int32_t length,
            std::uint64_t* row) const {
    std::fill(row, row + numbers, 0);
    const std::size_t count = std::min(sentence.size() - from, static_cast<std::size_t>(length));
    for (std::size_t n = 0; n < count; ++n) {
      const std::size_t at = n / static_cast<std::size_t>(each);
      const int shift = 64 - bits * (1 + static_cast<int>(n % static_cast<std::size_t>(each)));
      row[at] |= (static_cast<std::uint64_t>(sentence[from + n]) + 1) << shift;
    }
  }
  /// How many words two rows share before they differ.
  std::int32_t shared(const std::uint64_t* a, const std::uint64_t* b) const {
    for (int at = 0; at < numbers; ++at)
      if (const std::uint64_t differ = a[at] ^ b[at])
        return static_cast<std::int32_t>(at * each + std::countl_zero(differ) / bits);
    return static_cast<std::int32_t>(numbers * each);
  }
};

}  // namespace

void rank_phrases(const TextView& text, std::int32_t words, std::int32_t length,
                  const SortRoom& room, const PhraseFiles& files) {
  if (length < 1 || length > longest_phrase)
    fail<RuleError>("argument.range", "phrases have from 1 to ", longest_phrase, " words, not ",
                    length);
  const Digits digits(words, length);
  const int width = digits.numbers + 1;
  RowSorter by_words(width, digits.numbers, room, "phrases.words");
  for (std::int64_t k = 0; k < text.size(); ++k) {
    const auto sentence = text.sentence(k);
    const auto first = static_cast<std::uint64_t>(text.start[static_cast<std::size_t>(k)]);
    for (std::size_t from = 0; from < sentence.size(); ++from) {
      std::uint64_t* row = by_words.add();
      digits.pack(sentence, from, length, row);
      row[digits.numbers] = first + from;
    }
  }
  by_words.finish();

  const int pairs = (length + 1) / 2;  // two ranks a number
  // The first sorter holds half of what it may until all is read.
  RowSorter by_place(1 + pairs, 1, {room.folder, room.bytes / 2, room.threads}, "phrases.places");
  Spool<std::uint32_t> places(files.places);
  Spool<std::uint8_t> shared_words(files.shared);
  std::vector<std::uint64_t> before(static_cast<std::size_t>(width));
  std::vector<std::uint32_t> rank(static_cast<std::size_t>(pairs) * 2);
  std::uint32_t at = 0;
  while (const std::uint64_t* row = by_words.next()) {
    const std::int32_t shared = at == 0 ? 0 : std::min(length, digits.shared(before.data(), row));
    std::fill(rank.begin() + shared, rank.end(), at);
    std::copy(row, row + width, before.begin());
    std::uint64_t* made = by_place.add();
    made[0] = row[digits.numbers];
    for (int n = 0; n < pairs; ++n)
      made[1 + n] = std::uint64_t{rank[static_cast<std::size_t>(2 * n)]} << 32 |
                    rank[static_cast<std::size_t>(2 * n + 1)];
    if (!files.places.empty()) {
      places.push(static_cast<std::uint32_t>(row[digits.numbers]));
      shared_words.push(static_cast<std::uint8_t>(shared));
    }
    ++at;
  }
  places.close();
  shared_words.close();
  by_place.finish();
  Spool<std::uint32_t> ranks(files.ranks);
  while (const std::uint64_t* row = by_place.next())
    for (std::int32_t n = 0; n < length; ++n) {
      const std::uint64_t two = row[1 + n / 2];
      ranks.push(static_cast<std::uint32_t>(n % 2 ? two : two >> 32));
    }
  ranks.close();
}

}  // namespace rosewood
