"""Semirings that only tests need: they do not commute, and are easily seen to be right."""

from __future__ import annotations

from fractions import Fraction

Matrix = tuple[tuple[Fraction, ...], ...]


class Languages:
    """Sets of words of at most `longest` letters: union, concatenation, and every star there is."""

    commutative = False
    zero: frozenset[str] = frozenset()
    one: frozenset[str] = frozenset([""])

    def __init__(self, longest: int) -> None:
        self.longest = longest

    def plus(self, a, b):
        return a | b

    def times(self, a, b):
        return frozenset(x + y for x in a for y in b if len(x) + len(y) <= self.longest)

    def star(self, a):
        powers = self.one
        for _ in range(self.longest):
            powers = self.one | self.times(a, powers)
        return powers


class Matrices:
    """Two by two matrices of fractions; no closure."""

    commutative = False
    zero: Matrix = ((Fraction(0),) * 2,) * 2
    one: Matrix = ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))

    def plus(self, a, b):
        return tuple(
            tuple(x + y for x, y in zip(*rows, strict=True)) for rows in zip(a, b, strict=True)
        )

    def times(self, a, b):
        return tuple(tuple(sum(r[k] * b[k][j] for k in (0, 1)) for j in (0, 1)) for r in a)
