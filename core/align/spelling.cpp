#include "align/spelling.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "util/parallel.hpp"

namespace rosewood {

namespace {

constexpr std::size_t shortest = 4;
constexpr std::int64_t rows_of_block = 16;

bool can_be_alike(std::size_t common, std::size_t longer) { return 5 * common > 3 * longer; }

double scaled(std::size_t common, std::size_t longer) {
  if (!can_be_alike(common, longer)) return 0.0;
  return static_cast<double>(5 * common - 3 * longer) / static_cast<double>(2 * longer);
}

/// Which characters are in a word, by their last bits: words that share few are not alike.
std::uint64_t letters(std::span<const std::int32_t> word) {
  std::uint64_t found = 0;
  for (const std::int32_t c : word) found |= std::uint64_t{1} << (c & 63);
  return found;
}

std::size_t common_subsequence(std::span<const std::int32_t> one,
                               std::span<const std::int32_t> other,
                               std::vector<std::size_t>& length) {
  length.assign(other.size() + 1, 0);
  for (const std::int32_t c : one) {
    std::size_t diagonal = 0;
    for (std::size_t n = 1; n <= other.size(); ++n) {
      const std::size_t above = length[n];
      length[n] = c == other[n - 1] ? diagonal + 1 : std::max(above, length[n - 1]);
      diagonal = above;
    }
  }
  return length.back();
}

double likeness_of(std::span<const std::int32_t> one, std::span<const std::int32_t> other,
                   std::vector<std::size_t>& buffer) {
  if (one.empty() || other.empty()) return 0.0;
  if (std::equal(one.begin(), one.end(), other.begin(), other.end())) return 1.0;
  const auto [shorter, longer] = std::minmax({one.size(), other.size()});  // values: no references
  if (shorter < shortest || !can_be_alike(shorter, longer)) return 0.0;
  return scaled(common_subsequence(one, other, buffer), longer);
}

}  // namespace

double likeness(std::span<const std::int32_t> one, std::span<const std::int32_t> other) {
  std::vector<std::size_t> buffer;
  return likeness_of(one, other, buffer);
}

void spell(const LexiconView& lexicon, const std::array<Spellings, 2>& words, std::span<float> like,
           std::array<std::span<double>, 2> total, int threads) {
  std::array<std::vector<std::uint64_t>, 2> has;
  for (std::size_t side = 0; side < 2; ++side)
    for (std::size_t w = 0; w + 1 < words[side].start.size(); ++w)
      has[side].push_back(letters(words[side].of(static_cast<std::int32_t>(w))));
  const std::int64_t blocks = (lexicon.rows() + rows_of_block - 1) / rows_of_block;
  parallel_blocks(
      blocks, threads, [] { return std::vector<std::size_t>(); },
      [&](std::vector<std::size_t>& buffer, std::int64_t block) {
        const std::int64_t end = std::min(lexicon.rows(), (block + 1) * rows_of_block);
        for (std::int64_t s = block * rows_of_block; s < end; ++s) {
          const auto source = words[0].of(static_cast<std::int32_t>(s));
          const std::uint64_t letter = has[0][static_cast<std::size_t>(s)];
          const auto first = static_cast<std::size_t>(lexicon.row[static_cast<std::size_t>(s)]);
          const auto last = static_cast<std::size_t>(lexicon.row[static_cast<std::size_t>(s) + 1]);
          for (std::size_t place = first; place < last; ++place) {
            const std::int32_t word = lexicon.entry[place].word;
            like[place] = 0.0F;
            if (word < 0) continue;
            const auto target = words[1].of(word);
            // A letter that the other word has not cannot be in the common part.
            const auto missing = static_cast<std::size_t>(
                std::popcount(letter & ~has[1][static_cast<std::size_t>(word)]));
            const std::size_t longer = std::max(source.size(), target.size());
            if (missing >= source.size() || !can_be_alike(source.size() - missing, longer))
              continue;
            like[place] = static_cast<float>(likeness_of(source, target, buffer));
          }
        }
      });
  for (auto side : total) std::fill(side.begin(), side.end(), 0.0);
  for (std::int64_t s = 0; s < lexicon.rows(); ++s) {  // in one order, whoever measured
    const auto first = static_cast<std::size_t>(lexicon.row[static_cast<std::size_t>(s)]);
    const auto last = static_cast<std::size_t>(lexicon.row[static_cast<std::size_t>(s) + 1]);
    for (std::size_t place = first; place < last; ++place) {
      if (like[place] == 0.0F) continue;
      total[0][static_cast<std::size_t>(s)] += static_cast<double>(like[place]);
      total[1][static_cast<std::size_t>(lexicon.entry[place].word)] +=
          static_cast<double>(like[place]);
    }
  }
}

}  // namespace rosewood
