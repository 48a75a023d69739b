"""Lists of candidates in flat arrays: what PRO, MIRA and ranking read.

An n-best list is already one; of another forest they are the k best strings.
Layout      candidates of list i: rows start[i] .. start[i+1]-1 of features and statistics
Memory      tables that are larger than a share of the memory limit are in scratch files, mapped
Sums        go over rows in blocks that the data alone decide
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosewood import _core
from rosewood.arrays import FloatArray, IdArray, LongArray, as_count, rounded
from rosewood.disk_arrays import Growing
from rosewood.errors import TuningError
from rosewood.learn.blas import one_thread
from rosewood.resources import MAX_MEMORY
from rosewood.threads import in_order

if TYPE_CHECKING:
    from rosewood.forest import Forest
    from rosewood.learn.tuning_set import TuningSet

ROWS = 1 << 17  # of a block
_LISTS = 64  # put together at a time
_START_BITS = 20  # of weights to start with, which are the same on all processors then


@dataclass(frozen=True, eq=False)
class Candidates:
    """Feature values and statistics of the candidates of many lists."""

    start: LongArray
    dense: FloatArray
    feat_start: LongArray
    feat_id: IdArray
    feat_value: FloatArray
    num_sparse: int
    statistics: FloatArray
    max_memory: int = MAX_MEMORY
    words: LongArray | None = None  # of each candidate, where they were counted

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def num_features(self) -> int:
        return int(self.dense.shape[1]) + self.num_sparse

    @cached_property
    def view(self) -> _core.FeatureView:
        """The features as native kernels take them."""
        return _core.make_features(
            self.dense, self.feat_start, self.feat_id, self.feat_value, self.num_sparse
        )

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Ranges of whole lists, with some hundred thousand rows each."""
        first = 0
        while first < len(self):
            last = int(np.searchsorted(self.start, self.start[first] + ROWS, side="right")) - 1
            last = max(last, first + 1)
            yield first, last
            first = last

    def scaled(self, factor: FloatArray) -> Candidates:
        """The same candidates with every feature multiplied by its factor."""
        width = self.dense.shape[1]
        made = TableBuilder(self.max_memory)
        for first, last in self.blocks():
            begin, end = self.start[first], self.start[last]
            some = slice(self.feat_start[begin], self.feat_start[end])
            made.dense.append(self.dense[begin:end] * factor[:width])
            made.feat_value.append(self.feat_value[some] * factor[width:][self.feat_id[some]])
        return replace(
            self,
            dense=made.dense.array().reshape(len(self.dense), width),
            feat_value=made.feat_value.array(),
        )

    def scores(self, theta: FloatArray) -> FloatArray:
        """θ·φ of each candidate."""
        out = np.empty(len(self.feat_start) - 1)
        _core.edge_scores(self.view, np.ascontiguousarray(theta), out)
        return out

    def best(self, theta: FloatArray) -> LongArray:
        """The row of each list's best candidate; the first among equals."""
        scores = self.scores(theta)
        best = np.maximum.reduceat(scores, self.start[:-1])
        ties = np.flatnonzero(scores == np.repeat(best, np.diff(self.start)))
        owner = np.searchsorted(self.start, ties, side="right") - 1
        _, first = np.unique(owner, return_index=True)
        return ties[first]

    def matrix(self) -> Any:
        """All features as one sparse matrix, [candidates, features]."""
        from scipy.sparse import csr_array, hstack

        count = len(self.feat_start) - 1
        sparse = csr_array(
            (self.feat_value, self.feat_id, self.feat_start), shape=(count, self.num_sparse)
        )
        return csr_array(hstack([csr_array(self.dense), sparse]))


class TableBuilder:
    """The features of a table that is made piece by piece."""

    def __init__(self, max_memory: int) -> None:
        most = max_memory // 16
        self.dense = Growing(np.float64, most)
        self.feat_count = Growing(np.int64, most)
        self.feat_id = Growing(np.int32, most)
        self.feat_value = Growing(np.float64, most)
        self.words = Growing(np.int64, most)

    def arrays(self, width: int) -> dict[str, Any]:
        """The fields of `Candidates` that are features; `width` dense ones."""
        counts = self.feat_count.array()
        start = np.zeros(len(counts) + 1, dtype=np.int64)
        np.cumsum(counts, out=start[1:])
        return {
            "dense": self.dense.array().reshape(len(counts), width),
            "feat_start": start,
            "feat_id": self.feat_id.array(),
            "feat_value": self.feat_value.array(),
        }


def concatenate(tuning: TuningSet) -> Candidates:
    """The candidates of n-best lists, one list after another."""
    made = TableBuilder(tuning.max_memory)
    forests = tuning.each()
    while some := list(islice(forests, _LISTS)):
        made.dense.append(np.concatenate([forest.dense for forest in some]))
        made.feat_count.append(np.concatenate([np.diff(forest.feat_start) for forest in some]))
        made.feat_id.append(np.concatenate([forest.feat_id for forest in some]))
        made.feat_value.append(np.concatenate([forest.feat_value for forest in some]))
        made.words.append(np.concatenate([words_of_edges(forest) for forest in some]))
    return Candidates(
        start=tuning.edge_start,
        num_sparse=len(tuning.features.sparse),
        statistics=tuning.statistics,
        max_memory=tuning.max_memory,
        words=made.words.array(),
        **made.arrays(len(tuning.features.dense)),
    )


class _Listed(NamedTuple):
    """The k best strings of a forest."""

    features: tuple[FloatArray, LongArray, IdArray, FloatArray]
    texts: list[str]


