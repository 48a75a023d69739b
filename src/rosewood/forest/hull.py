"""The convex-hull semiring: every derivation that is best somewhere along a line of parameters.

Along θ + x·δ an edge's log weight is a line in x: slope δ·φ, intercept θ·φ.  The inside value of
the root is then the upper envelope of the lines of all derivations, where MERT's search walks.
Element     lines by increasing slope, each strictly best on an interval: a function has one writing
Laws        exact with fractions (tested so); in doubles up to the rounding of slopes and intercepts
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from rosewood.errors import SemiringError
from rosewood.forest.semirings import Edges, earlier


class HullLine(NamedTuple):
    """slope·x + intercept, and the derivation it belongs to, its edges in pre-order."""

    slope: float
    intercept: float
    back: Edges = ()


Hull = tuple[HullLine, ...]


def _useless(left: HullLine, middle: HullLine, right: HullLine) -> bool:
    """Whether `middle` is nowhere strictly above the other two; slopes increase."""
    # Where left meets right is not to the right of where left meets middle; without division.
    return (left.intercept - right.intercept) * (middle.slope - left.slope) <= (
        left.intercept - middle.intercept
    ) * (right.slope - left.slope)


def envelope(lines: Iterable[HullLine]) -> Hull:
    """The upper envelope of lines in any order; among equal lines, the `earlier` derivation."""
    ordered = sorted(lines, key=lambda line: (line.slope, -line.intercept))
    kept: list[HullLine] = []
    for line in ordered:
        if kept and kept[-1].slope == line.slope:
            best = kept[-1]
            if best.intercept == line.intercept and earlier(line.back, best.back):
                kept[-1] = line
            continue
        while len(kept) > 1 and _useless(kept[-2], kept[-1], line):
            kept.pop()
        kept.append(line)
    return tuple(kept)


class ConvexHull:
    """Upper envelopes: the larger of two functions for plus, their sum for times.

    Back-pointers are joined in pre-order, so times does not commute.
    """

    commutative = False
    zero: Hull = ()
    one: Hull = (HullLine(0, 0),)

    def weights(self, slope: Sequence[float], intercept: Sequence[float]) -> list[Hull]:
        """The weight of each edge: its line, and itself as a derivation; none where it is -inf."""
        hulls: list[Hull] = []
        for edge, (m, b) in enumerate(zip(slope, intercept, strict=True)):
            if not abs(m) < math.inf or not b < math.inf:
                reason = f"the line of edge {edge} has slope {m} and intercept {b}"
                raise SemiringError(reason, code="argument.range", argument="line", value=edge)
            hulls.append(() if b == -math.inf else (HullLine(m, b, (edge,)),))
        return hulls

    def plus(self, a: Hull, b: Hull) -> Hull:
        return envelope(a + b) if a and b else a or b

    def times(self, a: Hull, b: Hull) -> Hull:
        """The Minkowski sum: both envelopes walked from left to right, breakpoint by breakpoint."""
        if not a or not b:
            return ()
        i = j = 0
        sums = [_join(a[0], b[0])]
        while i + 1 < len(a) or j + 1 < len(b):
            order = _next_breakpoint(a, i, b, j)
            i += order <= 0
            j += order >= 0
            sums.append(_join(a[i], b[j]))
        return envelope(sums)

    def star(self, a: Hull) -> Hull:
        for line in a:
            if line.slope != 0 or line.intercept > 0:
                reason = (
                    f"ConvexHull: going round a cycle of log weight {line.slope}·x + "
                    f"{line.intercept} gains for ever at some x"
                )
                raise SemiringError(reason, code="semiring.star", argument="ConvexHull", value=line)
        return self.one

    def __repr__(self) -> str:
        return "ConvexHull"

    def __reduce__(self) -> str:
        return "HULL"


def _join(a: HullLine, b: HullLine) -> HullLine:
    return HullLine(a.slope + b.slope, a.intercept + b.intercept, a.back + b.back)


def _next_breakpoint(a: Hull, i: int, b: Hull, j: int) -> int:
    """Negative, zero or positive: line i of `a` ends before, with or after line j of `b`."""
    if i + 1 == len(a):
        return 1
    if j + 1 == len(b):
        return -1
    first = (a[i].intercept - a[i + 1].intercept) * (b[j + 1].slope - b[j].slope)
    second = (b[j].intercept - b[j + 1].intercept) * (a[i + 1].slope - a[i].slope)
    return (first > second) - (first < second)


def breakpoints(hull: Hull) -> list[float]:
    """Where each line of the envelope hands over to the next, from left to right."""
    return [
        (left.intercept - right.intercept) / (right.slope - left.slope)
        for left, right in pairwise(hull)
    ]


def best_line(hull: Hull, x: float) -> HullLine:
    """The line that is highest at x; at a breakpoint, the one with the smaller slope."""
    if not hull:
        raise SemiringError("the empty hull has no best line", code="semiring.empty-hull")
    return max(hull, key=lambda line: line.slope * x + line.intercept)


HULL = ConvexHull()
