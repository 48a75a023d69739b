"""Inside, outside and figure 4 in any semiring, against sums over all derivations."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import forest as reference
from tests.reference.semirings import Languages
from tests.refusals import refuses
from tests.strategies import forests, quarters, rationals, weighted_forests, weights_for
from tests.zoo import SMALL, ZOO

from rosewood.errors import ForestError, SemiringError
from rosewood.forest import Forest
from rosewood.forest.generic import exclusive, inside, inside_outside, outside
from rosewood.forest.hull import HULL, HullLine, envelope
from rosewood.forest.modules import (
    Expectation,
    NumpyVectors,
    Scalars,
    SecondOrderExpectation,
    SparseVectors,
    TupleVectors,
)
from rosewood.forest.semirings import (
    BOOLEAN,
    COUNTING,
    LOG,
    RATIONAL,
    REAL,
    SIGNED_LOG,
    TROPICAL,
    VITERBI,
)

EXAMPLES = settings(max_examples=40, deadline=None)

EXACT = {
    "boolean": (BOOLEAN, st.booleans()),
    "counting": (COUNTING, st.integers(0, 5)),
    "rational": (RATIONAL, rationals),
    "tropical": (TROPICAL, quarters | st.just(-math.inf)),
    "expectation": (Expectation(RATIONAL), st.tuples(rationals, rationals)),
    "second order": (
        SecondOrderExpectation(RATIONAL),
        st.tuples(rationals, rationals, rationals, rationals),
    ),
    "languages": (Languages(6), st.frozensets(st.text("ab", max_size=2), max_size=2)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXACT)
@given(data=st.data())
@EXAMPLES
def test_inside_is_the_sum_over_derivations(name, data):
    semiring, elements = EXACT[name]
    forest, weights = data.draw(weighted_forests(elements))
    assert inside(forest, weights, semiring) == reference.inside(forest, weights, semiring)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, (k, _) in EXACT.items() if k.commutative])
@given(data=st.data())
@EXAMPLES
def test_outside_is_the_sum_over_surroundings(name, data):
    semiring, elements = EXACT[name]
    forest, weights = data.draw(weighted_forests(elements, max_derivations=20))
    found = outside(forest, weights, semiring)
    assert found == reference.outside(forest, weights, semiring)
    assert found == outside(forest, weights, semiring, inside(forest, weights, semiring))
    used = map(semiring.times, exclusive(forest, weights, semiring), weights)
    assert list(used) == reference.uses(forest, weights, semiring)


@pytest.mark.slow
@given(weighted_forests(quarters))
@EXAMPLES
def test_viterbi_finds_the_best_derivation(drawn):
    forest, weight = drawn
    score, found = inside(forest, VITERBI.weights(weight), VITERBI)[-1]
    every = reference.enumerate_derivations(forest)
    best = max(reference.score(d, weight) for d in every)
    assert score == best
    first = min((d for d in every if reference.score(d, weight) == best), key=lambda d: (len(d), d))
    assert found == first
    assert score == forest.best(weight).score


@given(st.data())
@EXAMPLES
def test_the_hull_has_every_derivation_that_is_best_somewhere(data):
    forest = data.draw(forests())
    slope, intercept = (data.draw(weights_for(forest, rationals)) for _ in range(2))
    found = inside(forest, HULL.weights(slope, intercept), HULL)[-1]
    every = [
        HullLine(sum(slope[e] for e in d), sum(intercept[e] for e in d), d)
        for d in reference.enumerate_derivations(forest)
    ]
    assert found == envelope(every)


# -- derivatives ----------------------------------------------------------------------------------


def derivative_at_zero(f, degree: int) -> Fraction:
    """f'(0) of a polynomial, exactly, by Newton's forward differences."""
    row = [f(Fraction(x)) for x in range(degree + 1)]
    total = Fraction(0)
    for order in range(1, degree + 1):
        row = [b - a for a, b in pairwise(row)]
        total += Fraction((-1) ** (order + 1), order) * row[0]
    return total


@given(st.data())
@EXAMPLES
def test_outside_is_the_derivative_by_a_node(data):
    """A further edge without tails, of weight x, into a node: Z is a polynomial in x."""
    forest, weights = data.draw(weighted_forests(rationals, max_nodes=4, max_size=12))
    node = data.draw(st.integers(0, forest.num_nodes - 1))
    place = int(forest.edge_start[node + 1])
    starts = forest.edge_start.copy()
    starts[node + 1 :] += 1
    tails = np.insert(forest.tail_start, place, forest.tail_start[place])
    wider = Forest(starts, tails, forest.tail)

    def total(x):
        return inside(wider, [*weights[:place], x, *weights[place:]], RATIONAL)[-1]

    slots = max(len(d) for d in reference.derivations_of_nodes(wider)[-1])
    assert outside(forest, weights, RATIONAL)[node] == derivative_at_zero(total, slots)


@given(st.data())
@EXAMPLES
def test_exclusive_is_the_derivative_by_an_edge(data):
    forest, weights = data.draw(weighted_forests(rationals, max_nodes=4, max_size=12))
    edge = data.draw(st.integers(0, forest.num_edges - 1))

    def total(x):
        return inside(forest, [*weights[:edge], weights[edge] + x, *weights[edge + 1 :]], RATIONAL)[
            -1
        ]

    most = max(d.count(edge) for d in reference.enumerate_derivations(forest))
    found = exclusive(forest, weights, RATIONAL)[edge]
    assert found == derivative_at_zero(total, max(most, 1))


def test_a_node_that_fills_two_slots_counts_twice():
    """Z = 3 a²: at a = 2 its derivative is 12."""
    forest = SMALL["repeated_tail"]().forest
    weights = [Fraction(1, 2), Fraction(3, 2), Fraction(3)]
    assert inside(forest, weights, RATIONAL) == [2, 12]
    assert outside(forest, weights, RATIONAL) == [12, 1]
    assert exclusive(forest, weights, RATIONAL) == [12, 12, 4]
    assert outside(forest, np.array([0.5, 1.5, 3.0]), REAL).tolist() == [12.0, 1.0]
    logs = outside(forest, np.log([0.5, 1.5, 3.0]), LOG)
    assert np.exp(logs).tolist() == pytest.approx([12.0, 1.0])


# -- figure 4 -------------------------------------------------------------------------------------


@given(st.data())
@EXAMPLES
def test_figure_4_is_inside_in_the_expectation_semiring(data):
    sparse = SparseVectors(RATIONAL)
    rows = st.dictionaries(st.sampled_from("abcd"), rationals.filter(bool), max_size=2)
    forest, weights = data.draw(weighted_forests(st.tuples(rationals, rows)))
    k, x = [w[0] for w in weights], [w[1] for w in weights]
    whole = inside(forest, weights, Expectation(RATIONAL, sparse))[-1]
    assert inside_outside(forest, k, x, RATIONAL, sparse) == whole


@given(st.data())
@EXAMPLES
def test_figure_4_by_lifting_is_inside_in_the_second_order_semiring(data):
    vectors = TupleVectors(RATIONAL, 2)
    second = SecondOrderExpectation(
        RATIONAL, Scalars(RATIONAL), vectors, vectors, lambda r, s: (r * s[0], r * s[1])
    )
    pair = st.tuples(rationals, rationals)
    forest, weights = data.draw(weighted_forests(st.tuples(rationals, rationals, pair, pair)))
    lifted = second.lifted()
    k, x = inside_outside(
        forest, [w[:2] for w in weights], [w[2:] for w in weights], lifted.base, lifted.module
    )
    assert (*k, *x) == inside(forest, weights, second)[-1]


@given(st.data())
@EXAMPLES
def test_second_order_is_covariance(data):
    """<p, p r, p s, p r s> on edges gives Σ p, Σ p r, Σ p s, Σ p r s over derivations."""
    parts = st.tuples(rationals, rationals, rationals)
    forest, prs = data.draw(weighted_forests(parts))
    weights = [(p, p * r, p * s, p * r * s) for p, r, s in prs]
    want = [Fraction(0)] * 4
    for d in reference.enumerate_derivations(forest):
        p = math.prod(prs[e][0] for e in d)
        r, s = sum(prs[e][1] for e in d), sum(prs[e][2] for e in d)
        want = [a + b for a, b in zip(want, (p, p * r, p * s, p * r * s), strict=True)]
    assert inside(forest, weights, SecondOrderExpectation(RATIONAL))[-1] == tuple(want)


def test_figure_4_with_numpy():
    forest, weight = SMALL["lattice"]().forest, SMALL["lattice"]().weight
    p = np.exp(weight)
    rows = [w * row for w, row in zip(p, np.eye(forest.num_edges), strict=True)]
    total, counts = inside_outside(forest, p, rows, REAL, NumpyVectors(forest.num_edges))
    assert total == pytest.approx(math.exp(forest.inside(weight)[-1]))
    want = [math.exp(x) for x in reference.uses(forest, weight.tolist(), LOG)]
    assert counts.tolist() == pytest.approx(want)


# -- arrays and kernels: one name for both levels -------------------------------------------------


def _arrays():
    """Semirings with kernels: how their elements are drawn, and as an array."""
    number = st.tuples(st.sampled_from([1.0, -1.0]), st.floats(-2, 2))
    return {
        "log": (LOG, st.floats(-3, 3) | st.just(-math.inf)),
        "real": (REAL, st.floats(-3, 3)),
        "tropical": (TROPICAL, st.floats(-3, 3) | st.just(-math.inf)),
        "signed log": (SIGNED_LOG, number | st.just(SIGNED_LOG.zero)),
        "first order": (Expectation(SIGNED_LOG), st.tuples(number, number)),
        "second order": (
            SecondOrderExpectation(SIGNED_LOG),
            st.tuples(number, number, number, number),
        ),
    }


def _plain(values, semiring):
    """Signed logs as ordinary numbers: their logs say little after cancellation."""
    array = np.array(values, dtype=float)
    if semiring in (LOG, REAL, TROPICAL):
        return array
    return array[..., 0] * np.exp(np.where(array[..., 0] == 0.0, 0.0, array[..., 1]))


@pytest.mark.slow
@pytest.mark.parametrize("name", _arrays())
@given(data=st.data())
@EXAMPLES
def test_arrays_give_what_lists_give(name, data):
    semiring, elements = _arrays()[name]
    forest, weights = data.draw(weighted_forests(elements, max_size=12))
    array = np.array(weights)
    for function in (inside, outside):
        slow, fast = function(forest, weights, semiring), function(forest, array, semiring)
        assert isinstance(slow, list)
        assert isinstance(fast, np.ndarray)
        size = np.abs(_plain(slow, semiring)[np.isfinite(_plain(slow, semiring))]).max(initial=1.0)
        np.testing.assert_allclose(
            _plain(fast, semiring), _plain(slow, semiring), rtol=1e-9, atol=1e-9 * size
        )
    slow, fast = exclusive(forest, weights, semiring), exclusive(forest, array, semiring)
    size = np.abs(_plain(slow, semiring)[np.isfinite(_plain(slow, semiring))]).max(initial=1.0)
    np.testing.assert_allclose(
        _plain(fast, semiring), _plain(slow, semiring), rtol=1e-9, atol=1e-9 * size
    )


def test_other_arrays_are_read_as_lists():
    forest = SMALL["n_best"]().forest
    assert inside(forest, np.ones(6, dtype=np.int64), COUNTING) == [6]
    assert inside(forest, np.array([Fraction(1, 3)] * 6), RATIONAL) == [2]


def test_wrong_weights_are_refused():
    forest = SMALL["n_best"]().forest
    for function in (inside, outside, exclusive):
        with refuses(ForestError, "argument.shape", argument="weights", value=5):
            function(forest, [1] * 5, COUNTING)
        with refuses(ForestError, "argument.shape", argument="weights", value=(5,)):
            function(forest, np.zeros(5), LOG)
        with refuses(ForestError, "argument.shape", argument="weights", value=(6,)):
            function(forest, np.zeros(6), SIGNED_LOG)
        with refuses(ForestError, "forest.overflow", value=0):
            function(forest, np.full(6, np.nan), REAL)
        with refuses(ForestError, "argument.value", argument="weights", value=5):
            function(forest, [0.0] * 5 + [math.nan], LOG)
    with refuses(ForestError, "argument.shape", argument="inside", value=0):
        outside(forest, [1] * 6, COUNTING, [])
    with refuses(ForestError, "argument.shape", argument="x_values", value=2):
        inside_outside(forest, [1] * 6, [1, 2], COUNTING, Scalars(COUNTING))
    with refuses(ForestError, "forest.overflow", value=1):
        inside(SMALL["thrice"]().forest, np.full(6, 1e200), REAL)


def test_outside_needs_a_semiring_that_commutes():
    forest = SMALL["n_best"]().forest
    with refuses(SemiringError, "semiring.not-commutative", argument="semiring"):
        outside(forest, VITERBI.weights([0.0] * 6), VITERBI)
    with refuses(SemiringError, "semiring.not-commutative", argument="semiring"):
        exclusive(forest, HULL.weights([0.0] * 6, [0.0] * 6), HULL)


# -- the zoo --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SMALL)
def test_zoo(name):
    forest = SMALL[name]().forest
    weights = [Fraction(e % 5 - 2, 3) for e in range(forest.num_edges)]
    assert inside(forest, weights, RATIONAL) == reference.inside(forest, weights, RATIONAL)
    assert outside(forest, weights, RATIONAL) == reference.outside(forest, weights, RATIONAL)
    ones = [1] * forest.num_edges
    assert inside(forest, ones, COUNTING)[-1] == reference.count(forest)


@pytest.mark.slow
def test_large_forests():
    deep = ZOO["deep_chain"]().forest
    assert inside(deep, [2] * 100 + [1] * (deep.num_edges - 100), COUNTING)[-1] == 2**100
    assert outside(deep, [1] * deep.num_edges, COUNTING) == [1] * deep.num_nodes
    wide = ZOO["high_arity"]().forest
    assert inside(wide, [1] * wide.num_edges, COUNTING)[-1] == 2**100
    assert outside(wide, [1] * wide.num_edges, COUNTING)[:-1] == [25 * 2**99] * 4
    doubling = ZOO["doubling"]().forest
    assert inside(doubling, [1] * 140, COUNTING)[-1] == 2**70
