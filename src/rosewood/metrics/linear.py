"""Losses that are sums over n-grams, so that a forest's expected loss is a sum over its edges.

    loss(y) = -Σ_n (b_n |y|_n + a_n Σ_w #_w(y) δ_w)

where n runs over orders, |y|_n is the number of n-grams of that order in y, w runs over n-grams of
order n, #_w(y) counts w in y (not clipped), and δ_w is 1 if any reference has w.  What a_n and b_n
are the metric says (`Metric.linear_loss`): `linear_bleu.py`, `linear_chrf.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rosewood import _core
from rosewood.arrays import FloatArray
from rosewood.corpus import Vocabulary
from rosewood.errors import MetricError
from rosewood.forest.refinement import Ngrams, Refined
from rosewood.metrics.batch import SentenceBatch, number_words
from rosewood.metrics.kinds.bleu import count_ngrams
from rosewood.metrics.metric import as_number
from rosewood.resources import check_threads


class LinearLoss(ABC):
    """A loss of strings and of a forest's edges: frozen dataclasses with these three fields.

    Forests are made of words already, so their references are cut at blanks: `tokenize` is then
    "none".
    """

    title: ClassVar[str]  # in errors
    orders: int  # the longest n-grams
    tokenize: str
    lowercase: bool

    @property
    @abstractmethod
    def per_match(self) -> FloatArray:
        """a_1 .. a_N: what an n-gram gains that a reference has."""

    @property
    @abstractmethod
    def per_ngram(self) -> FloatArray:
        """b_1 .. b_N: what any n-gram gains."""

    @property
    @abstractmethod
    def signature(self) -> str:
        """All that decides the loss."""

    @property
    def word_gain(self) -> float:
        """What a word more gains beside this, where translations are shorter than the metric wants;
        0 if the loss sees that itself."""
        return 0.0

    @property
    def caveat(self) -> str | None:
        """What of the metric the loss does not see; None if it sees all."""
        return None

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
        batch = SentenceBatch.of(self.title, hypotheses, references)
        rows = self._counts(batch, check_threads(threads, MetricError))
        a, b = self.per_match, self.per_ngram
        loss: FloatArray = -(b[0] * rows[:, 0])
        for n in range(self.orders):  # in this order, whatever the number of rows
            loss -= a[n] * rows[:, 2 + n]
        for n in range(1, self.orders):
            if b[n]:
                loss -= b[n] * rows[:, 2 + self.orders + n]
        return loss

    def _counts(self, batch: SentenceBatch, threads: int) -> FloatArray:
        """Words, words of the reference, matches of each order (not clipped), n-grams of each."""
        return count_ngrams(
            batch,
            tokenize=self.tokenize,
            lowercase=self.lowercase,
            orders=self.orders,
            width=2 + 2 * self.orders,
            clip=False,
            threads=threads,
        )

    def gram_losses(
        self, ngrams: Ngrams, vocabulary: Vocabulary, references: Sequence[str]
    ) -> FloatArray:
        """What each n-gram of a table adds to the loss whenever it occurs."""
        if self.tokenize != "none":
            raise MetricError(
                f"{self.title} of a forest needs tokenize=none, not {self.tokenize!r}",
                code="argument.conflict", argument="tokenize", value=self.tokenize,
            )  # fmt: skip
        is_list = isinstance(references, Sequence) and not isinstance(references, str)
        if not is_list or not all(isinstance(r, str) for r in references):
            reason = f"{self.title}: references must be a list of strings"
            raise MetricError(reason, code="argument.type", argument="references")
        if not references:
            reason = f"{self.title}: the sentence has no reference"
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
        a = np.concatenate([[0.0], self.per_match, beyond])
        b = np.concatenate([[0.0], self.per_ngram, beyond])
        loss: FloatArray = np.where(known != 0, -a[order], 0.0)
        loss -= b[order]
        return loss

    def edge_losses(self, refined: Refined, references: Sequence[str]) -> FloatArray:
        """The loss that each edge of a refined forest adds: over a derivation they sum to its
        string's loss.

        `refined` comes from refine(forest, n) with n at least the number of orders, and without
        words around the string.
        """
        vocabulary = refined.forest.vocabulary
        if vocabulary is None:
            reason = f"{self.title}: the forest has no vocabulary"
            raise MetricError(reason, code="argument.missing", argument="vocabulary")
        order = refined.ngrams.order()
        n = int(order.max(initial=0))  # of the table, unless all strings are shorter
        if n < self.orders and not refined.forest.is_empty:
            words = refined.ngrams.edge_totals((order == 1).astype(np.float64))
            if refined.forest.best(words).score > n:
                raise MetricError(
                    f"{self.title} of {self.orders} orders needs refine(forest, {self.orders}), "
                    f"this forest is refined to {n}",
                    code="argument.value", argument="refined", value=n, expected=self.orders,
                )  # fmt: skip
        return refined.ngrams.edge_totals(self.gram_losses(refined.ngrams, vocabulary, references))


@dataclass(frozen=True)
class LengthLoss(LinearLoss):
    """The length of a translation in words, by that of the tuning set's references:

        loss(y) = sign · |y| / C

    With sign 1 shorter translations are better, with -1 longer ones.
    """

    sign: float
    length: float  # C

    title = "length loss"
    orders = 1
    tokenize = "none"
    lowercase = False

    def __post_init__(self) -> None:
        as_number(f"{self.title}: length", self.length, positive=True)
        if self.sign not in (1.0, -1.0):
            reason = f"{self.title}: sign is {self.sign!r}, expected 1 or -1"
            raise MetricError(reason, code="argument.value", argument="sign", value=self.sign)

    @property
    def per_match(self) -> FloatArray:
        return np.zeros(1)

    @property
    def per_ngram(self) -> FloatArray:
        return np.array([-self.sign / self.length])

    @property
    def signature(self) -> str:
        return f"length|sign:{'+' if self.sign > 0 else '-'}|C:{self.length:g}"
