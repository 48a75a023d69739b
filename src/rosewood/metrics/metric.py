"""What a metric is: additive statistics first, a score of their sum second, a signature always."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, ClassVar, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from rosewood import _core
from rosewood.arguments import check_length, check_type
from rosewood.arrays import FloatArray, as_count
from rosewood.corpus import Vocabulary
from rosewood.errors import MetricError
from rosewood.metrics.batch import SentenceBatch, Texts, as_groups
from rosewood.resources import check_threads
from rosewood.settings import Settings

if TYPE_CHECKING:
    from rosewood.metrics.linear import LinearLoss

TextGroups = Sequence[Sequence[str]]  # the hypotheses, or references, of each sentence
ScoreColumns = Mapping[str, Sequence[float]] | None  # by name, one number per hypothesis


def as_whole(what: str, value: SupportsIndex, low: int = 0, high: int = 2**64 - 1) -> int:
    """A whole number from `low` to `high`: counts, and seeds."""
    return as_count(what, value, low, high, MetricError)


def as_number(what: str, value: object, *, positive: bool = False) -> float:
    """A finite number that is not negative, and not zero where it must be positive."""
    try:
        if isinstance(value, Real) and not isinstance(value, bool) and isfinite(value):
            number = float(value)
            if number > 0 or (number == 0 and not positive):
                return number
    except OverflowError:
        pass
    expected = f"a finite number {'above' if positive else 'from'} 0"
    code = "argument.range" if type(value) in (int, float) else "argument.type"
    reason = f"{what} is {value!r}, expected {expected}"
    raise MetricError(reason, code=code, argument=what, value=value, expected=expected)


def check_metric(metric: object) -> None:
    """Refuse an object that is not a metric."""
    check_type("metric", metric, Metric, "a Metric, as parse_metric makes it", error=MetricError)


def as_rows(
    metric: Metric, statistics: ArrayLike, what: str = "statistics", *, one: bool = False
) -> FloatArray:
    """Statistics of a metric, [n, columns], all finite; where `one` is enough, also [columns]."""
    check_metric(metric)
    try:
        array = np.asarray(statistics)
    except (TypeError, ValueError) as error:
        reason = f"{what} is not an array of numbers: {error}"
        raise MetricError(reason, code="argument.type", argument=what) from error
    width = len(metric.columns)
    single = one and array.ndim == 1
    if array.ndim != (1 if single else 2) or array.shape[-1] != width:
        want = f"({width},)" if single else f"(n, {width})"
        reason = f"{what} has shape {array.shape}, expected {want}"
        raise MetricError(reason, code="argument.shape", argument=what, value=array.shape)
    if array.dtype.kind not in "biuf" and array.size:
        reason = f"{what} has values of type {array.dtype}, expected numbers"
        raise MetricError(reason, code="argument.type", argument=what, value=str(array.dtype))
    rows = np.ascontiguousarray(array, dtype=np.float64).reshape(-1, width)
    if np.ma.is_masked(statistics):
        raise MetricError(f"{what} has masked values", code="argument.value", argument=what)
    if not np.isfinite(rows).all():
        reason = f"{what} has numbers that are not finite"
        raise MetricError(reason, code="argument.range", argument=what)
    return rows


class Metric(Settings, ABC):
    """A metric of translations.

    Statistics of sentences are rows of numbers; those of a corpus are their sum; the score is a
    function of the sum.  So a tuner can add and subtract sentences and never sees a string.
    The second statistic is always the size of what is scored: reference words, mostly.
    """

    error = MetricError
    name: ClassVar[str]  # how the metric is asked for: "bleu"
    columns: ClassVar[tuple[str, ...]]  # what each statistic is
    higher_is_better: ClassVar[bool] = True
    needs_references: ClassVar[bool] = True
    # Why the metric has no linear loss, where it has none.
    not_linear: ClassVar[str] = "it is not known to be a function of counts of n-grams"

    @property
    @abstractmethod
    def signature(self) -> str:
        """All that decides the score, in sacreBLEU's way of writing it."""

    @property
    @abstractmethod
    def scorer(self) -> _core.MetricScorer:
        """The score of summed statistics, as native kernels take it."""

    @abstractmethod
    def statistics(
        self, hypotheses: Sequence[str], references: Sequence[str], scores: ScoreColumns = None
    ) -> FloatArray:
        """[n, columns]: the statistics of n hypotheses for *one* sentence.

        `references` are that sentence's; `scores` are columns of numbers that somebody else gave
        the hypotheses, one number each.
        """

    def statistics_many(
        self,
        hypotheses: TextGroups,
        references: TextGroups,
        scores: ScoreColumns = None,
        *,
        threads: int = 1,
    ) -> FloatArray:
        """[N, columns]: the statistics of all hypotheses of many sentences, one after the other.

        Sentence i has hypotheses[i] and references[i]; columns of `scores` have N numbers.
        """
        return self._many(hypotheses, references, scores, check_threads(threads, MetricError))

    def _many(
        self, hypotheses: TextGroups, references: TextGroups, scores: ScoreColumns, threads: int
    ) -> FloatArray:
        """`statistics` of each sentence; metrics that are faster on many at once override it."""
        hypotheses = as_groups(self.name, "hypotheses", hypotheses)
        references = as_groups(self.name, "references", references)
        check_length("references", references, len(hypotheses), "sentence", error=MetricError)
        found, end = [np.empty((0, len(self.columns)))], 0
        for own, refs in zip(hypotheses, references, strict=True):
            begin, end = end, end + len(own)
            some = {key: column[begin:end] for key, column in (scores or {}).items()}
            found.append(self.statistics(own, refs, some))
        for key, column in (scores or {}).items():
            check_length(f"scores {key}", column, end, "hypothesis", error=MetricError)
        return np.concatenate(found)

    def statistics_of_words(
        self, words: Vocabulary, lists: Sequence[Texts], references: TextGroups,
        *, threads: int = 1,
    ) -> FloatArray | None:  # fmt: skip
        """`statistics_many` of hypotheses that are rows of numbered words, and that would be
        joined by spaces; None where the metric wants the strings themselves."""
        return None

    def score(self, statistics: FloatArray) -> float:
        """The score of the sum of these rows, [n, columns], or of one row, [columns]."""
        rows = as_rows(self, statistics, one=True)
        return float(self.scores(rows.sum(axis=0, keepdims=True))[0])

    def scores(self, statistics: FloatArray) -> FloatArray:
        """The score of each row of summed statistics, [n, columns] → [n]."""
        return self._scores(self.scorer, statistics)

    def _scores(self, scorer: _core.MetricScorer, statistics: FloatArray) -> FloatArray:
        rows = as_rows(self, statistics)
        out = np.empty(len(rows))
        _core.metric_scores(scorer, rows, out)
        return out

    def gains(self, statistics: FloatArray) -> FloatArray:
        """What learners maximise: the scores, or their negatives where lower is better."""
        return self.scores(statistics) if self.higher_is_better else -self.scores(statistics)

    @cached_property
    def sign(self) -> float:
        return 1.0 if self.higher_is_better else -1.0

    def sentence_gains(self, statistics: FloatArray, *, smoothing: float = 1.0) -> FloatArray:
        """A gain for each sentence alone; metrics that are zero too easily smooth themselves."""
        return self.gains(statistics)

    def linear_loss(self, statistics: FloatArray, *, blanks: bool = False) -> LinearLoss:
        """A loss that adds up over the edges of forests: the first-order change of the log score.

        `statistics` are those of a tuning set's translations, one row each; with `blanks`, words
        are what blanks separate, else what the metric cuts.  Metrics without one refuse.
        """
        raise MetricError(
            f"{self.name} does not add up over the edges of a forest: {self.not_linear}",
            code="metric.not-linear", argument="metric", value=self.name,
        )  # fmt: skip

    @property
    def title(self) -> str:
        """How the metric is written in reports: "BLEU"."""
        return self.name

    def signature_with(self, **facts: object) -> str:
        """The signature with more facts before it: the number of references, seeds, resamples."""
        return "|".join([*(f"{key}:{value}" for key, value in facts.items()), self.signature])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.signature})"


class BatchMetric(Metric):
    """A metric that computes the statistics of many sentences at once: subclasses have `_many`."""

    def statistics(
        self, hypotheses: Sequence[str], references: Sequence[str], scores: ScoreColumns = None
    ) -> FloatArray:
        return self._many([hypotheses], [references], scores, 1)


class TextMetric(BatchMetric):
    """A metric of strings and references."""

    @abstractmethod
    def _count(self, batch: SentenceBatch, threads: int) -> FloatArray:
        """The statistics of all hypotheses of a batch."""

    def _many(
        self, hypotheses: TextGroups, references: TextGroups, scores: ScoreColumns, threads: int
    ) -> FloatArray:
        return self._count(SentenceBatch.of(self.name, hypotheses, references), threads)
