#include "align/maximise.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "util/parallel.hpp"

namespace rosewood {

namespace {

constexpr std::int64_t rows_of_block = 64;
constexpr double least = 1e-30;  // no pair of words is impossible: a sentence always has a cause

/// body(source word, place, entry) for every entry, rows spread over threads.
template <class E, class Body>
void each_entry(const BasicLexicon<E>& lexicon, int threads, Body&& body) {
  const std::int64_t blocks = (lexicon.rows() + rows_of_block - 1) / rows_of_block;
  parallel_blocks(
      blocks, threads, [] { return 0; },
      [&](int, std::int64_t block) {
        const std::int64_t end = std::min(lexicon.rows(), (block + 1) * rows_of_block);
        for (std::int64_t s = block * rows_of_block; s < end; ++s) {
          const auto first = static_cast<std::size_t>(lexicon.row[static_cast<std::size_t>(s)]);
          const auto last = static_cast<std::size_t>(lexicon.row[static_cast<std::size_t>(s) + 1]);
          for (std::size_t place = first; place < last; ++place)
            if (lexicon.entry[place].word >= 0)
              body(static_cast<std::int32_t>(s), place, lexicon.entry[place]);
        }
      });
}

double counted(Count count) { return static_cast<double>(count) * count_unit; }

/// digamma(x) - log(x + 6): digamma(x + 6) less the sum of 1/(x + k), k = 0 .. 5, as one fraction
/// in u = x(x + 5); of digamma(x + 6) the asymptotic series, whose logarithm an exponential
/// cancels.
double digamma_rest(double x) {
  const double u = x * (x + 5.0);
  const double sum =
      (2.0 * x + 5.0) * ((3.0 * u + 20.0) * u + 24.0) / (u * ((u + 10.0) * u + 24.0));
  const double r = 1.0 / (x + 6.0);
  const double q = r * r;
  const double series =
      -0.5 * r - q * (1.0 / 12.0 - q * (1.0 / 120.0 - q * (1.0 / 252.0 - q * (1.0 / 240.0))));
  return series - sum;
}

float worth(double count, double total_worth) {
  return static_cast<float>(std::max(least, count / total_worth));
}

}  // namespace

double exp_digamma(double x) { return (x + 6.0) * std::exp(digamma_rest(x)); }

void exp_digamma(std::span<const double> x, std::span<double> out) {
  for (std::size_t n = 0; n < x.size(); ++n) out[n] = exp_digamma(x[n]);
}

void add_up(const LexiconView& lexicon, std::span<const Count> count, std::size_t columns,
            std::array<std::span<Count>, 2> total) {
  for (auto side : total) std::fill(side.begin(), side.end(), 0);
  each_entry(lexicon, 1, [&](std::int32_t source, std::size_t place, const Entry& entry) {
    const Count* here = &count[place * columns];
    total[0][static_cast<std::size_t>(source)] += here[0];
    total[1][static_cast<std::size_t>(entry.word)] += here[columns - 1];
  });
}

void count_partners(const LexiconView& lexicon, std::array<std::span<std::int64_t>, 2> partners) {
  for (auto side : partners) std::fill(side.begin(), side.end(), 0);
  each_entry(lexicon, 1, [&](std::int32_t source, std::size_t, const Entry& entry) {
    ++partners[0][static_cast<std::size_t>(source)];
    ++partners[1][static_cast<std::size_t>(entry.word)];
  });
}

void maximise(const LexiconEdit& lexicon, std::span<const Count> count, std::size_t columns,
              std::array<std::span<const Count>, 2> total,
              std::array<std::span<const std::int64_t>, 2> partners, double prior, int threads) {
  std::array<std::vector<double>, 2> whole;
  for (std::size_t side = 0; side < 2; ++side) {
    whole[side].reserve(total[side].size());
    for (std::size_t word = 0; word < total[side].size(); ++word) {
      const double all =
          counted(total[side][word]) + prior * static_cast<double>(partners[side][word]);
      whole[side].push_back(std::max(least, prior > 0.0 && all > 0.0 ? exp_digamma(all) : all));
    }
  }
  const double nothing = prior > 0.0 ? exp_digamma(prior) : 0.0;  // what no count is worth
  auto value = [&](Count here) {
    if (here == 0) return nothing;
    return prior > 0.0 ? exp_digamma(counted(here) + prior) : counted(here);
  };
  each_entry(lexicon, threads, [&](std::int32_t source, std::size_t place, Entry& entry) {
    const Count* here = &count[place * columns];
    const double forward = value(here[0]);
    const double backward = columns == 1 ? forward : value(here[1]);
    entry.forward = worth(forward, whole[0][static_cast<std::size_t>(source)]);
    entry.backward = worth(backward, whole[1][static_cast<std::size_t>(entry.word)]);
  });
}

void maximise_collapsed(const LexiconEdit& lexicon, const Collapsed& collapsed, int threads) {
  each_entry(lexicon, threads, [&](std::int32_t source, std::size_t place, Entry& entry) {
    entry.forward =
        static_cast<float>(collapsed.probability(0, place, source, entry.word, Count{0}));
    entry.backward =
        static_cast<float>(collapsed.probability(1, place, entry.word, source, Count{0}));
  });
}

void transfer(const CountedPairs& pairs, const LexiconView& lexicon, std::span<Count> count,
              std::size_t columns, int threads) {
  std::fill(count.begin(), count.end(), 0);
  const auto rows = static_cast<std::int32_t>(pairs.start.size()) - 1;
  each_entry(lexicon, threads, [&](std::int32_t source, std::size_t place, const Entry& entry) {
    if (source >= rows) return;  // a word that came later
    const auto first = pairs.word.begin() + pairs.start[static_cast<std::size_t>(source)];
    const auto last = pairs.word.begin() + pairs.start[static_cast<std::size_t>(source) + 1];
    const auto found = std::lower_bound(first, last, entry.word);
    if (found == last || *found != entry.word) return;
    const auto pair = static_cast<std::size_t>(found - pairs.word.begin());
    for (std::size_t column = 0; column < columns; ++column)
      count[place * columns + column] = pairs.count[pair * columns + column];
  });
}

void pair_stems(const LexiconView& lexicon, std::array<std::span<const std::int32_t>, 2> stem,
                const LexiconView& stems, std::span<std::int32_t> pair, int threads) {
  if (stems.entry.size() > INT32_MAX)
    fail<AlignmentError>("alignment.too-large", "there are too many pairs of stems");
  each_entry(lexicon, threads, [&](std::int32_t source, std::size_t place, const Entry& entry) {
    const std::int64_t found = stems.find(stem[0][static_cast<std::size_t>(source)],
                                          stem[1][static_cast<std::size_t>(entry.word)]);
    if (found < 0)
      fail<AlignmentError>("alignment.unknown-pair", "the lexicon of stems has not all pairs");
    pair[place] = static_cast<std::int32_t>(found);
  });
}

void add_pairs(std::span<const Count> count, std::span<const std::int32_t> pair,
               std::span<Count> pair_count) {
  std::fill(pair_count.begin(), pair_count.end(), 0);
  for (std::size_t place = 0; place < count.size(); ++place)
    if (count[place] != 0) pair_count[static_cast<std::size_t>(pair[place])] += count[place];
}

}  // namespace rosewood
