"""Losses for risk: a number for each edge, so that a derivation's loss is the sum over its edges.

On n-best lists an edge is a candidate, and any metric's sentence score will do.  On other forests
the loss must add up over edges: the metric's linear loss does, once nodes know their boundary words
(`refine`), and so does the length.
Losses are in units of how much the sentence score (or the length) varies within lists, weighted
by how much of the corpus a sentence is: the risk of the whole set is about minus its score, in
those units.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rosewood.arrays import FloatArray, LongArray
from rosewood.errors import MetricError, TuningError
from rosewood.forest import Forest, nbest_texts
from rosewood.learn.batches import Batches, OriginalBatches
from rosewood.learn.candidates import Candidates, spread_within, words_of_edges
from rosewood.learn.refined import RefinedBatches, linear_losses
from rosewood.learn.tuning_set import TuningSet
from rosewood.metrics import LengthLoss, LinearLoss
from rosewood.metrics.metric import Metric

_LISTS = 256  # whose texts are in memory at a time


class EdgeLosses(NamedTuple):
    """Forests whose edges have a loss: the set's own, or the same refined to n-gram states."""

    batches: Batches
    kind: str
    notes: tuple[str, ...] = ()  # what the loss was fitted to
    word_gain: float = 0.0  # of one word more, where translations are too short: see `smooth.py`


def edge_losses(
    tuning: TuningSet, candidates: Candidates, kind: str, *, max_edges: int
) -> EdgeLosses:
    """The losses of a set: kind is "sentence", "linear", "length", or "auto" (sentence on lists,
    else linear).

    `candidates` are where units, and the coefficients of the linear loss, are measured.
    """
    if kind == "auto":
        kind = "sentence" if tuning.is_flat else "linear"
    if kind == "length":
        return _length(tuning, candidates)
    if kind == "linear":
        return _linear(tuning, candidates, max_edges)
    if not tuning.is_flat:
        reason = "the sentence loss needs n-best lists; forests need the linear loss"
        raise TuningError(reason, code="argument.conflict", argument="loss", value=kind)
    return EdgeLosses(_of_lists(tuning, _sentence(tuning)), kind)


def _of_lists(
    tuning: TuningSet, loss: FloatArray, words: LongArray | None = None
) -> OriginalBatches:
    return OriginalBatches(tuning.reader, tuning.slice_memory, loss=loss, words=words)


def _sentence(tuning: TuningSet) -> FloatArray:
    statistics, start = tuning.statistics, tuning.edge_start
    gains = tuning.metric.sentence_gains(statistics)
    size = np.add.reduceat(statistics[:, 1], start[:-1]) / np.diff(start)
    if not (size > 0).any():
        size = np.ones(len(size))
    share = np.repeat(size / size.sum(), np.diff(start))
    loss: FloatArray = -gains * share / spread_within(gains, start)
    return loss


def _linear(tuning: TuningSet, candidates: Candidates, max_edges: int) -> EdgeLosses:
    """A linear loss is the change of the log score; times the score it is in points, as sentence
    scores are."""
    metric = tuning.metric
    linear = fit_linear(tuning, candidates, blanks=not tuning.is_flat)
    gains = metric.sentence_gains(candidates.statistics)
    points = metric.score(candidates.statistics) / spread_within(gains, candidates.start)
    notes = [f"the loss is {linear.signature}, times {points:.6g}"]
    if linear.caveat is not None:
        notes.append(linear.caveat)
    if tuning.is_flat:
        losses = []
        for first in range(0, len(tuning), _LISTS):
            some = slice(first, first + _LISTS)
            chosen = range(len(tuning))[some]
            texts = [nbest_texts(tuning.reader[i]) for i in chosen]
            losses.append(linear.loss_many(texts, tuning.references[some], threads=tuning.threads))
        loss = points * np.concatenate(losses)
        batches: Batches = _of_lists(tuning, loss, candidates.words)
    else:
        batches = RefinedBatches(tuning, linear, max_edges, factor=points)
    return EdgeLosses(batches, "linear", tuple(notes), points * linear.word_gain)


