"""Columns of numbers in at most 255 bins, for splits that are looked for among few thresholds.

A column with fewer different values has a bin for each, with cuts half-way between them; another
one has cuts at quantiles of a sample of its rows.  Value x is in bin b if cuts[b-1] < x ≤ cuts[b].
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosewood.arrays import FloatArray
from rosewood.errors import TuningError

BINS = 255
_SAMPLE = 200_000  # rows that cuts are taken from
_BLOCK = 1 << 14  # rows that are binned at a time


class Bins(NamedTuple):
    """bin[c, r] of each column and row, and the cuts of each column."""

    bin: NDArray[np.uint8]
    cuts: list[FloatArray]

    @property
    def counts(self) -> NDArray[np.int32]:
        """The bins of each column."""
        return np.array([len(each) + 1 for each in self.cuts], dtype=np.int32)


def binned(rows: FloatArray, names: tuple[str, ...], *, bins: int = BINS) -> Bins:
    """The bins of a table [rows, columns], which may be mapped from a file."""
    _check_finite(rows, names)
    step = max(1, -(-len(rows) // _SAMPLE))
    sample = np.asarray(rows[::step])
    cuts = [_cuts(np.sort(sample[:, c]), bins) for c in range(rows.shape[1])]
    made = np.empty((rows.shape[1], len(rows)), dtype=np.uint8)
    for first, block in _blocks(rows):
        for c, own in enumerate(cuts):
            made[c, first : first + len(block)] = np.searchsorted(own, block[:, c], side="left")
    return Bins(made, cuts)


def _blocks(rows: FloatArray) -> Iterator[tuple[int, FloatArray]]:
    for first in range(0, len(rows), _BLOCK):
        yield first, np.asarray(rows[first : first + _BLOCK])


def _check_finite(rows: FloatArray, names: tuple[str, ...]) -> None:
    for first, block in _blocks(rows):
        bad = np.argwhere(~np.isfinite(block))
        if len(bad):
            row, column = (int(n) for n in bad[0])
            value = float(block[row, column])
            reason = f"column {names[column]!r} is {value} in row {first + row}"
            raise TuningError(
                reason, code="tuning.not-finite", argument=names[column], value=first + row
            )


def _cuts(values: FloatArray, bins: int) -> FloatArray:
    """Thresholds between sorted values, fewer than `bins`, strictly ascending."""
    if not len(values):
        return values
    known = values[np.flatnonzero(np.diff(values, prepend=-np.inf) > 0)]
    if len(known) > bins:
        places = (np.arange(1, bins) * len(values)) // bins
        known = np.unique(np.r_[known[:1], values[places]])
    low, high = known[:-1], known[1:]
    middle = low + (high - low) / 2
    # Numbers next to each other have none between them: the lower one is the cut.
    return np.where((middle >= low) & (middle < high), middle, low)
