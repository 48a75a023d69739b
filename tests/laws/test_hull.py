"""Hulls as functions: upper envelopes of lines, exactly, in fractions."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import refuses
from tests.strategies import rationals

from rosewood.errors import SemiringError
from rosewood.forest import Forest, inside
from rosewood.forest.hull import HULL, HullLine, best_line, breakpoints, envelope

EXAMPLES = settings(max_examples=60, deadline=None)
edges = st.lists(st.integers(0, 2), max_size=3).map(tuple)
lines = st.builds(HullLine, rationals, rationals, edges)
hulls = st.lists(lines, max_size=5).map(envelope)


@given(hulls, hulls, rationals)
@EXAMPLES
def test_hulls_are_functions(a, b, x):
    """plus is the larger, times the sum, at any point and at every breakpoint."""

    def at(h, point):
        return max((line.slope * point + line.intercept for line in h), default=None)

    both = HULL.times(a, b)
    if not a or not b:
        assert both == ()
        assert HULL.plus(a, b) == a + b
        return
    larger = HULL.plus(a, b)
    for point in [x, *breakpoints(a), *breakpoints(b), *breakpoints(larger)]:
        assert at(larger, point) == max(at(a, point), at(b, point))
        assert at(both, point) == at(a, point) + at(b, point)
        line = best_line(both, point)
        assert line.slope * point + line.intercept == at(both, point)
    for h in (larger, both):
        turns = breakpoints(h)
        assert turns == sorted(set(turns)), "a line is best on no interval"
        assert len(h) == len(turns) + 1


@given(st.lists(lines, max_size=6))
@EXAMPLES
def test_an_envelope_is_that_of_its_lines(some):
    kept = envelope(some)
    assert set(kept) <= set(some)
    assert kept == envelope(reversed(kept))
    for x in [Fraction(-(10**6)), Fraction(10**6), *breakpoints(kept)]:
        assert not some or max(line.slope * x + line.intercept for line in some) == max(
            line.slope * x + line.intercept for line in kept
        )


def test_the_empty_hull_has_no_best_line():
    with refuses(SemiringError, "semiring.empty-hull"):
        best_line((), 0.0)


def test_edges_that_cannot_be_used_have_no_line():
    forest = Forest.from_nbest(["a", "b", "c"])
    hull = inside(forest, HULL.weights([-1.0, 0.0, 1.0], [-math.inf, 0.0, 0.0]), HULL)[-1]
    assert [line.back for line in hull] == [(1,), (2,)]
    assert best_line(hull, -5.0).slope == 0.0
    for bad in (math.nan, math.inf):
        with refuses(SemiringError, "argument.range", argument="line", value=0):
            HULL.weights([0.0], [bad])
        with refuses(SemiringError, "argument.range", argument="line", value=0):
            HULL.weights([bad], [0.0])
