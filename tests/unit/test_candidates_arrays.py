"""Candidates that are arrays, and what a summary tells of lists."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from hypothesis import given, settings
from tests.candidates import candidate_lists

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
    ("arguments", "reason"),
    [
        ({"features": [1, 2, 3]}, "features has 1 dimensions, want 2"),
        ({"features": [[1], [2], [3, 4]]}, "features is not an array of numbers"),
        ({"features": [["1"], ["2"], ["3"]]}, "features has values of type <U1, want numbers"),
        ({"features": [[True], [True], [True]]}, "features has values of type bool"),
        ({"features": [[1], [np.nan], [3]]}, r"features\[1, 0\] is nan, want a finite number"),
        ({"features": [[1], [2], [-np.inf]]}, r"features\[2, 0\] is -inf"),
        ({"features": [[10**400], [1], [2]]}, "features has values of type object"),
        ({"features": np.zeros((0, 2)), "groups": []}, "features has no rows"),
        ({"groups": [1, 2]}, r"groups has shape \(2,\), want \(3,\)"),
        ({"groups": [1.0, 1.0, 2.0]}, "groups has ids of type float64"),
        ({"groups": [None, None, "a"]}, "groups has the id None"),
        ({"groups": ["a", "b", "a"]}, "list 'a' comes back at row 2; rows of a list stand"),
        ({"groups": ["a", "a", ""]}, r"groups\[2\] is empty, want an id"),
        ({"names": ["lm"]}, "there are 1 names for 2 columns"),
        ({"names": "lm"}, "names is one string"),
        ({"names": ["lm", "lm"]}, "'lm' stands twice"),
        ({"names": ["lm", ""]}, "names: one is empty"),
        ({"names": ["lm", 3]}, r"names\[1\] is 3, want a string"),
        ({"names": ["lm", "rule:1"]}, "'rule:1' has a colon, which only sparse features have"),
        ({"texts": ["a"]}, "there are 1 texts for 3 rows"),
        ({"texts": ["a", "b", "\ud800"]}, r"texts\[2\] has half of a surrogate pair"),
        ({"scores": [1, 2]}, r"scores\['score'\] has 2 numbers for 3 rows"),
        ({"scores": {"c": [1, 2, np.nan]}}, r"scores\['c'\]\[2\] is nan"),
        ({"references": "r"}, "references is one string"),
        ({"references": ["r"]}, "references for 1 lists, but 2 lists"),
        ({"references": {"1": "r"}}, "references has none for list '2'"),
        ({"references": [["r", "s"], ["t"]]}, "'2' has 1 references, the first list has 2"),
        ({"references": [["r"], [3]]}, r"references of list '2'\[0\] is 3, want a string"),
    ],
)
def test_arrays_that_are_refused(arguments, reason):
    with pytest.raises(TuningError, match=reason):
        from_arrays(**({"features": FEATURES, "groups": [1, 1, 2]} | arguments))


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
