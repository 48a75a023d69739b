"""What boosting sees of a tuning set: rows of columns, and hypotheses that are made of rows.

In an n-best list a candidate is a hypothesis of one row: trees see the features of whole
translations (boost-global).  In another forest the rows are edges, and hypotheses are its k best
strings: trees see the features of each edge, and can be used in search (boost-local).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rosewood import _core
from rosewood.arrays import FloatArray, LongArray
from rosewood.disk_arrays import Growing
from rosewood.errors import TuningError
from rosewood.forest import Forest, prune
from rosewood.learn.binning import Bins, binned
from rosewood.learn.tuning_set import TuningSet

_BLOCK = 1 << 16  # rows that are read at a time


@dataclass(frozen=True, eq=False)
class BoostRows:
    """Values of all columns and the score before boosting, of each row."""

    columns: tuple[str, ...]
    values: FloatArray  # [rows, columns], mapped from a scratch file where it is large
    base: FloatArray

    def __len__(self) -> int:
        return len(self.base)

    def column(self, place: int) -> FloatArray:
        """One column, in memory; from its bins, where they are known and have a value each."""
        bins = vars(self).get("bins")
        if bins is not None and bins.values[place] is not None:
            found: FloatArray = bins.values[place][bins.bin[place]]
            return found
        return np.ascontiguousarray(self.values[:, place])

    def sample(self, most: int) -> FloatArray:
        """At most so many rows, spread evenly over all."""
        return np.asarray(self.values[:: max(1, -(-len(self) // most))])

    def blocks(self) -> Iterator[tuple[slice, FloatArray]]:
        """All rows, some at a time."""
        for first in range(0, len(self), _BLOCK):
            part = slice(first, min(first + _BLOCK, len(self)))
            yield part, np.asarray(self.values[part])

    @cached_property
    def bins(self) -> Bins:
        """All columns in few bins."""
        return binned(self.values, self.columns)

    def native_bins(self, threads: int) -> _core.BinnedColumns:
        """The same for kernels."""
        return _core.BinnedColumns(self.bins.bin, self.bins.counts, threads)


@dataclass(frozen=True, eq=False)
class Hypotheses:
    """Hypothesis h of list i (list_start[i] ≤ h < list_start[i+1]) has the rows
    row[start[h]:start[h+1]] and its own row of statistics."""

    list_start: LongArray
    start: LongArray
    row: LongArray
    statistics: FloatArray

    def best(self, score: FloatArray) -> LongArray:
        """The best hypothesis of each list; of equals the first one."""
        owner = np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))
        total = np.bincount(owner, score[self.row], minlength=len(self.start) - 1)
        highest = np.repeat(
            np.maximum.reduceat(total, self.list_start[:-1]), np.diff(self.list_start)
        )
        places = np.flatnonzero(total == highest)
        lists = np.searchsorted(self.list_start, places, side="right") - 1
        return places[np.flatnonzero(np.diff(lists, prepend=-1))]


def all_edges(tuning: TuningSet, theta: FloatArray) -> BoostRows:
    """A row for each edge of each forest."""
    values = Growing(np.float64, tuning.max_memory // 4)
    for forest in tuning.each():
        values.append(forest.dense)
    return _rows(tuning, values, tuning.edge_scores(theta))


def listed_rows(
    tuning: TuningSet, theta: FloatArray, k: int, lists: FloatArray | None = None
) -> tuple[BoostRows, Hypotheses]:
    """The rows of n-best lists, or of the k best strings of other forests.

    These are the best under the weights `lists`, or under θ.
    """
    if tuning.is_flat:
        rows = all_edges(tuning, theta)
        every = np.arange(len(rows) + 1, dtype=np.int64)
        return rows, Hypotheses(tuning.edge_start, every, every[:-1], tuning.statistics)
    values = Growing(np.float64, tuning.max_memory // 4)
    base, row, count = [], [], []
    statistics = Growing(np.float64, tuning.max_memory // 16)
    list_start, total = [0], 0
    for i, forest in enumerate(tuning.each()):
        score = forest.score(theta)
        order = score if lists is None else forest.score(lists)
        found = forest.k_best(order, k, distinct=True)
        used, place = np.unique(found.edge, return_inverse=True)
        values.append(forest.dense[used])
        base.append(score[used])
        row.append(total + place.reshape(-1))
        total += len(used)
        count.append(np.diff(found.start))
        list_start.append(list_start[-1] + len(found))
        statistics.append(tuning.count_strings(i, found.texts()))
    rows = _rows(tuning, values, np.concatenate(base))
    start = np.concatenate([[0], np.cumsum(np.concatenate(count))]).astype(np.int64)
    return rows, Hypotheses(
        np.array(list_start, np.int64),
        start,
        np.concatenate(row).astype(np.int64),
        statistics.array().reshape(-1, len(tuning.metric.columns)),
    )


def pruned_to(forest: Forest, score: FloatArray, edges: int) -> Forest:
    """The best edges of a forest; all where it has no more than that."""
    if forest.num_edges <= edges:
        return forest
    words = max(1, len(forest.best(score).words))
    return prune(forest, score, density=edges / words).forest


def _rows(tuning: TuningSet, values: Growing, base: FloatArray) -> BoostRows:
    names = tuple(tuning.features.dense)
    if not names:
        reason = "trees look at dense features, and there are none"
        raise TuningError(reason, code="argument.missing", argument="features")
    return BoostRows(names, values.array().reshape(len(base), len(names)), base)
