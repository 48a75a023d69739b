"""Conditional likelihood: maximises the probability of the best candidates.

`entropy` regularises.
"""

from __future__ import annotations

from dataclasses import dataclass

from rosewood.arrays import FloatArray
from rosewood.learn.batches import OriginalBatches
from rosewood.learn.candidates import Candidates
from rosewood.learn.losses import check_linear, wanted_edges
from rosewood.learn.objective import Objective, Terms
from rosewood.learn.smooth import Smooth
from rosewood.learn.tuning_set import TuningSet
from rosewood.metrics.metric import Metric
from rosewood.settings import setting


@dataclass(frozen=True)
class Likelihood(Smooth):
    """The probability of the best candidates, as large as it gets; `entropy` regularises."""

    entropy: float = setting(0.0, "Penalty on entropy; a negative value is a reward.")

    def objective(
        self, tuning: TuningSet, candidates: Candidates, units: FloatArray
    ) -> tuple[Objective, tuple[str, ...]]:
        wanted = wanted_edges(tuning, candidates, max_edges=self.max_edges)
        batches = OriginalBatches(tuning.reader, tuning.slice_memory, wanted=wanted)
        objective = Objective(batches, units, l2=self.l2, threads=tuning.threads)
        return objective, ()

    def check_forests(self, metric: Metric) -> None:
        check_linear(metric)

    def stages_of(self, count: int) -> list[tuple[str, Terms]]:
        terms = Terms(log_loss=1.0 / count, entropy=self.entropy / count)
        return [("likelihood", terms)]


PLUGIN = Likelihood
