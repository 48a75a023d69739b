"""Candidates that are arrays, and what a summary tells of lists."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from hypothesis import given, settings
from tests.candidates import candidate_lists
from tests.refusals import fault, refuses

from rosewood.errors import TuningError
from rosewood.forest import ForestSet, nbest_texts
from rosewood.rerank import from_arrays, lists_from_arrays, summarise

FEATURES = np.array([[1.0, 2], [3, 4], [5, 6]])


def test_arrays_become_forests(tmp_path):
    found = from_arrays(
        FEATURES,
        np.array([7, 7, 8]),
        names=["lm", "tm"],
        texts=["a b", "", "c"],
        references=["r", ["s"]],
        scores={"comet": [0.1, 0.2, 0.3]},
    )
    assert isinstance(found, ForestSet)
    assert found.features.dense == ("lm", "tm")
    assert [nbest_texts(forest) for forest in found] == [["a b", ""], ["c"]]
    assert found[0].dense.tolist() == [[1, 2], [3, 4]]
    assert found.info(1) == {"id": "8", "refs": ["s"], "scores": {"comet": [0.3]}}
    folder = found.path.parent
    assert found.path.exists()
    del found
    gc.collect()
    assert not folder.exists()  # it went with the set
    kept = from_arrays(FEATURES, ["x", "y", "z"], path=tmp_path / "a.rwf", scores=[1, 2, 3])
    assert [kept.info(i)["id"] for i in range(3)] == ["x", "y", "z"]
    assert kept.info(2)["scores"] == {"score": [3.0]}
    assert kept.features.dense == ("f0", "f1")
    (one,) = lists_from_arrays([[1], [2]], ["é", "é"], references={"é": ["r", "s"]})
    assert (one.id, one.references, one.texts) == ("é", ("r", "s"), ("", ""))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"features": [1, 2, 3]}, fault("argument.shape", argument="features", value=1)),
        ({"features": [[1], [2], [3, 4]]}, fault("argument.type", argument="features")),
        (
            {"features": [["1"], ["2"], ["3"]]},
            fault("argument.type", argument="features", value="<U1"),
        ),
        (
            {"features": [[True], [True], [True]]},
            fault("argument.type", argument="features", value="bool"),
        ),
        ({"features": [[1], [np.nan], [3]]}, fault("argument.range", argument="features[1, 0]")),
        ({"features": [[1], [2], [-np.inf]]}, fault("argument.range", argument="features[2, 0]")),
        (
            {"features": [[10**400], [1], [2]]},
            fault("argument.type", argument="features", value="object"),
        ),
        (
            {"features": np.zeros((0, 2)), "groups": []},
            fault("tuning.no-candidates", argument="features"),
        ),
        ({"groups": [1, 2]}, fault("argument.shape", argument="groups", value=(2,))),
        ({"groups": [1.0, 1.0, 2.0]}, fault("argument.type", argument="groups", value="float64")),
        ({"groups": [None, None, "a"]}, fault("argument.type", argument="groups")),
        ({"groups": ["a", "b", "a"]}, fault("argument.duplicate", argument="groups", value="a")),
        ({"groups": ["a", "a", ""]}, fault("argument.value", argument="groups", value=2)),
        ({"names": ["lm"]}, fault("argument.shape", argument="names", value=1)),
        ({"names": "lm"}, fault("argument.type", argument="names", value="lm")),
        ({"names": ["lm", "lm"]}, fault("argument.duplicate", argument="names", value="lm")),
        ({"names": ["lm", ""]}, fault("argument.duplicate", argument="names", value="")),
        ({"names": ["lm", 3]}, fault("argument.type", argument="names[1]", value=3)),
        ({"names": ["lm", "rule:1"]}, fault("argument.value", argument="names", value="rule:1")),
        ({"texts": ["a"]}, fault("argument.shape", argument="texts", value=1)),
        ({"texts": ["a", "b", "\ud800"]}, fault("file.encoding", argument="texts[2]")),
        ({"scores": [1, 2]}, fault("argument.shape", argument="scores['score']", value=2)),
        ({"scores": {"c": [1, 2, np.nan]}}, fault("argument.range", argument="scores['c'][2]")),
        ({"references": "r"}, fault("argument.type", argument="references")),
        ({"references": ["r"]}, fault("argument.shape", argument="references", value=1)),
        ({"references": {"1": "r"}}, fault("argument.missing", argument="references", value="2")),
        (
            {"references": [["r", "s"], ["t"]]},
            fault("argument.shape", argument="references", value="2"),
        ),
        (
            {"references": [["r"], [3]]},
            fault("argument.type", argument="references of list '2'[0]", value=3),
        ),
    ],
)
def test_arrays_that_are_refused(arguments, expected):
    with refuses(TuningError, **expected):
        from_arrays(**({"features": FEATURES, "groups": [1, 1, 2]} | arguments))


@pytest.mark.slow
@given(candidate_lists())
@settings(max_examples=50)
def test_a_summary_in_pieces_is_a_summary_of_the_whole(lists):
    found = summarise(lists)
    assert (found.lists, found.candidates) == (len(lists), sum(map(len, lists)))
    assert found.references == len(lists[0].references)
    assert found.longest == max(map(len, lists))
    assert list(found.features) == list(lists[0].names)
    whole = np.concatenate([c.dense for c in lists])
    for column, spread in zip(whole.T, found.features.values(), strict=True):
        assert (spread.min, spread.max) == (column.min(), column.max())
        if np.abs(column).max() < 1e150:
            scale = np.abs(column).max()
            assert spread.mean == pytest.approx(column.mean(), rel=1e-9, abs=1e-12 * scale)
            assert spread.sd == pytest.approx(column.std(), rel=1e-9, abs=1e-12 * scale)


def test_a_summary_of_nothing():
    assert summarise([]).to_dict()["candidates"] == 0
