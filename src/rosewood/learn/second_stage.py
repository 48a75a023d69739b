"""Learning a second stage: n-gram features of whole strings, by minimum risk on forests.

    features = NgramFeatures.count(references, order=2, min_count=5)
    write_second_forests("train.rwf", forests, features, settings)
    tuning = TuningSet(ForestSet("train.rwf"), metric)
    chosen = hold_out(tuning, features, settings)       # how much n-grams should count
    learnt = learn_second_stage(tuning, features, settings)
    learnt.second.scaled(chosen.factor).best(forest, score)

Forests are those of training sentences, with the score of a tuned first model as one feature and
tens of thousands of n-grams as the others (Li & Eisner 2009, section 7.4.3).  Only n-grams are
penalised: the stronger the penalty, the nearer is the first model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.corpus import Vocabulary
from rosewood.errors import ForestError, TuningError
from rosewood.forest import (
    FeatureSpace,
    Forest,
    ForestSet,
    ForestSetWriter,
    NgramFeatures,
    SecondStage,
    prune,
)
from rosewood.learn.candidates import Candidates
from rosewood.learn.learners.mr import MinimumRisk
from rosewood.learn.objective import Objective
from rosewood.learn.tuning_set import TuningSet
from rosewood.metrics.metric import Metric
from rosewood.settings import Settings, setting
from rosewood.shared_types import PathName, Report
from rosewood.threads import in_order

FACTORS = (0.0, 0.25, 0.5, 0.75, 1.0)  # of n-gram weights, of which held-out forests choose one
_DUST = 1e-9  # of the largest weight: what is less was left over by rounding
HELD_OUT = 5  # one forest in so many
_BLOCK = 256  # forests that are lost at most when writing is interrupted


@dataclass(frozen=True)
class _FreeFirstStage(MinimumRisk):
    """Minimum risk with a penalty on all weights but the first."""

    def objective(
        self, tuning: TuningSet, candidates: Candidates, units: FloatArray
    ) -> tuple[Objective, tuple[str, ...]]:
        objective, notes = super().objective(tuning, candidates, units)
        penalty = np.full(len(units), self.l2)
        penalty[0] = 0.0
        return objective.with_penalty(penalty), notes


@dataclass(frozen=True)
class SecondStageSettings(Settings):
    """How a second stage is learnt and used."""

    error = TuningError

    order: int = setting(2, "Words of the longest n-grams.", low=1, high=4)
    min_count: int = setting(
        5, "Occurrences that an n-gram must have in the references of the training forests.", low=1
    )
    most: int | None = setting(50_000, "Maximum n-grams; the most frequent ones are taken.", low=1)
    edges_per_word: float = setting(
        50.0, "Maximum edges of a forest for each word of its best translation.", low=1
    )
    l2: float = setting(
        0.1, "L2 penalty on weights of n-grams, in units of the features' spread.", low=0
    )
    iterations: int = setting(30, "Maximum L-BFGS iterations.", low=1)
    scale: float = setting(1.0, "Scale γ of the distribution over translations.", low=1e-9)
    max_edges: int = setting(
        10_000_000, "Maximum edges of a forest refined to n-gram states.", low=1
    )

    def learner(self) -> MinimumRisk:
        """What finds the weights."""
        return _FreeFirstStage(
            loss="linear", l2=self.l2, iterations=self.iterations, scale=self.scale,
            max_edges=self.max_edges,
        )  # fmt: skip


class ScoredForest(NamedTuple):
    """A forest, the first model's score of each of its edges, and facts such as its references."""

    forest: Forest
    score: FloatArray
    info: Mapping[str, Any]


class LearntStage(NamedTuple):
    """A second stage, and how it was found."""

    second: SecondStage
    history: list[dict[str, Any]]
    notes: tuple[str, ...]


def write_second_forests(
    path: PathName,
    forests: Iterable[ScoredForest],
    features: NgramFeatures,
    settings: SecondStageSettings,
    *,
    threads: int = 1,
) -> None:
    """Write forests with the score of the first stage and n-grams as features.

    They are added to the file, if there is one, some hundred at a time: what is in it when writing
    is interrupted stays (`next_forest`).
    """
    convert = partial(_converted, features=features, space=features.space(), settings=settings)
    made = iter(in_order(convert, forests, threads=threads))
    for first in made:
        with _writer(Path(path), features) as writer:
            for forest, info in chain([first], islice(made, _BLOCK - 1)):
                writer.append(forest, info)
    if not Path(path).exists():
        _writer(Path(path), features).close()


def next_forest(path: PathName) -> int:
    """The number (the `id`) after that of the last forest that was written; 0 without a file."""
    if not Path(path).exists():
        return 0
    with closing(ForestSet(path)) as forests:
        return int(forests.info(-1)["id"]) + 1 if len(forests) else 0


