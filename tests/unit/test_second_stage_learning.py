"""How a second stage is learnt: what is penalised, who chooses how much n-grams count."""

from __future__ import annotations

import numpy as np
import pytest
from tests.lists import counting

from rosewood.forest import ForestSet, NgramFeatures
from rosewood.learn import TuningSet
from rosewood.learn import second_stage as learning
from rosewood.learn.learner import Fit
from rosewood.learn.second_stage import (
    FACTORS,
    HELD_OUT,
    ScoredForest,
    SecondStageSettings,
    hold_out,
    learn_second_stage,
    write_second_forests,
)
from rosewood.metrics import parse_metric

BLEU = parse_metric("bleu:tokenize=none")
COUNT = 50
SETTINGS = SecondStageSettings(min_count=2, iterations=10)


@pytest.fixture(scope="module")
def case(tmp_path_factory) -> tuple[TuningSet, NgramFeatures]:
    made = [counting(number) for number in range(COUNT)]
    features = NgramFeatures.count((text for _, text in made), min_count=2)
    path = tmp_path_factory.mktemp("learning") / "second.rwf"
    forests = [
        ScoredForest(forest, forest.score([0.5]), {"id": str(number), "refs": [text]})
        for number, (forest, text) in enumerate(made)
    ]
    write_second_forests(path, forests, features, SETTINGS)
    return TuningSet(ForestSet(path), BLEU), features


def largest(case, l2: float) -> float:
    """The largest weight of an n-gram beside the first stage's, which is 1."""
    tuning, features = case
    settings = SecondStageSettings(min_count=2, iterations=30, l2=l2)
    return float(np.abs(learn_second_stage(tuning, features, settings).second.weights).max())


def test_a_stronger_penalty_brings_the_first_stage_nearer(case):
    """If its own weight shrank, too, n-grams would count more."""
    sizes = [largest(case, l2) for l2 in (0.1, 1.0, 10.0, 1000.0)]
    assert sizes == sorted(sizes, reverse=True)
    assert 0 < sizes[-1] < 0.01 * sizes[0]


def test_held_out_forests_are_not_learnt_from(case, monkeypatch):
    tuning, features = case
    learnt, seen = learn_second_stage, []

    def watched(part, *given, **more):
        seen.append(part.names)
        return learnt(part, *given, **more)

    monkeypatch.setattr(learning, "learn_second_stage", watched)
    found = hold_out(tuning, features, SETTINGS)
    (names,) = seen
    held = [tuning.names[i] for i in range(COUNT) if i % HELD_OUT == HELD_OUT - 1]
    assert sorted([*names, *held]) == sorted(tuning.names)
    assert list(found.scores) == list(FACTORS)
    assert found.scores[found.factor] == max(found.scores.values())
    rows = tuning.subset([tuning.names.index(name) for name in held])
    first = features.theta(1.0, np.zeros(len(features)))
    assert found.scores[0.0] == rows.score(first)


def test_weights_that_are_left_over_by_rounding_are_zero(case, monkeypatch):
    """An n-gram that all translations of a sentence have changes nothing but the last bits."""
    tuning, features = case
    found = np.array([2.0, 1.0, -1e-6, *np.full(len(features) - 2, 1e-17)])

    class Rounded:
        def fit(self, tuning, start, *, report):
            return Fit(found, 0.0, [])

    monkeypatch.setattr(SecondStageSettings, "learner", lambda self: Rounded())
    weights = learn_second_stage(tuning, features, SETTINGS).second.weights
    assert weights.tolist() == [0.5, -5e-7, *[0.0] * (len(features) - 2)]
