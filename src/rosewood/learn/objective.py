"""Differentiable objectives over many forests, and what minimises them.

objective(θ) = Σ risk·E[loss] + entropy·H + log_loss·(-log p(wanted)) + ½·l2·‖θ‖², θ in units of the
features' spread; and, of forests without references, Σ unlabelled·H.  Risk, likelihood and entropy
are terms of one sum; SciPy's L-BFGS, or AdaGrad over small batches.  Sums over forests are in up to
16 shards, which the data alone decide: they depend neither on threads nor on how many forests are
in memory at a time.
Native      core/learn/objective.hpp
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rosewood import _core
from rosewood.arrays import FloatArray, LongArray
from rosewood.errors import TuningError
from rosewood.learn.batches import Batches, TuningBatch
from rosewood.learn.blas import one_thread
from rosewood.threads import in_order

_MOST_SHARDS = 16


@dataclass(frozen=True)
class Terms:
    """How much each part counts; `scale` is γ of p(d) ∝ exp(γ·θ·Φ(d))."""

    risk: float = 0.0
    entropy: float = 0.0
    log_loss: float = 0.0
    scale: float = 1.0
    unlabelled: float = 0.0  # of the entropy of forests without references


class Objective:
    """Value and gradient of a sum of terms over the forests of a set."""

    def __init__(
        self,
        batches: Batches,
        units: FloatArray,
        *,
        l2: float | FloatArray = 0.0,
        threads: int = 1,
        unlabelled: Batches | None = None,
        word_gain: float = 0.0,
        brevity: float = 0.0,
    ) -> None:
        """`batches` have the losses and wanted edges; θ = units·x for the x that is optimised.

        `l2` is one for all features, or one for each.  Each word of a derivation changes its loss
        by -brevity·word_gain.  Forests of `unlabelled` are numbered after those of `batches`; of
        them only the entropy counts.
        """
        self.batches = batches
        self.units = units
        self.l2 = l2
        self.threads = threads
        self.word_gain = word_gain
        self.brevity = brevity
        self.unlabelled = unlabelled
        self._labelled = _Sums(batches, units, threads, -brevity * word_gain)
        self._unlabelled = None if unlabelled is None else _Sums(unlabelled, units, threads)
        count = len(batches) + (0 if unlabelled is None else len(unlabelled))
        self.all: LongArray = np.arange(count, dtype=np.int64)
        self.parts = (0.0, 0.0, 0.0)  # risk, entropy, log loss, as last computed

    def with_unlabelled(self, batches: Batches, units: FloatArray) -> Objective:
        """The same objective with forests without references besides."""
        return self._changed(units=units, unlabelled=batches)

    def with_brevity(self, share: float) -> Objective:
        """The same objective, in which words count by another share of `word_gain`."""
        return self._changed(brevity=share)

    def with_penalty(self, l2: FloatArray) -> Objective:
        """The same objective with another penalty."""
        return self._changed(l2=l2)

    def _changed(self, **more: Any) -> Objective:
        same = {"l2": self.l2, "threads": self.threads, "unlabelled": self.unlabelled,
                "word_gain": self.word_gain, "brevity": self.brevity}  # fmt: skip
        return Objective(**{"batches": self.batches, "units": self.units, **same, **more})

    def __call__(
        self, x: FloatArray, terms: Terms, subset: LongArray | None = None
    ) -> tuple[float, FloatArray]:
        """The objective at x and its gradient; for some forests, scaled up to stand for all."""
        theta = np.ascontiguousarray(self.units * x)
        chosen = None if subset is None else subset[subset < len(self.batches)]
        found = self._labelled(theta, terms, chosen)
        self.parts, gradient = found.parts, found.gradient
        value = found.value(terms)
        if self._unlabelled is not None and terms.unlabelled:
            own = Terms(entropy=terms.unlabelled, scale=terms.scale)
            if subset is not None:
                chosen = subset[subset >= len(self.batches)] - len(self.batches)
            others = self._unlabelled(theta, own, chosen)
            value += others.value(own)
            gradient += others.gradient
        share = 1.0 if subset is None else len(self.all) / len(subset)
        gradient *= self.units * share
        gradient += self.l2 * x
        return share * value + 0.5 * float((self.l2 * x) @ x), gradient


class _Sum(NamedTuple):
    """Risk, entropy and log loss of some forests, and the gradient of their weighted sum."""

    parts: tuple[float, float, float]
    gradient: FloatArray

    def value(self, terms: Terms) -> float:
        risk, entropy, log_loss = self.parts
        return terms.risk * risk + terms.entropy * entropy + terms.log_loss * log_loss


class _Sums:
    """Sums over the forests of one set."""

    def __init__(
        self, batches: Batches, units: FloatArray, threads: int, per_word: float = 0.0
    ) -> None:
        self._batches, self._size, self._threads = batches, len(units), threads
        self._per_word = per_word
        self._all: LongArray = np.arange(len(batches), dtype=np.int64)
        self._shards_of_all = self._shards(self._all)

    def __call__(self, theta: FloatArray, terms: Terms, subset: LongArray | None) -> _Sum:
        """Those of some forests, or of all."""
        chosen = self._all if subset is None else subset
        gradient, sums = np.zeros(self._size), np.zeros(3)
        if len(chosen):
            shard, order = self._shards_of_all if subset is None else self._shards(subset)
            count = int(shard[-1]) + 1
            gradients, parts = np.zeros((count, self._size)), np.zeros((count, 3))
            places = [np.sort(order[part]) for part in self._batches.cut(chosen[order])]
            ahead = 2 if self._threads > 1 and len(places) > 1 else 1  # one is read, one is used
            loaded = in_order(lambda some: self._batches.load(chosen[some]), places, threads=ahead)
            for some, (batch, numbers) in zip(places, loaded, strict=True):
                _core.batch_objective(
                    batch.native,
                    numbers,
                    shard[some],
                    theta,
                    self._loss(batch),
                    batch.wanted,
                    (terms.scale, terms.risk, terms.entropy, terms.log_loss),
                    parts,
                    gradients,
                    self._threads,
                )
            for s in range(count):
                gradient += gradients[s]
                sums += parts[s]
        risk, entropy, log_loss = sums.tolist()
        return _Sum((risk, entropy, log_loss), gradient)

    def _loss(self, batch: TuningBatch) -> FloatArray:
        if not self._per_word:
            return batch.loss
        assert batch.words is not None
        loss: FloatArray = batch.loss + self._per_word * batch.words
        return loss

    def _shards(self, chosen: LongArray) -> tuple[LongArray, LongArray]:
        """The shard of each forest, and the order in which forests are read.

        There are as many shards as are worth the memory of a sum each.  The n-th forests of all
        shards are read together, so that a batch has work for every thread.
        """
        worth = int(self._batches.values[chosen].sum()) // max(1, 4 * self._size)
        count = min(max(min(worth, len(chosen)), 1), _MOST_SHARDS)
        ends = np.arange(1, count + 1) * len(chosen) // count
        shard = np.searchsorted(ends, np.arange(len(chosen)), side="right").astype(np.int64)
        place = np.arange(len(chosen)) - np.searchsorted(shard, shard)
        return shard, np.lexsort((shard, place))


IterateCallback = Callable[
    [FloatArray, float], None
]  # called with each iterate: x and the objective there


def _not_finite(hint: str) -> TuningError:
    return TuningError(f"the objective is not finite: {hint}", code="tuning.not-finite")


def minimize_lbfgs(
    objective: Callable[[FloatArray], tuple[float, FloatArray]],
    start: FloatArray,
    *,
    iterations: int,
    step: IterateCallback | None = None,
) -> FloatArray:
    """SciPy's L-BFGS; `step` hears of each iterate."""
    from scipy.optimize import minimize

    last: dict[bytes, float] = {}

    def value(x: FloatArray) -> tuple[float, FloatArray]:
        y, gradient = objective(x)
        if not np.isfinite(y) or not np.isfinite(gradient).all():
            raise _not_finite("are features or weights too large?")
        last.clear()
        last[x.tobytes()] = y
        return y, gradient

    def told(x: FloatArray) -> None:
        if step is not None:
            step(x, last.get(np.ascontiguousarray(x).tobytes(), np.nan))

    # OpenBLAS solves even systems of 20 equations with all cores, and its idle threads spin.
    with one_thread(solvers=True):
        found = minimize(
            value,
            start,
            jac=True,
            method="L-BFGS-B",
            callback=told,
            options={"maxiter": iterations, "maxcor": 10, "ftol": 1e-9, "gtol": 1e-7},
        )
    return np.asarray(found.x, dtype=np.float64)


def minimize_stochastic(
    objective: Callable[[FloatArray, LongArray], tuple[float, FloatArray]],
    start: FloatArray,
    count: int,
    *,
    epochs: int,
    size: int,
    rate: float,
    random: np.random.Generator,
    step: IterateCallback | None = None,
) -> FloatArray:
    """AdaGrad over batches of `size` forests; the average of the last epoch's iterates."""
    x = start.copy()
    squares = np.full(len(x), 1e-12)
    mean = x
    for _ in range(epochs):
        order = random.permutation(count).astype(np.int64)
        total, sums, steps = 0.0, np.zeros(len(x)), 0
        for first in range(0, count, size):
            chosen = np.sort(order[first : first + size])
            y, gradient = objective(x, chosen)
            if not np.isfinite(y) or not np.isfinite(gradient).all():
                raise _not_finite("is the rate too large?")
            squares += gradient**2
            x = x - rate * gradient / np.sqrt(squares)
            total += y * len(chosen) / count
            sums += x
            steps += 1
        mean = sums / steps
        if step is not None:
            step(mean, total)
    return mean
