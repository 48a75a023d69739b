"""Losses for risk: a number for each edge, so that a derivation's loss is the sum over its edges.

On n-best lists an edge is a candidate, and any metric's sentence score will do.  On other forests
the loss must add up over edges: linear BLEU does, once nodes know their boundary words (`refine`).
Losses are in units of how much the sentence score varies within lists, and weighted by how much of
the corpus a sentence is: the risk of the whole set is about minus its score, in those units.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosewood.arrays import FloatArray
from rosewood.errors import TuningError
from rosewood.forest import nbest_texts
from rosewood.learn.batches import Batches, OriginalBatches
from rosewood.learn.candidates import Candidates, spread_within
from rosewood.learn.refined import RefinedBatches, linear_losses
from rosewood.learn.tuning_set import TuningSet
from rosewood.metrics import Bleu, LinearBleu, Metric

_LISTS = 256  # whose texts are in memory at a time


class EdgeLosses(NamedTuple):
    """Forests whose edges have a loss: the set's own, or the same refined to n-gram states."""

    batches: Batches
    kind: str
    notes: tuple[str, ...] = ()  # what the loss was fitted to


def edge_losses(
    tuning: TuningSet, candidates: Candidates, kind: str, *, max_edges: int
) -> EdgeLosses:
    """The losses of a set: kind is "sentence", "linear", or "auto" (sentence on lists).

    `candidates` are where units, and the precisions of linear BLEU, are measured.
    """
    if kind == "auto":
        kind = "sentence" if tuning.is_flat else "linear"
    if kind == "sentence":
        if not tuning.is_flat:
            reason = "the sentence loss needs n-best lists; forests need the linear loss"
            raise TuningError(reason, code="argument.conflict", argument="loss", value=kind)
        return EdgeLosses(_of_lists(tuning, _sentence(tuning)), kind)
    return _linear(tuning, candidates, max_edges)


def _of_lists(tuning: TuningSet, loss: FloatArray) -> OriginalBatches:
    return OriginalBatches(tuning.reader, tuning.slice_memory, loss=loss)


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
    """Linear BLEU is the change of log BLEU; times BLEU it is in points, as sentence BLEU is."""
    metric = tuning.metric
    linear = fit_linear(metric, candidates, tokenize="metric" if tuning.is_flat else "none")
    gains = metric.sentence_gains(candidates.statistics)
    points = metric.score(candidates.statistics) / spread_within(gains, candidates.start)
    notes = (f"the loss is {linear.signature}, times {points:.6g}",)
    if tuning.is_flat:
        losses = []
        for first in range(0, len(tuning), _LISTS):
            some = slice(first, first + _LISTS)
            chosen = range(len(tuning))[some]
            texts = [nbest_texts(tuning.reader[i]) for i in chosen]
            losses.append(linear.loss_many(texts, tuning.references[some], threads=tuning.threads))
        return EdgeLosses(_of_lists(tuning, points * np.concatenate(losses)), "linear", notes)
    return EdgeLosses(RefinedBatches(tuning, linear, max_edges, factor=points), "linear", notes)


def fit_linear(metric: Metric, candidates: Candidates, *, tokenize: str = "none") -> LinearBleu:
    """Linear BLEU with the precisions of the candidates; C is the length of the references, once a
    sentence.  The words of forests are cut already; strings are cut as the metric does it."""
    if not isinstance(metric, Bleu):
        reason = (
            f"forests need a metric that adds up over edges; for {metric.name} there is none, "
            "only for BLEU (linear BLEU). Use n-best lists"
        )
        raise TuningError(reason, code="tuning.metric", argument="metric", value=metric.name)
    counts = np.diff(candidates.start)[:, None]
    means = np.add.reduceat(candidates.statistics, candidates.start[:-1], axis=0) / counts
    cut = metric.tokenize if tokenize == "metric" else tokenize
    return LinearBleu.fit(metric, means, tokenize=cut)


def wanted_edges(tuning: TuningSet, candidates: Candidates, *, max_edges: int) -> NDArray[np.bool_]:
    """Which edges of all forests likelihood wants.

    Of a list: the candidates with the best sentence score.  Of another forest: the edges of its
    best derivation by linear BLEU.
    """
    wanted = np.zeros(tuning.num_edges, dtype=np.bool_)
    if tuning.is_flat:
        gains = tuning.metric.sentence_gains(tuning.statistics)
        best = np.maximum.reduceat(gains, tuning.edge_start[:-1])
        wanted[gains == np.repeat(best, np.diff(tuning.edge_start))] = True
        return wanted
    linear = fit_linear(tuning.metric, candidates)
    for i, (refined, loss) in enumerate(linear_losses(tuning, linear, max_edges)):
        edges = refined.edge_map[refined.forest.best(-loss).edges]
        wanted[tuning.edge_start[i] + edges] = True
    return wanted
