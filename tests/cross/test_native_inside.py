"""Native inside, outside, best and counting kernels against sums over all derivations."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import forest as reference
from tests.refusals import refuses
from tests.strategies import (
    forests,
    quarters,
    rationals,
    weighted_forests,
    weights_for,
)
from tests.zoo import SMALL, ZOO

from rosewood import _core
from rosewood.errors import EmptyForestError, ForestError
from rosewood.forest import best, num_derivations
from rosewood.forest.generic import inside, outside
from rosewood.forest.modules import Expectation, SecondOrderExpectation
from rosewood.forest.semirings import COUNTING, LOG, RATIONAL, SIGNED_LOG, TROPICAL

EXAMPLES = settings(max_examples=60, deadline=None)
FEW = settings(max_examples=30, deadline=None)
wide_logs = st.floats(-5000, 5000)


def same_logs(found, want, tolerance=1e-10):
    """Equal up to rounding, relative to the size of the logarithms; infinities exactly."""
    found, want = np.asarray(found, dtype=float), np.asarray(want, dtype=float)
    scale = max(1.0, np.abs(want[np.isfinite(want)]).max(initial=0.0))
    np.testing.assert_allclose(found, want, rtol=0.0, atol=tolerance * scale)


# -- log ------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(weighted_forests() | weighted_forests(wide_logs) | weighted_forests(quarters))
@EXAMPLES
def test_log_inside_and_outside(drawn):
    forest, weights = drawn
    want = reference.inside(forest, weights, LOG)
    same_logs(forest.inside(weights), want)
    found, above = forest.inside_outside(weights)
    assert found.tolist() == forest.inside(weights).tolist()
    same_logs(above, outside(forest, weights, LOG))


@given(weighted_forests(max_derivations=15))
@FEW
def test_log_outside_is_the_sum_over_surroundings(drawn):
    forest, weights = drawn
    _, above = forest.inside_outside(weights)
    same_logs(above, reference.outside(forest, weights, LOG))


@given(weighted_forests(max_derivations=15), st.sampled_from([-5000.0, 5000.0]))
@FEW
def test_totals_no_double_can_hold(drawn, shift):
    """Every edge without tails times exp(shift): each derivation by as much as it has leaves."""
    forest, weights = drawn
    far = np.array(weights) + np.where(forest.arity() == 0, shift, 0.0)
    same_logs(forest.inside(far), reference.inside(forest, far.tolist(), LOG))
    same_logs(forest.inside_outside(far)[1], reference.outside(forest, far.tolist(), LOG))


@pytest.mark.parametrize("name", SMALL)
def test_zoo_log(name):
    forest, weight = SMALL[name]().forest, SMALL[name]().weight
    found, above = forest.inside_outside(weight)
    same_logs(found, reference.inside(forest, weight.tolist(), LOG))
    same_logs(above, reference.outside(forest, weight.tolist(), LOG))


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_weights_that_are_no_numbers_are_refused(bad):
    forest = SMALL["thrice"]().forest
    weight = np.zeros(6)
    weight[3] = bad
    with refuses(ForestError, "forest.weight", value=3):
        forest.inside(weight)
    with refuses(ForestError, "forest.weight", value=3):
        forest.inside_outside(weight)
    with refuses(ForestError, "forest.weight", value=3):
        forest.max_marginals(weight)
    with refuses(ForestError, "forest.weight", value=3):
        best(forest, weight)
    with refuses(ForestError, "forest.weight", value=3):
        _signed(forest, 1, np.array([[1.0, w] for w in weight]))


def test_logarithms_that_fit_no_double_are_refused():
    """r <- a a with a log weight of 1e308 for a: log Z would be 2e308."""
    forest = SMALL["repeated_tail"]().forest
    weight = np.array([1e308, 1e308, 0.0])
    with refuses(ForestError, "forest.overflow", value=1):
        forest.inside(weight)
    with refuses(ForestError, "forest.overflow", value=1):
        forest.inside_outside(weight)


def test_kernels_refuse_arrays_of_other_sizes():
    view = SMALL["thrice"]().forest.view
    with refuses(ForestError, "argument.shape", argument="weight"):
        _core.inside_log(view, np.zeros(5), np.zeros(3))
    with refuses(ForestError, "argument.shape", argument="value"):
        _core.inside_log(view, np.zeros(6), np.zeros(4))
    with refuses(ForestError, "argument.shape", argument="outside"):
        _core.inside_outside_signed(view, 1, np.zeros(12), np.zeros(6), np.zeros(3))
    with refuses(ForestError, "argument.shape", value=3):
        _core.inside_outside_signed(view, 3, np.zeros(36), np.zeros(18), np.zeros(18))


# -- real -----------------------------------------------------------------------------------------


@given(weighted_forests(rationals, max_derivations=15))
@FEW
def test_real_inside_and_outside(drawn):
    forest, exact = drawn
    found, above = np.empty(forest.num_nodes), np.empty(forest.num_nodes)
    weight = np.array([float(x) for x in exact])
    _core.inside_outside_real(forest.view, weight, found, above)
    sizes = [abs(x) for x in exact]
    for array, function in ((found, reference.inside), (above, reference.outside)):
        want, bound = function(forest, exact, RATIONAL), function(forest, sizes, RATIONAL)
        for x, y, size in zip(array.tolist(), want, bound, strict=True):
            assert abs(x - float(y)) <= 1e-12 * float(size)


# -- signed log, first and second order -----------------------------------------------------------

ORDERS = {1: RATIONAL, 2: Expectation(RATIONAL), 4: SecondOrderExpectation(RATIONAL)}
SIGNED = {1: SIGNED_LOG, 2: Expectation(SIGNED_LOG), 4: SecondOrderExpectation(SIGNED_LOG)}


def _signed(forest, numbers: int, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The kernel's inside and outside values, [V, numbers, 2]."""
    shape = (forest.num_nodes, numbers, 2)
    found, above = np.empty(shape), np.empty(shape)
    flat = np.ascontiguousarray(weights, dtype=float).reshape(-1)
    _core.inside_outside_signed(forest.view, numbers, flat, found, above)
    return found, above