def _writer(path: Path, features: NgramFeatures) -> ForestSetWriter:
    if path.exists():
        return ForestSetWriter(path, mode="append")
    return ForestSetWriter(path, features=features.space(), vocabulary=Vocabulary())


def _converted(
    each: ScoredForest,
    *,
    features: NgramFeatures,
    space: FeatureSpace,
    settings: SecondStageSettings,
) -> tuple[Forest, Mapping[str, Any]]:
    small = prune(each.forest, each.score, density=settings.edges_per_word, bare=True)
    score = each.score[small.edge_map]
    try:
        made = features.add_to(small.forest, score, space=space, max_edges=settings.max_edges)
    except ForestError as error:
        raise error.restated(f"forest {each.info.get('id')!r}: {error}", TuningError) from error
    return made, each.info


def learn_second_stage(
    tuning: TuningSet,
    features: NgramFeatures,
    settings: SecondStageSettings | None = None,
    *,
    report: Report | None = None,
) -> LearntStage:
    """Weights of n-grams that make the risk of a set of forests small.

    The set has the features of `features.space()`.  Where the score of the first stage gets no
    weight above zero, n-grams get none either, and a note says so.
    """
    chosen = settings or SecondStageSettings()
    if tuning.features != features.space():
        reason = "the forests have other features than the first stage's score and these n-grams"
        raise TuningError(reason, code="tuning.other-features", argument="tuning")
    start = features.theta(1.0, np.zeros(len(features)))
    fit = chosen.learner().fit(tuning, start, report=report)
    notes = fit.notes
    weights: FloatArray = np.zeros(len(features))
    if fit.theta[0] > 0:
        weights = fit.theta[1:] / fit.theta[0]
        weights[np.abs(weights) < _DUST * np.abs(weights).max(initial=0.0)] = 0.0
    else:
        notes += ("the score of the first stage lost its weight: n-grams get none",)
    facts = {"forests": len(tuning), "settings": dict(vars(chosen))}
    return LearntStage(
        SecondStage(features, weights, chosen.edges_per_word, facts), fit.history, notes
    )


class ChosenFactor(NamedTuple):
    """The factor of n-gram weights that is best on held-out forests, and the scores of all."""

    factor: float
    scores: dict[float, float]

    @classmethod
    def best_of(cls, scores: dict[float, float], metric: Metric) -> ChosenFactor:
        """Among equals the smallest factor."""
        best = max(scores, key=lambda factor: (metric.sign * scores[factor], -factor))
        return cls(best, scores)


def hold_out(
    tuning: TuningSet,
    features: NgramFeatures,
    settings: SecondStageSettings | None = None,
    *,
    report: Report | None = None,
) -> ChosenFactor:
    """How much n-grams should count, by the metric on every fifth forest, with weights that are
    learnt from the others.

    A development set that the first model was tuned on would not do: any change of the first
    model makes its score there worse.
    """
    out = range(HELD_OUT - 1, len(tuning), HELD_OUT)
    if not len(out):
        reason = f"{len(tuning)} forests, expected at least {HELD_OUT}: one in so many is held out"
        raise TuningError(reason, code="tuning.few-lists", argument="tuning", value=len(tuning))
    rest = sorted(set(range(len(tuning))) - set(out))
    learnt = learn_second_stage(tuning.subset(rest), features, settings, report=report)
    held = tuning.subset(out)
    weights = learnt.second.weights
    scores = {each: held.score(features.theta(1.0, each * weights)) for each in FACTORS}
    return ChosenFactor.best_of(scores, tuning.metric)


def choose_factor(
    second: SecondStage,
    forests: Iterable[tuple[Forest, FloatArray]],
    metric: Metric,
    references: Sequence[Sequence[str]],
    factors: Sequence[float] = FACTORS,
    *,
    threads: int = 1,
) -> ChosenFactor:
    """How much n-grams should count, by the metric on held-out forests, each with the score of its
    edges; among equals the smallest factor.  A forest without derivations has the empty text."""

    def texts_of(job: tuple[int, tuple[Forest, FloatArray]]) -> list[str]:
        number, (forest, score) = job
        if forest.is_empty:
            return [""] * len(factors)
        try:
            made = second.rescore(forest, score)
        except ForestError as error:
            raise error.restated(f"held-out forest {number}: {error}", TuningError) from error
        before, best = score[made.edge_map], made.refined.forest.best
        return [best(before + factor * made.ngrams).text for factor in factors]

    texts = list(in_order(texts_of, enumerate(forests), threads=threads))
    scores = {}
    for place, factor in enumerate(factors):
        rows = metric.statistics_many([[each[place]] for each in texts], references)
        scores[factor] = float(metric.score(rows))
    return ChosenFactor.best_of(scores, metric)
