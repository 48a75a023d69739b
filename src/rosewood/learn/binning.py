"""Columns of numbers in at most 255 bins, for splits that are looked for among few thresholds.

A column with fewer different values has a bin for each, with cuts half-way between them; another
one has cuts at quantiles of a sample of its rows.  Value x is in bin b if cuts[b-1] < x ≤ cuts[b].
Quantiles are those of rows that do not have the most frequent value, which has a bin of its own:
where most rows are 0, the others are told apart all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosewood.arrays import FloatArray, LongArray
from rosewood.errors import TuningError

BINS = 255
_SAMPLE = 200_000  # rows that cuts are taken from
_BLOCK = 1 << 14  # rows that are binned at a time


class Bins(NamedTuple):
    """bin[c, r] of each column and row, the cuts of each column, and the value of each bin where
    all rows of a bin have the same."""

    bin: NDArray[np.uint8]
    cuts: list[FloatArray]
    values: list[FloatArray | None]

    @property
    def counts(self) -> NDArray[np.int32]:
        """The bins of each column."""
        return np.array([len(each) + 1 for each in self.cuts], dtype=np.int32)


def binned(rows: FloatArray, names: tuple[str, ...], *, bins: int = BINS) -> Bins:
    """The bins of a table [rows, columns], which may be mapped from a file."""
    _check_finite(rows, names)
    step = max(1, -(-len(rows) // _SAMPLE))
    sample = np.asarray(rows[::step])
    cuts, values = [], list[FloatArray | None]()
    for c in range(rows.shape[1]):
        known, count = np.unique(sample[:, c], return_counts=True)
        cuts.append(_cuts(known, count, bins))
        values.append(known if len(known) == len(cuts[c]) + 1 else None)
    made = np.empty((rows.shape[1], len(rows)), dtype=np.uint8)
    for first, block in _blocks(rows):
        for c, own in enumerate(cuts):
            column = block[:, c]
            place = np.searchsorted(own, column, side="left")
            made[c, first : first + len(block)] = place
            known_values = values[c]
            if known_values is not None and (known_values[place] != column).any():
                values[c] = None
    return Bins(made, cuts, values)


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


def _cuts(known: FloatArray, count: LongArray, bins: int) -> FloatArray:
    """Thresholds between values that occur so often, fewer than `bins`, strictly ascending."""
    if len(known) > bins:
        most = int(count.argmax())
        alone = np.unique(np.clip([0, most - 1, most, most + 1], 0, len(known) - 1))
        before = np.cumsum(np.where(np.arange(len(known)) == most, 0, count))  # up to each value
        steps = np.arange(1, bins - len(alone) + 1) * before[-1] // (bins - len(alone) + 1)
        known = known[np.union1d(alone, np.searchsorted(before, steps, "right"))]
    low, high = known[:-1], known[1:]
    middle = low + (high - low) / 2
    # Numbers next to each other have none between them: the lower one is the cut.
    return np.where((middle >= low) & (middle < high), middle, low)
