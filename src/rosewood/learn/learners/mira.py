"""Batch MIRA (Cherry & Foster 2012), on lists and on forests.

Sentence by sentence, the *hope* (what the model and the metric both like) and the *fear* (what the
model likes and the metric does not) are pulled apart until the model's margin between them is their
difference in the metric, but never by more than a step C.  The metric of one sentence is that of a
decayed pseudo-corpus with it.  The result is the average over steps at the best pass.
Hope and fear are sought among all candidates of an n-best list; in a forest among its k best
strings (`search="k-best"`), or among all it can say (`search="forest"`, by linear BLEU).
Native      core/learn/mira.hpp
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from rosewood import _core
from rosewood.arrays import FloatArray, LongArray
from rosewood.forest import Derivations
from rosewood.learn.batches import TuningBatch
from rosewood.learn.candidates import Candidates, spread_within
from rosewood.learn.learner import Fit, Learner, Rounds, begin
from rosewood.learn.losses import fit_linear
from rosewood.learn.refined import RefinedBatches
from rosewood.learn.tuning_set import TuningSet
from rosewood.metrics import Bleu
from rosewood.settings import setting
from rosewood.shared_types import Report


@dataclass(frozen=True)
class Mira(Learner):
    """Margins between hope and fear, in small steps, averaged."""

    takes_forests: ClassVar[bool] = True

    passes: int = setting(60, "Passes over the sentences.", low=1)
    step: float = setting(0.003, "Maximum step size, C.", low=1e-12)
    decay: float = setting(0.999, "Decay of the pseudo-corpus at each sentence.", low=0, high=1)
    margin: float = setting(1.0, "Weight of a difference in the metric.", low=0)
    search: Literal["auto", "k-best", "forest"] = setting(
        "auto", "Where to search hope and fear; auto: forests for BLEU."
    )
    k: int = setting(100, "Strings of a forest in which to search hope and fear.", low=2)
    max_edges: int = setting(
        10_000_000, "Maximum edges of a forest refined to n-gram states.", low=1
    )

    def fit(
        self, tuning: TuningSet, start: ArrayLike, *, seed: int = 0, report: Report | None = None
    ) -> Fit:
        whole = not tuning.is_flat and (
            self.search == "forest"
            or (self.search == "auto" and isinstance(tuning.metric, Bleu))
        )  # fmt: skip
        theta, candidates, units, _ = begin(tuning, start, self.k, is_sample=whole)
        x = theta / units
        length = float(np.sqrt((x**2).sum()))
        state = _State(
            # Steps are small beside gains: only the direction of a start counts, or a long one
            # would stay what it was.
            theta=np.ascontiguousarray(x / length if length > 0 else x),
            drift=np.zeros(len(theta)),
            background=candidates.statistics.mean(axis=0),
            gain_scale=self.margin / _typical_gain(tuning, candidates),
        )
        run: _ListPass | _ForestPass
        if whole:
            run = _ForestPass(self, tuning, candidates, units)
        else:
            run = _ListPass(self, tuning, candidates.scaled(units))
        return self._average(tuning, run, state, units, seed, report)

    def _average(
        self,
        tuning: TuningSet,
        run: _ListPass | _ForestPass,
        state: _State,
        units: FloatArray,
        seed: int,
        report: Report | None,
    ) -> Fit:
        """Passes in random order; the average over all steps so far, where it is best."""
        metric = tuning.metric
        random = np.random.default_rng(seed)
        best, best_gain = units * state.theta, -np.inf
        history = Rounds(report)
        for _ in range(self.passes):
            moved = run(state, random.permutation(len(tuning)).astype(np.int64))
            average = state.theta - state.drift / (state.steps + 1)
            gain = metric.sign * run.score(average)
            if gain > best_gain:
                best, best_gain = units * average, gain
            history.add(metric.sign * gain, moved=moved)
            if moved == 0:
                break
        return Fit(best, tuning.score(best), history, units)


@dataclass
class _State:
    """What steps change; weights are in units of the features' spread."""

    theta: FloatArray
    drift: FloatArray  # Σ t·change at step t: the average without touching every weight
    background: FloatArray  # statistics of the pseudo-corpus
    gain_scale: float
    steps: int = 0