def _element(numbers: int, parts):
    return parts[0] if numbers == 1 else tuple(parts)


def _numbers(element) -> tuple:
    return element if isinstance(element, tuple) else (element,)


@pytest.mark.slow
@pytest.mark.parametrize("numbers", ORDERS)
@given(data=st.data())
@EXAMPLES
def test_signed_log_against_exact_fractions(numbers, data):
    semiring = ORDERS[numbers]
    parts = st.lists(rationals, min_size=numbers, max_size=numbers)
    forest, rows = data.draw(weighted_forests(parts, max_derivations=15))
    weights = np.array([[SIGNED_LOG.from_float(float(x)) for x in row] for row in rows])
    exact = [_element(numbers, row) for row in rows]
    sizes = [_element(numbers, [abs(x) for x in row]) for row in rows]
    kernel = _signed(forest, numbers, weights)
    for array, function in zip(kernel, (reference.inside, reference.outside), strict=True):
        want, bound = function(forest, exact, semiring), function(forest, sizes, semiring)
        assert set(np.unique(array[..., 0])) <= {-1.0, 0.0, 1.0}
        for node in range(forest.num_nodes):
            for i, (x, size) in enumerate(
                zip(_numbers(want[node]), _numbers(bound[node]), strict=True)
            ):
                found = SIGNED_LOG.to_float(tuple(array[node, i].tolist()))
                assert abs(found - float(x)) <= 1e-11 * float(size), (node, i)


@pytest.mark.slow
@pytest.mark.parametrize("numbers", ORDERS)
@given(data=st.data())
@FEW
def test_signed_log_far_from_one(numbers, data):
    """Positive numbers from exp(-5000) to exp(5000): nothing cancels, so logarithms must agree."""
    pair = st.tuples(st.just(1.0), wide_logs)
    parts = st.lists(pair, min_size=numbers, max_size=numbers)
    forest, rows = data.draw(weighted_forests(parts))
    exact = [_element(numbers, row) for row in rows]
    kernel = _signed(forest, numbers, np.array(rows))
    for array, function in zip(kernel, (inside, outside), strict=True):
        want = np.array(function(forest, exact, SIGNED[numbers])).reshape(array.shape)
        assert array[..., 0].tolist() == want[..., 0].tolist()
        same_logs(array[..., 1], want[..., 1])


