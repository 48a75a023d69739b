"""Sparse features by number, and weights in arrays, against plain dicts of names."""

import pickle
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import refuses

from rosewood.errors import ForestError, FormatError
from rosewood.forest import FeatureSpace, Forest, SparseFeatures, Weights

_NAMES = st.one_of(
    st.sampled_from(["rule", "word", "a"]).flatmap(
        lambda template: st.integers(0, 12).map(lambda number: f"{template}:{number}")
    ),
    st.sampled_from(["x", "a:b", "rule:007", "rule:-1", "rule:", ":3", "rule:1:2", "rule:٣",
                     "rule:999999999999999999"]),
)  # fmt: skip


@pytest.mark.slow
@given(st.lists(_NAMES, max_size=30), st.lists(_NAMES, max_size=10))
def test_features_are_numbered_as_a_dict_would_number_them(names: list[str], others: list[str]):
    plain: dict[str, int] = {}
    expected = [plain.setdefault(name, len(plain)) for name in names]
    one, other = SparseFeatures(), SparseFeatures()
    assert [one.add(name) for name in names] == expected
    assert other.add_all(names) == expected
    assert one == other
    assert list(one) == list(plain)
    assert len(one) == len(plain)
    assert one.words(range(len(one))) == list(plain)
    for name in others:
        assert one.get(name) == plain.get(name)
        assert (name in one) == (name in plain)
    for copy in (one.copy(), pickle.loads(pickle.dumps(one)), SparseFeatures(plain)):
        assert copy == one
        for name in others:  # copies grow by themselves
            assert copy.add(name) == len(plain) or name in [*plain, *others]
        assert len(one) == len(plain)


@pytest.mark.slow
@given(st.lists(st.integers(0, 20), max_size=30), st.lists(st.integers(0, 20), max_size=30))
def test_numbers_are_added_together_as_one_by_one(first: list[int], second: list[int]):
    together, alone = SparseFeatures(["x"]), SparseFeatures(["x"])
    for numbers in (first, second):
        found = together.add_numbers("rule", np.array(numbers, np.int64))
        assert found.tolist() == [alone.add(f"rule:{number}") for number in numbers]
    assert together == alone
    wanted = np.arange(22)
    found = together.find_numbers("rule", wanted)
    assert found.tolist() == [alone.get(f"rule:{number}", -1) for number in wanted]


@pytest.mark.slow
@given(st.lists(_NAMES, unique=True, max_size=20), st.lists(_NAMES, unique=True, max_size=20))
def test_features_of_another_table_are_added_in_their_order(own: list[str], other: list[str]):
    table, theirs, plain = SparseFeatures(own), SparseFeatures(other), SparseFeatures(own)
    found = table.add_from(theirs, np.arange(len(other), dtype=np.int32))
    assert found.tolist() == [plain.add(name) for name in other]
    assert table == plain


@pytest.mark.slow
@given(
    st.lists(_NAMES, unique=True, max_size=20),
    st.dictionaries(_NAMES, st.floats(-5, 5), max_size=20),
)
def test_vectors_and_weights_agree_with_a_dict(names: list[str], weights: dict[str, float]):
    space = FeatureSpace(["lm", "tm"], names)
    plain = {"lm": 0.5, "tm": -1.0, **weights}
    made = Weights.of(plain)
    assert dict(made) == plain
    assert len(made) == len(plain)
    assert made == plain
    theta = space.vector(made, only_known=True)
    expected = [plain.get(name, 0.0) for name in space.names]
    assert theta.tolist() == expected
    back = space.weights(theta)
    assert dict(back) == {n: w for n, w in zip(space.names, expected, strict=True) if w}
    assert space.mapping(theta) == dict(back)
    missing = set(plain) - set(space.names)
    if missing:
        with refuses(ForestError, "argument.unknown", argument="feature"):
            space.vector(made)
    else:
        assert np.array_equal(space.vector(made), theta)


