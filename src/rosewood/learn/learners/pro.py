"""Pairwise ranking optimisation (Hopkins & May 2011): logistic regression on sampled pairs.

Pairs of candidates are sampled as `Ranking` does; the better one should score higher.  Weights are
averaged over rounds of fresh samples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rosewood import _core
from rosewood.arrays import FloatArray
from rosewood.learn.candidates import Candidates
from rosewood.learn.learner import Fit, Rounds, begin_with_spread
from rosewood.learn.objective import minimize_lbfgs
from rosewood.learn.pairs import compacted
from rosewood.learn.ranking import Ranking, ranking_units
from rosewood.learn.tuning_set import TuningSet
from rosewood.settings import setting
from rosewood.shared_types import Report


@dataclass(frozen=True)
class Pro(Ranking):
    """Logistic regression on pairs, averaged over rounds of fresh samples."""

    rounds: int = setting(5, "Rounds of sampling whose weights are averaged.", low=1)
    l2: float = setting(1e-4, "L2 penalty, in units of the features' spread.", low=0)
    iterations: int = setting(100, "Maximum L-BFGS iterations per round.", low=1)
    interpolation: float = setting(
        0.4, "Interpolation factor of each round of the tuning loop, Ψ.", low=0, high=1
    )

    def fit(
        self, tuning: TuningSet, start: ArrayLike, *, seed: int = 0, report: Report | None = None
    ) -> Fit:
        (_, candidates, _, _), varies = begin_with_spread(tuning, start, self.k)
        units = ranking_units(varies, candidates.dense.shape[1])
        return self.fit_candidates(tuning, candidates, units, seed=seed, report=report)

    def fit_candidates(
        self,
        tuning: TuningSet,
        candidates: Candidates,
        units: FloatArray,
        *,
        unpack: Callable[[FloatArray], FloatArray] | None = None,
        seed: int = 0,
        report: Report | None = None,
    ) -> Fit:
        """The same with candidates in terms of other features, as groups are; `unpack` makes
        weights of them into weights of the tuning set's features."""
        scaled = candidates.scaled(units)
        history = Rounds(report)
        total, x = np.zeros(len(units)), np.zeros(len(units))
        for number in range(1, self.rounds + 1):
            random = np.random.default_rng([seed, number])
            # A feature that is in no difference, with weight 0, keeps it.
            apart, places = compacted(
                self.feature_differences(tuning, scaled, random), np.flatnonzero(x)
            )
            x[places] = self._regression(apart, x[places])
            total += x
            found = units * total / number
            found = found if unpack is None else unpack(found)
            history.add(tuning.score(found), pairs=len(apart))
        return Fit(found, history[-1]["score"], history, units if unpack is None else None)

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


PLUGIN = Pro