@pytest.mark.parametrize("shift", [-5000.0, 0.0, 5000.0])
def test_signed_log_cancels_exactly(shift):
    forest = SMALL["n_best"]().forest
    weights = np.array([[(-1.0) ** e, shift] for e in range(6)])
    found, above = _signed(forest, 1, weights)
    assert found.ravel().tolist() == [0.0, -math.inf]
    assert above.ravel().tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    "zero", [[0.0, -math.inf], [1.0, -math.inf], [-1.0, -math.inf], [0.0, 7.0]]
)
def test_signed_log_zero_in_every_writing(zero):
    forest = SMALL["repeated_tail"]().forest
    found, above = _signed(forest, 1, np.array([zero, [1.0, 1.0], [-1.0, 2.0]]))
    same_logs(found[:, 0, :], [[1.0, 1.0], [-1.0, 4.0]])
    same_logs(above[:, 0, :], [[-1.0, 3.0 + math.log(2.0)], [1.0, 0.0]])


@pytest.mark.parametrize("pair", [[0.5, 1.0], [2.0, 1.0], [1.0, math.inf], [math.nan, 0.0]])
def test_signed_log_refuses_other_pairs(pair):
    forest = SMALL["one_word"]().forest
    with refuses(ForestError, "forest.weight", value=0):
        _signed(forest, 1, np.array([pair]))


@pytest.mark.parametrize("numbers", ORDERS)
@pytest.mark.parametrize("name", SMALL)
def test_zoo_signed(name, numbers):
    """r is each edge's number, s minus its square; p is the zoo's weight."""
    forest, weight = SMALL[name]().forest, SMALL[name]().weight
    rows = []
    for e, w in enumerate(weight.tolist()):
        p = (1.0, w) if w > -math.inf else SIGNED_LOG.zero
        r, s = SIGNED_LOG.from_float(e), SIGNED_LOG.from_float(-e * e)
        times = SIGNED_LOG.times
        rows.append([p, times(p, r), times(p, s), times(p, times(r, s))][:numbers])
    exact = [_element(numbers, row) for row in rows]
    array = np.array(rows, dtype=float).reshape(forest.num_edges, numbers, 2)
    kernel = _signed(forest, numbers, array)
    for found, function in zip(kernel, (reference.inside, reference.outside), strict=True):
        want = np.array(function(forest, exact, SIGNED[numbers])).reshape(found.shape)
        assert found[..., 0].tolist() == want[..., 0].tolist()
        same_logs(found[..., 1], want[..., 1])


# -- best -----------------------------------------------------------------------------------------


def _viterbi(forest, weight):
    scores = np.empty(forest.num_nodes)
    back = np.empty(forest.num_nodes, dtype=np.int64)
    _core.viterbi(forest.view, np.array(weight, dtype=float), scores, back)
    return scores, back


@pytest.mark.slow
@given(weighted_forests(quarters | st.just(-math.inf)))
@EXAMPLES
def test_viterbi(drawn):
    """Exact numbers, so ties are ties: among equals, the derivation with the first edges."""
    forest, weight = drawn
    scores, back = _viterbi(forest, weight)
    for node, own in enumerate(reference.derivations_of_nodes(forest)):
        top = max(reference.score(d, weight) for d in own)
        assert scores[node] == top
        if top == -math.inf:
            assert back[node] == -1
        else:
            first = min(d for d in own if reference.score(d, weight) == top)
            assert back[node] == first[0]
            if node == forest.root:
                assert tuple(_core.follow(forest.view, back).tolist()) == first
                assert tuple(best(forest, weight).edges.tolist()) == first
    if scores[-1] == -math.inf:
        assert _core.follow(forest.view, back).tolist() == []
        with refuses(EmptyForestError, "forest.empty"):
            best(forest, weight)


@pytest.mark.slow
@given(weighted_forests(quarters | st.just(-math.inf)))
@EXAMPLES
def test_max_marginals(drawn):
    forest, weight = drawn
    assert forest.max_marginals(weight).tolist() == reference.best_with_edge(forest, weight)


@pytest.mark.parametrize("name", SMALL)
def test_zoo_best(name):
    forest, weight = SMALL[name]().forest, SMALL[name]().weight
    same_logs(_viterbi(forest, weight)[0], reference.inside(forest, weight.tolist(), TROPICAL))
    same_logs(forest.max_marginals(weight), reference.best_with_edge(forest, weight))
    if not np.isfinite(_viterbi(forest, weight)[0][-1]):
        with refuses(EmptyForestError, "forest.empty"):
            best(forest, weight)
        return
    found = best(forest, weight)
    assert found.score == pytest.approx(reference.score(found.edges, weight))
    assert tuple(found.edges.tolist()) in reference.enumerate_derivations(forest)
    assert found.words == reference.words_of(forest, tuple(found.edges.tolist()))


