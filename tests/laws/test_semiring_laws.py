"""One battery of laws for every semiring; exactly where the numbers are exact."""

from __future__ import annotations

import doctest
import math
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.semirings import Languages, Matrices
from tests.refusals import refuses
from tests.strategies import quarters, rationals, small_rationals

from rosewood.errors import SemiringError
from rosewood.forest import hull, semirings
from rosewood.forest.hull import HULL, HullLine, envelope
from rosewood.forest.modules import (
    Expectation,
    LiftedModule,
    NumpyVectors,
    SecondOrderExpectation,
    SparseVectors,
    TupleVectors,
    combine,
    lift,
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
    star,
)

EXAMPLES = settings(max_examples=60, deadline=None)

Side = Callable[..., Any]
LAWS: dict[str, tuple[Side, Side]] = {
    "plus is associative": (
        lambda k, a, b, c: k.plus(k.plus(a, b), c),
        lambda k, a, b, c: k.plus(a, k.plus(b, c)),
    ),
    "plus commutes": (lambda k, a, b, c: k.plus(a, b), lambda k, a, b, c: k.plus(b, a)),
    "zero is neutral": (lambda k, a, b, c: k.plus(a, k.zero), lambda k, a, b, c: a),
    "times is associative": (
        lambda k, a, b, c: k.times(k.times(a, b), c),
        lambda k, a, b, c: k.times(a, k.times(b, c)),
    ),
    "one is neutral on the right": (lambda k, a, b, c: k.times(a, k.one), lambda k, a, b, c: a),
    "one is neutral on the left": (lambda k, a, b, c: k.times(k.one, a), lambda k, a, b, c: a),
    "zero annihilates on the right": (
        lambda k, a, b, c: k.times(a, k.zero),
        lambda k, a, b, c: k.zero,
    ),
    "zero annihilates on the left": (
        lambda k, a, b, c: k.times(k.zero, a),
        lambda k, a, b, c: k.zero,
    ),
    "times distributes from the left": (
        lambda k, a, b, c: k.times(a, k.plus(b, c)),
        lambda k, a, b, c: k.plus(k.times(a, b), k.times(a, c)),
    ),
    "times distributes from the right": (
        lambda k, a, b, c: k.times(k.plus(a, b), c),
        lambda k, a, b, c: k.plus(k.times(a, c), k.times(b, c)),
    ),
}


@dataclass(frozen=True)
class Case:
    """A semiring, elements of it, and elements that have a star.

    `magnitude` is for semirings that round: the LOG of an element's size.  Sides may then differ by
    a small part of what the law gives for sizes alone, which no cancellation makes small.
    """

    semiring: Any
    elements: st.SearchStrategy
    closed: st.SearchStrategy | None = None
    magnitude: Callable[[Any], float] | None = None

    def agree(self, left: Any, right: Any, bound: float) -> bool:
        if self.magnitude is None:
            return left == right
        if self.magnitude(left) == self.magnitude(right) == -math.inf:
            return True
        to_signed = _signed if self.semiring is LOG else lambda a: a
        (sign, log), right = to_signed(left), to_signed(right)
        return SIGNED_LOG.plus((-sign, log), right)[1] <= bound + math.log(1e-10)


def _signed(log: float) -> tuple[float, float]:
    return (1.0, log) if log > -math.inf else SIGNED_LOG.zero


edges = st.lists(st.integers(0, 2), max_size=3).map(tuple)
halves = st.integers(-6, 6).map(lambda n: n / 2)
tropical = halves | st.just(-math.inf)
scored = st.tuples(halves, edges) | st.just(VITERBI.zero)
logs = st.sampled_from([-5000.0, -1.0, 0.0, 1.0, 5000.0]) | st.floats(-20, 20)
signed = st.tuples(st.sampled_from([1.0, -1.0]), logs) | st.just(SIGNED_LOG.zero)
lines = st.builds(HullLine, rationals, rationals, edges)
hulls = st.lists(lines, max_size=5).map(envelope)
languages = st.frozensets(st.text("ab", max_size=3), max_size=3)


def _outer(r, s):
    return tuple(x * y for x in r for y in s)


