"""Batch MIRA (Cherry & Foster 2012), on lists and on forests.

Sentence by sentence, the *hope* (what the model and the metric both like) and the *fear* (what the
model likes and the metric does not) are pulled apart until the model's margin between them is their
difference in the metric, but never by more than a step C.  The metric of one sentence is that of a
decayed pseudo-corpus with it.  The result is the average over steps at the best pass.
Hope and fear are sought among all candidates of an n-best list; in a forest among its k best
strings, or (`search="forest"`) among all it can say, by its linear gain.
Native      core/learn/mira.hpp
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rosewood import _core
from rosewood.forest.arrays import FloatArray, as_weight
from rosewood.learn.candidates import Candidates, spread
from rosewood.learn.learner import Fit, Learner, Report, setting
from rosewood.learn.tuning_set import TuningSet

__all__ = ["Mira"]


@dataclass(frozen=True)
class Mira(Learner):
    """Margins between hope and fear, in small steps, averaged."""

    name: ClassVar[str] = "mira"

    passes: int = setting(60, "passes over the sentences", low=1)
    step: float = setting(0.003, "the largest step, C", low=1e-12)
    decay: float = setting(0.999, "decay of the pseudo-corpus at each sentence", low=0, high=1)
    margin: float = setting(1.0, "how much a difference in the metric counts", low=0)
    k: int = setting(100, "strings of a forest among which hope and fear are sought", low=2)

    def fit(
        self, tuning: TuningSet, start: ArrayLike, *, seed: int = 0, report: Report | None = None
    ) -> Fit:
        theta = as_weight("start", start, len(tuning.features))
        candidates = tuning.candidates(theta, self.k)
        scale = 1.0 / spread(candidates)
        return self._fit(tuning, candidates.scaled(scale), theta, scale, seed, report)

    def _fit(
        self,
        tuning: TuningSet,
        candidates: Candidates,
        start: FloatArray,
        scale: FloatArray,
        seed: int,
        report: Report | None,
    ) -> Fit:
        metric = tuning.metric
        random = np.random.default_rng(seed)
        current = np.ascontiguousarray(start / scale)
        drift = np.zeros_like(current)
        background = candidates.statistics.mean(axis=0)
        gain_scale = self.margin / _typical_gain(tuning, candidates, background)
        best, best_gain = start, -np.inf
        history: list[dict[str, Any]] = []
        for number in range(1, self.passes + 1):
            steps = (number - 1) * len(candidates)
            moved = _core.mira_pass(
                candidates.start,
                candidates.view,
                candidates.statistics,
                metric.scorer,
                random.permutation(len(candidates)),
                (self.step, self.decay, gain_scale),
                current,
                drift,
                background,
                steps,
            )
            average = current - drift / (steps + len(candidates) + 1)
            gain = metric.sign * metric.score(candidates.statistics[candidates.best(average)])
            if gain > best_gain:
                best, best_gain = scale * average, gain
            row = {"round": number, "score": metric.sign * gain, "moved": moved}
            history.append(row)
            if report is not None:
                report(row)
            if moved == 0:
                break
        return Fit(best, tuning.score(best), history)


def _typical_gain(tuning: TuningSet, candidates: Candidates, background: FloatArray) -> float:
    """How much gains (times size, as the kernel takes them) differ within lists: their unit."""
    size = candidates.statistics[:, 1]
    gains = tuning.metric.sentence_gains(candidates.statistics) * size
    counts = np.diff(candidates.start)
    means = np.add.reduceat(gains, candidates.start[:-1]) / counts
    deviation = float(np.sqrt(((gains - np.repeat(means, counts)) ** 2).mean()))
    return deviation if deviation > 0 else 1.0
