"""Chance that is the same on every machine and every version of Python.

Everything is made of `random()` of one `random.Random` and of arithmetic that IEEE 754 rounds in
one way only: no `choices`, no powers, no order of hashes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

Draw = Callable[[], float]  # `random` of a random.Random

T = TypeVar("T")


class Weighted(Generic[T]):
    """Things that are drawn with given weights."""

    __slots__ = ("_cumulative", "_only", "_total", "items")

    def __init__(self, items: Iterable[tuple[T, float]]) -> None:
        pairs = [(item, weight) for item, weight in items if weight > 0]
        self.items: tuple[T, ...] = tuple(item for item, _ in pairs)
        self._cumulative: list[float] = []
        self._total = 0.0
        for _, weight in pairs:
            self._total += weight
            self._cumulative.append(self._total)
        self._only = len(self.items) == 1

    def pick(self, draw: Draw) -> T:
        """One of them."""
        if self._only:
            return self.items[0]
        # The product may round up to the total itself.
        place = bisect_right(self._cumulative, draw() * self._total, 0, len(self.items) - 1)
        return self.items[place]


def zipf(items: Sequence[T], shift: float = 1.0) -> Weighted[T]:
    """The first is the most frequent: weights fall with the square of the rank.

    Steeper than Zipf's law, because the words of a text come from many such lists of unequal
    use; what comes out of them together has the usual slope.
    """
    ranks = (index + shift for index in range(len(items)))
    return Weighted((item, 1.0 / (r * r)) for item, r in zip(items, ranks, strict=True))
