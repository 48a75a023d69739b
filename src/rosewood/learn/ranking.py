"""Base of learners that rank pairs of candidates: how pairs are sampled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.learn.candidates import Candidates
from rosewood.learn.learner import Learner
from rosewood.learn.pairs import differences, gain_unit, ranking_gains, sample_pairs
from rosewood.learn.tuning_set import TuningSet
from rosewood.settings import setting


@dataclass(frozen=True)
class Ranking(Learner):
    """What learners from pairs share: how pairs are sampled."""

    samples: int = setting(5000, "Pairs sampled from each list, Γ.", low=1)
    keep: int = setting(50, "Pairs kept of each list, Ξ.", low=1)
    threshold: float = setting(0.05, "Minimum difference in the metric (of 1), α.", low=0)
    smoothing: float = setting(1.0, "Added to the n-gram counts of sentence BLEU.", low=0)
    brevity: float = setting(
        1.0, "Added to the reference length in sentence BLEU; 0 makes translations short.", low=0
    )
    k: int = setting(100, "Strings of a forest from which pairs are sampled.", low=2)

    def feature_differences(
        self, tuning: TuningSet, candidates: Candidates, random: np.random.Generator
    ) -> Candidates:
        """Feature differences of sampled pairs."""
        gains = ranking_gains(
            tuning.metric, candidates.statistics, smoothing=self.smoothing, brevity=self.brevity
        )
        pairs = sample_pairs(
            candidates,
            gains,
            samples=self.samples,
            keep=self.keep,
            threshold=self.threshold * gain_unit(gains, candidates.start, tuning.metric.name),
            random=random,
        )
        return differences(candidates, pairs)


def ranking_units(varies: FloatArray, dense: int) -> FloatArray:
    """What weights are worth, from how much each feature varies.

    All sparse features have the unit of the one that varies most.  With units of their own, a
    penalty would be weakest for the rarest features, of which least is known.
    """
    scale = varies.copy()
    largest = float(varies[dense:].max(initial=0.0))
    if largest > 0:
        scale[dense:] = largest
    return 1.0 / np.where(scale > 0, scale, 1.0)
