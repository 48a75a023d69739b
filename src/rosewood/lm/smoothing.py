"""Discounts of Chen & Goodman (1998, equation 26).

They come from how many n-grams were counted once, twice, three and four times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Fallback:
    """An order whose discounts could not be estimated, and why."""

    order: int
    reason: str

    def __str__(self) -> str:
        return f"{self.order}-grams have fixed discounts: {self.reason}"


def discounts(
    n: int, sizes: Sequence[int], fallback: Sequence[float]
) -> tuple[Sequence[float], Fallback | None]:
    """What is taken from counts 1, 2, and 3 or more.

    `sizes` is how many n-grams have count 1, 2, 3 and 4.  Where one of the first three is missing,
    or what comes out is none, those of `fallback` are taken.
    """
    for count, size in enumerate(sizes[:3], 1):
        if size == 0:
            return fallback, Fallback(n, f"none has the count {count}")
    share = sizes[0] / (sizes[0] + 2 * sizes[1])
    found = tuple(k - (k + 1) * share * sizes[k] / sizes[k - 1] for k in (1, 2, 3))
    for count, discount in enumerate(found, 1):
        if not 0 < discount <= count:
            return fallback, Fallback(n, f"that of count {count} would be {discount:.3g}")
    return found, None
