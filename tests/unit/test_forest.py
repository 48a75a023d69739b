"""The Forest itself: what it accepts, what it refuses and how it says so."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from tests.refusals import fault, refuses
from tests.strategies import forests

from rosewood.corpus import Vocabulary
from rosewood.errors import CorpusError, CycleError, ForestError
from rosewood.forest import FeatureSpace, Forest, ForestBuilder, num_derivations, select_edges

GOOD = {
    "edge_start": [0, 1, 3],
    "tail_start": [0, 0, 1, 3],
    "tail": [0, 0, 0],
    "features": FeatureSpace(["x"], ["s0", "s1"]),
    "dense": [[0.0], [1.0], [2.0]],
    "feat_start": [0, 1, 1, 3],
    "feat_id": [0, 0, 1],
    "feat_value": [1.0, 2.0, 3.0],
    "vocabulary": Vocabulary(["a", "b"]),
    "yield_start": [0, 1, 2, 5],
    "yield_symbol": [0, -1, -2, 1, -1],
    "span": [[0, 1], [0, 2]],
    "rule": [5, 6, 7],
    "state": [0, 9],
}

BAD = {
    "no nodes": ({"edge_start": [0]}, fault("argument.shape", argument="edge_start")),
    "no offsets": ({"edge_start": []}, fault("argument.shape", argument="edge_start")),
    "first offset": (
        {"edge_start": [1, 1, 3]},
        fault("argument.range", argument="edge_start"),
    ),
    "falling offsets": (
        {"edge_start": [0, 4, 3]},
        fault("argument.value", argument="edge_start", value=1),
    ),
    "ragged": ({"tail": [[0], [0, 0]]}, fault("argument.type", argument="tail")),
    "tail offsets fall, default yield": (
        {"tail_start": [0, 2, 1, 3], "yield_start": None, "yield_symbol": None},
        fault("argument.value", argument="tail_start", value=2),
    ),
    "tail offsets beyond memory": (
        {"tail_start": [0, 0, 0, 10**15], "yield_start": None, "yield_symbol": None},
        fault("argument.shape", argument="tail_start", value=10**15),
    ),
    "edges without tails": (
        {"edge_start": [0, 1, 4]},
        fault("argument.shape", argument="tail_start"),
    ),
    "tail offsets fall": (
        {"tail_start": [0, 2, 1, 3]},
        fault("argument.value", argument="tail_start", value=2),
    ),
    "tail offsets start": (
        {"tail_start": [1, 1, 1, 3]},
        fault("argument.range", argument="tail_start", value=1),
    ),
    "tail offsets end": (
        {"tail_start": [0, 0, 1, 2]},
        fault("argument.shape", argument="tail_start", value=2),
    ),
    "tail beyond the nodes": (
        {"tail": [7, 0, 0]},
        fault("argument.range", argument="tail", value=1),
    ),
    "negative tail": (
        {"tail": [0, -1, 0]},
        fault("argument.range", argument="tail", value=2),
    ),
    "own tail": (
        {"tail": [1, 0, 0]},
        fault("forest.order", value=1),
    ),
    "fractions": (
        {"tail": [0.5, 0, 0]},
        fault("argument.type", argument="tail", value="float64"),
    ),
    "tails as words": (
        {"tail": ["0", "0", "0"]},
        fault("argument.type", argument="tail", value="<U1"),
    ),
    "tails beyond 32 bits": (
        {"tail": [0, 0, 2**40]},
        fault("argument.range", argument="tail"),
    ),
    "two dimensions": (
        {"tail": [[0, 0, 0]]},
        fault("argument.shape", argument="tail", value=2),
    ),
    "dense missing": ({"dense": None}, fault("argument.missing", argument="dense")),
    "dense shape": (
        {"dense": [[0.0], [1.0]]},
        fault("argument.shape", argument="dense", value=(2, 1)),
    ),
    "dense nan": (
        {"dense": [[0.0], [np.nan], [1.0]]},
        fault("argument.range", argument="dense", value=1),
    ),
    "dense inf": (
        {"dense": [[0.0], [0.0], [np.inf]]},
        fault("argument.range", argument="dense", value=2),
    ),
    "sparse offsets": (
        {"feat_start": [0, 1, 1]},
        fault("argument.shape", argument="feat_start", value=3),
    ),
    "sparse ids missing": (
        {"feat_id": [0, 0]},
        fault("argument.shape", argument="feat_value", value=3),
    ),
    "sparse id too large": (
        {"feat_id": [0, 0, 2]},
        fault("argument.range", argument="feat_id", value=2),
    ),
    "sparse id negative": (
        {"feat_id": [-1, 0, 1]},
        fault("argument.range", argument="feat_id", value=0),
    ),
    "sparse id twice": (
        {"feat_id": [0, 1, 1]},
        fault("argument.duplicate", argument="feat_id", value=2),
    ),
    "sparse ids fall": (
        {"feat_id": [0, 1, 0]},
        fault("argument.value", argument="feat_id", value=2),
    ),
    "sparse nan": (
        {"feat_value": [1.0, np.nan, 1.0]},
        fault("argument.range", argument="feat_value", value=2),
    ),
    "ids without offsets": (
        {"feat_start": None},
        fault("argument.missing", argument="feat_start"),
    ),
    "yield offsets": (
        {"yield_start": [0, 1, 2, 9]},
        fault("argument.shape", argument="yield_start", value=9),
    ),
    "yield without offsets": (
        {"yield_start": None},
        fault("argument.missing", argument="yield_start"),
    ),
    "unknown word": (
        {"yield_symbol": [2, -1, -2, 1, -1]},
        fault("argument.range", argument="yield", value=0),
    ),
    "unknown slot": (
        {"yield_symbol": [0, -2, -2, 1, -1]},
        fault("argument.range", argument="yield", value=1),
    ),
    "slot twice": (
        {"yield_symbol": [0, -1, -1, 1, -1]},
        fault("argument.duplicate", argument="yield", value=2),
    ),
    "slot left out": (
        {"yield_symbol": [0, -1, -2, 1, 1]},
        fault("argument.missing", argument="yield", value=2),
    ),
    "span shape": (
        {"span": [[0, 1]]},
        fault("argument.shape", argument="span", value=(1, 2)),
    ),
    "span backwards": (
        {"span": [[0, 1], [2, 1]]},
        fault("argument.value", argument="span", value=1),
    ),
    "span negative": (
        {"span": [[-1, 1], [0, 1]]},
        fault("argument.value", argument="span", value=0),
    ),
    "rule shape": ({"rule": [1]}, fault("argument.shape", argument="rule", value=(1,))),
    "state shape": ({"state": [1]}, fault("argument.shape", argument="state", value=(1,))),
    "node without edges": (
        {"edge_start": [0, 1, 1, 3], "span": None, "state": None},
        fault("forest.no-edges", value=1),
    ),
    "root without edges": (
        {"edge_start": [0, 1, 3, 3], "span": None, "state": None},
        fault("forest.no-edges", value=2),
    ),
    "node used by nobody": (
        {"edge_start": [0, 1, 2, 3], "tail": [0, 0, 0], "span": None, "state": None},
        fault("forest.unreachable", value=1),
    ),
    "order": (
        {
            "edge_start": [0, 1, 2, 3],
            "tail_start": [0, 1, 1, 3],
            "tail": [1, 0, 1],
            "yield_symbol": [-1, 0, -2, 1, -1],
            "span": None,
            "state": None,
        },
        fault("forest.order", value=0),
    ),
}


def test_the_good_one_is_good():
    forest = Forest(**GOOD)
    assert (forest.num_nodes, forest.num_edges, forest.root) == (2, 3, 1)
    assert forest.says(2) == [1, "b", 0]
    assert forest.edge_features(2) == {"x": 2.0, "s0": 2.0, "s1": 3.0}
    assert forest.arity().tolist() == [0, 1, 2]
    assert list(forest.edges_into(1)) == [1, 2]
    assert "2 nodes, 3 edges, 3 features" in repr(forest)


@pytest.mark.parametrize("case", BAD)
def test_bad_ones_are_named(case):
    change, expected = BAD[case]
    with refuses(ForestError, **expected):
        Forest(**{**GOOD, **change})


def test_at_least_thirty_kinds_of_bad_forest():
    assert len(BAD) >= 30


def test_names_are_checked():
    with refuses(ForestError, "argument.duplicate", argument="dense"):
        FeatureSpace(["a", "a"])
    with refuses(ForestError, "argument.duplicate", argument="sparse", value="a"):
        FeatureSpace(["a"], ["a"])
    with refuses(ForestError, "argument.unknown", argument="feature", value="z"):
        FeatureSpace(["a"]).vector({"z": 1.0})
    with refuses(ForestError, "argument.shape", argument="theta", value=(3,)):
        FeatureSpace(["a"]).mapping(np.zeros(3))
    with refuses(CorpusError, "argument.duplicate", argument="words", value="a"):
        Vocabulary(["a", "a"])
    with refuses(CorpusError, "argument.range", argument="number", value=-1):
        Vocabulary(["a"])[-1]
    words = Vocabulary(["a"])
    assert words.add_all(["b", "a", "b"]) == [1, 0, 1]
    assert words.words([1, 0, 1]) == ["b", "a", "b"]
    for numbers, wrong in (([-1], -1), ([0, 2], 2)):
        with refuses(CorpusError, "argument.range", argument="number", value=wrong):
            words.words(numbers)


def test_it_is_immutable():
    forest = Forest(**GOOD)
    for made in (forest, select_edges(forest, [1, 1, 1]).forest):
        for name in ("edge_start", "head", "tail", "dense", "feat_value", "yield_symbol", "rule"):
            with pytest.raises(ValueError, match="WRITEABLE"):
                getattr(made, name).flags.writeable = True
    with pytest.raises(AttributeError, match="immutable"):
        forest.tail = np.zeros(3)
    with pytest.raises(AttributeError, match="immutable"):
        del forest.tail
    for name in ("edge_start", "head", "tail", "dense", "feat_value", "yield_symbol", "rule"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(forest, name)[0] = 0


def test_what_was_given_can_change_without_harm():
    tail = np.zeros(3, dtype=np.int32)
    view = tail[:]
    view.flags.writeable = False
    for array in (tail, view, memoryview(view)):
        tail[:] = 0
        forest = Forest(**{**GOOD, "tail": array})
        tail[:] = 99
        assert forest.tail.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("weight", "code"),
    [
        ("ab", "argument.type"),
        ([1j, 0, 0], "argument.type"),
        ([[0], [0, 0]], "argument.type"),
        ([None, 0, 0], "argument.type"),
        ([[0.0] * 3], "argument.shape"),
    ],
)
def test_weights_that_are_none(weight, code):
    with refuses(ForestError, code, argument="weight"):
        Forest(**GOOD).inside(weight)


def test_counts_that_are_none():
    forest = Forest(**GOOD)
    for k in (2.5, "3", 10**20, -1):
        code = "argument.range" if isinstance(k, int) else "argument.type"
        with refuses(ForestError, code, argument="k", value=k):
            forest.k_best(np.zeros(3), k)
    for threads in (0, -5, 99999999999, 1.5):
        code = "argument.range" if isinstance(threads, int) else "argument.type"
        with refuses(ForestError, code, argument="threads", value=threads):
            forest.score(np.zeros(3), threads=threads)
        with refuses(ForestError, code, argument="threads", value=threads):
            forest.combine_features(np.zeros(3), threads=threads)
        with refuses(ForestError, code, argument="threads", value=threads):
            forest.sample(np.zeros(3), 1, threads=threads)


@settings(max_examples=30, deadline=None)
@given(forests())
def test_pickling(forest):
    again = pickle.loads(pickle.dumps(forest))
    assert again == forest
    assert again != forest.num_nodes
    weight = np.zeros(forest.num_edges)
    assert np.array_equal(again.inside(weight), forest.inside(weight))


def test_nbest_lists():
    space = FeatureSpace(["lm"])
    forest = Forest.from_nbest(
        ["a b", ["c"]], [[1.0], [2.0]], sparse=[{"y": 1.0, "x": 2.0}, {"x": 3.0}], features=space
    )
    assert forest.says(0) == ["a", "b"]
    assert forest.edge_features(0) == {"lm": 1.0, "x": 2.0, "y": 1.0}
    assert forest.edge_features(1) == {"lm": 2.0, "x": 3.0}
    with refuses(ForestError, "argument.type", argument="candidates"):
        Forest.from_nbest("abc")
    with refuses(ForestError, "argument.shape", argument="sparse", value=1):
        Forest.from_nbest(["a", "b"], sparse=[{}])


def test_default_yield_is_the_tails_in_order():
    forest = Forest([0, 1, 2], [0, 0, 2], [0, 0])
    assert forest.says(1) == [0, 1]


def test_asking_for_what_is_not_there():
    forest = Forest(**GOOD)
    with refuses(ForestError, "argument.range", argument="edge", value=3):
        forest.says(3)
    with refuses(ForestError, "argument.range", argument="edge", value=-1):
        forest.tails(-1)
    with refuses(ForestError, "argument.range", argument="node", value=2):
        forest.edges_into(2)
    with refuses(ForestError, "argument.shape", argument="theta", value=(1,)):
        forest.score([1.0])
    with refuses(ForestError, "argument.shape", argument="keep", value=(1,)):
        num_derivations(forest, [1])
    with refuses(ForestError, "argument.shape", argument="keep", value=(1,)):
        select_edges(forest, [1])


def test_empty_forest():
    forest = Forest.empty()
    assert forest.is_empty
    assert forest.num_derivations() == 0
    assert forest.inside([]).tolist() == [-np.inf]
    assert not Forest(**GOOD).is_empty
    b = ForestBuilder()
    node = b.node()
    b.edge(node)
    for _ in range(100):  # 2^(2^100) derivations: too many to count, enough to see
        b.edge(node) if b.num_nodes == 1 else None
        above = b.node()
        b.edge(above, [node, node])
        node = above
    assert not b.build(node).is_empty
    assert Forest.empty(features=FeatureSpace(["a"])).score([1.0]).shape == (0,)


def test_a_growing_feature_space():
    """Features met after a forest was made have a place in θ, and the forest does without them."""
    space = FeatureSpace([], ["a"])
    forest = Forest([0, 1], [0, 0], [], features=space, feat_start=[0, 1], feat_id=[0],
                    feat_value=[2.0])  # fmt: skip
    assert forest.score([3.0]).tolist() == [6.0]
    space.sparse.add("b")
    assert forest.score([3.0, 100.0]).tolist() == [6.0]
    assert forest.combine_features([1.0]).tolist() == [2.0, 0.0]


def build(edges, root, nodes):
    b = ForestBuilder()
    for _ in range(nodes):
        b.node()
    for edge in edges:
        b.edge(*edge)
    return b.build(root)


def test_builder_sorts_and_checks():
    forest = build([(0, [2, 1]), (1, [2]), (2, [], ["x"])], 0, 3)
    assert forest.num_derivations() == 1
    assert forest.best(np.zeros(3)).text == "x x"
    with refuses(ForestError, "argument.range", argument="node", value=5):
        build([(0, [5])], 0, 1)
    with refuses(ForestError, "argument.range", argument="tail", value=1):
        build([(0, []), (1, [0], [1])], 1, 2)
    with refuses(ForestError, "argument.range", argument="node", value=7):
        build([(0, [])], 7, 1)
    with refuses(ForestError, "forest.unreachable", value=0):
        build([(0, []), (1, [])], 1, 2)
    with refuses(ForestError, "forest.no-edges", value=0):
        build([(1, [0])], 1, 2)
    with refuses(CycleError, "forest.cycle", value=0):
        build([(0, [1]), (1, [0]), (2, [0])], 2, 3)
    with refuses(ForestError, "argument.missing", argument="yield", value=1):
        build([(0, []), (1, [0], ["a"])], 1, 2)


def test_a_refused_edge_leaves_no_trace():
    b = ForestBuilder()
    leaf, root = b.node(), b.node()
    b.edge(leaf, says=["x"])
    for bad in ({"says": ["bad", 5]}, {"tails": [7]}, {"features": {"f": "one"}}):
        with pytest.raises((ForestError, ValueError)):
            b.edge(root, **bad)
    b.edge(root, [leaf])
    assert b.build(root).best([0.0, 0.0]).text == "x"
    assert "bad" not in b.vocabulary


def test_builder_can_drop_what_is_not_used():
    b = ForestBuilder(FeatureSpace(["x"]))
    used, dead, idle, root = (b.node((i, i + 1)) for i in range(4))
    b.edge(idle, [idle])  # a cycle, but nobody's
    b.edge(used, says=["a"], features={"x": 1.0}, rule=3)
    b.edge(root, [used, dead])  # dead has no edges: this edge cannot be used
    b.edge(root, [used], features={"x": 2.0, "s": 1.0})
    forest = b.build(root, drop_unreachable=True)
    assert (forest.num_nodes, forest.num_edges) == (2, 2)
    assert forest.rule.tolist() == [3, -1]
    assert forest.span.tolist() == [[0, 1], [3, 4]]
    assert forest.edge_features(1) == {"x": 2.0, "s": 1.0}
