"""The words of chrF++ as a loss: the first-order change of log corpus chrF by a sentence.

    loss(y) = -Σ_n (b_n |y|_n + a_n Σ_w #_w(y) δ_w),   a_n = ∂ log F / ∂m_n,   b_n = ∂ log F / ∂h_n

where F is chrF at the tuning set's statistics (those of characters among them), h_n and m_n are
its n-grams of n words and how many of them match, |y|_n is the number of n-grams of n words in y,
#_w(y) counts w in y (not clipped), and δ_w is 1 if any reference has w.  P and R are the means of
m_n / h_n and m_n / r_n over the K orders that the set has, of characters and of words:

    a_n = (F_P / h_n + F_R / r_n) / (K F),   b_n = -F_P m_n / (K F h_n²)
    F_P = (1 + β²) R² / (β² P + R)²,         F_R = (1 + β²) β² P² / (β² P + R)²

With `eps_smoothing`, F is the mean over all K orders of F_n = (1 + β²) m_n / (β² r_n + h_n):

    a_n = (1 + β²) / (β² r_n + h_n) / (K F),   b_n = -F_n / (β² r_n + h_n) / (K F)

n-grams of characters do not add up over edges: they cross the borders of words, and chrF takes
blanks away before it counts them.
Specification: tests/reference/metrics.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rosewood.arguments import check_type
from rosewood.arrays import FloatArray
from rosewood.errors import MetricError
from rosewood.metrics.batch import SentenceBatch, number_words
from rosewood.metrics.kinds.bleu import counted_ngrams
from rosewood.metrics.kinds.chrf import Chrf, cut_words
from rosewood.metrics.linear import LinearLoss
from rosewood.metrics.metric import as_rows


@dataclass(frozen=True)
class LinearChrf(LinearLoss):
    """The words of chrF++ as a loss of strings and of a forest's edges.

    `match_gains` are a_1 .. a_N, `ngram_gains` b_1 .. b_N.  `tokenize` is "none" (words are what
    blanks separate) or "chrf" (marks of punctuation are cut off, as chrF does it).
    """

    match_gains: tuple[float, ...]
    ngram_gains: tuple[float, ...]
    tokenize: str = "none"
    lowercase: bool = False
    has_characters: bool = True  # the metric counts n-grams of characters, too

    title = "linear chrF"

    @classmethod
    def fit(cls, metric: Chrf, statistics: FloatArray, *, tokenize: str = "none") -> LinearChrf:
        """Measured on a tuning set: `statistics` are those of its translations, one row each."""
        check_type("metric", metric, Chrf, "a Chrf", error=MetricError)
        total = as_rows(metric, statistics, one=True).sum(axis=0)
        score = metric.score(total) / 100.0
        orders = total.reshape(-1, 3)
        words = slice(metric.char_order, None)
        slopes = _slopes_of_means if metric.eps_smoothing else _slopes_of_precisions
        a, b = slopes(orders, metric.beta**2)
        if not metric.word_order or not score > 0 or not a[words].any():
            reason = (
                "linear chrF: no n-gram of the tuning set matches its references, so there is "
                "nothing to measure: start from better weights, or use another metric"
            )
            raise MetricError(reason, code="metric.no-matches", value=1)
        return cls(
            tuple((a[words] / score).tolist()),
            tuple((b[words] / score).tolist()),
            tokenize=tokenize,
            lowercase=metric.lowercase,
            has_characters=metric.char_order > 0,
        )

    @property
    def orders(self) -> int:  # type: ignore[override]
        return len(self.match_gains)

    @property
    def per_match(self) -> FloatArray:
        return np.array(self.match_gains)

    @property
    def per_ngram(self) -> FloatArray:
        return np.array(self.ngram_gains)

    @property
    def signature(self) -> str:
        gains = (",".join(f"{x:.6g}" for x in row) for row in (self.match_gains, self.ngram_gains))
        a, b = gains
        return (
            f"linear-chrf|a:{a}|b:{b}|tok:{self.tokenize}"
            f"|case:{'lc' if self.lowercase else 'mixed'}"
        )

    @property
    def caveat(self) -> str | None:
        if not self.has_characters:
            return None
        return "of chrF only n-grams of words add up over edges: those of characters are left out"

    def _counts(self, batch: SentenceBatch, threads: int) -> FloatArray:
        sides: tuple[Sequence[str], Sequence[str]] = batch.hypotheses, batch.references
        if self.lowercase:
            sides = batch.texts(str.lower)
        cut = cut_words if self.tokenize == "chrf" else str.split
        hypotheses, references = number_words(*([cut(text) for text in side] for side in sides))
        width = 2 + 2 * self.orders
        return counted_ngrams(batch, hypotheses, references, self.orders, width, False, threads)


def _slopes_of_precisions(orders: FloatArray, weight: float) -> tuple[FloatArray, FloatArray]:
    """∂F/∂m and ∂F/∂h of each order, where F is that of mean precision and recall."""
    a, b = np.zeros(len(orders)), np.zeros(len(orders))
    used = (orders[:, 0] > 0) & (orders[:, 1] > 0)
    own, other, match = orders[used].T
    count = int(used.sum())
    if not match.any():
        return a, b
    p, r = (match / own).sum() / count, (match / other).sum() / count
    below = (weight * p + r) ** 2
    by_p, by_r = (1.0 + weight) * r * r / below, (1.0 + weight) * weight * p * p / below
    a[used] = (by_p / own + by_r / other) / count
    b[used] = -by_p * match / own**2 / count
    return a, b


def _slopes_of_means(orders: FloatArray, weight: float) -> tuple[FloatArray, FloatArray]:
    """The same where F is the mean of each order's."""
    own, other, match = orders.T
    below = weight * other + own
    below[below == 0] = np.inf  # the set has no n-grams of this order
    a = (1.0 + weight) / below / len(orders)
    return a, -a * match / below
