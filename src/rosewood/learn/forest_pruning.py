"""Forests of a tuning set made smaller, and what that changes.

    made = prune_set(tuning, theta, 100, "smaller.rwf")      # at most 100 edges for each word
    made.forests, made.facts

Edges that are in no good derivation are dropped until a forest has at most so many for each word of
its best translation.  What that changes is computed exactly, forest by forest, at the scale at
which learners of risk begin: how much of the probability is kept, and by how much the risk of the
whole set (by the linear loss, in points; less is better) changes.  Forests without references are
pruned likewise, and have no risk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosewood.arrays import FloatArray
from rosewood.errors import ForestError, TuningError
from rosewood.forest import (
    Distribution,
    Forest,
    ForestSet,
    ForestSetWriter,
    prune,
    refine,
    select_edges,
)
from rosewood.forest.transform import without_features
from rosewood.learn.learner import begin
from rosewood.learn.losses import fit_linear
from rosewood.learn.tuning_set import TuningSet
from rosewood.metrics import LinearLoss
from rosewood.shared_types import PathName
from rosewood.threads import in_order

_STRINGS = 100  # of a forest, from which the scale is found
_MAX_EDGES = 10_000_000  # of a refined forest; where there are more its risk is not computed


@dataclass(frozen=True)
class PruningFacts:
    """What pruning did to a set of forests."""

    edges: int  # that are kept
    dropped: int
    kept: float  # of the probability, the mean over forests
    risk_change: float | None  # of the whole set, in points; None: there is no linear loss
    risk_unknown: int  # forests that are too large for their risk to be computed


class PrunedSet(NamedTuple):
    """The smaller forests, and what is lost."""

    forests: ForestSet
    facts: PruningFacts


class _Part(NamedTuple):
    """A forest, what is kept of it, and its share of the facts."""

    forest: Forest
    dropped: int
    kept: float = 1.0
    risk_change: float | None = 0.0


def prune_set(
    tuning: TuningSet, theta: ArrayLike, edges_per_word: float, path: PathName
) -> PrunedSet:
    """Write the forests of a set with at most so many edges for each word of the best derivation
    under θ.  Memory has a forest for each thread."""
    start = begin(tuning, theta, _STRINGS, takes_unlabelled=True, is_sample=True)
    size = float(np.abs(start.theta / start.units).max())
    if not size > 0:
        reason = "without weights no derivation is better than another: nothing can be pruned"
        raise TuningError(reason, code="tuning.zero-weights", argument="theta")
    work = _Pruning(tuning, start.theta, start.theta / size, edges_per_word, None, 0.0)
    try:
        linear = fit_linear(tuning, start.candidates, blanks=True)
        points = tuning.metric.score(start.candidates.statistics)
        work = replace(work, linear=linear, points=points)
    except TuningError as error:
        if error.code not in ("tuning.metric", "metric.no-matches"):
            raise
    parts = []
    with ForestSetWriter(path, features=tuning.features, vocabulary=_words(tuning)) as writer:
        for number, part in enumerate(work.all()):
            writer.append(part.forest, _info(tuning, number))
            parts.append((part.forest.num_edges, part.dropped, part.kept, part.risk_change))
    edges, dropped, kept, changes = zip(*parts, strict=True)
    known = [each for each in changes if each is not None]
    facts = PruningFacts(
        sum(edges), sum(dropped), sum(kept) / len(parts),
        sum(known) if work.linear is not None else None, len(parts) - len(known),
    )  # fmt: skip
    return PrunedSet(ForestSet(Path(path), features=tuning.features), facts)


@dataclass(frozen=True)
class _Pruning:
    """Prunes the forests of a set one by one."""

    tuning: TuningSet
    theta: FloatArray
    scaled: FloatArray  # θ at the scale at which risk is computed
    per_word: float
    linear: LinearLoss | None
    points: float  # of the metric, that a change of its logarithm by 1 is worth

    def all(self) -> Iterator[_Part]:
        """Those of all forests, in order."""
        others = self.tuning.unlabelled
        count = len(self.tuning) + (0 if others is None else len(others))
        yield from in_order(self, range(count), threads=self.tuning.threads)

    def __call__(self, number: int) -> _Part:
        forest = self._forest(number)
        small = prune(forest, forest.score(self.theta), density=self.per_word)
        dropped = forest.num_edges - small.forest.num_edges
        if not dropped:
            return _Part(small.forest, dropped)
        weight = forest.score(self.scaled)
        whole = Distribution(forest, weight).log_partition
        rest = Distribution(small.forest, weight[small.edge_map]).log_partition
        kept = float(np.exp(min(0.0, rest - whole)))
        is_kept = np.zeros(forest.num_edges, dtype=np.bool_)
        is_kept[small.edge_map] = True
        return _Part(
            small.forest, dropped, kept, self._risk_change(number, forest, weight, is_kept)
        )

    def _forest(self, number: int) -> Forest:
        """Unlabelled ones are numbered after the others."""
        count, others = len(self.tuning), self.tuning.unlabelled
        if others is None or number < count:
            return self.tuning.reader[number]
        return others[number - count]

    def _risk_change(
        self, number: int, forest: Forest, weight: FloatArray, is_kept: NDArray[np.bool_]
    ) -> float | None:
        """How much more the expected loss is of the part of a forest that is kept."""
        if number >= len(self.tuning):
            return 0.0
        if self.linear is None:
            return None
        try:
            refined = refine(without_features(forest), self.linear.orders, max_edges=_MAX_EDGES)
        except ForestError as error:
            if error.code != "forest.too-large":
                raise
            return None
        loss = self.points * self.linear.edge_losses(refined, self.tuning.references[number])
        weights = weight[refined.edge_map]
        before = Distribution(refined.forest, weights).expectation(loss)
        left = select_edges(refined.forest, is_kept[refined.edge_map])
        after = Distribution(left.forest, weights[left.edge_map]).expectation(loss[left.edge_map])
        return float(after) - float(before)


def _words(tuning: TuningSet) -> Any:
    return tuning.reader[0].vocabulary


def _info(tuning: TuningSet, number: int) -> dict[str, Any]:
    if number >= len(tuning):
        return {}
    references: Sequence[str] = tuning.references[number]
    return {"id": tuning.names[number], "refs": list(references)}
