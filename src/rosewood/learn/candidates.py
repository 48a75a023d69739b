"""Lists of candidates in flat arrays: what PRO, MIRA and ranking read.

An n-best list is already one; of another forest they are the k best strings.
Layout      candidates of list i: rows start[i] .. start[i+1]-1 of features and statistics
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rosewood import _core
from rosewood.arrays import FloatArray, IdArray, LongArray
from rosewood.errors import TuningError
from rosewood.forest.forest import Forest

if TYPE_CHECKING:
    from rosewood.learn.tuning_set import TuningSet

__all__ = ["Candidates", "concatenate", "least_squares", "listed", "spread", "spread_within"]


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

    def scaled(self, factor: FloatArray) -> Candidates:
        """The same candidates with every feature multiplied by its factor."""
        width = self.dense.shape[1]
        return Candidates(
            self.start,
            self.dense * factor[:width],
            self.feat_start,
            self.feat_id,
            self.feat_value * factor[width:][self.feat_id],
            self.num_sparse,
            self.statistics,
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


def concatenate(
    forests: Sequence[Forest], edge_start: LongArray, statistics: FloatArray
) -> Candidates:
    """The candidates of n-best lists, one list after another."""
    counts = np.concatenate([np.diff(f.feat_start) for f in forests])
    return Candidates(
        start=edge_start,
        dense=np.concatenate([f.dense for f in forests]),
        feat_start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        feat_id=np.concatenate([f.feat_id for f in forests]),
        feat_value=np.concatenate([f.feat_value for f in forests]),
        num_sparse=len(forests[0].features.sparse),
        statistics=statistics,
    )


def listed(tuning: TuningSet, theta: FloatArray, k: int) -> Candidates:
    """The k best strings of each forest under θ."""
    from scipy.sparse import csr_array, vstack

    if k < 1:
        raise TuningError(f"k is {k}, want at least 1")
    dense, sparse, rows, start = [], [], [], [0]
    num_sparse = len(tuning.features.sparse)
    for i, forest in enumerate(tuning.forests):
        best = forest.k_best(forest.score(theta), k, distinct=True)
        # used[d, e]: how often derivation d uses edge e.
        used = csr_array(
            (np.ones(len(best.edge)), best.edge, best.start), shape=(len(best), forest.num_edges)
        )
        local = csr_array(
            (forest.feat_value, forest.feat_id, forest.feat_start),
            shape=(forest.num_edges, num_sparse),
        )
        dense.append(used @ forest.dense)
        sparse.append(csr_array(used @ local))
        rows += tuning.rows_of_texts(i, best.texts())
        start.append(start[-1] + len(best))
    stacked = csr_array(vstack(sparse))
    stacked.sort_indices()
    return Candidates(
        start=np.array(start, dtype=np.int64),
        dense=np.ascontiguousarray(np.concatenate(dense), dtype=np.float64),
        feat_start=stacked.indptr.astype(np.int64),
        feat_id=stacked.indices.astype(np.int32),
        feat_value=np.ascontiguousarray(stacked.data, dtype=np.float64),
        num_sparse=num_sparse,
        statistics=np.ascontiguousarray(tuning.statistics[rows]),
    )


def spread(candidates: Candidates) -> FloatArray:
    """How much each feature varies within lists: a standard deviation, 0 where it does not vary.

    Weights in units of it mean the same for a log probability of -200 and a ratio of 0.9.
    """
    counts = np.diff(candidates.start)
    owner = np.repeat(np.arange(len(counts)), counts)
    means = np.add.reduceat(candidates.dense, candidates.start[:-1], axis=0) / counts[:, None]
    dense = ((candidates.dense - means[owner]) ** 2).sum(axis=0)
    total: FloatArray = np.zeros(candidates.num_sparse)
    if candidates.num_sparse:
        # Var = E[x²] - E[x]², without filling in the zeros.
        row = np.repeat(owner, np.diff(candidates.feat_start))
        total += np.bincount(
            candidates.feat_id, candidates.feat_value**2, minlength=candidates.num_sparse
        )
        key, place = np.unique(
            row * np.int64(candidates.num_sparse) + candidates.feat_id, return_inverse=True
        )
        sums = np.bincount(place, candidates.feat_value)
        lists, ids = np.divmod(key, candidates.num_sparse)
        squares = total.copy()
        total -= np.bincount(ids, sums**2 / counts[lists], minlength=candidates.num_sparse)
        total[total <= 1e-12 * squares] = 0.0  # rounding: the feature is the same throughout a list
    variance = np.concatenate([dense, total]) / len(owner)
    # What is left of a constant feature is rounding, and that is relative to the feature's size.
    size = np.concatenate(
        [np.abs(candidates.dense).max(axis=0, initial=0.0), np.zeros(candidates.num_sparse)]
    )
    deviation: FloatArray = np.sqrt(variance)
    deviation[deviation <= 1e-9 * size] = 0.0
    return deviation


def least_squares(candidates: Candidates, gains: FloatArray, ridge: float = 1e-3) -> FloatArray:
    """The weights whose scores are nearest to `gains`, both without their means within lists.

    A start that costs one small system of equations; dense features only, the others weigh 0.
    """
    counts = np.diff(candidates.start)
    columns = np.column_stack([candidates.dense, gains])
    means = np.add.reduceat(columns, candidates.start[:-1], axis=0) / counts[:, None]
    columns = columns - np.repeat(means, counts, axis=0)
    x, y = columns[:, :-1], columns[:, -1]
    square = x.T @ x
    penalty = ridge * len(y) * np.eye(len(square))
    theta = np.zeros(candidates.num_features)
    theta[: len(square)] = np.linalg.solve(square + penalty, x.T @ y)
    return theta


def spread_within(values: FloatArray, start: LongArray) -> float:
    """The standard deviation of values within lists; 1 where they do not vary."""
    counts = np.diff(start)
    means = np.add.reduceat(values, start[:-1]) / counts
    deviation = float(np.sqrt(((values - np.repeat(means, counts)) ** 2).mean()))
    return deviation if deviation > 0 else 1.0
