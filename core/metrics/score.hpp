// core/metrics/score.hpp: the score of summed statistics. No Python here.
//
// A metric is additive statistics first: those of many sentences are added up, then scored.
// Learners call this in their inner loops, so it takes a pointer and has no checks.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

namespace rosewood {

enum class MetricKind {
  bleu,      // hypothesis words, reference words, then matches of each order, then n-grams of each
  bleu_sbp,  // the same, and last the words that count for the brevity penalty
  ratio,     // 100 · first / second: error rates, means of a column
};

struct MetricScorer {
  MetricKind kind = MetricKind::ratio;
  bool higher_is_better = true;
  int orders = 0;       // of BLEU: 4
  double factor = 100;  // what 1.0 is reported as

  int width() const {
    switch (kind) {
      case MetricKind::bleu:
        return 2 + 2 * orders;
      case MetricKind::bleu_sbp:
        return 3 + 2 * orders;
      default:
        return 2;
    }
  }

  /// The score as it is reported.
  double score(const double* sum) const {
    if (kind == MetricKind::ratio) return sum[1] > 0 ? factor * sum[0] / sum[1] : 0.0;
    return bleu(sum);
  }

  /// How much text the statistics are of: gain times size adds up over sentences, nearly.
  double size(const double* sum) const { return sum[1]; }

  /// What learners maximise.
  double gain(const double* sum) const { return higher_is_better ? score(sum) : -score(sum); }

 private:
  /// As sacreBLEU with its default smoothing: an order without matches counts as half of the
  /// match of the order before that had none; BLEU is 0 where no word matches.
  double bleu(const double* sum) const {
    const double words = sum[0], reference = sum[1];
    const double* match = sum + 2;
    const double* total = match + orders;
    if (!(match[0] > 0)) return 0.0;
    double product = 1.0, smooth = 1.0;
    int counted = 0;
    for (int n = 0; n < orders && total[n] > 0; ++n, ++counted) {
      if (match[n] > 0) {
        product *= match[n] / total[n];
      } else {
        smooth *= 2.0;
        product *= 1.0 / (smooth * total[n]);
      }
    }
    if (counted < orders) return 0.0;
    const double mean =
        orders == 4 ? std::sqrt(std::sqrt(product)) : std::pow(product, 1.0 / orders);
    const double counting = kind == MetricKind::bleu_sbp ? total[orders] : words;
    const double brevity = counting < reference ? std::exp(1.0 - reference / counting) : 1.0;
    return factor * brevity * mean;
  }
};

/// score[i] is the score of row i of `statistics`, which has rows of scorer.width() numbers.
void metric_scores(const MetricScorer& scorer, std::span<const double> statistics,
                   std::span<double> score);

}  // namespace rosewood
