"""Base of learners that rank pairs of candidates: how pairs are sampled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.learn.candidates import Candidates
from rosewood.learn.learner import Learner
from rosewood.learn.pairs import differences, gain_unit, sample_pairs
from rosewood.learn.tuning_set import TuningSet
from rosewood.metrics.metric import Metric
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
        gains = self._gains(tuning.metric, candidates.statistics)
        pairs = sample_pairs(
            candidates,
            gains,
            samples=self.samples,
            keep=self.keep,
            threshold=self.threshold * gain_unit(gains, candidates.start, tuning.metric.name),
            random=random,
        )
        return differences(candidates, pairs)

    def _gains(self, metric: Metric, statistics: FloatArray) -> FloatArray:
        """The metric of each candidate by itself.

        Add-one smoothing of n-gram counts alone favours short candidates: their precision gains
        more than the brevity penalty takes (Nakov et al. 2012).  So the reference is longer, too.
        """
        if metric.name == "bleu" and self.brevity:
            statistics = statistics.copy()
            statistics[:, metric.columns.index("reference_words")] += self.brevity
        return metric.sentence_gains(statistics, smoothing=self.smoothing)


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
