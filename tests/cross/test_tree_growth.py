"""Regression trees: the kernel against plain loops, against scikit-learn, and odd data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import boosting
from tests.refusals import refuses

from rosewood import _core
from rosewood.errors import ForestError, TuningError

NONE = np.empty(0)


def binned(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[list[float]]]:
    """Bins of columns of whole numbers, a bin for each; their numbers, and cuts between them."""
    rows, counts, cuts = [], [], []
    for column in values:
        known, place = np.unique(column, return_inverse=True)
        rows.append(place.reshape(-1).astype(np.uint8))
        counts.append(max(1, len(known)))
        cuts.append(((known[1:] + known[:-1]) / 2).tolist())
    return np.array(rows), np.array(counts, np.int32), cuts


def draw(seed: int):
    """Small columns with many equal values; targets and weights that add up without rounding."""
    random = np.random.default_rng(seed)
    rows, columns = int(random.integers(1, 40)), int(random.integers(1, 5))
    values = random.integers(0, random.integers(1, 8), (columns, rows)).astype(float)
    target = random.integers(-8, 9, rows) / 4
    weight = random.integers(0, 4, rows).astype(float)
    factor = random.integers(-4, 5, rows) / 2
    return values, target, weight, factor


@pytest.mark.parametrize("linear", [False, True])
@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 8), st.sampled_from([0.5, 1.0, 3.0]),
       st.sampled_from([0.0, 0.5]), st.integers(1, 3))  # fmt: skip
def test_splits_are_those_of_plain_loops(linear, seed, leaves, min_weight, l2, threads):
    values, target, weight, factor = draw(seed)
    if not linear:
        factor = np.ones(len(target))
    bins, counts, cuts = binned(values)
    splits, leaf_of, coefficients = boosting.grow(
        values.tolist(), target.tolist(), weight.tolist(), factor.tolist(),
        cuts=cuts, leaves=leaves, min_weight=min_weight, l2=l2,
    )  # fmt: skip
    data = _core.BinnedColumns(bins, counts, threads)
    given = (
        data, target * factor, weight * factor**2, weight if linear else NONE, leaves, min_weight,
        l2, threads,
    )  # fmt: skip
    found, value, leaf_weight, leaf, explained = _core.grow_tree(*given)
    known = _core.sum_curves(data, weight, None, threads)  # the same with sums that are known
    if linear:
        known = _core.sum_curves(data, weight * factor**2, known, threads)
    again = _core.grow_tree(*given, known)
    assert again[0] == found
    assert [each.tolist() for each in again[1:4]] == [
        each.tolist() for each in (value, leaf_weight, leaf)
    ]
    parts = [np.flatnonzero(leaf == k) for k in range(len(value))]
    whole = sum(boosting.gain(part, target, weight, factor, l2) for part in parts)
    assert explained == pytest.approx(whole, abs=1e-12)
    gains = [gain for *_, gain in found]
    assert gains == pytest.approx(gains_of(found, bins, target, weight, factor, l2))
    # Each is the best there is.  Of equal ones either may be split first, and what is best
    # afterwards depends on it.
    cutting = {"cuts": cuts, "min_weight": min_weight, "l2": l2}
    best = best_gains(found, values, bins, (target, weight, factor), cutting)
    assert [*gains, 0.0][: leaves - 1] == pytest.approx(best[: leaves - 1], rel=1e-9, abs=1e-12)
    if [each[:3] for each in found] == [(leaf, c, k) for c, k, _, leaf in splits]:
        assert leaf.tolist() == leaf_of
        assert value.tolist() == pytest.approx(coefficients, rel=1e-9, abs=1e-12)
    assert leaf_weight.tolist() == [weight[leaf == k].sum() for k in range(len(value))]


def best_gains(found, values, bins, data, cutting):
    """What the best split gains before each of those that were found, and after them."""
    columns, (target, weight, factor) = values.tolist(), (each.tolist() for each in data)
    leaf = np.zeros(bins.shape[1], int)
    best = []
    for number, split in enumerate([*found, None], 1):
        every = [
            boosting.best_split(
                columns, np.flatnonzero(leaf == own).tolist(), target, weight, factor, **cutting
            )
            for own in range(number)
        ]
        best.append(max((each[0] for each in every if each is not None), default=0.0))
        if split is not None:
            own, column, place, _ = split
            leaf[(leaf == own) & (bins[column] > place)] = number
    return best


def gains_of(found, bins, target, weight, factor, l2):
    """What each split gains, whichever of equal ones it is."""
    leaf = np.zeros(bins.shape[1], int)
    gains = []
    for number, (own, column, place, _) in enumerate(found, 1):
        rows = leaf == own
        right = rows & (bins[column] > place)

        def gain(chosen):
            return boosting.gain(np.flatnonzero(chosen), target, weight, factor, l2)

        gains.append(gain(right) + gain(rows & ~right) - gain(rows))
        leaf[right] = number
    return gains


def test_constant_leaves_split_as_scikit_learn_does():
    trees = pytest.importorskip("sklearn.tree")
    random = np.random.default_rng(5)
    values = np.round(random.normal(size=(6, 500)), 1)
    target = values[0] * (values[1] > 0.3) + 0.2 * values[2] ** 2 + 0.1 * random.normal(size=500)
    weight = random.integers(1, 5, 500).astype(float)
    bins, counts, cuts = binned(values)
    data = _core.BinnedColumns(bins, counts)
    for leaves in (2, 5, 8):
        theirs = trees.DecisionTreeRegressor(max_leaf_nodes=leaves).fit(
            values.T, target, sample_weight=weight
        )
        found, value, _, leaf, _ = _core.grow_tree(
            data, target * weight, weight, NONE, leaves, 1e-9, 0.0
        )
        np.testing.assert_allclose(value[leaf], theirs.predict(values.T), rtol=1e-9)
        ours = sorted((column, round(cuts[column][place], 6)) for _, column, place, _ in found)
        inner = theirs.tree_.feature >= 0
        want = zip(theirs.tree_.feature[inner], theirs.tree_.threshold[inner].round(6), strict=True)
        assert ours == sorted((int(c), float(t)) for c, t in want)


def test_many_rows_are_added_in_one_order():
    """More rows than a block, and columns than are summed together."""
    random = np.random.default_rng(1)
    bins = random.integers(0, 200, (40, 9_001)).astype(np.uint8)
    slope, curve = random.normal(size=9_001), random.random(9_001)
    counts = np.full(40, 200, np.int32)
    one, *more = (
        _core.grow_tree(_core.BinnedColumns(bins, counts, n), slope, curve, NONE, 8, 1.0, 0.1, n)
        for n in (1, 2, 7)
    )
    for other in more:
        assert one[0] == other[0]
        assert all(a.tobytes() == b.tobytes() for a, b in zip(one[1:4], other[1:4], strict=True))
        assert one[4] == other[4]
    splits, leaf_of = one[0], one[3]
    assert len(splits) == 7
    for own, column, place, gain in splits[:1]:  # the first is the best of all
        best = max(part_gain(slope, curve, bins[c] <= b) for c in range(40) for b in range(199))
        assert gain == pytest.approx(best - slope.sum() ** 2 / (curve.sum() + 0.1), rel=1e-9)
        assert part_gain(slope, curve, bins[column] <= place) == pytest.approx(best)
        assert own == 0
    for k, value in enumerate(one[1]):
        rows = leaf_of == k
        assert value == pytest.approx(slope[rows].sum() / (curve[rows].sum() + 0.1), rel=1e-9)


def test_columns_of_few_bins_are_packed():
    """Indicators, columns of three to 255 bins and of one: the best split is that of plain sums."""
    random = np.random.default_rng(2)
    counts = np.array([2] * 11 + [1, 3, 255, 5, 255, 16, 17, 2, 1, 128, 254], np.int32)
    bins = np.stack([random.integers(0, n, 5_003).astype(np.uint8) for n in counts])
    bins[:9] &= random.random((9, 5_003)) < 0.1  # rare ones
    for column in range(len(counts)):
        slope = random.normal(size=5_003) + 3.0 * (bins[column] >= counts[column] // 2)
        curve = random.random(5_003)
        data = _core.BinnedColumns(bins, counts, 2)
        found = _core.grow_tree(data, slope, curve, NONE, 2, 0.0, 0.1)[0]
        known = _core.sum_curves(data, curve)
        again = _core.grow_tree(data, slope, curve, NONE, 2, 0.0, 0.1, 1, known)[0]
        assert [each[:3] for each in again] == [each[:3] for each in found]
        gains = {
            (c, b): part_gain(slope, curve, bins[c] <= b)
            for c in range(len(counts)) for b in range(counts[c] - 1)
        }  # fmt: skip
        place = max(gains, key=gains.get)
        assert [each[1:3] for each in found] == [place]
        assert counts[column] == 1 or place[0] == column


def test_of_equal_columns_the_first_is_split():
    """They may be packed with others, so that their sums differ in the last bits."""
    random = np.random.default_rng(3)
    counts = np.full(20, 2, np.int32)
    for _ in range(30):
        bins = (random.random((20, 3_001)) < 0.1).astype(np.uint8)
        bins[13] = bins[2]
        slope = np.where(random.random(3_001) < 0.3, random.normal(size=3_001), 0.0) + bins[2]
        data, ones = _core.BinnedColumns(bins, counts), np.ones(3_001)
        for known in (None, _core.sum_curves(data, ones)):
            found = _core.grow_tree(data, slope, ones, NONE, 2, 0.0, 0.0, 1, known)[0]
            assert [column for _, column, _, _ in found] == [2]


def test_known_sums_of_other_columns_are_refused():
    two = _core.BinnedColumns(np.zeros((2, 3), np.uint8), np.array([1, 2], np.int32))
    other = _core.BinnedColumns(np.zeros((2, 3), np.uint8), np.array([2, 1], np.int32))
    ones = np.ones(3)
    with refuses(TuningError, "argument.shape", argument="known"):
        _core.grow_tree(two, ones, ones, NONE, 2, 1.0, 0.0, 1, _core.sum_curves(other, ones))
    with refuses(TuningError, "argument.shape", argument="weights"):
        _core.sum_curves(two, ones, _core.sum_curves(other, ones))


def part_gain(slope, curve, left):
    parts = ((slope[rows].sum(), curve[rows].sum()) for rows in (left, ~left))
    return sum(g * g / (h + 0.1) for g, h in parts)


def test_rounding_errors_are_no_gains():
    """A target that no column explains; a factor that is 0 in a leaf has no coefficient there."""
    random = np.random.default_rng(1)
    bins = random.integers(0, 9, (3, 1000)).astype(np.uint8)
    data = _core.BinnedColumns(bins, np.full(3, 9, np.int32))
    ones = np.ones(1000)
    assert _core.grow_tree(data, 0.3 * ones, ones, NONE, 8, 1.0, 0.0)[0] == []
    for seed in range(20):
        random = np.random.default_rng(seed)
        factor = np.where(bins[0] > 4, 0.0, random.normal(size=1000) * 1e3)
        slope = random.normal(size=1000) * factor
        _, value, _, leaf, _ = _core.grow_tree(data, slope, factor**2, ones, 4, 1.0, 0.0)
        for k in range(len(value)):
            assert factor[leaf == k].any() or value[k] == 0.0


def test_nothing_to_split():
    bins, one = np.zeros((2, 3), np.uint8), np.ones(2, np.int32)
    splits, value, weight, leaf, _ = _core.grow_tree(
        _core.BinnedColumns(bins, one), np.array([1.0, 2.0, 3.0]), np.ones(3), NONE, 8, 1.0, 0.0
    )
    assert (splits, value.tolist(), weight.tolist(), leaf.tolist()) == ([], [2.0], [3.0], [0] * 3)
    empty = _core.BinnedColumns(np.zeros((2, 0), np.uint8), one)
    assert _core.grow_tree(empty, NONE, NONE, NONE, 2, 1.0, 0.0)[1].tolist() == [0.0]
    no_columns = _core.BinnedColumns(np.zeros((0, 3), np.uint8), np.empty(0, np.int32))
    assert _core.grow_tree(no_columns, np.ones(3), np.ones(3), NONE, 2, 1.0, 0.0)[1].tolist() == [1]


@pytest.mark.parametrize(
    ("changed", "argument", "code"),
    [
        ({"bins": np.array([2], np.int32)}, "bins", "argument.shape"),
        ({"bins": np.array([2, 1], np.int32)}, "bin", "argument.range"),
        ({"bins": np.array([2, 257], np.int32)}, "bins", "argument.range"),
        ({"slope": np.array([1.0, np.nan, 1.0])}, "slope", "argument.range"),
        ({"slope": np.ones(2)}, "slope", "argument.shape"),
        ({"curve": -np.ones(3)}, "curve", "argument.range"),
        ({"weight": np.ones(4)}, "weight", "argument.shape"),
        ({"leaves": 0}, "leaves", "argument.range"),
        ({"leaves": 257}, "leaves", "argument.range"),
    ],
)
def test_wrong_arguments_are_refused(changed, argument, code):
    given = {
        "bins": np.array([2, 2], np.int32), "slope": np.ones(3), "curve": np.ones(3),
        "weight": NONE, "leaves": 2,
    } | changed  # fmt: skip
    kind = ForestError if code == "argument.shape" else TuningError  # every kernel refuses sizes so
    with refuses(kind, code, argument=argument):
        _core.grow_tree(
            _core.BinnedColumns(np.array([[0, 1, 1], [1, 0, 1]], np.uint8), given.pop("bins")),
            *given.values(), 1.0, 0.0,
        )  # fmt: skip
