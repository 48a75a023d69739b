"""OSCAR's proximal step and online algorithm against algorithm 3, isotonic regression, search."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import oscar as plain
from tests.refusals import refuses

from rosewood import _core
from rosewood.errors import TuningError
from rosewood.learn import oscar_prox

EXAMPLES = settings(max_examples=70, deadline=None)
SIZES = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.0, 3.0]) | st.floats(0, 5)
VECTORS = st.lists(st.tuples(SIZES, st.sampled_from([-1.0, 1.0])), min_size=1, max_size=7).map(
    lambda parts: [size * sign for size, sign in parts]
)
LAMBDAS = st.just(0.0) | st.floats(0.001, 0.2)
STEPS = st.sampled_from([0.5, 1.0, 3.0, 40.0])


def prox(a, step, penalty):
    return oscar_prox(
        a,
        step=step,
        lambda1=penalty.lambda1,
        lambda2=penalty.lambda2,
        dimension=penalty.dimension,
    )


def exact(a, step, penalty):
    """Algorithm 3 in fractions."""
    lambdas = plain.Penalty(Fraction(penalty.lambda1), Fraction(penalty.lambda2), penalty.dimension)
    return plain.prox([Fraction(x) for x in a], Fraction(step), lambdas)


@pytest.mark.slow
@EXAMPLES
@given(VECTORS, STEPS, LAMBDAS, LAMBDAS, st.integers(0, 9))
def test_the_proximal_step(a, step, lambda1, lambda2, more):
    penalty = plain.Penalty(lambda1, lambda2, len(a) + more)
    found = prox(a, step, penalty)
    expected = exact(a, step, penalty)
    assert np.allclose(found, [float(x) for x in expected], rtol=0, atol=1e-12)
    assert np.allclose(found, plain.pooled_prox(a, step, penalty), rtol=0, atol=1e-12)
    assert np.allclose(found, plain.brute_force(a, step, penalty), rtol=0, atol=1e-7)
    # Features of equal size stay together, and zeros stay zeros (lemma 1).
    for i, j in combinations(range(len(a)), 2):
        if abs(a[i]) == abs(a[j]):
            assert abs(found[i]) == abs(found[j])
    assert not found[np.array(a) == 0].any()


def random_vectors(count, seed):
    """Vectors with ties, zeros and both signs, and penalties for them."""
    random = np.random.default_rng(seed)
    for number in range(count):
        size = int(random.integers(1, 9))
        a = random.normal(size=size)
        if number % 3 == 0:
            a = np.round(2 * a) / 2
        if number % 7 == 0:
            a[:] = a[0]
        lambda1, lambda2 = random.choice([0.0, 0.01, 0.1, 1.0], size=2) * random.random(2)
        yield a, float(random.integers(1, 5)), plain.Penalty(lambda1, lambda2, size + number % 5)


@pytest.mark.slow
def test_thousands_of_vectors_minimise_equation_3():
    random = np.random.default_rng(5)
    for a, step, penalty in random_vectors(2000, 1):
        found = prox(a, step, penalty)
        least = plain.objective(found, a, step, penalty)
        near = found + random.normal(scale=random.choice([1e-3, 0.1]), size=len(a))
        for other in (near, found * 0.99, np.zeros(len(a)), plain.prox(a, step, penalty)):
            assert least <= plain.objective(other, a, step, penalty) + 1e-12
    for a, step, penalty in random_vectors(300, 2):
        assert np.allclose(
            prox(a, step, penalty), plain.brute_force(a, step, penalty), rtol=0, atol=1e-7
        )


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 2, 50, 3000])
def test_an_isotonic_solver_agrees(size):
    isotonic = pytest.importorskip("sklearn.isotonic")
    random = np.random.default_rng(size)
    a = np.round(random.normal(size=size), 1 if size > 100 else 6)
    a[a == 0] = 1.0
    penalty = plain.Penalty(0.01, 0.3 / size, 2 * size)
    order = np.argsort(-np.abs(a), kind="stable")
    rates = penalty.lambda1 + penalty.lambda2 * (penalty.dimension - np.arange(1, size + 1))
    shrunk = np.abs(a[order]) / 2 - rates / 3
    sizes = isotonic.isotonic_regression(shrunk, increasing=False)
    assert np.allclose(sizes, plain.pool_adjacent(shrunk.tolist()), rtol=0, atol=1e-10)
    expected = np.zeros(size)
    expected[order] = np.sign(a[order]) * np.maximum(sizes, 0)
    assert np.allclose(prox(a, 3.0, penalty), expected, rtol=0, atol=1e-10)


def test_without_lambda2_it_is_soft_thresholding():
    a = np.random.default_rng(1).normal(size=1000)
    expected = np.sign(a) * np.maximum(np.abs(a) / 2 - 0.3 / 4, 0)
    assert np.allclose(prox(a, 4.0, plain.Penalty(0.3, 0.0, 10**6)), expected, atol=1e-15)


def test_zeros_do_not_change_the_others():
    """Lemma 1: the dimension counts, the zeros that are given do not."""
    a = np.array([0.3, 0.0, -1.0, 0.0, 1.1, -0.2])
    penalty = plain.Penalty(0.01, 0.02, 30)
    found = prox(a, 2.0, penalty)
    assert found[a != 0].tolist() == prox(a[a != 0], 2.0, penalty).tolist()
    assert not found[a == 0].any()


@pytest.mark.slow
def test_a_million_elements():
    random = np.random.default_rng(3)
    a = np.where(
        random.random(10**6) < 0.5, random.normal(size=10**6), random.integers(-3, 4, 10**6)
    )
    penalty = plain.Penalty(1e-3, 1e-7, 2 * 10**6)
    found = prox(a, 1.0, penalty)
    order = np.argsort(-np.abs(a), kind="stable")[: np.count_nonzero(a)]
    sizes = np.abs(found[order])
    assert (np.diff(sizes) <= 0).all()
    assert (found * a >= 0).all()
    # Each block above zero is the mean of what its members were shrunk to.
    rates = 1e-3 + 1e-7 * (2 * 10**6 - np.arange(1, len(order) + 1))
    shrunk = np.abs(a[order]) / 2 - rates
    levels, place = np.unique(sizes, return_inverse=True)
    means = np.bincount(place, shrunk) / np.bincount(place)
    assert np.allclose(means[levels > 0], levels[levels > 0], rtol=0, atol=1e-12)
    assert 0 < len(levels) < len(order)


def test_the_proximal_step_of_nothing():
    assert prox([], 1.0, plain.Penalty(1.0, 1.0, 0)).tolist() == []
    assert prox([0.0], 1.0, plain.Penalty(1.0, 1.0, 0)).tolist() == [0.0]


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"a": [1.0, np.nan]}, "argument.range"),
        ({"a": [np.inf]}, "argument.range"),
        ({"step": 0.0}, "argument.range"),
        ({"step": np.nan}, "argument.range"),
        ({"lambda1": -1.0}, "argument.range"),
        ({"lambda2": np.inf}, "argument.range"),
        ({"dimension": 1}, "argument.range"),
        ({"dimension": 2.5}, "argument.type"),
    ],
)
def test_bad_arguments_are_refused(changed, code):
    good = {"a": [1.0, -2.0], "step": 1.0, "lambda1": 0.1, "lambda2": 0.1, "dimension": 5}
    values = {**good, **changed}
    (name,) = changed
    with refuses(TuningError, code, argument=name):
        oscar_prox(values.pop("a"), **values)


# -- online ----------------------------------------------------------------------------------------


def features_of(rows, dense, sparse):
    """Rows of the reference as arrays."""
    start = np.cumsum([0, *(len(values) for _, values in rows)]).astype(np.int64)
    return _core.make_features(
        np.array([values for values, _ in rows], dtype=np.float64).reshape(len(rows), dense),
        start,
        np.array([i for _, values in rows for i in values], dtype=np.int32),
        np.array([x for _, values in rows for x in values.values()], dtype=np.float64),
        sparse,
    )


def by_id(values):
    return dict(sorted(values.items()))


@st.composite
def problems(draw):
    sparse = draw(st.integers(1, 6))
    values = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 1.0, 1.0, 3.0])
    row = st.tuples(
        st.tuples(values, values),
        st.dictionaries(st.integers(0, sparse - 1), values, max_size=4).map(by_id),
    )
    rows = draw(st.lists(row, min_size=1, max_size=14))
    start = draw(st.lists(st.sampled_from([0.0, 0.0, 0.5, -0.5, 1.25]), min_size=sparse,
                          max_size=sparse))  # fmt: skip
    # Numbers without short fractions: blocks do not meet at the very end of a step.  Every weight
    # shrinks: gradients that cancel each other leave no zero that is the last bit of a double.
    lambda1 = draw(st.sampled_from([0.0, 0.0123457]))
    lambda2 = draw(st.sampled_from([0.00713459, 0.0317263, 0.00097]))
    more = draw(st.integers(0 if lambda1 else 1, 4))
    return rows, start, plain.Penalty(lambda1, lambda2, sparse + more)


@pytest.mark.slow
@EXAMPLES
@given(problems(), st.integers(1, 3), st.integers(0, 3))
def test_online_is_algorithm_3_at_each_step(problem, batch, steps):
    rows, start, penalty = problem
    lambdas = plain.Penalty(Fraction(penalty.lambda1), Fraction(penalty.lambda2), penalty.dimension)
    exact_rows = [
        (
            [Fraction(x) for x in dense],
            {i: Fraction(x) for i, x in sparse.items()},
        )
        for dense, sparse in rows
    ]
    first = ([Fraction(0)] * 2, [Fraction(x) for x in start])
    expected = list(
        plain.online(exact_rows, first, lambdas, one=Fraction(1), batch=batch, steps=steps)
    )
    table = features_of(rows, 2, len(start))
    ends = [min(len(rows), batch * (k + 1)) for k in range(len(expected))]
    total = np.zeros(2 + len(start))
    for end, after in zip(ends, expected, strict=True):
        # The state after each step, without a rest in between: passes keep blocks.
        run = _core.OscarPass(
            penalty, batch, 2, np.array([0.0, 0.0, *start]), np.zeros(2 + len(start)), (steps, 0)
        )
        loss = sum(run.run(table, np.arange(a, b)) for a, b in pairwise([0, end // 2, end]))
        weight, sums, counted = run.finish()
        wanted = [float(x) for x in (*after.dense, *after.weights)]
        total += wanted
        assert np.allclose(weight, wanted, rtol=0, atol=1e-9)
        assert plain.partition(weight[2:].tolist()) == plain.partition(after.weights)
        assert loss == pytest.approx(float(after.loss), abs=1e-9)
        assert counted == (steps + end, ends.index(end) + 1)
        assert np.allclose(sums, total, rtol=0, atol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("lambda2", [0.0, 3e-5, 1e-3])
def test_many_blocks_through_many_steps(lambda2):
    """Hundreds of blocks, so that chunks of the order split and merge; each step from scratch."""
    random = np.random.default_rng(7)
    size, penalty = 1200, (1e-4, lambda2, 1500.0)
    weights = np.where(random.random(size) < 0.7, random.normal(size=size), 0.0)
    own = _core.OscarWeights(penalty, weights)
    found, sums, total = np.empty(size), np.empty(size), np.zeros(size)
    for number in range(1, 301):
        ids = random.choice(size, size=int(random.integers(0, 40)), replace=False)
        change = random.choice([0.5, -0.5, 0.01, random.normal()], size=len(ids)) / number**0.5
        away = random.random(len(ids)) < 0.1
        change[away] = -weights[ids[away]]
        own.step(ids, change, 1.0 / number)
        weights[ids] += change
        weights = oscar_prox(2 * weights, step=number, lambda1=1e-4, lambda2=lambda2,
                             dimension=1500)  # fmt: skip
        total += weights
        own.write(found, sums)
        assert np.allclose(found, weights, rtol=0, atol=1e-12)
        assert np.allclose(sums, total, rtol=0, atol=1e-10)
        if lambda2:
            sizes = np.unique(np.abs(weights[weights != 0]))
            if len(sizes) < 2 or np.diff(sizes).min() > 1e-12:
                assert own.blocks == len(sizes)
                assert plain.partition(found.tolist()) == plain.partition(weights.tolist())


def test_what_online_refuses():
    weights = _core.OscarWeights((0.1, 0.1, 3.0), np.zeros(3))
    one = np.ones(1)
    with refuses(TuningError, "argument.range", argument="id", value=3):
        weights.step(np.array([3]), one, 1.0)
    with refuses(TuningError, "argument.range", argument="change"):
        weights.step(np.array([0]), one * np.nan, 1.0)
    with refuses(TuningError, "argument.range", argument="eta"):
        weights.step(np.array([0]), one, -1.0)
    with refuses(TuningError, "argument.range", argument="dimension", value=2):
        _core.OscarWeights((0.1, 0.1, 1.0), np.ones(2))
    with refuses(TuningError, "argument.range", argument="penalty"):
        _core.OscarWeights((0.1, np.nan, 3.0), np.ones(2))
    run = _core.OscarPass((0.1, 0.1, 3.0), 1, 0, np.zeros(3), np.zeros(3), (0, 0))
    with refuses(TuningError, "argument.range", argument="order", value=1):
        run.run(features_of([((), {0: 1.0})], 0, 3), np.array([1]))
    with refuses(TuningError, "argument.range", argument="batch", value=0):
        _core.OscarPass((0.1, 0.1, 3.0), 0, 0, np.zeros(3), np.zeros(3), (0, 0))
