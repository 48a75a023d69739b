"""Lists of candidates: in, as forests, and out again."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from tests.candidates import candidate_lists
from tests.refusals import refuses

from rosewood.errors import ForestError, FormatError, TuningError
from rosewood.forest import ForestBuilder, ForestSet, nbest_texts
from rosewood.rerank import (
    CandidateList,
    Dropped,
    format_candidates,
    read_candidates,
    write_candidates,
    write_forest_set,
)

LINES = [
    '{"id": "a", "src": "das haus", "refs": ["the house"], "hyps": ['
    '{"text": "the house", "features": {"lm": -1.5, "tm": 2}, "scores": {"comet": 0.5}},'
    '{"text": "a  house ", "features": {"tm": 3, "rule:1": 1, "lm": -2}, "scores": {"comet": 1}}]}',
    '{"id": 7, "refs": ["x"], "more": [], "hyps": ['
    '{"text": "", "features": {"lm": 0, "tm": 0}, "scores": {"comet": 0}, "alignment": "0-0"}]}',
]


def test_reading_json_lines():
    first, second = read_candidates(LINES)
    assert (first.id, first.source, first.references) == ("a", "das haus", ("the house",))
    assert first.texts == ("the house", "a  house ")
    assert first.names == ("lm", "tm")
    assert first.dense.tolist() == [[-1.5, 2], [-2, 3]]
    assert first.sparse == ({}, {"rule:1": 1.0})
    assert first.scores["comet"].tolist() == [0.5, 1]
    assert first.features(1) == {"lm": -2, "tm": 3, "rule:1": 1}
    assert (second.id, second.source, second.texts, second.sparse) == ("7", None, ("",), ())
    assert len(first) == 2
    assert first != second
    assert first == next(read_candidates([format_candidates(first)]))
    assert first != "a"


def test_bad_lists_are_dropped_and_counted():
    report = Dropped()
    lines = ["?", LINES[0], LINES[0], "", LINES[1], *["[]"] * 9]
    found = list(read_candidates(lines, on_bad_line="skip", report=report, file="in.jsonl"))
    assert [c.id for c in found] == ["a", "7"]
    assert report.count == 12
    assert str(report.reasons[0]).startswith("in.jsonl:1: it is not JSON")
    assert len(report.reasons) == 5
    with refuses(FormatError, "tuning.no-lists", value=2):
        list(read_candidates(["?", "?"], format="jsonl", on_bad_line="skip"))
    with refuses(TuningError, "argument.choice", argument="on_bad_line", value="never"):
        read_candidates(lines, on_bad_line="never")


@pytest.mark.slow
@given(candidate_lists())
@settings(max_examples=60)
def test_everything_comes_back(lists):
    """JSON lines and forest sets are exact: every character and every bit."""
    assert list(read_candidates([format_candidates(c) for c in lists])) == lists
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl.zst"
        assert write_candidates(lists, path) == len(lists)
        assert list(read_candidates(path)) == lists
        found = write_forest_set(lists, Path(folder) / "a.rwf")
        found.verify()
        assert len(found) == len(lists)
        for i, (want, forest) in enumerate(zip(lists, found, strict=True)):
            assert nbest_texts(forest) == list(want.texts)
            assert [forest.edge_features(e) for e in range(len(want))] == [
                want.features(e) for e in range(len(want))
            ]
            info = found.info(i)
            assert (info["id"], tuple(info["refs"])) == (want.id, want.references)
            assert info.get("src") == want.source
            columns = info.get("scores", {})
            assert columns == {name: column.tolist() for name, column in want.scores.items()}
        found.close()


def test_nothing_is_left_of_a_set_that_fails(tmp_path):
    path = tmp_path / "a.rwf"
    with refuses(FormatError, "line.empty", line=2):
        write_forest_set(read_candidates([LINES[0], ""]), path)
    with refuses(TuningError, "tuning.no-lists"):
        write_forest_set([], path)
    with refuses(FormatError, "line.empty", line=2):
        write_candidates(read_candidates([LINES[0], ""]), tmp_path / "a.jsonl.gz")
    assert list(tmp_path.iterdir()) == []
    steps: list[int] = []
    write_forest_set(read_candidates(LINES), path, progress=steps.append)
    assert steps == [1, 1]
    assert len(ForestSet(path)) == 2


def test_lists_that_are_none():
    one = np.zeros((1, 1))
    with refuses(TuningError, "tuning.no-candidates", value="x"):
        CandidateList("x", (), (), np.zeros((0, 0)))
    with refuses(TuningError, "argument.shape", argument="list 'x': dense", value=(1, 1)):
        CandidateList("x", ("a", "b"), ("lm",), one)
    with refuses(TuningError, "argument.shape", argument="list 'x': sparse", value=2):
        CandidateList("x", ("a",), ("lm",), one, sparse=({}, {}))
    with refuses(TuningError, "argument.shape", argument="list 'x': score 'comet'", value=(2,)):
        CandidateList("x", ("a",), ("lm",), one, scores={"comet": np.zeros(2)})
    with refuses(TuningError, "argument.value", argument="candidates", value="x"):
        format_candidates(CandidateList("x", ("a",), ("lm",), np.array([[np.nan]])))


def test_forests_that_are_no_lists(tmp_path):
    builder = ForestBuilder()
    tail, top = builder.node(), builder.node()
    builder.edge(tail, says=["a"])
    builder.edge(top, [tail])
    with refuses(ForestError, "forest.not-flat", value=2):
        nbest_texts(builder.build(top))
    lists = [
        CandidateList("x", ("a",), ("lm",), np.zeros((1, 1))),
        CandidateList("y", ("a",), ("tm",), np.zeros((1, 1))),
    ]
    with refuses(TuningError, "file.mismatch", argument="features", value="y"):
        write_forest_set(lists, tmp_path / "a.rwf")
    lists[1] = CandidateList("y", ("a",), ("lm",), np.array([[np.inf]]))
    with refuses(TuningError, "argument.range", argument="dense"):
        write_forest_set(lists, tmp_path / "a.rwf")
    assert list(tmp_path.iterdir()) == []
