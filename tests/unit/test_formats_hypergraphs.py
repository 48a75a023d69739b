"""cdec's, Joshua's and the lazy decoder's hypergraphs against derivations written out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.refusals import refuses
from tests.told import derivations, expected

from rosewood.corpus import Vocabulary
from rosewood.errors import FormatError
from rosewood.forest import FeatureSpace
from rosewood.forest.formats import (
    read_cdec_json,
    read_joshua_disk,
    read_joshua_dump,
    read_lazy_hypergraph,
)

GOLDEN = Path(__file__).parent.parent / "golden" / "formats"


# -- cdec ------------------------------------------------------------------------------------------


def test_cdec() -> None:
    forest = read_cdec_json(GOLDEN / "hypergraph.json")
    a: tuple[str, dict[str, float]] = ("a", {"f1": -0.5, "f2": 2})
    b: tuple[str, dict[str, float]] = ("alpha beta", {})
    rows = []
    for word, values in (a, b):
        rows.append((f"top c B {word}", {"f1": values.get("f1", 0) + 1, "g": 1.5}))
        rows[-1][1]["f2"] = values.get("f2", 0)
    for left, left_values in (a, b):
        for right, right_values in (a, b):
            total = {n: left_values.get(n, 0) + right_values.get(n, 0) for n in ("f1", "f2")}
            rows.append((f"top {right} B {left}", total))
    assert derivations(forest) == expected(*rows)
    assert forest.span is not None
    assert forest.span.tolist() == [[0, 1], [2, 3], [0, 3], [0, 3]]
    assert forest.rule is not None
    assert forest.rule.tolist() == [1, -1, 3, 2, 2, 4]


def test_cdec_starting_point_and_strings() -> None:
    text = (
        '{"edges":[],"node":{"in_edges":[]},'
        '"edges":[{"tail":[0],"feats":["f",-0.2],"rule":"[X] ||| [X] a ||| [1] a"},'
        '{"tail":[0],"feats":["f",-0.6],"rule":"[X] ||| [X] A ||| [1] A"}],'
        '"node":{"in_edges":[0,1]}}'
    )
    assert derivations(read_cdec_json([text])) == expected(("a", {"f": -0.2}), ("A", {"f": -0.6}))


def test_cdec_without_rules() -> None:
    text = (
        '{"features":["f"],"edges":[{"tail":[],"feats":[0,1]},{"tail":[],"feats":[0,2]}],'
        '"node":{"in_edges":[0,1]},"edges":[{"tail":[0,0],"feats":[]}],"node":{"in_edges":[2]}}'
    )
    forest = read_cdec_json([text])
    assert derivations(forest) == expected(
        ("", {"f": 2}), ("", {"f": 3}), ("", {"f": 3}), ("", {"f": 4})
    )
    assert forest.says(2) == [0, 1]


def test_cdec_unreachable_nodes() -> None:
    text = '{"edges":[{"rule":"[X] ||| a ||| a"}],"node":{"in_edges":[0]},'
    text += '"edges":[{"rule":"[X] ||| b ||| b"}],\n"node":{"in_edges":[1]}}'
    with refuses(FormatError, "forest.unreachable", value=0, line=1):
        read_cdec_json([text])
    assert derivations(read_cdec_json([text], drop_unreachable=True)) == expected(("b", {}))


# -- Joshua on disk --------------------------------------------------------------------------------


def test_joshua_disk() -> None:
    graphs = dict(read_joshua_disk(GOLDEN / "joshua.items", GOLDEN / "joshua.rules"))
    assert list(graphs) == [0, 5]
    the = {"tm_pt_0": 1.6320, "tm_pt_1": 2.5629}
    house = {"tm_pt_0": 0.5, "tm_pt_1": 0.25}
    both = {name: the[name] + house[name] for name in the}
    # best scores -1.25 and -2: the edges of item 3 add -1 and -1.75, that of the goal -0.25
    assert derivations(graphs[0]) == expected(
        ("the white house", {**both, "tm_glue_0": 1, "transition": -1.25 - 2 - 1 - 0.25}),
        ("unseen white house", {**house, "tm_glue_0": 1, "transition": -1.5 - 2 - 1 - 0.25}),
        ("white house of the", {**both, "transition": -1.25 - 2 - 1.75 - 0.25}),
        ("white house of unseen", {**house, "transition": -1.5 - 2 - 1.75 - 0.25}),
    )
    assert derivations(graphs[5]) == expected(("white house", {**house, "transition": -0.5}))
    assert graphs[0].span is not None
    assert graphs[0].span.tolist() == [[0, 1], [1, 3], [0, 3], [0, 3]]
    assert graphs[0].rule is not None
    assert graphs[0].rule.tolist() == [17, 0, 18, 19, 20, -1]


def test_joshua_disk_with_model_scores() -> None:
    items = ["#SENT: 0 1 1 2", "#I 1 0 1 X 2 ST nullstate", "-1.0000 0 0 X a", "-0.5000 2.0000"]
    items += ["-2.0000 0 0 X b", "-1.5000 3.0000"]
    ((_, forest),) = read_joshua_disk(items, [])
    assert derivations(forest) == expected(
        ("a", {"transition": -1, "model_0": -0.5, "model_1": 2}),
        ("b", {"transition": -2, "model_0": -1.5, "model_1": 3}),
    )
    ((_, forest),) = read_joshua_disk(items, [], model_names=["lm", "tm"])
    assert forest.features.names == ["transition", "lm", "tm"]
    with refuses(FormatError, "line.fields", argument="names", value=2, line=4):
        next(read_joshua_disk(items, [], model_names=["lm"]))
    with refuses(FormatError, "file.damaged", line=5, file="i"):
        next(read_joshua_disk(items[:-1], [], file="i"))


# -- hypergraphs as text ---------------------------------------------------------------------------


def test_joshua_dump() -> None:
    forest = read_joshua_dump(GOLDEN / "joshua.dump")
    assert derivations(forest) == expected(
        ("<s> the # 1 </s>", {"tm_pt_0": -1.5, "lm": -3.5}),
        ("<s> this # 1 </s>", {"tm_pt_0": -2, "lm": -1.5}),
        ("<s> # 1 , the </s>", {"tm_pt_0": -1.5, "lm": -5.5, "Distortion": 1}),
        ("<s> # 1 , this </s>", {"tm_pt_0": -2, "lm": -3.5, "Distortion": 1}),
    )
    assert forest.num_nodes == 5  # Joshua's goal, with an edge to each of the nodes 3 and 4


def test_joshua_dump_with_one_top() -> None:
    forest = read_joshua_dump(
        ["# target ||| features", "2 2", "1", "a ||| f=1", "2", "[1] [1] |||"]
    )
    assert derivations(forest) == expected(("a a", {"f": 2}))
    assert forest.num_nodes == 2


def test_moses_hypergraph() -> None:
    forest = read_lazy_hypergraph(GOLDEN / "moses.hypergraph")
    assert derivations(forest) == expected(
        ("<s> the house </s>", {"LM0": -4, "TM_1": -0.5}),
        ("<s> this house </s>", {"LM0": -5, "TM_1": -0.25}),
    )


def test_lazy_hypergraph_unreachable() -> None:
    lines = ["2 2", "1", "a ||| f=1", "1", "b ||| f=2"]
    with refuses(FormatError, "forest.unreachable", value=0, line=2):
        read_lazy_hypergraph(lines)
    forest = read_lazy_hypergraph(lines, drop_unreachable=True)
    assert derivations(forest) == expected(("b", {"f": 2}))


@pytest.mark.parametrize(
    ("read", "name"),
    [
        (read_cdec_json, "hypergraph.json"),
        (read_joshua_dump, "joshua.dump"),
        (read_lazy_hypergraph, "moses.hypergraph"),
    ],
)
def test_names_are_shared(read: object, name: str) -> None:
    assert callable(read)
    words, space = Vocabulary(), FeatureSpace(["lm", "f1", "LM0"])
    forest = read(GOLDEN / name, vocabulary=words, features=space)
    assert forest.vocabulary is words
    assert forest.features is space
    assert forest == read((GOLDEN / name).read_text().split("\n"), features=space)
