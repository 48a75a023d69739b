// core/metrics/score.hpp: the score of summed statistics. No Python here.
//
// A metric is additive statistics first: those of many sentences are added up, then scored.
// Learners call this in their inner loops, so it takes a pointer and has no checks.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace rosewood {

enum class MetricKind {
  bleu,      // hypothesis words, reference words, then matches of each order, then n-grams of each
  bleu_sbp,  // the same, and last the words that count for the brevity penalty
  chrf,      // for each order: n-grams of the hypothesis, of the reference, matches
  ratio,     // factor · first / second: error rates, means of a column
};

/// What BLEU takes for the precision of an order without matches, as sacreBLEU names it.
enum class Smoothing {
  exp,    // 1/2 of a match, 1/4 at the next such order, and so on
  add_k,  // k more matches and n-grams at every order but the first
  floor,  // k matches
  none,   // zero
};

struct MetricScorer {
  MetricKind kind = MetricKind::ratio;
  bool higher_is_better = true;
  int orders = 0;       // of BLEU: 4; of chrF: those of characters and of words
  double factor = 100;  // what 1.0 is reported as
  Smoothing smoothing = Smoothing::exp;
  double smooth_value = 0;       // the k of add_k and floor
  bool effective_order = false;  // leave out orders that are longer than the text
  double beta = 2;               // of chrF: how much more recall counts

  int width() const {
    switch (kind) {
      case MetricKind::bleu:
        return 2 + 2 * orders;
      case MetricKind::bleu_sbp:
        return 3 + 2 * orders;
      case MetricKind::chrf:
        return 3 * orders;
      default:
        return 2;
    }
  }

  /// The score as it is reported.
  double score(const double* sum) const {
    if (kind == MetricKind::ratio) return ratio(sum);
    return kind == MetricKind::chrf ? chrf(sum) : bleu(sum);
  }

  /// False only where the gain is certainly below `bar`, which is found out without a division, a
  /// root or an exponential: most sums that a search meets are nowhere near its best one.
  bool may_reach(const double* sum, double bar) const {
    if (kind != MetricKind::bleu || orders != 4 || smoothing == Smoothing::add_k || !(bar > 0))
      return true;
    const double words = sum[0], reference = sum[1];
    double right = (sum[2] * sum[3]) * (sum[4] * sum[5]);
    double all = (sum[6] * sum[7]) * (sum[8] * sum[9]);
    if (!(right > 0)) return true;
    if (words < reference) {
      // exp(-t) ≤ 1 / (1 + t + t²/2); with t = reference / words - 1 that is 2w² / (w² + r²).
      const double squares = words * words, both = squares + reference * reference;
      right *= 16.0 * (squares * squares) * (squares * squares);
      all *= (both * both) * (both * both);
    }
    const double level = bar / factor;
    return right * (1.0 + 1e-12) >= (level * level) * (level * level) * all;
  }

  /// What learners maximise.
  double gain(const double* sum) const { return higher_is_better ? score(sum) : -score(sum); }

 private:
  /// Of nothing, nothing is right; any error against an empty reference is one in one.
  double ratio(const double* sum) const {
    if (sum[1] > 0) return factor * sum[0] / sum[1];
    return sum[0] > 0 ? factor : 0.0;
  }

  /// As sacreBLEU: 0 where no word matches, and where an order has no n-grams at all.
  double bleu(const double* sum) const {
    const double words = sum[0], reference = sum[1];
    const double* match = sum + 2;
    const double* total = match + orders;
    if (!(match[0] > 0)) return 0.0;
    const double k = smoothing == Smoothing::add_k ? smooth_value : 0.0;
    double product = match[0] / total[0], halves = 1.0;
    int counted = 1;
    for (; counted < orders; ++counted) {
      const double right = match[counted] + k, all = total[counted] + k;
      if (!(all > 0)) break;
      if (right > 0) {
        product *= right / all;
      } else if (smoothing == Smoothing::exp) {
        halves *= 2.0;
        product *= 1.0 / (halves * all);
      } else {
        product *= (smoothing == Smoothing::floor ? smooth_value : 0.0) / all;
      }
    }
    if (counted < orders && !effective_order) return 0.0;
    const double mean =
        counted == 4 ? std::sqrt(std::sqrt(product)) : std::pow(product, 1.0 / counted);
    const double counting = kind == MetricKind::bleu_sbp ? total[orders] : words;
    const double brevity = counting < reference ? std::exp(1.0 - reference / counting) : 1.0;
    return factor * brevity * mean;
  }

  /// As sacreBLEU, operation by operation: which reference is best may hang on the last bit.
  double chrf(const double* sum) const {
    constexpr double epsilon = 1e-16;
    const double weight = beta * beta;
    double mean = 0.0, precision = 0.0, recall = 0.0;
    int counted = 0;
    for (int n = 0; n < orders; ++n, sum += 3) {
      const double p = sum[0] > 0 ? sum[2] / sum[0] : epsilon;
      const double r = sum[1] > 0 ? sum[2] / sum[1] : epsilon;
      if (!effective_order) {
        const double below = weight * p + r;
        mean += below > 0 ? (1.0 + weight) * p * r / below : epsilon;
      } else if (sum[0] > 0 && sum[1] > 0) {
        precision += p;
        recall += r;
        ++counted;
      }
    }
    if (!effective_order) return factor * mean / orders;
    if (counted == 0) return 0.0;
    precision /= counted;
    recall /= counted;
    if (!(precision + recall > 0)) return 0.0;
    return factor * ((1.0 + weight) * precision * recall / (weight * precision + recall));
  }
};

/// gain[i] is the gain of `base` with row i of `rows` added to it: bit for bit what scorer.gain
/// says of the sum, but BLEU goes in vectors. `room` is scratch.
void gains_beside(const MetricScorer& scorer, const double* base, const double* rows,
                  std::span<double> gain, std::vector<double>& room);

/// score[i] is the score of row i of `statistics`, which has rows of scorer.width() numbers.
void metric_scores(const MetricScorer& scorer, std::span<const double> statistics,
                   std::span<double> score);

}  // namespace rosewood