def _sparse_outer(r, s):
    return {(i, j): x * y for i, x in r.items() for j, y in s.items()}


def vectors(size: int) -> st.SearchStrategy:
    return st.tuples(*[rationals] * size)


sparse = st.dictionaries(st.sampled_from("xyz"), rationals.filter(bool), max_size=2)
sparse_matrices = st.dictionaries(
    st.tuples(st.sampled_from("xyz"), st.sampled_from("xyz")), rationals.filter(bool), max_size=2
)
pairs = st.tuples(rationals, rationals)
SECOND = SecondOrderExpectation(RATIONAL)
OUTER = SecondOrderExpectation(
    RATIONAL,
    TupleVectors(RATIONAL, 2),
    TupleVectors(RATIONAL, 3),
    TupleVectors(RATIONAL, 6),
    _outer,
)
SPARSE_OUTER = SecondOrderExpectation(
    RATIONAL,
    SparseVectors(RATIONAL),
    SparseVectors(RATIONAL),
    SparseVectors(RATIONAL),
    _sparse_outer,
)
quadruples = {
    "scalars": (SECOND, (rationals,) * 3),
    "outer products": (OUTER, (vectors(2), vectors(3), vectors(6))),
    "sparse vectors": (SPARSE_OUTER, (sparse, sparse, sparse_matrices)),
}

CASES = {
    "boolean": Case(BOOLEAN, st.booleans(), st.booleans()),
    "counting": Case(COUNTING, st.integers(0, 10**30), st.just(0)),
    "real": Case(REAL, quarters, st.sampled_from([0.0, 0.5, 0.75, -1.0 + 2.0**-3])),
    "rational": Case(RATIONAL, rationals, small_rationals),
    "tropical": Case(TROPICAL, tropical, tropical.filter(lambda a: a <= 0)),
    "viterbi": Case(VITERBI, scored, scored.filter(lambda a: a[0] <= 0)),
    "log": Case(LOG, logs | st.just(-math.inf), st.floats(-5000, -1e-3), lambda a: a),
    "signed log": Case(
        SIGNED_LOG,
        signed,
        st.tuples(st.sampled_from([1.0, -1.0]), st.floats(-50, -1e-3)) | st.just(SIGNED_LOG.zero),
        lambda a: a[1],
    ),
    "hull": Case(HULL, hulls, st.sampled_from([(), HULL.one, (HullLine(0, -2, (1,)),)])),
    "expectation": Case(Expectation(RATIONAL), pairs, st.tuples(small_rationals, rationals)),
    "expectation of vectors": Case(
        Expectation(RATIONAL, TupleVectors(RATIONAL, 2)),
        st.tuples(rationals, vectors(2)),
        st.tuples(small_rationals, vectors(2)),
    ),
    "expectation of sparse vectors": Case(
        Expectation(RATIONAL, SparseVectors(RATIONAL)),
        st.tuples(rationals, sparse),
        st.tuples(small_rationals, sparse),
    ),
    "expectation of counts": Case(
        Expectation(COUNTING), st.tuples(st.integers(0, 99), st.integers(0, 99))
    ),
    "expectation of truth": Case(
        Expectation(BOOLEAN),
        st.tuples(st.booleans(), st.booleans()),
        st.tuples(st.booleans(), st.booleans()),
    ),
    "expectation of maxima": Case(Expectation(TROPICAL), st.tuples(tropical, tropical)),
    "second order of maxima": Case(
        SecondOrderExpectation(TROPICAL), st.tuples(tropical, tropical, tropical, tropical)
    ),
    **{
        f"second order, {name}": Case(
            semiring, st.tuples(rationals, *parts), st.tuples(small_rationals, *parts)
        )
        for name, (semiring, parts) in quadruples.items()
    },
    **{
        f"lifted, {name}": Case(
            semiring.lifted(),
            st.tuples(st.tuples(rationals, r), st.tuples(s, t)),
            st.tuples(st.tuples(small_rationals, r), st.tuples(s, t)),
        )
        for name, (semiring, (r, s, t)) in quadruples.items()
    },
    "languages": Case(Languages(5), languages, languages),
    "matrices": Case(Matrices(), st.tuples(pairs, pairs)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
@given(data=st.data())
@EXAMPLES
def test_laws(name, data):
    case = CASES[name]
    k = case.semiring
    a, b, c = (data.draw(case.elements) for _ in range(3))
    for law, (left, right) in LAWS.items():
        bound = 0.0
        if case.magnitude is not None:
            bound = left(LOG, *map(case.magnitude, (a, b, c)))
        found, want = left(k, a, b, c), right(k, a, b, c)
        assert case.agree(found, want, bound), f"{name}: {law}: {found} is not {want}"
    if k.commutative:
        assert k.times(a, b) == k.times(b, a)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.closed is not None])
