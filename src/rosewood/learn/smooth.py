"""Base of learners with a differentiable objective: the optimiser and its settings.

p(d) ∝ exp(γ·θ·Φ(d)).  γ and the length of θ say the same thing, so γ stands still while θ moves.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from rosewood.arrays import FloatArray, LongArray
from rosewood.learn.candidates import Candidates
from rosewood.learn.learner import Fit, Learner, Rounds, begin
from rosewood.learn.objective import Objective, Terms, minimize_lbfgs, minimize_stochastic
from rosewood.learn.tuning_set import TuningSet
from rosewood.settings import setting
from rosewood.shared_types import Report


@dataclass(frozen=True)
class Smooth(Learner):
    """What learners with a differentiable objective share: the optimiser and its settings."""

    takes_forests: ClassVar[bool] = True

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
        theta, candidates, units, varies = begin(tuning, start, self.k)
        objective, notes = self.objective(tuning, candidates, units)
        random = np.random.default_rng(seed)
        x = theta / units
        if x.any():
            x = x / np.abs(x).max()  # the length of θ is γ's business
        history = Rounds(report)
        for stage, terms in self.stages_of(len(tuning)):
            step = partial(_record, tuning, units, stage, history)
            if self.optimizer == "stochastic":
                x = minimize_stochastic(
                    partial(_part, objective, terms),
                    x,
                    len(tuning),
                    epochs=self.epochs,
                    size=self.batch_size,
                    rate=self.rate,
                    random=random,
                    step=step,
                )
            else:
                x = minimize_lbfgs(
                    partial(objective, terms=terms), x, iterations=self.iterations, step=step
                )
        found = np.where(varies, units * x, 0.0)  # elsewhere there is rounding at most
        return Fit(found, tuning.score(found), history, units, notes)


def _part(
    objective: Objective, terms: Terms, x: FloatArray, subset: LongArray
) -> tuple[float, FloatArray]:
    return objective(x, terms, subset)


def _record(
    tuning: TuningSet, units: FloatArray, stage: str, history: Rounds, x: FloatArray, value: float
) -> None:
    history.add(tuning.score(units * x), objective=value, stage=stage)
