"""Losses for risk: a number for each edge, so that a derivation's loss is the sum over its edges.

On n-best lists an edge is a candidate, and any metric's sentence score will do.  On other forests
the loss must add up over edges: linear BLEU does, once nodes know their boundary words (`refine`).
Losses are in units of how much the sentence score varies within lists, and weighted by how much of
the corpus a sentence is: the risk of the whole set is about minus its score, in those units.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rosewood import _core
from rosewood.arrays import FloatArray
from rosewood.errors import ForestError, TuningError
from rosewood.forest import Forest, Refined, nbest_texts, refine
from rosewood.learn.candidates import Candidates, spread_within
from rosewood.learn.tuning_set import TuningSet
from rosewood.metrics import Bleu, LinearBleu, Metric

__all__ = ["EdgeLosses", "edge_losses", "fit_linear", "linear_losses", "wanted_edges"]


class EdgeLosses(NamedTuple):
    """Forests whose edges know their loss: the set's own, or the same refined to n-gram states."""

    forests: list[Forest]
    batch: _core.ForestBatch
    loss: FloatArray  # one an edge of these forests, one forest after another
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
            raise TuningError("the sentence loss needs n-best lists; forests need the linear loss")
        return EdgeLosses(tuning.forests, tuning.batch, _sentence(tuning), kind)
    return _linear(tuning, candidates, max_edges)


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
        texts = [nbest_texts(forest) for forest in tuning.forests]
        loss = linear.loss_many(texts, tuning.references, threads=tuning.threads)
        return EdgeLosses(tuning.forests, tuning.batch, points * loss, "linear", notes)
    forests, losses = [], []
    for refined, loss in linear_losses(tuning, linear, max_edges):
        forests.append(refined.forest)
        losses.append(points * loss)
    batch = _core.make_batch([f.view for f in forests], [f.feature_view for f in forests])
    return EdgeLosses(forests, batch, np.concatenate(losses), "linear", notes)


def fit_linear(metric: Metric, candidates: Candidates, *, tokenize: str = "none") -> LinearBleu:
    """Linear BLEU with the precisions of the candidates; C is the length of the references, once a
    sentence.  The words of forests are cut already; strings are cut as the metric does it."""
    if not isinstance(metric, Bleu):
        raise TuningError(
            f"forests need a metric that adds up over edges; for {metric.name} there is none, "
            "only for BLEU (linear BLEU). Use n-best lists"
        )
    counts = np.diff(candidates.start)[:, None]
    means = np.add.reduceat(candidates.statistics, candidates.start[:-1], axis=0) / counts
    cut = metric.tokenize if tokenize == "metric" else tokenize
    return LinearBleu.fit(metric, means, tokenize=cut)


def linear_losses(
    tuning: TuningSet, linear: LinearBleu, max_edges: int
) -> Iterator[tuple[Refined, FloatArray]]:
    """Each forest refined to n-gram states, and the linear BLEU loss of its edges."""
    for name, forest, references in zip(
        tuning.names, tuning.forests, tuning.references, strict=True
    ):
        try:
            refined = refine(forest, linear.orders, max_edges=max_edges)
        except ForestError as error:
            raise TuningError(f"forest {name!r}: {error}") from error
        yield refined, linear.edge_losses(refined, references)


def wanted_edges(tuning: TuningSet, candidates: Candidates, *, max_edges: int) -> FloatArray:
    """0 for the edges that likelihood wants, -inf for the others.

    Of a list: the candidates with the best sentence score.  Of another forest: the edges of its
    best derivation by linear BLEU.
    """
    wanted: FloatArray = np.full(tuning.num_edges, -np.inf)
    if tuning.is_flat:
        gains = tuning.metric.sentence_gains(tuning.statistics)
        best = np.maximum.reduceat(gains, tuning.edge_start[:-1])
        wanted[gains == np.repeat(best, np.diff(tuning.edge_start))] = 0.0
        return wanted
    linear = fit_linear(tuning.metric, candidates)
    for i, (refined, loss) in enumerate(linear_losses(tuning, linear, max_edges)):
        edges = refined.edge_map[refined.forest.best(-loss).edges]
        wanted[tuning.edge_start[i] + edges] = 0.0
    return wanted