@given(data=st.data())
@EXAMPLES
def test_star_axioms(name, data):
    case = CASES[name]
    k = case.semiring
    a = data.draw(case.closed)
    closed = star(k, a)
    bound = 0.0 if case.magnitude is None else max(0.0, case.magnitude(closed))
    if k is REAL:
        assert closed == pytest.approx(1 + a * closed, rel=1e-14)
        return
    assert case.agree(closed, k.plus(k.one, k.times(a, closed)), bound)
    assert case.agree(closed, k.plus(k.one, k.times(closed, a)), bound)


@pytest.mark.parametrize(
    ("semiring", "element"),
    [
        (REAL, 1.0),
        (REAL, -1.0),
        (REAL, math.nan),
        (RATIONAL, Fraction(-3, 2)),
        (LOG, 0.0),
        (LOG, math.nan),
        (SIGNED_LOG, (-1.0, 0.0)),
        (TROPICAL, 1e-9),
        (TROPICAL, math.nan),
        (VITERBI, (0.5, (1,))),
        (COUNTING, 1),
        (HULL, (HullLine(1, -1),)),
        (HULL, (HullLine(0, 1),)),
        (Expectation(REAL), (1.0, 0.0)),
        (SecondOrderExpectation(REAL), (2.0, 0.0, 0.0, 0.0)),
        (Matrices(), Matrices.zero),
    ],
)
def test_a_star_that_does_not_exist_is_refused(semiring, element):
    speaker = getattr(semiring, "base", semiring)  # expectations have the star of their base
    with refuses(SemiringError, "semiring.star", argument=type(speaker).__name__):
        star(semiring, element)


def test_what_does_not_commute_says_so():
    for name in ("viterbi", "hull", "languages", "matrices"):
        assert not CASES[name].semiring.commutative
    k = Matrices()
    a = ((Fraction(0), Fraction(1)), (Fraction(0), Fraction(0)))
    b = ((Fraction(0), Fraction(0)), (Fraction(1), Fraction(0)))
    assert k.times(a, b) != k.times(b, a)
    assert VITERBI.times((0.0, (1,)), (0.0, (2,))) != VITERBI.times((0.0, (2,)), (0.0, (1,)))


@pytest.mark.parametrize("make", [Expectation, SecondOrderExpectation, lift])
@pytest.mark.parametrize("base", [VITERBI, HULL, Matrices()])
def test_expectations_over_what_does_not_commute_are_refused(make, base):
    with refuses(SemiringError, "semiring.not-commutative", argument="base"):
        make(base)


def test_modules_without_their_product_are_refused():
    with refuses(SemiringError, "argument.missing", argument="product"):
        SecondOrderExpectation(RATIONAL, TupleVectors(RATIONAL, 2))
    with refuses(SemiringError, "argument.missing", argument="product"):
        lift(RATIONAL, None, TupleVectors(RATIONAL, 2))


@pytest.mark.parametrize("name", quadruples)
@given(data=st.data())
@EXAMPLES
def test_second_order_is_first_order_lifted(name, data):
    """Table 4: <p, r, s, t> and <<p, r>, <s, t>> are the same thing."""
    second, parts = quadruples[name]
    lifted = second.lifted()
    a, b = (data.draw(st.tuples(rationals, *parts)) for _ in range(2))

    def split(x):
        return ((x[0], x[1]), (x[2], x[3]))

    assert split(second.zero) == lifted.zero
    assert split(second.one) == lifted.one
    assert split(second.plus(a, b)) == lifted.plus(split(a), split(b))
    assert split(second.times(a, b)) == lifted.times(split(a), split(b))
    c = data.draw(st.tuples(small_rationals, *parts))
    assert split(second.star(c)) == lifted.star(split(c))


