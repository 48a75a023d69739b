"""Losses of boosting: what a score of each row is worth, and how to change it.

A *row* is what a tree looks at: an edge of a forest, or a candidate of an n-best list.  A loss is a
function of the scores of all rows.  Its targets are minus its derivatives, which trees are fitted
to; a row may stand for several instances, of which there are `weight`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rosewood import _core
from rosewood.arrays import FloatArray, LongArray
from rosewood.learn.batches import Batches

_LONG = 0.01  # what the square of a margin costs
_LONGEST = 12  # power of two that scores are multiplied with at most (risk)


class Targets(NamedTuple):
    """Sums of targets and numbers of instances of each row."""

    target: FloatArray
    weight: FloatArray


class BoostLoss(ABC):
    """A differentiable function of the scores of rows."""

    @abstractmethod
    def value(self, score: FloatArray) -> float:
        """The loss."""

    @abstractmethod
    def targets(self, score: FloatArray) -> Targets:
        """Minus the derivative by each row's score."""

    @abstractmethod
    def step(self, score: FloatArray, values: FloatArray, l2: float) -> float:
        """The ρ that makes loss(score + ρ·values) + ½·l2·ρ² smallest."""

    @abstractmethod
    def length(self, score: FloatArray) -> float:
        """What scores are to be multiplied with before boosting: a ranking has no unit."""


class PairLoss(BoostLoss):
    """Σ log(1 + exp(F(worse) − F(better))), F of a hypothesis the sum over its rows."""

    def __init__(
        self, rows: int, start: LongArray, row: LongArray, better: LongArray, worse: LongArray
    ) -> None:
        """Hypothesis h has the rows row[start[h]:start[h+1]]."""
        self._rows, self._start, self._row = rows, start, row
        self._owner = np.repeat(np.arange(len(start) - 1), np.diff(start))
        self._better, self._worse = better, worse
        self._weight = np.bincount(row, minlength=rows).astype(np.float64)

    def hypothesis_scores(self, score: FloatArray) -> FloatArray:
        """F of each hypothesis."""
        return _sums(self._owner, score[self._row], len(self._start) - 1)

    def _margins(self, score: FloatArray) -> FloatArray:
        of = self.hypothesis_scores(score)
        apart: FloatArray = of[self._better] - of[self._worse]
        return apart

    def value(self, score: FloatArray) -> float:
        return float(np.logaddexp(0.0, -self._margins(score)).sum())

    def targets(self, score: FloatArray) -> Targets:
        share = _wrong(self._margins(score))
        count = len(self._start) - 1
        pull = _sums(self._better, share, count) - _sums(self._worse, share, count)
        return Targets(_sums(self._row, pull[self._owner], self._rows), self._weight)

    def step(self, score: FloatArray, values: FloatArray, l2: float) -> float:
        """Newton's method, with halved steps where the loss would grow."""
        margin, along = self._margins(score), self._margins(values)
        rho = 0.0

        def loss(at: float) -> float:
            return float(np.logaddexp(0.0, -(margin + at * along)).sum()) + 0.5 * l2 * at * at

        best = loss(0.0)
        for _ in range(50):
            share = _wrong(margin + rho * along)
            slope = float(-(share * along).sum()) + l2 * rho
            curve = float((share * (1.0 - share) * along**2).sum()) + l2
            if curve <= 0.0 or abs(slope) <= 1e-12 * (1.0 + abs(best)):
                break
            move = -slope / curve
            while (after := loss(rho + move)) > best and abs(move) > 1e-14:
                move *= 0.5
            if after >= best:
                break
            rho, best = rho + move, after
        return rho

    def length(self, score: FloatArray) -> float:
        """What scores are to be multiplied with for the least loss; 1 if that is not above zero.

        Where scores rank all pairs right the loss falls for ever: long margins cost a little.
        """
        along = self._margins(score)
        found = self.step(np.zeros(len(score)), score, _LONG * _core.dot(along, along))
        return found if found > 0.0 else 1.0


def _sums(owner: LongArray, values: FloatArray, count: int) -> FloatArray:
    """The values of each owner added up, in order."""
    return np.bincount(owner, values, minlength=count).astype(np.float64)


def _wrong(margin: FloatArray) -> FloatArray:
    """1 / (1 + exp(margin))."""
    found: FloatArray = 0.5 * (1.0 - np.tanh(0.5 * margin))
    return found


class RiskLoss(BoostLoss):
    """Σ E[loss] over forests, p(d) ∝ exp(scale·F(d)): exact, by inside and outside sums.

    Losses are multiplied with the number of forests, so that a penalty weighs as much in a small
    set as in a large one.
    """

    def __init__(
        self, batches: Batches, row_start: LongArray, *, scale: float = 1.0, threads: int = 1
    ) -> None:
        """Rows of forest i are row_start[i] .. row_start[i+1]-1."""
        self._batches, self._start = batches, row_start
        self._scale, self._threads = scale, threads
        self._weight = np.ones(int(row_start[-1]))

    def _computed(self, score: FloatArray) -> tuple[float, FloatArray]:
        risk, slope = np.empty(len(self._batches)), np.empty(len(score))
        every = np.arange(len(self._batches), dtype=np.int64)
        for part in self._batches.cut(every):
            batch, _ = self._batches.load(every[part])
            rows = slice(self._start[part.start], self._start[part.stop])
            _core.batch_risk(
                batch.native,
                self._start[part.start : part.stop + 1] - self._start[part.start],
                np.ascontiguousarray(score[rows]),
                batch.loss,
                self._scale,
                risk[part],
                slope[rows],
                self._threads,
            )
        count = len(self._batches)
        return count * float(risk.sum()), count * slope

    def value(self, score: FloatArray) -> float:
        return self._computed(score)[0]

    def targets(self, score: FloatArray) -> Targets:
        return Targets(-self._computed(score)[1], self._weight)

    def step(self, score: FloatArray, values: FloatArray, l2: float) -> float:
        """The risk is not convex: steps are doubled while it falls, or halved until it does."""
        size = float(np.abs(values).max(initial=0.0))
        if size == 0.0:
            return 0.0

        def loss(at: float) -> float:
            return self.value(score + at * values) + 0.5 * l2 * at * at

        start = loss(0.0)
        rho = 1.0 / (size * self._scale)
        best = loss(rho)
        while best >= start and rho * size > 1e-9:
            rho *= 0.25
            best = loss(rho)
        if best >= start:
            return 0.0
        for _ in range(20):
            after = loss(2.0 * rho)
            if after >= best:
                break
            rho, best = 2.0 * rho, after
        return _between(loss, rho, best)

    def length(self, score: FloatArray) -> float:
        """The least power of two with nine tenths of what a longer one can gain.

        Short weights make all derivations alike, long ones leave nothing but the best to learn
        from.
        """
        factors = [2.0**n for n in range(_LONGEST + 1)]
        risks = [self.value(factor * score) for factor in factors]
        enough = risks[0] - 0.9 * (risks[0] - min(risks))
        return next(f for f, risk in zip(factors, risks, strict=True) if risk <= enough)


def _between(loss: Callable[[float], float], rho: float, best: float) -> float:
    """A better place between ρ/2 and 2ρ: the lowest point of a parabola, if it is one."""
    low, high = loss(0.5 * rho), loss(2.0 * rho)
    x, y = np.array([0.5, 1.0, 2.0]) * rho, np.array([low, best, high])
    square, linear, _ = np.polyfit(x, y, 2)
    if square > 0.0:
        found = float(-linear / (2.0 * square))
        if x[0] < found < x[2] and loss(found) < best:
            return found
    return rho if best <= low else 0.5 * rho
