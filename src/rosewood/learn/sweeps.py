"""Choosing a learner's settings: fit with each, judge on another split, keep the best.

    found = sweep("mira", {"step": [0.001, 0.01]}, tuning, devtest)
    found.best.settings

Trials run side by side; each is known by its settings and seed, is recorded as soon as it is done,
and is not done twice.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from rosewood.errors import TuningError
from rosewood.journal import Journal, fingerprint
from rosewood.learn.boosted_set import with_trees
from rosewood.learn.learner import check_weights
from rosewood.learn.parallel import side_by_side
from rosewood.learn.registry import make_learner
from rosewood.learn.training_set import TrainingSet
from rosewood.learn.tuning_set import TuningSet
from rosewood.model import shared_features
from rosewood.shared_types import Report


@dataclass(frozen=True)
class Uniform:
    """A range to draw from, evenly or evenly in its logarithm."""

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high):
            reason = f"expected a range from a number to a larger one, not {self}"
            raise TuningError(reason, code="argument.range", argument="high", value=self.high)
        if self.log and self.low <= 0:
            reason = f"a logarithmic range begins above 0, not at {self.low}"
            raise TuningError(reason, code="argument.range", argument="low", value=self.low)

    def draw(self, random: np.random.Generator, whole: bool = False) -> float:
        if self.log:
            value = math.exp(random.uniform(math.log(self.low), math.log(self.high)))
        else:
            value = random.uniform(self.low, self.high)
        if whole:
            return round(value)
        return min(max(float(f"{value:.4g}"), self.low), self.high)  # digits that people read


Choices = Sequence[Any] | Uniform


@dataclass(frozen=True)
class Trial:
    """Settings and their result; `error` is the reason where there is none."""

    settings: dict[str, Any]
    score: float | None  # on the split that chooses
    tuned: float | None  # on the split that was tuned on
    error: str | None = None


@dataclass(frozen=True)
class Sweep:
    """All trials, in the order they were asked for."""

    method: str
    metric: str
    higher_is_better: bool
    trials: list[Trial]
    best: Trial

    @property
    def ranked(self) -> list[Trial]:
        """The trials, the best first, those that failed last; among equals the first."""
        sign = -1.0 if self.higher_is_better else 1.0

        def rank(trial: Trial) -> float:
            return math.inf if trial.score is None else sign * trial.score

        return sorted(self.trials, key=rank)


def grid(choices: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Every combination of settings."""
    for name, values in choices.items():
        if isinstance(values, str) or not isinstance(values, Sequence) or not len(values):
            reason = f"a grid needs a list of values for {name!r}"
            raise TuningError(reason, code="argument.type", argument=name, value=values)
    return [dict(zip(choices, each, strict=True)) for each in itertools.product(*choices.values())]


def random_settings(
    method: str, choices: Mapping[str, Choices], trials: int, seed: int
) -> list[dict[str, Any]]:
    """Settings drawn from lists and ranges; trial i is the same however many follow it."""
    kinds = {each.name: type(each.default) for each in fields(make_learner(method))}
    drawn = []
    for number in range(trials):
        random = np.random.default_rng([seed, number])
        settings: dict[str, Any] = {}
        for name, values in choices.items():
            if isinstance(values, Uniform):
                settings[name] = values.draw(random, whole=kinds.get(name) is int)
            else:
                settings[name] = values[int(random.integers(len(values)))]
        drawn.append(settings)
    return drawn


def every_settings(
    method: str, choices: Mapping[str, Choices], *, trials: int | None = None, seed: int = 0
) -> list[dict[str, Any]]:
    """All settings that are to be tried, checked, strings read as what the setting is."""
    if trials is None:
        asked = grid({name: _listed(name, values) for name, values in choices.items()})
    else:
        asked = random_settings(method, choices, trials, seed)
    read = []
    for settings in asked:
        learner = make_learner(method, settings)
        read.append({name: getattr(learner, name) for name in settings})
    return read


def sweep(
    method: str,
    choices: Mapping[str, Choices],
    tuning: TuningSet,
    select: TuningSet,
    *,
    trials: int | None = None,
    start: Mapping[str, float] | None = None,
    training: TrainingSet | None = None,
    seed: int = 0,
    workers: int = 1,
    journal: Journal | None = None,
    step: Callable[[Trial], None] | None = None,
) -> Sweep:
    """Fit on `tuning` with each settings, judge on `select`: a grid, or `trials` random draws.

    `training` is a larger set for learners that use training data, too.
    """
    shared = shared_features(
        tuning.features, select.features, other_name="the candidates that choose"
    )
    every = every_settings(method, choices, trials=trials, seed=seed)
    record = Journal() if journal is None else journal
    theta = tuning.features.vector({} if start is None else dict(start))
    data = fingerprint(tuning.identity(), select.identity(), theta.tobytes())
    if training is not None:
        data = fingerprint(data, training.tuning.identity())

    def run(settings: dict[str, Any], report: Report) -> Trial:
        learner = make_learner(method, settings)

        def work() -> dict[str, Any]:
            told = {"method": method, "settings": settings, "seed": seed}
            try:
                chosen = learner if training is None else learner.with_training(training, seed=seed)
                fit = chosen.fit(tuning, theta, seed=seed, report=report)
                check_weights(fit.theta, tuning.features, fit.units)
            except TuningError as error:
                return {**told, "score": None, "tuned": None, "error": str(error)}
            judging, weights = with_trees(select, shared(fit.theta), fit.trees)
            score = judging.score(weights)
            return {**told, "score": score, "tuned": fit.score, "error": None}

        done = record.done(fingerprint("sweep", method, asdict(learner), seed, data), work)
        return Trial(settings, done["score"], done["tuned"], done["error"])

    done = side_by_side(run, every, workers=workers, step=step)
    good = [trial for trial in done if trial.score is not None]
    if not good:
        reason = done[0].error if done else "there was none"
        raise TuningError(f"all trials failed: {reason}", code="tuning.no-trials")
    metric = tuning.metric
    best = max(good, key=lambda trial: metric.sign * (trial.score or 0.0))
    return Sweep(method, metric.title, metric.higher_is_better, done, best)


def _listed(name: str, values: Choices) -> Sequence[Any]:
    if isinstance(values, Uniform):
        reason = f"{name} is a range: expected trials, the number of settings to draw"
        raise TuningError(reason, code="argument.missing", argument="trials")
    return values