@given(pairs, pairs, st.tuples(vectors(2), vectors(4)), st.tuples(vectors(2), vectors(4)))
@EXAMPLES
def test_lifted_module_laws(k, j, x, y):
    """X = S×T is a module over K = E(P, R): the conditions of §4.1."""
    base = Expectation(RATIONAL)
    two, four = TupleVectors(RATIONAL, 2), TupleVectors(RATIONAL, 4)
    module = LiftedModule(RATIONAL, two, four, lambda r, s: (r * s[0], r * s[1], 2 * r * s[0], 0))
    assert module.scale(k, module.plus(x, y)) == module.plus(module.scale(k, x), module.scale(k, y))
    assert module.scale(base.plus(k, j), x) == module.plus(module.scale(k, x), module.scale(j, x))
    assert module.scale(base.times(k, j), x) == module.scale(k, module.scale(j, x))
    assert module.scale(base.one, x) == x
    assert module.scale(base.zero, x) == module.zero
    assert combine(module, [(k, x), (j, y)]) == module.plus(module.scale(k, x), module.scale(j, y))


def test_numpy_vectors():
    k = SecondOrderExpectation(REAL, NumpyVectors(2), NumpyVectors(3), NumpyVectors(2, 3), np.outer)
    a = (0.5, np.array([1.0, 2.0]), np.arange(3.0), np.ones((2, 3)))
    b = (0.25, np.array([0.0, 1.0]), np.ones(3), np.zeros((2, 3)))
    p, r, s, t = k.times(a, b)
    assert p == 0.125
    assert r.tolist() == [0.25, 1.0]
    assert s.tolist() == [0.5, 0.75, 1.0]
    assert t.tolist() == (0.25 + np.outer(a[1], b[2]) + np.outer(b[1], a[2])).tolist()
    assert combine(NumpyVectors(2), [(2.0, a[1]), (-1.0, b[1])]).tolist() == [2.0, 3.0]


def test_signed_log_cancels_to_zero():
    for log in (-5000.0, 0.0, 5000.0):
        assert SIGNED_LOG.plus((1.0, log), (-1.0, log)) == SIGNED_LOG.zero
        nearly = SIGNED_LOG.plus((1.0, log + 1e-9), (-1.0, log))
        assert nearly[0] == 1.0
        assert nearly[1] == pytest.approx(log + math.log(1e-9), abs=2e-3)
    assert SIGNED_LOG.plus((1.0, -math.inf), (-1.0, -math.inf)) == SIGNED_LOG.zero
    assert SIGNED_LOG.times((-1.0, -math.inf), (-1.0, 3.0)) == SIGNED_LOG.zero


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
@EXAMPLES
def test_signed_log_is_ordinary_arithmetic(x, y):
    a, b = SIGNED_LOG.from_float(x), SIGNED_LOG.from_float(y)
    size = abs(x) + abs(y)
    assert SIGNED_LOG.to_float(SIGNED_LOG.plus(a, b)) == pytest.approx(x + y, abs=1e-12 * size)
    assert SIGNED_LOG.to_float(SIGNED_LOG.times(a, b)) == pytest.approx(x * y, rel=1e-12)
    with refuses(SemiringError, "semiring.overflow", value=(1.0, 5000.0)):
        SIGNED_LOG.to_float((1.0, 5000.0))


def test_standard_semirings_are_single():
    """Kernels are chosen by identity, so a copy must be the thing itself."""
    for name in semirings.__all__:
        if name.isupper():
            semiring = getattr(semirings, name)
            assert pickle.loads(pickle.dumps(semiring)) is semiring
    assert pickle.loads(pickle.dumps(HULL)) is HULL
    assert "RATIONAL".lower() in repr(Expectation(RATIONAL)).lower()


def test_docstrings_run():
    for module in (semirings, hull):
        assert doctest.testmod(module).failed == 0
    assert doctest.testmod(semirings).attempted > 0
