"""Grouping of features: planted groups, the optimum, shards, resumed runs, projections, files."""

from __future__ import annotations

import pickle
from itertools import combinations

import numpy as np
import pytest
from tests.refusals import refuses

from rosewood.errors import FormatError, TuningError
from rosewood.learn import GroupingSettings, Groups, group_features
from rosewood.learn.candidates import Candidates
from rosewood.learn.oscar_shards import Penalty, Rows, ShardWork, train_shard


def table_of(rows, dense=(), sparse=None):
    """Pairs from tables of sparse values, and rows of dense ones."""
    start = np.cumsum([0, *(len(row) for row in rows)]).astype(np.int64)
    ids = np.array([i for row in rows for i in sorted(row)], dtype=np.int32)
    return Candidates(
        start=np.arange(len(rows) + 1, dtype=np.int64),
        dense=np.array(dense if len(dense) else np.empty((len(rows), 0)), dtype=np.float64),
        feat_start=start,
        feat_id=ids,
        feat_value=np.array([row[i] for row in rows for i in sorted(row)], dtype=np.float64),
        num_sparse=int(ids.max(initial=-1)) + 1 if sparse is None else sparse,
        statistics=np.empty((len(rows), 0)),
    )


def planted(pairs, seed=1):
    """Better candidates have one of features 0 to 9 twice more and one of 10 to 19 once less;
    features from 20 on are noise."""
    random = np.random.default_rng(seed)
    rows = []
    for number in range(pairs):
        row = {number % 10: 2.0, 10 + number // 10 % 10: -1.0}
        for noise in random.choice(40, size=3, replace=False):
            row[20 + int(noise)] = float(random.choice([-1.0, 1.0]))
        rows.append(row)
    return table_of(rows, random.normal(size=(pairs, 1)), 60)


PLANTED = {"lambda1": 1e-3, "lambda2": 1e-3, "passes": 20}


def same(one, other):
    """Whether two groupings have the same bytes."""
    names = ("dense", "ids", "weights", "average_dense", "average")
    return one.history == other.history and all(
        getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in names
    )


@pytest.mark.parametrize("shards", [1, 4])
def test_planted_groups_are_found(shards):
    settings = GroupingSettings(
        **PLANTED, batch=1000 // shards, delay=5000 // shards, shards=shards
    )
    found = group_features(planted(1000), settings, seed=1)
    groups = found.groups
    assert groups.feature.tolist() == list(range(20))
    assert [groups.members(k).tolist() for k in range(len(groups))] == [
        list(range(10)),
        list(range(10, 20)),
    ]
    assert groups.weight[0] > 0 > groups.weight[1]
    assert abs(found.dense[0]) < 0.1
    assert found.history[-1]["loss"] < found.history[0]["loss"]
    assert [row["round"] for row in found.history] == list(range(1, 21))
    assert (found.history[-1]["active"], found.history[-1]["groups"]) == (20, 2)
    assert not found.notes


def least_loss(table, lambda1, lambda2):
    """The least objective, by linear programming over weights, sizes, larger ones and losses."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    pairs, size = len(table), table.num_sparse
    x = csr_array(
        (table.feat_value, table.feat_id, table.feat_start), shape=(pairs, size)
    ).toarray()
    couples = list(combinations(range(size), 2))
    count = 2 * size + len(couples) + pairs
    cost = np.concatenate(
        [
            np.zeros(size),
            np.full(size, lambda1),
            np.full(len(couples), lambda2),
            np.full(pairs, 1 / pairs),
        ]
    )
    rules, limits = [], []

    def rule(entries, limit):
        row = np.zeros(count)
        for place, value in entries:
            row[place] += value
        rules.append(row)
        limits.append(limit)

    for i in range(size):
        rule([(i, 1), (size + i, -1)], 0)
        rule([(i, -1), (size + i, -1)], 0)
    for k, pair in enumerate(couples):
        for i in pair:
            rule([(size + i, 1), (2 * size + k, -1)], 0)
    for n in range(pairs):
        place = 2 * size + len(couples) + n
        rule([*((i, -x[n, i]) for i in range(size)), (place, -1)], -1)
    bounds = [(None, None)] * size + [(0, None)] * (count - size)
    best = linprog(cost, np.array(rules), np.array(limits), bounds=bounds)
    assert best.status == 0

    def objective(weights):
        sizes = np.abs(weights)
        larger = sum(max(sizes[i], sizes[j]) for i, j in couples)
        loss = np.maximum(0, 1 - x @ weights).mean()
        return loss + lambda1 * sizes.sum() + lambda2 * larger

    return best.fun, objective


@pytest.mark.slow
def test_the_average_reaches_the_optimum():
    random = np.random.default_rng(4)
    rows = [
        {i: float(v) for i, v in enumerate(random.integers(-2, 4, size=5)) if v} for _ in range(12)
    ]
    table = table_of(rows, sparse=5)
    least, objective = least_loss(table, 0.02, 0.01)
    settings = GroupingSettings(lambda1=0.02, lambda2=0.01, passes=2000, delay=20)
    found = group_features(table, settings, seed=1)
    average = np.zeros(5)
    average[found.ids] = found.average
    assert least <= objective(average) <= 1.002 * least


def test_the_same_seed_gives_the_same_bytes():
    settings = GroupingSettings(lambda2=1e-4, passes=3)
    table = planted(300)
    one = group_features(table, settings, seed=3)
    assert same(one, group_features(table, settings, seed=3))
    assert not same(one, group_features(table, settings, seed=4))


@pytest.mark.parametrize("shards", [1, 3])
def test_stopped_and_resumed(tmp_path, shards):
    table, file = planted(200), tmp_path / "state.npz"
    settings = GroupingSettings(lambda2=1e-4, passes=5, shards=shards, batch=3)
    whole = group_features(table, settings, seed=3, file=tmp_path / "whole.npz")

    class Stop(Exception):
        pass

    def stop(row):
        if row["round"] == 4:
            raise Stop

    with pytest.raises(Stop):  # the fourth pass is done again
        group_features(table, settings, seed=3, file=file, report=stop)
    rounds = []
    again = group_features(table, settings, seed=3, file=file, report=rounds.append)
    assert [row["round"] for row in rounds] == [4, 5]
    assert same(whole, again)
    assert same(whole, group_features(table, settings, seed=3))
    assert file.read_bytes() == (tmp_path / "whole.npz").read_bytes()
    more = GroupingSettings(lambda2=1e-4, passes=6, shards=shards, batch=3)
    assert same(group_features(table, more, seed=3), group_features(table, more, seed=3, file=file))
    with refuses(TuningError, "file.mismatch", argument="passes", value=5, file=str(file)):
        group_features(table, settings, seed=3, file=file)
    with refuses(TuningError, "file.mismatch", file=str(file)):
        group_features(table, more, seed=4, file=file)
    with refuses(TuningError, "file.mismatch", file=str(file)):
        group_features(planted(200, seed=9), more, seed=3, file=file)
    file.write_bytes(b"something else")
    with refuses(FormatError, "file.format", file=str(file)):
        group_features(table, settings, seed=3, file=file)


@pytest.mark.slow
def test_processes_make_no_difference():
    table = planted(600)
    settings = GroupingSettings(lambda2=1e-4, passes=3, shards=3)
    told = []
    here = group_features(table, settings, seed=3)
    there = group_features(
        table, settings, seed=3, processes=2, progress=lambda *facts: told.append(facts)
    )
    assert same(here, there)
    assert told[-1] == ("grouping", 1800, 1800)
    assert [done for _, done, _ in told] == list(range(200, 1801, 200))


def test_a_shard_is_a_pure_function():
    table = planted(50)
    rows = Rows(table.dense, table.feat_start, table.feat_id, table.feat_value, 60)
    work = ShardWork(rows, np.zeros(61), Penalty(1e-3, 1e-3, 60.0), 1, 5, 2, 1, 2, 40)
    one, two = train_shard(work), train_shard(pickle.loads(pickle.dumps(work)))
    assert (one.half_steps, one.steps) == (65, 25)
    assert pickle.dumps([x for x in one if not np.ndim(x)]) == pickle.dumps(
        [x for x in two if not np.ndim(x)]
    )
    assert one.weight.tobytes() == two.weight.tobytes()
    assert not work.weight.any()


def test_more_shards_than_pairs():
    found = group_features(planted(3), GroupingSettings(shards=5, passes=2))
    assert np.isfinite(found.weights).all()


def test_a_start_and_features_that_no_pair_has():
    table = table_of([{0: 1.0}, {1: -1.0}], sparse=5)
    start = np.array([0.0, 0.0, 0.0, 0.0, 2.0])
    settings = GroupingSettings(lambda1=0.1, lambda2=0.0, passes=1)
    found = group_features(table, settings, start=start)
    assert found.ids.tolist() == [0, 1, 4]
    # It shrinks by 0.1 in the first step and by 0.05 in the second.
    assert found.weights[2] == pytest.approx(1.85)
    assert found.average[2] == pytest.approx((1.9 + 1.85) / 2)


def test_dense_features_are_learnt_in_their_own_units():
    """A column of large numbers has a small weight, and carries no penalty."""
    random = np.random.default_rng(1)
    good = np.abs(random.normal(size=(400, 1)))
    settings = GroupingSettings(lambda1=10.0, lambda2=0.0, passes=2)
    rows = [{0: float(random.choice([-1, 1]))} for _ in range(400)]
    plain, large = (
        group_features(table_of(rows, factor * good), settings) for factor in (1.0, 1000.0)
    )
    assert plain.dense[0] > 0
    assert large.dense[0] == pytest.approx(plain.dense[0] / 1000)
    assert large.average_dense[0] == pytest.approx(plain.average_dense[0] / 1000)
    assert len(plain.groups) == 0
    assert len(plain.notes) == 1


@pytest.mark.parametrize(
    ("rows", "settings", "groups"),
    [
        ([{0: 1.0, 1: 1.0}], GroupingSettings(lambda1=100.0), 0),
        ([{0: 1.0, 1: 1.0}], GroupingSettings(), 1),
        ([{}, {}], GroupingSettings(), 0),
    ],
)
def test_no_group_and_one_group_are_told(rows, settings, groups):
    found = group_features(table_of(rows, [[1.0]] * len(rows), 3), settings, dimension=9)
    assert len(found.groups) == groups
    assert len(found.notes) == 1
    assert found.groups.dimension == 9
    assert len(found.groups.project(table_of(rows, sparse=3)).feat_id) == (1 if groups else 0)


def test_what_is_refused():
    table = planted(10)
    with refuses(TuningError, "tuning.no-pairs", argument="table"):
        group_features(table_of([]))
    with refuses(TuningError, "argument.range", argument="dimension", value=59):
        group_features(table, dimension=59)
    with refuses(TuningError, "tuning.not-finite", argument="feat_value"):
        group_features(table_of([{0: np.nan}]))
    with refuses(TuningError, "tuning.not-finite", argument="dense"):
        group_features(table_of([{0: 1.0}], [[np.inf]]))
    with refuses(TuningError, "tuning.not-finite", argument="dense"):
        group_features(table_of([{0: 1.0}], [[np.nan]]), GroupingSettings(scale=False))
    with refuses(TuningError, "tuning.not-finite", argument="start"):
        group_features(table_of([{0: 1.0}]), start=[np.nan])
    with refuses(TuningError, "argument.range", argument="lambda2"):
        GroupingSettings(lambda2=-1.0)


# -- groups ----------------------------------------------------------------------------------------

GROUPS = Groups.of([2, 3, 5, 7, 11, 13], [0.5, -1.0, 0.5, 0.0, -0.5, 0.5], 20)


def test_groups_are_sets_of_equal_signed_weights():
    assert GROUPS.weight.tolist() == [-1.0, 0.5, -0.5]
    assert [GROUPS.members(k).tolist() for k in range(3)] == [[3], [2, 5, 13], [11]]
    assert GROUPS.sizes().tolist() == [1, 3, 1]
    assert (len(GROUPS), GROUPS.active, GROUPS.dimension) == (3, 5, 20)
    assert GROUPS.lookup([0, 2, 3, 7, 13, 19]).tolist() == [-1, 1, 0, -1, 1, -1]
    with refuses(TuningError, "argument.range", argument="group", value=3):
        GROUPS.members(3)


def test_group_values_are_sums_of_members():
    random = np.random.default_rng(2)
    rows = [
        {int(i): float(random.integers(-2, 3)) for i in random.choice(20, size=6, replace=False)}
        for _ in range(30)
    ]
    table = table_of(rows, random.normal(size=(30, 2)), 20)
    grouped = GROUPS.project(table)
    assert grouped.num_sparse == 3
    assert grouped.dense is table.dense
    # Scores with weights of groups are scores with unpacked weights.
    own = np.array([0.3, -0.7, 2.0])
    theta = np.zeros(22)
    theta[:2] = [1.0, -1.0]
    ids, values = GROUPS.unpack(own)
    theta[2 + ids] = values
    assert np.allclose(
        grouped.scores(np.concatenate([[1.0, -1.0], own])), table.scores(theta), atol=1e-12
    )
    expected = [sum(row.get(i, 0.0) for i in (2, 5, 13)) for row in rows]
    assert grouped.scores(np.array([0, 0, 0, 1.0, 0])).tolist() == expected


def test_packed_weights_are_means():
    assert GROUPS.pack([2, 3, 5, 19], [3.0, 4.0, 6.0, 100.0]).tolist() == [4.0, 3.0, 0.0]
    ids, values = GROUPS.unpack()
    assert GROUPS.pack(ids, values).tolist() == GROUPS.weight.tolist()


def test_empty_groups():
    some = Groups([4], [1], [1.0, 2.0, 3.0], 5)
    assert some.sizes().tolist() == [0, 1, 0]
    assert some.members(0).tolist() == []
    assert some.pack([4], [7.0]).tolist() == [0.0, 7.0, 0.0]
    none = Groups.of([], [], 5)
    assert (len(none), none.active) == (0, 0)
    assert none.lookup([1, 2]).tolist() == [-1, -1]
    assert [each.tolist() for each in none.unpack()] == [[], []]


def test_groups_in_files(tmp_path):
    for number, groups in enumerate([GROUPS, Groups.of([], [], 0)]):
        file = tmp_path / f"{number}.npz"
        groups.save(file)
        again = Groups.load(file)
        assert again.dimension == groups.dimension
        for name in ("feature", "group_of", "weight"):
            assert np.array_equal(getattr(again, name), getattr(groups, name))
        first = file.read_bytes()
        again.save(file)
        assert file.read_bytes() == first
    file.write_bytes(first[:-30])
    with refuses(FormatError, "file.format", file=str(file)):
        Groups.load(file)
    np.savez(file, feature=[3], group_of=[1], weight=[1.0], dimension=9)
    with refuses(FormatError, "file.format", file=str(file)):
        Groups.load(file)
    with pytest.raises(FileNotFoundError):
        Groups.load(tmp_path / "none.npz")


@pytest.mark.parametrize(
    ("arrays", "code", "argument"),
    [
        (([1, 1], [0, 0], [1.0], 5), "argument.value", "feature"),
        (([5], [0], [1.0], 5), "argument.value", "feature"),
        (([1], [1], [1.0], 5), "argument.range", "group_of"),
        (([1], [0, 0], [1.0], 5), "argument.shape", "group_of"),
        (([1], [0], [np.nan], 5), "argument.range", "weight"),
        (([1.5], [0], [1.0], 5), "argument.type", "feature"),
        (([1], [0], [1.0], -1), "argument.range", "dimension"),
    ],
)
def test_groups_that_are_none(arrays, code, argument):
    with refuses(TuningError, code, argument=argument):
        Groups(*arrays)
