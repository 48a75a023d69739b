"""Trees as data: values, text, files."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.refusals import refuses

from rosewood.errors import ForestError, FormatError
from rosewood.forest import BoostedTrees, Split, Tree

FIGURE_2 = BoostedTrees(
    ("phrase", "lexical", "count", "lm"),
    (
        Tree((Split(0, "count", 2.0, 3.0),), (2.0, 1.0), ("lexical",), 0.5, (10.0, 30.0)),
        Tree(
            (Split(0, "lm", -5.0, 2.0), Split(0, "count", 1.0, 1.0), Split(1, "phrase", -1.0, 4.0)),
            (0.1, 0.2, 0.3, 0.4),
        ),
    ),
)
ROWS = np.array([[-2.0, -3.0, 1.0, -6.0], [0.0, -1.0, 3.0, -4.0], [-1.0, -2.0, 2.0, -5.0]])


def test_values_of_rows():
    values = FIGURE_2.values(ROWS)
    assert values[:, 0].tolist() == [0.5 * 2 * -3, 0.5 * -1, 0.5 * 2 * -2]
    assert values[:, 1].tolist() == [0.1, 0.4, 0.3]  # at a threshold is left of it
    assert FIGURE_2.score(ROWS).tolist() == values.sum(axis=1).tolist()
    assert FIGURE_2.score(np.empty((0, 4))).shape == (0,)
    assert BoostedTrees(("a",)).score([[1.0]]).tolist() == [0.0]


def test_conditions_of_leaves():
    tree = FIGURE_2.trees[1]
    assert [tree.conditions(leaf) for leaf in range(4)] == [
        "lm ≤ -5 and count ≤ 1", "lm > -5 and phrase ≤ -1", "lm ≤ -5 and count > 1",
        "lm > -5 and phrase > -1",
    ]  # fmt: skip
    assert Tree((), (3.0,), ("phrase",)).conditions(0) == ""


def test_products_of_columns():
    made = BoostedTrees(("a", "b"), (Tree((), (3.0,), ("a", "b", "b")),))
    assert made.score([[2.0, 5.0]]).tolist() == [150.0]


def test_as_text():
    assert FIGURE_2.trees[0].text() == ("if count ≤ 2:\n  1 · lexical\nelse:\n  0.5 · lexical")
    assert FIGURE_2.trees[1].text() == (
        "if lm ≤ -5:\n  if count ≤ 1:\n    0.1\n  else:\n    0.3\n"
        "else:\n  if phrase ≤ -1:\n    0.2\n  else:\n    0.4"
    )
    assert FIGURE_2.text().startswith("tree 1\nif count")


def test_what_matters_and_how():
    assert FIGURE_2.importance() == {"count": 4.0, "phrase": 4.0, "lm": 2.0}
    found = FIGURE_2.partial_dependence(ROWS, "count", [1.0, 3.0])
    for value, mean in zip([1.0, 3.0], found, strict=True):
        table = ROWS.copy()
        table[:, 2] = value
        assert mean == pytest.approx(FIGURE_2.score(table).mean())
    with refuses(ForestError, "argument.value", argument="column"):
        FIGURE_2.partial_dependence(ROWS, "other", [1.0])


def test_factors_share_what_splits_do_not_gain():
    made = BoostedTrees(
        ("a", "b", "c"),
        (
            Tree((Split(0, "a", 1.0, 2.0),), (1.0, 2.0), ("b",), gain=5.0),
            Tree((), (1.0,), ("b", "c"), gain=1.0),
        ),
    )
    assert made.importance() == {"b": 3.5, "a": 2.0, "c": 0.5}


def test_files(tmp_path):
    file = tmp_path / "trees.json"
    FIGURE_2.save(file)
    assert BoostedTrees.load(file) == FIGURE_2
    assert json.loads(file.read_text("utf-8"))["trees"][0]["splits"][0]["column"] == "count"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda t: t.update(format="other"), "file.kind"),
        (lambda t: t.update(version=2), "file.version"),
        (lambda t: t.pop("trees"), "file.damaged"),
        (lambda t: t["columns"].remove("count"), "file.damaged"),
        (lambda t: t["columns"].append("count"), "file.damaged"),
        (lambda t: t["trees"][0]["values"].append(1.0), "file.damaged"),
        (lambda t: t["trees"][0]["weights"].append(1.0), "file.damaged"),
        (lambda t: t["trees"][1]["splits"][0].update(leaf=1), "file.damaged"),
        (lambda t: t["trees"][0]["splits"][0].update(threshold="x"), "file.damaged"),
        (lambda t: t["trees"][0].update(scale=float("inf")), "file.damaged"),
        (lambda t: t.update(trees=3), "file.damaged"),
        (lambda t: t.update(columns="abc"), "file.damaged"),
        (lambda t: t["trees"][0].update(factors="lexical"), "file.damaged"),
        (lambda t: t["trees"][0].update(values=["1", True]), "file.damaged"),
        (lambda t: t["trees"][0].update(gain=None), "file.damaged"),
        (lambda t: t["trees"][0]["splits"][0].update(leaf=0.0), "file.damaged"),
        (lambda t: t["trees"][0]["splits"][0].update(threshold="1"), "file.damaged"),
        (lambda t: t["trees"][0]["splits"][0].update(gain=float("nan")), "file.damaged"),
        (lambda t: t["trees"][0]["splits"][0].update(column=3), "file.damaged"),
    ],
)
def test_damaged_files(tmp_path, change, code):
    told = json.loads(json.dumps(FIGURE_2.to_dict()))
    change(told)
    file = tmp_path / "trees.json"
    file.write_text(json.dumps(told), "utf-8")
    with refuses(FormatError, code, file=str(file)):
        BoostedTrees.load(file)


def test_what_is_no_table():
    with refuses(ForestError, "argument.value", argument="rows"):
        FIGURE_2.score([[1.0, 2.0]])


@pytest.mark.parametrize("text", ["", "[]", "{", "3", "null"])
def test_what_is_no_file_of_trees(tmp_path, text):
    file = tmp_path / "trees.json"
    file.write_text(text)
    with refuses(FormatError, "file.damaged", file=str(file)):
        BoostedTrees.load(file)


def test_partial_dependence_is_kept_for_people(tmp_path):
    made = FIGURE_2.with_dependence(ROWS)
    assert [each.column for each in made.dependence] == ["count", "phrase", "lm", "lexical"]
    for each in made.dependence:
        place = made.columns.index(each.column)
        assert list(each.at) == sorted(set(ROWS[:, place]))
        for value, score in zip(each.at, each.score, strict=True):
            rows = ROWS.copy()
            rows[:, place] = value
            assert score == pytest.approx(made.score(rows).mean(), abs=1e-12)
    assert "count: 1 → " in made.text()
    assert " 40.0%  phrase" in made.text()
    made.save(tmp_path / "trees.json")
    assert BoostedTrees.load(tmp_path / "trees.json") == made
    twice = made.scaled(2.0)
    assert twice.dependence == twice.with_dependence(ROWS).dependence
    assert FIGURE_2.with_dependence(np.empty((0, 4))).dependence == ()


@pytest.mark.parametrize("score", [[1.0], [1.0, float("nan")]])
def test_damaged_dependence_is_refused(tmp_path, score):
    told = FIGURE_2.to_dict() | {"dependence": [{"column": "lm", "at": [0.0, 1.0], "score": score}]}
    (tmp_path / "trees.json").write_text(json.dumps(told), "utf-8")
    with refuses(FormatError, "file.damaged"):
        BoostedTrees.load(tmp_path / "trees.json")
