// core/metrics/statistics.cpp
#include "metrics/statistics.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "metrics/ngrams.hpp"
#include "util/error.hpp"
#include "util/parallel.hpp"

namespace rosewood {

namespace {

void check_offsets(const char* what, std::span<const Offset> start, std::size_t items) {
  if (start.empty() || start.front() != 0 || start.back() != static_cast<Offset>(items))
    fail<MetricError>({"argument.shape", what}, what, ": offsets must go from 0 to ", items);
  for (std::size_t i = 0; i + 1 < start.size(); ++i)
    if (start[i] > start[i + 1])
      fail<MetricError>({"argument.value", what, i + 1}, what, ": offset ", i + 1, " goes back");
}

std::int64_t symbols_of(const Texts& texts, std::int64_t begin, std::int64_t end) {
  return texts.start[end] - texts.start[begin];
}

/// Longest order for which a tree is worth its room: no n-gram is longer than its text.
int useful_orders(const Texts& texts, std::int64_t begin, std::int64_t end, int orders) {
  std::int64_t longest = 1;
  for (std::int64_t i = begin; i < end; ++i)
    longest = std::max(longest, symbols_of(texts, i, i + 1));
  return static_cast<int>(std::min<std::int64_t>(longest, orders));
}

double nearest_length(const Texts& references, std::int64_t begin, std::int64_t end, Offset words) {
  Offset best = symbols_of(references, begin, begin + 1);
  for (std::int64_t r = begin + 1; r < end; ++r) {
    const Offset length = symbols_of(references, r, r + 1);
    const Offset away = std::abs(length - words), least = std::abs(best - words);
    if (away < least || (away == least && length < best)) best = length;
  }
  return static_cast<double>(best);
}

}  // namespace

void check_sentences(const Sentences& sentences, const Texts& hypotheses, const Texts& references) {
  check_offsets("words of the hypotheses", hypotheses.start, hypotheses.item.size());
  check_offsets("words of the references", references.start, references.item.size());
  check_offsets("hypotheses of the sentences", sentences.hypothesis_start,
                static_cast<std::size_t>(hypotheses.size()));
  check_offsets("references of the sentences", sentences.reference_start,
                static_cast<std::size_t>(references.size()));
  if (sentences.hypothesis_start.size() != sentences.reference_start.size())
    fail<MetricError>({"argument.shape", "sentences"}, "hypotheses of ", sentences.size(),
                      " sentences, references of ", sentences.reference_start.size() - 1);
  for (std::int64_t g = 0; g < sentences.size(); ++g)
    if (sentences.reference_start[g] == sentences.reference_start[g + 1] &&
        sentences.hypothesis_start[g] < sentences.hypothesis_start[g + 1])
      fail<MetricError>({"metric.no-reference", g}, "sentence ", g, " has no reference");
}

void bleu_statistics(const Sentences& sentences, const Texts& hypotheses, const Texts& references,
                     int orders, std::int64_t width, bool clip, int threads,
                     std::span<double> statistics) {
  parallel_for(sentences.size(), threads, 1, [&](std::int64_t first, std::int64_t last) {
    NgramLimits limits;
    for (std::int64_t g = first; g < last; ++g) {
      const std::int64_t begin = sentences.reference_start[g];
      const std::int64_t end = sentences.reference_start[g + 1];
      const int depth = useful_orders(references, begin, end, orders);
      limits.clear(symbols_of(references, begin, end), depth);
      for (std::int64_t r = begin; r < end; ++r) limits.add_reference(references[r]);
      for (std::int64_t h = sentences.hypothesis_start[g]; h < sentences.hypothesis_start[g + 1];
           ++h) {
        const auto text = hypotheses[h];
        double* row = statistics.data() + h * width;
        std::fill_n(row, width, 0.0);
        row[0] = static_cast<double>(text.size());
        row[1] = nearest_length(references, begin, end, static_cast<Offset>(text.size()));
        limits.count(text, clip, row + 2);
        for (int n = 0; n < orders; ++n) row[2 + orders + n] = ngrams_of(text.size(), n + 1);
        if (width > 2 + 2 * orders) row[2 + 2 * orders] = std::min(row[0], row[1]);
      }
    }
  });
}

void chrf_statistics(const Sentences& sentences, const Texts& hypothesis_chars,
                     const Texts& reference_chars, const Texts& hypothesis_words,
                     const Texts& reference_words, int char_orders, int word_orders,
                     const MetricScorer& scorer, int threads, std::span<double> statistics) {
  const auto width = static_cast<std::size_t>(scorer.width());
  auto fill = [](NgramLimits& limits, std::span<const SymbolId> text,
                 std::span<const SymbolId> reference, int orders, double* row) {
    for (int n = 0; n < orders; ++n) {
      row[3 * n + 1] = ngrams_of(reference.size(), n + 1);
      row[3 * n] = row[3 * n + 1] > 0 ? ngrams_of(text.size(), n + 1) : 0.0;
    }
    limits.count(text, true, row + 2, 3);
  };
  parallel_for(sentences.size(), threads, 1, [&](std::int64_t first, std::int64_t last) {
    NgramLimits chars, words;
    std::vector<double> row(width), best;
    for (std::int64_t g = first; g < last; ++g) {
      const std::int64_t begin = sentences.hypothesis_start[g];
      const std::int64_t end = sentences.hypothesis_start[g + 1];
      best.assign(static_cast<std::size_t>(end - begin), -1.0);
      for (std::int64_t r = sentences.reference_start[g]; r < sentences.reference_start[g + 1];
           ++r) {
        chars.clear(symbols_of(reference_chars, r, r + 1),
                    useful_orders(reference_chars, r, r + 1, char_orders));
        chars.add_reference(reference_chars[r]);
        if (word_orders > 0) {
          words.clear(symbols_of(reference_words, r, r + 1),
                      useful_orders(reference_words, r, r + 1, word_orders));
          words.add_reference(reference_words[r]);
        }
        for (std::int64_t h = begin; h < end; ++h) {
          std::fill(row.begin(), row.end(), 0.0);
          fill(chars, hypothesis_chars[h], reference_chars[r], char_orders, row.data());
          if (word_orders > 0)
            fill(words, hypothesis_words[h], reference_words[r], word_orders,
                 row.data() + 3 * char_orders);
          const double score = scorer.score(row.data());
          if (score > best[static_cast<std::size_t>(h - begin)]) {
            best[static_cast<std::size_t>(h - begin)] = score;
            std::copy(row.begin(), row.end(), statistics.begin() + h * static_cast<Offset>(width));
          }
        }
      }
    }
  });
}

void known_ngrams(const Texts& references, const Texts& ngrams, std::span<std::uint8_t> known) {
  check_offsets("words of the references", references.start, references.item.size());
  check_offsets("words of the n-grams", ngrams.start, ngrams.item.size());
  std::int64_t longest = 1;
  for (std::int64_t g = 0; g < ngrams.size(); ++g)
    longest = std::max(longest, symbols_of(ngrams, g, g + 1));
  const int orders =
      useful_orders(references, 0, references.size(),
                    static_cast<int>(std::min<std::int64_t>(longest, std::int64_t{1} << 30)));
  NgramLimits limits;
  limits.clear(symbols_of(references, 0, references.size()), orders);
  for (std::int64_t r = 0; r < references.size(); ++r) limits.add_reference(references[r]);
  for (std::int64_t g = 0; g < ngrams.size(); ++g)
    known[static_cast<std::size_t>(g)] = limits.contains(ngrams[g]) ? 1 : 0;
}

}  // namespace rosewood
