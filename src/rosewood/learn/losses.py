"""Losses for risk: a number for each edge, so that a derivation's loss is the sum over its edges.

On n-best lists an edge is a candidate, and any metric's sentence score will do.  On other forests
the loss must add up over edges: linear BLEU does, once nodes know their boundary words (`refine`).
Losses are in units of how much the sentence score varies within lists, and weighted by how much of
the corpus a sentence is: the risk of the whole set is about minus its score, in those units.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rosewood.errors import TuningError
from rosewood.forest import Forest, refine
from rosewood.forest.arrays import FloatArray, LongArray
from rosewood.learn.tuning_set import TuningSet

__all__ = ["EdgeLosses", "edge_losses", "wanted_edges"]


class EdgeLosses(NamedTuple):
    """Forests whose edges know their loss: the set's own, or refined ones with their edge maps."""

    forests: list[Forest]
    loss: FloatArray  # one an edge of these forests, one forest after another
    edge_map: list[LongArray] | None  # for each forest, the set's edge that each edge came from
    unit: float  # points of the metric that a loss of 1 stands for
    kind: str


def edge_losses(tuning: TuningSet, kind: str, *, max_edges: int) -> EdgeLosses:
    """The losses of a set: kind is "sentence", "linear", or "auto" (sentence on lists)."""
    if kind == "auto":
        kind = "sentence" if tuning.is_flat else "linear"
    if kind == "sentence":
        if not tuning.is_flat:
            raise TuningError("the sentence loss needs n-best lists; forests need the linear loss")
        return _sentence(tuning)
    return _linear(tuning, max_edges)


def _spread_within(values: FloatArray, start: LongArray) -> float:
    """The standard deviation of values within lists; 1 where they do not vary."""
    counts = np.diff(start)
    means = np.add.reduceat(values, start[:-1]) / counts
    deviation = float(np.sqrt(((values - np.repeat(means, counts)) ** 2).mean()))
    return deviation if deviation > 0 else 1.0


def _sentence(tuning: TuningSet) -> EdgeLosses:
    statistics, start = tuning.statistics, tuning.edge_start
    gains = tuning.metric.sentence_gains(statistics)
    size = np.add.reduceat(statistics[:, 1], start[:-1]) / np.diff(start)
    if not (size > 0).any():
        size = np.ones(len(size))
    share = np.repeat(size / size.sum(), np.diff(start))
    unit = _spread_within(gains, start)
    return EdgeLosses(tuning.forests, -gains * share / unit, None, unit, "sentence")


def _linear(tuning: TuningSet, max_edges: int) -> EdgeLosses:
    from rosewood.metrics import Bleu, LinearBleu

    if not isinstance(tuning.metric, Bleu):
        raise TuningError(
            f"risk on forests needs a loss that adds up over edges; for {tuning.metric.name} there "
            "is none, only for BLEU (linear BLEU). Use n-best lists"
        )
    linear = LinearBleu.fit(tuning.metric, _samples(tuning))
    forests, losses, maps = [], [], []
    for i, forest in enumerate(tuning.forests):
        refined = refine(forest, tuning.metric.orders, max_edges=max_edges)
        forests.append(refined.forest)
        maps.append(refined.edge_map)
        losses.append(linear.edge_losses(refined, tuning.references[i]))
    # `unit` is that of lists drawn from the forests: points of BLEU that change is made of.
    return EdgeLosses(forests, 100.0 * np.concatenate(losses), maps, 1.0, "linear")


def _samples(tuning: TuningSet) -> FloatArray:
    """Statistics of what the set says under equal weights: where linear BLEU is fitted."""
    theta = np.zeros(len(tuning.features))
    return tuning.statistics[tuning.best_rows(theta)].sum(axis=0)


def wanted_edges(tuning: TuningSet) -> FloatArray:
    """0 for the candidates with the best sentence score of their list, -inf for the others."""
    if not tuning.is_flat:
        raise TuningError("likelihood needs n-best lists, or a target for each edge")
    gains = tuning.metric.sentence_gains(tuning.statistics)
    best = np.maximum.reduceat(gains, tuning.edge_start[:-1])
    chosen = gains == np.repeat(best, np.diff(tuning.edge_start))
    return np.where(chosen, 0.0, -np.inf)