@given(st.dictionaries(_NAMES, st.floats(-5, 5), max_size=20))
def test_weights_are_copied_and_looked_up(plain: dict[str, float]):
    weights = Weights.of(plain)
    assert pickle.loads(pickle.dumps(weights)) == weights
    numbers = np.arange(15)
    for template in ("rule", "nothing"):
        expected = [plain.get(f"{template}:{number}", 0.0) for number in numbers]
        assert weights.lookup(template, numbers).tolist() == expected
    for name in ("rule:3", "x", "unheard of"):
        assert weights.get(name) == plain.get(name)


@pytest.mark.slow
@given(
    st.dictionaries(_NAMES, st.floats(-5, 5), max_size=12),
    st.dictionaries(_NAMES, st.floats(-5, 5), max_size=12),
)
def test_weights_are_merged_as_dicts_are(one: dict[str, float], other: dict[str, float]):
    assert Weights.of(one) | other == {**one, **other}
    assert Weights.of(one) | Weights.of(other) == Weights.of(one | other)
    assert one | Weights.of(other) == Weights.of(one | other)


def test_weights_go_through_a_file(tmp_path):
    weights = Weights({"lm": 0.1, "größe:x": -2.0}, {"rule": (np.array([1, 5]), np.ones(2))})
    weights.save(tmp_path / "weights.npz")
    assert Weights.load(tmp_path / "weights.npz") == weights
    (tmp_path / "other").write_bytes(b"nothing of the kind")
    with refuses(FormatError, "file.format"):
        Weights.load(tmp_path / "other")


def test_weights_older_than_new_features_score_older_forests():
    space = FeatureSpace(["lm"])
    forest = Forest([0, 1], [0, 0], [], features=space, dense=[[2.0]], feat_start=[0, 1],
                    feat_id=space.sparse.add_numbers("rule", [7]), feat_value=[3.0])  # fmt: skip
    theta = np.array([1.0, 10.0])
    space.sparse.add("rule:8")
    assert forest.score(theta).tolist() == [32.0]
    assert forest.score(np.array([1.0, 10.0, 5.0])).tolist() == [32.0]
    for wrong in ([1.0], [1.0, 2.0, 3.0, 4.0], [[1.0, 2.0]], 1.0):
        with refuses(ForestError, "argument.shape", argument="theta"):
            forest.score(np.array(wrong))


def test_what_cannot_be_numbered_is_refused():
    sparse = SparseFeatures()
    with refuses(ForestError, "argument.value", argument="template", value="a:b"):
        sparse.add_numbers("a:b", [1])
    with refuses(ForestError, "argument.range", argument="a"):
        sparse.add_numbers("a", [-1])
    with refuses(ForestError, "argument.value", argument="a"):
        Weights({}, {"a": (np.array([2, 1]), np.ones(2))})
    with refuses(ForestError, "argument.shape", argument="a"):
        Weights({}, {"a": (np.array([1]), np.ones(2))})
    with refuses(ForestError, "argument.duplicate", argument="sparse"):
        SparseFeatures(["rule:1", "rule:1"])


def test_weights_of_features_that_another_thread_is_adding_are_in_the_vector(
    monkeypatch: pytest.MonkeyPatch,
):
    space = FeatureSpace(["lm"])
    is_counted, may_go_on = threading.Event(), threading.Event()
    append = SparseFeatures.append_numbers

    def stop_half_way(self: SparseFeatures, kind: int, numbers: np.ndarray) -> None:
        append(self, kind, numbers)
        is_counted.set()
        may_go_on.wait(30)

    monkeypatch.setattr(SparseFeatures, "append_numbers", stop_half_way)
    weights = Weights({"lm": 1.0, "word:a": 7.0}, {"rule": ([17], [5.0])})
    found: list[list[float]] = []
    adding = threading.Thread(target=space.sparse.add_all, args=(["rule:17", "word:a"],))
    asking = threading.Thread(
        target=lambda: found.append(space.vector(weights, only_known=True).tolist())
    )
    adding.start()
    assert is_counted.wait(30)
    asking.start()
    asking.join(0.05)  # time to go wrong
    may_go_on.set()
    adding.join()
    asking.join()
    assert found == [[1.0, 5.0, 7.0]]