class _ListPass:
    """Hope and fear among the candidates of lists."""

    def __init__(self, settings: Mira, tuning: TuningSet, candidates: Candidates) -> None:
        self.settings, self.metric, self.candidates = settings, tuning.metric, candidates

    def __call__(self, state: _State, order: LongArray) -> int:
        moved = _core.mira_pass(
            self.candidates.start,
            self.candidates.view,
            self.candidates.statistics,
            self.metric.scorer,
            order,
            (self.settings.step, self.settings.decay, state.gain_scale),
            state.theta,
            state.drift,
            state.background,
            state.steps,
        )
        state.steps += len(order)
        return moved

    def score(self, theta: FloatArray) -> float:
        return self.metric.score(self.candidates.statistics[self.candidates.best(theta)])


class _ForestPass:
    """Hope and fear among all that forests can say: best derivations of the model's score plus or
    less linear BLEU.  Their difference in the metric is that of their strings, exactly.

    A step costs what its forest has, whatever the length of θ.
    """

    def __init__(
        self, settings: Mira, tuning: TuningSet, candidates: Candidates, units: FloatArray
    ) -> None:
        self.settings, self.tuning, self.units = settings, tuning, units
        size = candidates.statistics[:, 1].sum() / len(candidates.statistics)
        # Linear BLEU is of the whole set's size; gains are of a sentence's.
        scale = tuning.metric.score(candidates.statistics) * size * len(tuning)
        linear = fit_linear(tuning, candidates)
        self.batches = RefinedBatches(tuning, linear, settings.max_edges, factor=-scale)

    def __call__(self, state: _State, order: LongArray) -> int:
        moved = 0
        weights = self.units * state.theta
        for part in self.batches.cut(order):
            batch, places = self.batches.load(order[part])
            for number, place in zip(order[part].tolist(), places.tolist(), strict=True):
                moved += self._visit(state, weights, batch, number, place)
        return moved

    def _visit(
        self, state: _State, weights: FloatArray, batch: TuningBatch, number: int, place: int
    ) -> bool:
        """A step; `weights` are units·θ, and stay so."""
        forest = self.tuning.reader[number]
        gain = batch.loss[batch.edge_start[place] : batch.edge_start[place + 1]]
        hope, fear = _core.hope_and_fear(batch.native, place, weights, gain, state.gain_scale)
        texts = Derivations(
            forest,
            np.array([0, len(hope), len(hope) + len(fear)]),
            np.concatenate([hope, fear]),
            np.empty(2),
        ).texts()
        rows = self.tuning.statistics_of_texts(number, texts)
        sums = state.background + rows
        gains = state.gain_scale * self.tuning.metric.gains(sums) * sums[:, 1]
        state.background = self.settings.decay * state.background + rows[0]
        state.steps += 1
        ids, apart = _core.feature_difference(forest.feature_view, hope, fear)
        apart = self.units[ids] * apart
        loss = float(gains[0] - gains[1] - state.theta[ids] @ apart)
        norm = float(apart @ apart)
        if loss <= 0.0 or norm == 0.0:
            return False
        change = min(self.settings.step, loss / norm) * apart
        state.theta[ids] += change
        state.drift[ids] += state.steps * change
        weights[ids] = self.units[ids] * state.theta[ids]
        return True

    def score(self, theta: FloatArray) -> float:
        return self.tuning.score(self.units * theta)


def _typical_gain(tuning: TuningSet, candidates: Candidates) -> float:
    """How much gains (times size, as they are compared) differ within lists: their unit."""
    gains = tuning.metric.sentence_gains(candidates.statistics) * candidates.statistics[:, 1]
    return spread_within(gains, candidates.start)


PLUGIN = Mira
