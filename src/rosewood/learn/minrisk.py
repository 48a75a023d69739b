"""Minimum risk (Li & Eisner 2009), with and without deterministic annealing, and likelihood.

p(d) ∝ exp(γ·θ·Φ(d)); minimum risk minimises E[loss].  Annealing minimises E[loss] - T·H(p), with T
from high to 0 and each stage started where the last one ended, then lets γ grow.  On n-best
lists and on forests, with dense and very many sparse features.  γ and the length of θ say the same
thing, so γ stands still while θ moves.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rosewood.arrays import FloatArray, LongArray
from rosewood.learn.batches import OriginalBatches
from rosewood.learn.candidates import Candidates
from rosewood.learn.learner import Fit, Learner, Report, Rounds, begin, choice, setting
from rosewood.learn.losses import edge_losses, wanted_edges
from rosewood.learn.objective import Objective, Terms, minimize_lbfgs, minimize_stochastic
from rosewood.learn.tuning_set import TuningSet

__all__ = ["Annealed", "Likelihood", "MinimumRisk"]


@dataclass(frozen=True)
class _Smooth(Learner):
    """What learners with a differentiable objective share: the optimiser and its settings."""

    l2: float = setting(
        0.001, "penalty on squared weights, in units of the features' spread", low=0
    )
    iterations: int = setting(100, "L-BFGS iterations, at most, in each stage", low=1)
    optimizer: str = choice("lbfgs", ("lbfgs", "stochastic"), "for very large sets: stochastic")
    epochs: int = setting(10, "stochastic: passes over the set", low=1)
    batch_size: int = setting(32, "stochastic: forests a step", low=1)
    rate: float = setting(0.5, "stochastic: the step size of AdaGrad", low=1e-12)
    k: int = setting(100, "strings of a forest from which features are scaled", low=1)
    max_edges: int = setting(10_000_000, "of a forest refined to n-gram states", low=1)

    @abstractmethod
    def _objective(
        self, tuning: TuningSet, candidates: Candidates, units: FloatArray
    ) -> tuple[Objective, tuple[str, ...]]:
        """The objective, θ = units·x for the x that moves; and what is to be told of it."""

    @abstractmethod
    def _stages(self, count: int) -> list[tuple[str, Terms]]:
        """What is minimised one after the other, for a set of `count` forests."""

    def fit(
        self, tuning: TuningSet, start: ArrayLike, *, seed: int = 0, report: Report | None = None
    ) -> Fit:
        theta, candidates, units, varies = begin(tuning, start, self.k)
        objective, notes = self._objective(tuning, candidates, units)
        random = np.random.default_rng(seed)
        x = theta / units
        if x.any():
            x = x / np.abs(x).max()  # the length of θ is γ's business
        history = Rounds(report)
        for stage, terms in self._stages(len(tuning)):
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


@dataclass(frozen=True)
class MinimumRisk(_Smooth):
    """The expected loss, as small as it gets."""

    name: ClassVar[str] = "mr"

    loss: str = choice("auto", ("auto", "sentence", "linear"), "auto: sentence on n-best lists")
    scale: float = setting(1.0, "γ", low=1e-9)
    entropy: float = setting(0.0, "reward for entropy, T")

    def _objective(
        self, tuning: TuningSet, candidates: Candidates, units: FloatArray
    ) -> tuple[Objective, tuple[str, ...]]:
        losses = edge_losses(tuning, candidates, self.loss, max_edges=self.max_edges)
        objective = Objective(losses.batches, units, l2=self.l2, threads=tuning.threads)
        return objective, losses.notes

    def _stages(self, count: int) -> list[tuple[str, Terms]]:
        return [("risk", Terms(risk=1.0, entropy=-self.entropy / count, scale=self.scale))]


@dataclass(frozen=True)
class Annealed(MinimumRisk):
    """Minimum risk at falling temperatures, then at growing γ."""

    name: ClassVar[str] = "mr-da"

    iterations: int = setting(30, "L-BFGS iterations, at most, in each stage", low=1)
    hottest: float = setting(1.0, "the first temperature", low=1e-9)
    cooling: float = setting(0.5, "what T is multiplied with from stage to stage", low=0.01, high=1)
    stages: int = setting(6, "temperatures above 0", low=1)
    quench: int = setting(2, "stages at T = 0 in which γ doubles", low=0)

    def _stages(self, count: int) -> list[tuple[str, Terms]]:
        plan = []
        for stage in range(self.stages):
            heat = self.hottest * self.cooling**stage
            plan.append((f"T={heat:g}", Terms(risk=1.0, entropy=-heat / count, scale=self.scale)))
        plan.append(("T=0", Terms(risk=1.0, scale=self.scale)))
        for doubling in range(1, self.quench + 1):
            scale = self.scale * 2.0**doubling
            plan.append((f"γ={scale:g}", Terms(risk=1.0, scale=scale)))
        return plan


@dataclass(frozen=True)
class Likelihood(_Smooth):
    """The probability of the best candidates, as large as it gets; `entropy` regularises."""

    name: ClassVar[str] = "likelihood"

    entropy: float = setting(0.0, "penalty on entropy; below 0 a reward")

    def _objective(
        self, tuning: TuningSet, candidates: Candidates, units: FloatArray
    ) -> tuple[Objective, tuple[str, ...]]:
        wanted = wanted_edges(tuning, candidates, max_edges=self.max_edges)
        batches = OriginalBatches(tuning.reader, tuning.slice_memory, wanted=wanted)
        objective = Objective(batches, units, l2=self.l2, threads=tuning.threads)
        return objective, ()

    def _stages(self, count: int) -> list[tuple[str, Terms]]:
        terms = Terms(log_loss=1.0 / count, entropy=self.entropy / count)
        return [("likelihood", terms)]
