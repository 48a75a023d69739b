"""Ranking pairs of candidates: PRO (Hopkins & May 2011), and L1 (Tsuruoka et al. 2009).

Both sample pairs of candidates in the same way and ask that the better one score higher.  PRO fits
a logistic regression and averages it over fresh samples; L1 descends step by step with a cumulative
penalty, so that few features keep a weight.
Native      core/learn/ranking.hpp
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rosewood import _core
from rosewood.arrays import FloatArray
from rosewood.learn.candidates import Candidates
from rosewood.learn.learner import Fit, Learner, Report, Rounds, begin, choice, setting
from rosewood.learn.objective import minimize_lbfgs
from rosewood.learn.pairs import compacted, differences, gain_unit, sample_pairs
from rosewood.learn.tuning_set import TuningSet

__all__ = ["L1", "Pro"]


@dataclass(frozen=True)
class _Ranking(Learner):
    """What learners from pairs share: how pairs are sampled."""

    samples: int = setting(5000, "pairs drawn from each list, Γ", low=1)
    keep: int = setting(50, "pairs kept of each list, Ξ", low=1)
    threshold: float = setting(0.05, "least difference in the metric, of 1; α", low=0)
    smoothing: float = setting(1.0, "added to n-gram counts of sentence BLEU", low=0)
    k: int = setting(100, "strings of a forest from which pairs are drawn", low=2)

    def _apart(
        self, tuning: TuningSet, candidates: Candidates, random: np.random.Generator
    ) -> Candidates:
        """Feature differences of sampled pairs."""
        gains = tuning.metric.sentence_gains(candidates.statistics, smoothing=self.smoothing)
        pairs = sample_pairs(
            candidates,
            gains,
            samples=self.samples,
            keep=self.keep,
            threshold=self.threshold * gain_unit(gains, candidates.start, tuning.metric.name),
            random=random,
        )
        return differences(candidates, pairs)


@dataclass(frozen=True)
class Pro(_Ranking):
    """Logistic regression on pairs, averaged over rounds of fresh samples."""

    name: ClassVar[str] = "pro"

    rounds: int = setting(5, "rounds of sampling whose weights are averaged", low=1)
    l2: float = setting(1e-4, "penalty on squared weights, in units of features' spread", low=0)
    iterations: int = setting(100, "L-BFGS iterations of a round, at most", low=1)
    interpolation: float = setting(
        0.1, "how much a round of the tuning loop moves the weights, Ψ", low=0, high=1
    )

    def fit(
        self, tuning: TuningSet, start: ArrayLike, *, seed: int = 0, report: Report | None = None
    ) -> Fit:
        theta, candidates, units, _ = begin(tuning, start, self.k)
        scaled = candidates.scaled(units)
        history = Rounds(report)
        total = np.zeros(len(theta))
        x = np.zeros(len(theta))
        for number in range(1, self.rounds + 1):
            random = np.random.default_rng([seed, number])
            # A feature that is in no difference, with weight 0, keeps it.
            apart, places = compacted(self._apart(tuning, scaled, random), np.flatnonzero(x))
            x[places] = self._regression(apart, x[places])
            total += x
            history.add(tuning.score(units * total / number), pairs=len(apart))
        found = units * total / self.rounds
        return Fit(found, tuning.score(found), history, units)

    def _regression(self, apart: Candidates, x: FloatArray) -> FloatArray:
        """min mean log(1 + exp(-x·difference)) + ½·l2·‖x‖²; both signs of a pair say the same."""
        count = len(apart)

        def value(x: FloatArray) -> tuple[float, FloatArray]:
            margin = apart.scores(x)
            loss = np.logaddexp(0.0, -margin).mean() + 0.5 * self.l2 * float(x @ x)
            pull = -0.5 * (1.0 - np.tanh(0.5 * margin)) / count
            gradient = np.zeros(len(x))
            _core.add_features(apart.view, pull, gradient)
            return float(loss), gradient + self.l2 * x

        return minimize_lbfgs(value, x, iterations=self.iterations)


@dataclass(frozen=True)
class L1(_Ranking):
    """Stochastic descent on a ranking loss with a cumulative L1 penalty: few weights are left."""

    name: ClassVar[str] = "l1"

    penalty: float = setting(1e-4, "λ of the mean loss + λ·Σ|θ|", low=0)
    passes: int = setting(20, "passes over the pairs", low=1)
    rate: float = setting(0.01, "the first step size", low=1e-12)
    decay: float = setting(0.7, "what the step size is multiplied with a pass", low=0.01, high=1)
    loss: str = choice("hinge", ("hinge", "logistic"), "of a pair that is ranked wrongly")

    def fit(
        self, tuning: TuningSet, start: ArrayLike, *, seed: int = 0, report: Report | None = None
    ) -> Fit:
        theta, candidates, units, _ = begin(tuning, start, self.k)
        random = np.random.default_rng(seed)
        apart = self._apart(tuning, candidates.scaled(units), random)
        apart, places = compacted(apart, np.empty(0, dtype=np.int64))
        x, paid, owed = np.zeros(len(places)), np.zeros(len(places)), 0.0
        found = np.zeros(len(theta))
        history = Rounds(report)
        for number in range(self.passes):
            order = random.permutation(len(apart)).astype(np.int64)
            settings = (self.penalty, self.rate, self.decay)
            loss, owed = _core.l1_pass(
                apart.view,
                order,
                self.loss == "hinge",
                settings,
                x,
                paid,
                owed,
                number * len(apart),
            )
            active = int(np.count_nonzero(x))
            found[places] = units[places] * x
            history.add(tuning.score(found), loss=loss / len(apart), active=active)
        return Fit(found, tuning.score(found), history, units)