def listed(
    tuning: TuningSet, theta: FloatArray, k: int, chosen: Sequence[int] | None = None
) -> Candidates:
    """The k best strings of each forest under θ, or of those with these numbers."""
    k = as_count("k", k, 1, error=TuningError)
    made = TableBuilder(tuning.max_memory)
    statistics = Growing(np.float64, tuning.max_memory // 16)
    start = [0]

    def best_of(number: int) -> _Listed:
        forest = tuning.reader[number]
        best = forest.k_best(forest.score(theta), k, distinct=True)
        return _Listed(best.features(), best.texts())

    numbers = range(len(tuning)) if chosen is None else chosen
    found = in_order(best_of, numbers, threads=tuning.threads)
    for number, each in zip(numbers, found, strict=True):
        dense, feat_start, feat_id, feat_value = each.features
        made.dense.append(dense)
        made.feat_count.append(np.diff(feat_start))
        made.feat_id.append(feat_id)
        made.feat_value.append(feat_value)
        made.words.append(np.array([len(text.split()) for text in each.texts]))
        statistics.append(tuning.count_strings(number, each.texts))
        start.append(start[-1] + len(each.texts))
    return Candidates(
        start=np.array(start, dtype=np.int64),
        num_sparse=len(tuning.features.sparse),
        statistics=statistics.array().reshape(-1, len(tuning.metric.columns)),
        max_memory=tuning.max_memory,
        words=made.words.array(),
        **made.arrays(len(tuning.features.dense)),
    )


def words_of_edges(forest: Forest) -> LongArray:
    """How many words each edge has of its own."""
    before = np.zeros(len(forest.yield_symbol) + 1, dtype=np.int64)
    np.cumsum(forest.yield_symbol >= 0, out=before[1:])
    return np.diff(before[forest.yield_start])


def spread(candidates: Candidates) -> FloatArray:
    """How much each feature varies within lists: a standard deviation, 0 where it does not vary.

    Weights in units of it mean the same for a log probability of -200 and a ratio of 0.9.
    """
    width, num_sparse = candidates.dense.shape[1], candidates.num_sparse
    dense, largest = np.zeros((1, width)), np.zeros(width)
    squares, total = np.zeros(num_sparse), np.zeros(num_sparse)
    for first, last in candidates.blocks():
        begin, end = candidates.start[first], candidates.start[last]
        counts = np.diff(candidates.start[first : last + 1])
        owner = np.repeat(np.arange(last - first), counts)
        rows = candidates.dense[begin:end]
        means = np.add.reduceat(rows, candidates.start[first:last] - begin, axis=0)
        means /= counts[:, None]
        apart = (rows - means[owner]) ** 2
        dense = np.concatenate([dense, apart]).sum(axis=0, keepdims=True)  # row after row
        largest = np.maximum(largest, np.abs(rows).max(axis=0, initial=0.0))
        if num_sparse:
            # Var = E[x²] - E[x]², without filling in the zeros.
            some = slice(candidates.feat_start[begin], candidates.feat_start[end])
            ids, values = candidates.feat_id[some], candidates.feat_value[some]
            row = np.repeat(owner, np.diff(candidates.feat_start[begin : end + 1]))
            squares = _added(squares, ids, values**2)
            key, place = np.unique(row * np.int64(num_sparse) + ids, return_inverse=True)
            sums = np.bincount(place.reshape(-1), values)
            lists, ids = np.divmod(key, num_sparse)
            total = _added(total, ids, sums**2 / counts[lists])
    total = squares - total
    total[total <= 1e-12 * squares] = 0.0  # rounding: the feature is the same throughout a list
    variance = np.concatenate([dense[0], total]) / int(candidates.start[-1])
    # What is left of a constant feature is rounding, and that is relative to the feature's size.
    size = np.concatenate([largest, np.zeros(num_sparse)])
    deviation: FloatArray = np.sqrt(variance)
    deviation[deviation <= 1e-9 * size] = 0.0
    return deviation


def _added(sums: FloatArray, ids: IdArray, values: FloatArray) -> FloatArray:
    """sums[ids] + values, value after value."""
    every = np.concatenate([np.arange(len(sums)), ids])
    weights = np.concatenate([sums, values])
    added: FloatArray = np.bincount(every, weights, minlength=len(sums)).astype(np.float64)
    return added


def least_squares(candidates: Candidates, gains: FloatArray, ridge: float = 1e-3) -> FloatArray:
    """The weights whose scores are nearest to `gains`, both without their means within lists.

    A start that costs one small system of equations; dense features only, the others weigh 0.
    """
    width = candidates.dense.shape[1]
    square, product = np.zeros((width, width)), np.zeros(width)
    for first, last in candidates.blocks():
        begin, end = candidates.start[first], candidates.start[last]
        counts = np.diff(candidates.start[first : last + 1])
        columns = np.column_stack([candidates.dense[begin:end], gains[begin:end]])
        sums = np.add.reduceat(columns, candidates.start[first:last] - begin, axis=0)
        columns = columns - np.repeat(sums / counts[:, None], counts, axis=0)
        x, y = columns[:, :-1], columns[:, -1]
        with one_thread():
            square += x.T @ x
            product += x.T @ y
    penalty = ridge * len(gains) * np.eye(width)
    theta = np.zeros(candidates.num_features)
    with one_thread():
        theta[:width] = rounded(np.linalg.solve(square + penalty, product), _START_BITS)
    return theta


def spread_within(values: FloatArray, start: LongArray) -> float:
    """The standard deviation of values within lists; 1 where they do not vary."""
    counts = np.diff(start)
    means = np.add.reduceat(values, start[:-1]) / counts
    deviation = float(np.sqrt(((values - np.repeat(means, counts)) ** 2).mean()))
    return deviation if deviation > 0 else 1.0
