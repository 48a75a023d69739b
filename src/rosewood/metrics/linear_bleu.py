"""Linear BLEU: the first-order change of log corpus BLEU by a sentence (Tromble et al. 2008).

    loss(y) = -(a_0 |y| + Σ_n a_n Σ_w #_w(y) δ_w),   a_0 = -1/C,   a_n = 1 / (N C p r^(n-1))

where w runs over n-grams of order n, #_w(y) counts w in y (not clipped), δ_w is 1 if any reference
has w, p is the precision of single words, r the ratio of the precisions of one order and the one
before, N the number of orders, and C the length of the tuning set's references.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rosewood.arguments import check_type
from rosewood.arrays import FloatArray
from rosewood.errors import MetricError
from rosewood.metrics.kinds.bleu import Bleu
from rosewood.metrics.linear import LinearLoss
from rosewood.metrics.metric import as_number, as_rows, as_whole
from rosewood.metrics.tokenise import check_tokeniser


@dataclass(frozen=True)
class LinearBleu(LinearLoss):
    """Linear BLEU as a loss of strings and of a forest's edges.

    `precision` is p, `ratio` is r, `length` is C: one fixed number for a whole run.  Forests are
    made of words already, so their references are cut at blanks: `tokenize` is then "none".
    """

    precision: float
    ratio: float
    length: float
    orders: int = 4
    tokenize: str = "none"
    lowercase: bool = False

    title = "linear BLEU"

    def __post_init__(self) -> None:
        for name in ("precision", "ratio", "length"):
            as_number(f"linear BLEU: {name}", getattr(self, name), positive=True)
        as_whole("linear BLEU: orders", self.orders, 1, 1000)
        check_tokeniser(self.tokenize)

    @classmethod
    def fit(cls, metric: Bleu, statistics: FloatArray, *, tokenize: str = "none") -> LinearBleu:
        """Measured on a tuning set: `statistics` are those of its translations, one row each.

        p is the precision of single words; r is the geometric mean of the ratios of successive
        precisions, up to the last order that matches anything; C is the references' length.
        """
        check_type("metric", metric, Bleu, "a Bleu", error=MetricError)
        total = as_rows(metric, statistics, one=True).sum(axis=0)
        matches, counts = np.split(total[2 : 2 + 2 * metric.orders], 2)
        last = int(np.count_nonzero(matches > 0))
        if last == 0 or (last == 1 and metric.orders > 1):
            reason = (
                f"linear BLEU: no {'word' if last == 0 else 'bigram'} of the tuning set matches "
                "its references, so there is nothing to measure: give precision and ratio"
            )
            raise MetricError(reason, code="metric.no-matches", value=last + 1)
        precisions = matches[:last] / counts[:last]
        ratio = float((precisions[-1] / precisions[0]) ** (1.0 / (last - 1))) if last > 1 else 1.0
        return cls(
            precision=float(precisions[0]),
            ratio=ratio,
            length=float(total[1]),
            orders=metric.orders,
            tokenize=tokenize,
            lowercase=metric.lowercase,
        )

    @property
    def coefficients(self) -> FloatArray:
        """a_0, a_1, …, a_N."""
        order = np.arange(self.orders)
        return np.concatenate(
            [
                [-1.0 / self.length],
                1.0 / (self.orders * self.length * self.precision * self.ratio**order),
            ]
        )

    @property
    def per_match(self) -> FloatArray:
        return self.coefficients[1:]

    @property
    def per_ngram(self) -> FloatArray:
        return np.concatenate([self.coefficients[:1], np.zeros(self.orders - 1)])

    @property
    def word_gain(self) -> float:
        """The slope of the logarithm of the brevity penalty, which is not part of the loss, where
        translations are a little shorter than references."""
        return 1.0 / self.length

    @property
    def signature(self) -> str:
        return (
            f"linear-bleu|p:{self.precision:.6g}|r:{self.ratio:.6g}|C:{self.length:g}"
            f"|orders:{self.orders}|tok:{self.tokenize}|case:{'lc' if self.lowercase else 'mixed'}"
        )