def fit_linear(tuning: TuningSet, candidates: Candidates, *, blanks: bool = True) -> LinearLoss:
    """The linear loss of a set's metric at the mean statistics of each sentence's candidates.

    The words of forests are cut already, at `blanks`; strings are cut as the metric does it.
    Candidates of some sentences stand for all.
    """
    metric = tuning.metric
    counts = np.diff(candidates.start)[:, None]
    means = np.add.reduceat(candidates.statistics, candidates.start[:-1], axis=0) / counts
    return _linear_of(metric, means * (len(tuning) / len(means)), blanks=blanks)


def check_linear(metric: Metric) -> None:
    """Refuse a metric that does not add up over edges."""
    _linear_of(metric, np.ones((1, len(metric.columns))), blanks=True)


def _linear_of(metric: Metric, statistics: FloatArray, *, blanks: bool) -> LinearLoss:
    try:
        return metric.linear_loss(statistics, blanks=blanks)
    except MetricError as error:
        name = metric.name
        if error.code == "metric.not-linear":
            reason = f"{error}; use n-best lists with the sentence loss, or tune another metric"
            code = "tuning.metric"
        elif error.code == "metric.no-matches":
            reason = (
                f"too few words of the translations match the references for linear {name}, the "
                "loss of forests: check the references, or learn from n-best lists"
            )
            code = "metric.no-matches"
        else:
            raise
        raise TuningError(reason, code=code, argument="metric", value=name) from error


# -- length ----------------------------------------------------------------------------------------


def _length(tuning: TuningSet, candidates: Candidates) -> EdgeLosses:
    """The expected length: shorter is better if the candidates are longer than references on
    average, else longer."""
    assert candidates.words is not None
    words = candidates.words.astype(np.float64)
    means = np.add.reduceat(words, candidates.start[:-1]) / np.diff(candidates.start)
    own = float(means.sum()) * (len(tuning) / len(means))
    wanted = sum(_reference_length(tuning, i) for i in range(len(tuning)))
    if not wanted > 0:
        reason = "the length loss needs references that have words: there are none"
        raise TuningError(reason, code="argument.conflict", argument="loss", value="length")
    loss = LengthLoss(1.0 if own > wanted else -1.0, wanted)
    # One candidate that is longer by as much as candidates vary changes the risk of a sentence by
    # 1, that of the set by its share.
    unit = wanted / (len(tuning) * spread_within(words, candidates.start))
    factor = float(-unit * loss.per_ngram[0])

    def of_edges(number: int, forest: Forest) -> FloatArray:
        return factor * words_of_edges(forest).astype(np.float64)

    batches = OriginalBatches(tuning.reader, tuning.slice_memory, loss=of_edges)
    note = (
        f"the loss is {loss.signature}, times {unit:.6g}: translations have {own:.1f} words, "
        f"references {wanted:.1f}"
    )
    return EdgeLosses(batches, "length", (note,))


def _reference_length(tuning: TuningSet, i: int) -> float:
    """The mean length of a sentence's references, in words."""
    references = tuning.references[i]
    return sum(len(each.split()) for each in references) / max(1, len(references))


# -- likelihood ------------------------------------------------------------------------------------


def wanted_edges(tuning: TuningSet, candidates: Candidates, *, max_edges: int) -> list[LongArray]:
    """Which edges of each forest likelihood wants.

    Of a list: the candidates with the best sentence score.  Of another forest: the edges of its
    best derivation by the linear loss.
    """
    if tuning.is_flat:
        gains = tuning.metric.sentence_gains(tuning.statistics)
        best = np.maximum.reduceat(gains, tuning.edge_start[:-1])
        places = np.flatnonzero(gains == np.repeat(best, np.diff(tuning.edge_start)))
        owner = np.searchsorted(tuning.edge_start, places, side="right") - 1
        bounds = np.searchsorted(owner, np.arange(1, len(tuning)))
        starts = np.repeat(tuning.edge_start[:-1], np.bincount(owner, minlength=len(tuning)))
        return np.split(places - starts, bounds)
    linear = fit_linear(tuning, candidates)
    return [
        np.unique(refined.edge_map[refined.forest.best(-loss).edges])
        for refined, loss in linear_losses(tuning, linear, max_edges)
    ]
