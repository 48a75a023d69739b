"""Base of learners with a differentiable objective: the optimiser and its settings.

p(d) ∝ exp(γ·θ·Φ(d)).  γ and the length of θ say the same thing, so γ stands still while θ moves.
Forests without references add their mean entropy, times a setting: weights then also prefer to be
sure of sentences whose translation nobody knows (entropy regularisation, semi-supervised).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from rosewood.arrays import FloatArray, LongArray
from rosewood.learn.batches import Batches, OriginalBatches
from rosewood.learn.candidates import Candidates
from rosewood.learn.learner import Fit, Learner, Rounds, begin
from rosewood.learn.objective import (
    IterateCallback,
    Objective,
    Terms,
    minimize_lbfgs,
    minimize_stochastic,
)
from rosewood.learn.tuning_set import TuningSet
from rosewood.settings import setting
from rosewood.shared_types import Report


@dataclass(frozen=True)
class Smooth(Learner):
    """What learners with a differentiable objective share: the optimiser and its settings."""

    takes_forests: ClassVar[bool] = True
    takes_unlabelled: ClassVar[bool] = True

    l2: float = setting(0.001, "L2 penalty, in units of the features' spread.", low=0)
    iterations: int = setting(100, "Maximum L-BFGS iterations per stage.", low=1)
    optimizer: Literal["lbfgs", "stochastic"] = setting(
        "lbfgs", "Optimiser; stochastic is for very large sets."
    )
    epochs: int = setting(10, "Passes over the set (stochastic).", low=1)
    batch_size: int = setting(32, "Forests per step (stochastic).", low=1)
    rate: float = setting(0.5, "Step size of AdaGrad (stochastic).", low=1e-12)
    k: int = setting(100, "Strings of a forest from which features are scaled.", low=1)
    max_edges: int = setting(
        10_000_000, "Maximum edges of a forest refined to n-gram states.", low=1
    )

    unlabelled_entropy: float = setting(
        0.1, "Penalty on the mean entropy of sentences without references; 0 ignores them.", low=0
    )

    @abstractmethod
    def objective(
        self, tuning: TuningSet, candidates: Candidates, units: FloatArray
    ) -> tuple[Objective, tuple[str, ...]]:
        """The objective as a function of x, where θ = units·x, and notes about it."""

    @abstractmethod
    def stages_of(self, count: int) -> list[tuple[str, Terms]]:
        """What is minimised one after the other, for a set of `count` forests."""

    def fit(
        self, tuning: TuningSet, start: ArrayLike, *, seed: int = 0, report: Report | None = None
    ) -> Fit:
        theta, candidates, units, varies = begin(
            tuning, start, self.k, takes_unlabelled=True, is_sample=True
        )
        objective, notes = self.objective(tuning, candidates, units)
        others = None
        if tuning.unlabelled is not None:
            others = OriginalBatches(tuning.unlabelled, tuning.slice_memory)
            if self.unlabelled_entropy:  # features that get no weight are not to help, either
                objective = objective.with_unlabelled(others, np.where(varies, units, 0.0))
        random = np.random.default_rng(seed)
        x = theta / units
        if x.any():
            x = x / np.abs(x).max()  # the length of θ is γ's business
        history = Rounds(report)
        first = units * x
        if objective.word_gain:
            objective = objective.with_brevity(_FIRST_BREVITY)
        weight = 0.0 if others is None else self.unlabelled_entropy / len(others)
        terms = Terms()
        for stage, plan in self.stages_of(len(tuning)):
            terms = replace(plan, unlabelled=weight)
            step = partial(_record, tuning, units, stage, history)
            x = self._minimized(objective, terms, x, random, step)
        if objective.word_gain:
            minimized = partial(self._minimized, terms=terms, random=random)
            x, note = _with_length(minimized, objective, tuning, x, history)
            notes += (note,)
        scale = terms.scale
        found = np.where(varies, units * x, 0.0)  # elsewhere there is rounding at most
        facts: dict[str, Any] = {}
        if others is not None:
            both = (_mean_entropy(others, each, scale, tuning.threads) for each in (first, found))
            facts = dict(zip(("entropy_before", "entropy_after"), both, strict=True))
        return Fit(found, tuning.score(found), history, units, notes, facts=facts)

    def _minimized(
        self,
        objective: Objective,
        terms: Terms,
        x: FloatArray,
        random: np.random.Generator,
        step: IterateCallback,
    ) -> FloatArray:
        if self.optimizer == "lbfgs":
            return minimize_lbfgs(
                partial(objective, terms=terms), x, iterations=self.iterations, step=step
            )
        return minimize_stochastic(
            partial(_part, objective, terms),
            x,
            len(objective.all),
            epochs=self.epochs,
            size=self.batch_size,
            rate=self.rate,
            random=random,
            step=step,
        )


# Where translations are shorter than references, a word more changes log BLEU by the slope of the
# brevity penalty; where they are longer, by nothing.  Between them, at the lengths of references,
# each share of the slope is a subgradient: bisection finds the one that leads there.
_FIRST_BREVITY = 0.5
_MOST_LENGTHS = 4
_NEAR = 0.01  # of 1, the ratio of lengths


def _with_length(
    minimized: Callable[..., FloatArray],
    objective: Objective,
    tuning: TuningSet,
    x: FloatArray,
    history: Rounds,
) -> tuple[FloatArray, str]:
    """The minimum where best translations are about as long as references: of those on the way, the
    one with the best score; and a note about it."""
    metric, units = tuning.metric, objective.units
    words, wanted = (metric.columns.index(name) for name in ("words", "reference_words"))
    low, high = 0.0, 1.0
    tried: list[tuple[float, FloatArray, str]] = []
    while True:
        statistics = tuning.best_statistics(units * x)
        ratio = float(statistics[:, words].sum() / statistics[:, wanted].sum())
        note = (
            f"the loss of a word is lower by {objective.brevity:g} of what the brevity penalty "
            f"takes for it: translations are {ratio:.3f} times as long as references"
        )
        tried.append((metric.sign * metric.score(statistics), x, note))
        if abs(ratio - 1) < _NEAR or len(tried) == _MOST_LENGTHS:
            break
        low, high = (objective.brevity, high) if ratio < 1 else (low, objective.brevity)
        objective = objective.with_brevity((low + high) / 2)
        stage = f"length {objective.brevity:g}"
        x = minimized(objective, x=x, step=partial(_record, tuning, units, stage, history))
    _, x, note = max(tried, key=lambda each: each[0])
    return x, note


def _part(
    objective: Objective, terms: Terms, x: FloatArray, subset: LongArray
) -> tuple[float, FloatArray]:
    return objective(x, terms, subset)


def _mean_entropy(batches: Batches, theta: FloatArray, scale: float, threads: int) -> float:
    """The entropy of a forest, in nats."""
    objective = Objective(batches, np.ones(len(theta)), threads=threads)
    return objective(theta, Terms(entropy=1.0 / len(batches), scale=scale))[0]


def _record(
    tuning: TuningSet, units: FloatArray, stage: str, history: Rounds, x: FloatArray, value: float
) -> None:
    history.add(tuning.score(units * x), objective=value, stage=stage)
