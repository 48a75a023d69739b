"""A larger tuning set beside the one that weights are tuned on.

space, places = dev.features.joined(train.features)     # dev is then opened in this space
training = TrainingSet(TuningSet(train, metric), places)
learner = Oscar().with_training(training, seed=1)        # groups from the larger set
learner.fit(TuningSet(dev, metric), start)               # weights from the smaller one
"""

from __future__ import annotations

from dataclasses import fields
from threading import Lock
from typing import Any

import numpy as np

from rosewood.arrays import IdArray
from rosewood.learn.candidates import Candidates
from rosewood.learn.ranking import Ranking
from rosewood.learn.tuning_set import TuningSet


class TrainingSet:
    """Lists that are many, and where their sparse features are among those that are tuned."""

    def __init__(self, tuning: TuningSet, places: IdArray) -> None:
        self.tuning, self.places = tuning, places
        self._pairs: dict[Any, Candidates] = {}
        self._lock = Lock()

    def pairs(self, ranking: Ranking, seed: int) -> Candidates:
        """Feature differences of pairs, sampled once for all learners that sample alike."""
        key = (seed, *(getattr(ranking, each.name) for each in fields(Ranking)))
        with self._lock:
            if key not in self._pairs:
                theta = np.zeros(len(self.tuning.features))
                candidates = self.tuning.candidates(theta, ranking.k)
                random = np.random.default_rng([seed, 0])
                self._pairs[key] = ranking.feature_differences(self.tuning, candidates, random)
            return self._pairs[key]