# -- counting -------------------------------------------------------------------------------------


@given(st.data())
@EXAMPLES
def test_counts(data):
    forest = data.draw(forests())
    keep = data.draw(weights_for(forest, st.booleans()))
    assert num_derivations(forest) == forest.num_derivations() == reference.count(forest)
    assert num_derivations(forest, keep) == sum(
        all(keep[e] for e in d) for d in reference.enumerate_derivations(forest)
    )
    counts = np.empty(forest.num_nodes, dtype=np.uint64)
    _core.count_derivations(forest.view, np.array(keep, dtype=np.uint8), counts)
    assert counts.tolist() == inside(forest, [int(k) for k in keep], COUNTING)


@pytest.mark.parametrize("name", SMALL)
def test_zoo_counts(name):
    forest = SMALL[name]().forest
    assert forest.num_derivations() == reference.count(forest)
    assert forest.is_empty == (reference.count(forest) == 0)


def test_counts_beyond_64_bits_are_exact():
    assert ZOO["doubling"]().forest.num_derivations() == 2**70
    assert ZOO["high_arity"]().forest.num_derivations() == 2**100


# -- large ----------------------------------------------------------------------------------------


def test_deep_chain():
    forest, weight = ZOO["deep_chain"]().forest, ZOO["deep_chain"]().weight
    sums = np.array([float(x) for x in np.cumsum(weight)])
    found, above = forest.inside_outside(weight)
    np.testing.assert_allclose(found, sums, atol=1e-8)
    np.testing.assert_allclose(above, sums[-1] - sums, atol=1e-8)
    scores, back = _viterbi(forest, weight)
    np.testing.assert_allclose(scores, sums, atol=1e-8)
    assert back.tolist() == list(range(forest.num_nodes))
    np.testing.assert_allclose(forest.max_marginals(weight), sums[-1], atol=1e-8)
    assert best(forest, weight).edges.tolist() == list(range(forest.num_edges))[::-1]
    assert forest.num_derivations() == 1
    low, _ = forest.inside_outside(np.full(forest.num_edges, -5.0))
    assert low[-1] == pytest.approx(-500_000.0, rel=1e-12)


def test_deep_chain_signed():
    """Σ of r over a chain of edges <1, 1> of either sign, and of r s in <1, 1, 1, 1>."""
    forest = ZOO["deep_chain"]().forest
    size = forest.num_edges
    one = np.zeros((size, 4, 2))
    one[..., 0] = 1.0
    found, _ = _signed(forest, 4, one)
    same_logs(found[-1, :, 1], [0.0, math.log(size), math.log(size), 2 * math.log(size)])
    one[::2, 0, 0] = -1.0
    found, _ = _signed(forest, 1, one[:, :1])
    assert found[-1].tolist() == [[1.0, 0.0]]


def test_high_arity():
    forest, weight = ZOO["high_arity"]().forest, ZOO["high_arity"]().weight
    for shift in (0.0, 50.0, -50.0):
        far = weight + shift
        values = inside(forest, far.tolist(), LOG)
        found, above = forest.inside_outside(far)
        same_logs(found, values)
        same_logs(above, outside(forest, far.tolist(), LOG))
        scores, _ = _viterbi(forest, far)
        same_logs(scores, inside(forest, far.tolist(), TROPICAL))
        same_logs(above[:4], [values[-1] + math.log(25) - values[node] for node in range(4)])


def test_repeated_tail():
    """Z = 3 a² at a = 2: 12, and its derivative by a, 12, in every kernel."""
    forest, weight = ZOO["repeated_tail"]().forest, ZOO["repeated_tail"]().weight
    found, above = forest.inside_outside(weight)
    assert np.exp(found).tolist() == pytest.approx([2.0, 12.0])
    assert np.exp(above).tolist() == pytest.approx([12.0, 1.0])
    values, outer = np.empty(2), np.empty(2)
    _core.inside_outside_real(forest.view, np.array([0.5, 1.5, 3.0]), values, outer)
    assert (values.tolist(), outer.tolist()) == ([2.0, 12.0], [12.0, 1.0])
    pairs = np.stack([np.ones(3), weight], axis=1)
    assert np.exp(_signed(forest, 1, pairs)[1][:, 0, 1]).tolist() == pytest.approx([12.0, 1.0])
    exact = [Fraction(1, 2), Fraction(3, 2), Fraction(3)]
    assert reference.outside(forest, exact, RATIONAL) == [12, 1]
