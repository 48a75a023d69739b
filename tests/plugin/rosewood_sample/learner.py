"""A learner in one file: random search around the starting weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rosewood.learn.learner import Fit, Learner, Rounds, begin
from rosewood.settings import setting


@dataclass(frozen=True)
class RandomSearch(Learner):
    """Random search around the starting weights."""

    tries: int = setting(20, "Random weight vectors that are tried.", low=1)
    spread: float = setting(0.5, "Standard deviation of the changes.", low=0)

    def fit(self, tuning, start, *, seed=0, report=None):
        theta, _, units, varies = begin(tuning, start, 100)
        random = np.random.default_rng(seed)
        best, most = theta, tuning.gain(theta) if theta.any() else -np.inf
        history = Rounds(report)
        for _ in range(self.tries):
            other = best + self.spread * random.normal(size=len(theta)) * units * varies
            if other.any() and (gain := tuning.gain(other)) > most:
                best, most = other, gain
            history.add(tuning.score(best))
        return Fit(best, tuning.score(best), history)
