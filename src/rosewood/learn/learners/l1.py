"""Stochastic descent on a ranking loss with a cumulative L1 penalty (Tsuruoka et al. 2009).

Pairs of candidates are sampled as in PRO.  The penalty leaves few features with a weight.
Native      core/learn/ranking.hpp
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rosewood import _core
from rosewood.learn.learner import Fit, Rounds, begin_with_spread
from rosewood.learn.pairs import compacted
from rosewood.learn.ranking import Ranking, ranking_units
from rosewood.learn.tuning_set import TuningSet
from rosewood.settings import setting
from rosewood.shared_types import Report


@dataclass(frozen=True)
class L1(Ranking):
    """Stochastic descent on a ranking loss with a cumulative L1 penalty: few weights are left."""

    penalty: float = setting(1e-4, "L1 penalty λ of mean loss + λ·Σ|θ|.", low=0)
    passes: int = setting(20, "Passes over the pairs.", low=1)
    rate: float = setting(0.01, "Initial step size.", low=1e-12)
    decay: float = setting(0.7, "Factor of the step size per pass.", low=0.01, high=1)
    loss: Literal["hinge", "logistic"] = setting("hinge", "Loss of a wrongly ranked pair.")

    def fit(
        self, tuning: TuningSet, start: ArrayLike, *, seed: int = 0, report: Report | None = None
    ) -> Fit:
        (theta, candidates, _, _), varies = begin_with_spread(tuning, start, self.k)
        units = ranking_units(varies, candidates.dense.shape[1])
        random = np.random.default_rng(seed)
        apart = self.feature_differences(tuning, candidates.scaled(units), random)
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


PLUGIN = L1
