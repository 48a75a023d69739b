"""Boosted trees on top of PRO (Toutanova & Ahn 2013): features that are learnt from features.

Weights are those of PRO; trees over the dense features then add to the score.  On n-best lists
trees see the features of whole candidates.  Some lists are held out to choose the number of trees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rosewood.learn.boost import BoostSettings, boost_trees
from rosewood.learn.boosted_set import check_names, with_trees
from rosewood.learn.learner import Fit, Learner
from rosewood.learn.learners.pro import Pro
from rosewood.learn.tuning_set import TuningSet
from rosewood.settings import setting
from rosewood.shared_types import Report

_FEW = 10  # lists of which none is held out


@dataclass(frozen=True)
class Boost(BoostSettings, Learner):
    """PRO, then trees."""

    makes_trees = True

    held_out: float = setting(
        0.25, "Share of lists that choose the number of trees.", low=0, high=0.9
    )

    def fit(
        self, tuning: TuningSet, start: ArrayLike, *, seed: int = 0, report: Report | None = None
    ) -> Fit:
        check_names(tuning.features.dense)
        linear = Pro(k=self.k, smoothing=self.smoothing, brevity=self.brevity)
        theta = linear.fit(tuning, start, seed=seed).theta
        rest, select, notes = tuning, None, tuple[str, ...]()
        out = round(self.held_out * len(tuning))
        if out and len(tuning) >= _FEW:
            order = np.random.default_rng([seed, 1]).permutation(len(tuning))
            rest, select = (tuning.subset(np.sort(part)) for part in (order[out:], order[:out]))
        elif self.held_out:
            notes = (f"{len(tuning)} lists are too few to choose the number of trees by",)
        found = boost_trees(rest, theta, self, select=select, seed=seed, report=report)
        boosted, weights = with_trees(tuning, theta, found.trees)
        score = boosted.score(weights)
        return Fit(theta, score, found.history[1:], notes=notes, trees=found.trees)


PLUGIN = Boost
