"""Linear BLEU: a loss that is a sum over n-grams, so that a forest's expected loss is a sum too.

The first-order approximation of the change of log corpus BLEU by a sentence (Tromble et al. 2008):

    loss(y) = -(a_0 |y| + Σ_n a_n Σ_w #_w(y) δ_w),   a_0 = -1/C,   a_n = 1 / (N C p r^(n-1))

where w runs over n-grams of order n, #_w(y) counts w in y (not clipped), δ_w is 1 if any reference
has w, p is the precision of single words, r the ratio of the precisions of one order and the one
before, N the number of orders, and C the length of the tuning set's references.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rosewood import _core
from rosewood.arguments import check_type
from rosewood.arrays import FloatArray
from rosewood.corpus import Vocabulary
from rosewood.errors import MetricError
from rosewood.forest.refinement import Ngrams, Refined
from rosewood.metrics.batch import SentenceBatch, number_words
from rosewood.metrics.kinds.bleu import Bleu, count_ngrams
from rosewood.metrics.metric import as_number, as_rows, as_whole
from rosewood.metrics.tokenise import check_tokeniser
from rosewood.resources import check_threads


@dataclass(frozen=True)
class LinearBleu:
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
    def signature(self) -> str:
        return (
            f"linear-bleu|p:{self.precision:.6g}|r:{self.ratio:.6g}|C:{self.length:g}"
            f"|orders:{self.orders}|tok:{self.tokenize}|case:{'lc' if self.lowercase else 'mixed'}"
        )

    def loss(self, hypotheses: Sequence[str], references: Sequence[str]) -> FloatArray:
        """The loss of each of a sentence's hypotheses, [n]."""
        return self.loss_many([hypotheses], [references])

    def loss_many(
        self,
        hypotheses: Sequence[Sequence[str]],
        references: Sequence[Sequence[str]],
        *,
        threads: int = 1,
    ) -> FloatArray:
        """The losses of all hypotheses of many sentences, one after the other."""
        rows = count_ngrams(
            SentenceBatch.of("linear BLEU", hypotheses, references),
            tokenize=self.tokenize,
            lowercase=self.lowercase,
            orders=self.orders,
            width=2 + 2 * self.orders,
            clip=False,
            threads=check_threads(threads, MetricError),
        )
        a = self.coefficients
        loss: FloatArray = -(a[0] * rows[:, 0])
        for n in range(self.orders):  # in this order, whatever the number of rows
            loss -= a[n + 1] * rows[:, 2 + n]
        return loss

    def gram_losses(
        self, ngrams: Ngrams, vocabulary: Vocabulary, references: Sequence[str]
    ) -> FloatArray:
        """What each n-gram of a table adds to the loss whenever it occurs."""
        if self.tokenize != "none":
            raise MetricError(
                f"linear BLEU of a forest needs tokenize=none, not {self.tokenize!r}",
                code="argument.conflict", argument="tokenize", value=self.tokenize,
            )  # fmt: skip
        is_list = isinstance(references, Sequence) and not isinstance(references, str)
        if not is_list or not all(isinstance(r, str) for r in references):
            reason = "linear BLEU: references must be a list of strings"
            raise MetricError(reason, code="argument.type", argument="references")
        if not references:
            reason = "linear BLEU: the sentence has no reference"
            raise MetricError(reason, code="metric.no-reference", argument="references")
        rows = [(r.lower() if self.lowercase else r).split() for r in references]
        used, place = np.unique(ngrams.word, return_inverse=True)
        words = [vocabulary[word] for word in used.tolist()]
        if self.lowercase:
            words = [word.lower() for word in words]
        (reference_start, reference), (_, number) = number_words(rows, [words])
        known = np.empty(len(ngrams), dtype=np.uint8)
        gram = np.ascontiguousarray(number[place.reshape(-1)])
        _core.known_ngrams(reference_start, reference, ngrams.word_start, gram, known)
        order = ngrams.order()
        beyond = np.zeros(max(0, int(order.max(initial=0)) - self.orders))  # count for nothing
        a = np.concatenate([self.coefficients, beyond])
        loss: FloatArray = np.where(known != 0, -a[order], 0.0)
        loss[order == 1] -= a[0]
        return loss

    def edge_losses(self, refined: Refined, references: Sequence[str]) -> FloatArray:
        """The loss that each edge of a refined forest adds: over a derivation they sum to its
        string's loss.

        `refined` comes from refine(forest, n) with n at least the number of orders, and without
        words around the string.
        """
        vocabulary = refined.forest.vocabulary
        if vocabulary is None:
            reason = "linear BLEU: the forest has no vocabulary"
            raise MetricError(reason, code="argument.missing", argument="vocabulary")
        order = refined.ngrams.order()
        n = int(order.max(initial=0))  # of the table, unless all strings are shorter
        if n < self.orders and not refined.forest.is_empty:
            words = refined.ngrams.edge_totals((order == 1).astype(np.float64))
            if refined.forest.best(words).score > n:
                raise MetricError(
                    f"linear BLEU of {self.orders} orders needs refine(forest, {self.orders}), "
                    f"this forest is refined to {n}",
                    code="argument.value", argument="refined", value=n, expected=self.orders,
                )  # fmt: skip
        return refined.ngrams.edge_totals(self.gram_losses(refined.ngrams, vocabulary, references))
