"""The second stage on forests: scores, files."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.second_stage import rescored
from tests.refusals import refuses
from tests.strategies import forests, quarters
from tests.unit.test_ngram_features import ngrams

from rosewood.errors import DamagedFileError, ForestError
from rosewood.forest import NgramFeatures, SecondStage, parse_forest


@st.composite
def second_stages(draw):
    chosen = draw(ngrams)
    values = draw(st.lists(quarters, min_size=len(chosen), max_size=len(chosen)))
    return SecondStage(NgramFeatures(chosen), np.array(values, np.float64), edges_per_word=1000)


@given(forests(), second_stages(), st.integers(0, 100))
def test_the_best_derivation_is_the_best_of_all(forest, second, seed):
    score = np.random.default_rng(seed).integers(-12, 12, forest.num_edges) / 4
    weights = dict(zip(second.features.ngrams, second.weights.tolist(), strict=True))
    every = rescored(forest, score.tolist(), weights)
    best = second.best(forest, score)
    assert best.score == max(every.values())
    assert best.score == every[tuple(best.edges.tolist())]
    made = second.rescore(forest, score)
    assert made.refined.forest.num_derivations() == forest.num_derivations()
    assert sorted(d.score for d in made.refined.forest.k_best(made.total, 100)) == pytest.approx(
        sorted(every.values())
    )


def test_bad_edges_are_dropped_first():
    forest = parse_forest("".join(f"0 <- ||| word{n}\n" for n in range(9)))
    score = -np.arange(9.0)
    features, weights = NgramFeatures([("word3",), ("word8",)]), np.array([50.0, 100.0])
    for edges, text in ((1, "word0"), (4, "word3"), (8, "word3"), (9, "word8")):
        second = SecondStage(features, weights, edges_per_word=edges)
        assert second.best(forest, score).text == text
    assert second.scaled(0.05).best(forest, score).text == "word0"


def test_files(tmp_path):
    second = SecondStage(
        NgramFeatures([("a", "b"), ("2019",), ("c",)]), np.array([0.5, -1.25, 0.0]), 20.0, {"k": 1}
    )
    path = tmp_path / "second.json"
    second.save(path)
    again = SecondStage.load(path)
    assert again.features.ngrams == (("a", "b"), ("2019",))  # the third has no weight
    assert again.weights.tolist() == [0.5, -1.25]
    assert (again.edges_per_word, again.facts) == (20.0, {"k": 1})
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"format": "x"}, "file.kind"),
        ({"version": 2}, "file.version"),
        ({"weights": {"a": None}}, "file.damaged"),
        ({"weights": {"a": 1e999}}, "file.damaged"),
        ({"weights": {"a": True}}, "file.damaged"),
        ({"weights": {"a  b": 1.0}}, "file.damaged"),
        ({"weights": []}, "file.damaged"),
        ({"edges_per_word": 0}, "file.damaged"),
        ({"facts": None}, "file.damaged"),
    ],
)
def test_damaged_files(tmp_path, change, code):
    second = SecondStage(NgramFeatures([("a",)]), np.array([0.5]))
    path = tmp_path / "second.json"
    path.write_text(json.dumps(second.to_dict() | change))
    with refuses(DamagedFileError, code, file=str(path)):
        SecondStage.load(path)


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, "\xff"])
def test_other_files(tmp_path, text):
    path = tmp_path / "second.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(DamagedFileError):
        SecondStage.load(path)


def test_weights_are_numbers():
    with refuses(ForestError, "argument.value", argument="weights"):
        SecondStage(NgramFeatures([("a",)]), np.array([np.nan]))
