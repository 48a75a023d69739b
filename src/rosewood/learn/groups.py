"""Groups of features that share a weight: candidates in terms of groups, weights back to features.

    groups = Groups.of(ids, weights, dimension)
    grouped = groups.project(candidates)     # a group's value is the sum of its members' values
    ids, values = groups.unpack(theta)       # each member has its group's weight

Layout      feature `feature[i]` is in group `group_of[i]`; features ascend.  Features whose weight
            is zero are in no group: they are inactive.
Order       groups from the largest weight (by size) to the smallest; of +w and -w, +w first
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rosewood.arguments import check_shape, check_whole
from rosewood.arrays import FloatArray, LongArray, as_weight, freeze
from rosewood.errors import FormatError, TuningError
from rosewood.learn.array_files import read_arrays, write_arrays
from rosewood.learn.candidates import Candidates, TableBuilder
from rosewood.shared_types import PathName

_ROWS = 1 << 16  # projected at a time


class SparseRows(NamedTuple):
    """Rows of sparse features: row i has ids and values from start[i] to start[i+1]."""

    start: LongArray
    id: LongArray
    value: FloatArray


@dataclass(frozen=True, eq=False)
class Groups:
    """Disjoint groups of features, and a weight for each group."""

    feature: LongArray
    group_of: LongArray
    weight: FloatArray
    dimension: int

    def __post_init__(self) -> None:
        check_whole("dimension", self.dimension, low=0, error=TuningError)
        for name, kind in (("feature", np.int64), ("group_of", np.int64), ("weight", np.float64)):
            array = np.asarray(getattr(self, name))
            wanted = "iu" if kind is np.int64 else "iuf"
            if array.size and array.dtype.kind not in wanted:
                reason = f"{name} has numbers of type {array.dtype}, expected {np.dtype(kind)}"
                raise TuningError(reason, code="argument.type", argument=name)
            check_shape(name, array, ("n",), error=TuningError)
            object.__setattr__(self, name, freeze(np.array(array, dtype=kind)))
        check_shape("group_of", self.group_of, self.feature.shape, error=TuningError)
        if len(self.feature) and (
            self.feature[0] < 0
            or self.feature[-1] >= self.dimension
            or (np.diff(self.feature) <= 0).any()
        ):
            reason = f"features must ascend within 0 to {self.dimension - 1}"
            raise TuningError(reason, code="argument.value", argument="feature")
        if len(self.group_of) and not 0 <= self.group_of.min() <= self.group_of.max() < len(self):
            reason = f"there are groups 0 to {len(self) - 1}"
            raise TuningError(reason, code="argument.range", argument="group_of")
        if not np.isfinite(self.weight).all():
            reason = "the weight of a group is not finite"
            raise TuningError(reason, code="argument.range", argument="weight")

    @classmethod
    def none(cls, dimension: int) -> Groups:
        """No groups of so many features."""
        empty = np.empty(0, dtype=np.int64)
        return cls(empty, empty, np.empty(0), dimension)

    @classmethod
    def of(cls, ids: ArrayLike, weights: ArrayLike, dimension: int) -> Groups:
        """Features with equal weights are a group; those with weight zero are in none."""
        every = np.asarray(ids, dtype=np.int64)
        values = as_weight("weights", weights, len(every))
        active = values != 0.0
        levels, place = np.unique(values[active], return_inverse=True)
        order = np.lexsort((-levels, -np.abs(levels)))
        number = np.empty(len(levels), dtype=np.int64)
        number[order] = np.arange(len(levels))
        return cls(every[active], number[place.reshape(-1)], levels[order], dimension)

    def renumbered(self, places: ArrayLike, dimension: int) -> Groups:
        """The same groups of features that are called by other numbers: i is places[i]."""
        number = np.asarray(places, dtype=np.int64)[self.feature]
        order = np.argsort(number)
        return Groups(number[order], self.group_of[order], self.weight, dimension)

    def __len__(self) -> int:
        return len(self.weight)

    @property
    def active(self) -> int:
        """How many features are in a group."""
        return len(self.feature)

    def sizes(self) -> LongArray:
        """How many features each group has; a group may have none."""
        return np.bincount(self.group_of, minlength=len(self)).astype(np.int64)

    def members(self, group: int) -> LongArray:
        """The features of a group."""
        check_whole("group", group, low=0, high=len(self) - 1, error=TuningError)
        found: LongArray = self.feature[self.group_of == group]
        return found

    def lookup(self, features: ArrayLike) -> LongArray:
        """The group of each feature, -1 for those in none."""
        wanted: LongArray = np.asarray(features, dtype=np.int64)
        if not len(self.feature):
            return np.full(wanted.shape, -1, dtype=np.int64)
        place = np.minimum(np.searchsorted(self.feature, wanted), len(self.feature) - 1)
        return np.where(self.feature[place] == wanted, self.group_of[place], np.int64(-1))

    def project_rows(self, start: LongArray, ids: ArrayLike, values: FloatArray) -> SparseRows:
        """Rows of sparse features in terms of groups: sums of members, inactive ones left out."""
        from scipy.sparse import csr_array

        group = self.lookup(ids)
        is_in = group >= 0
        counts = np.concatenate([[0], np.cumsum(is_in)])
        rows = csr_array(
            (np.asarray(values, dtype=np.float64)[is_in], group[is_in], counts[start]),
            shape=(len(start) - 1, len(self)),
        )
        rows.sort_indices()
        rows.sum_duplicates()
        rows.eliminate_zeros()
        return SparseRows(rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data)

    def project(self, candidates: Candidates) -> Candidates:
        """The same candidates with a sparse feature for each group instead of each feature."""
        made = TableBuilder(candidates.max_memory)
        count = len(candidates.feat_start) - 1
        for first in range(0, count, _ROWS):
            last = min(first + _ROWS, count)
            start = candidates.feat_start[first : last + 1]
            some = slice(start[0], start[-1])
            rows = self.project_rows(
                start - start[0], candidates.feat_id[some], candidates.feat_value[some]
            )
            made.feat_count.append(np.diff(rows.start))
            made.feat_id.append(rows.id)
            made.feat_value.append(rows.value)
        made.dense.append(np.empty(0))
        arrays = made.arrays(0)
        return replace(
            candidates,
            num_sparse=len(self),
            **{name: arrays[name] for name in ("feat_start", "feat_id", "feat_value")},
        )

    def unpack(self, weights: ArrayLike | None = None) -> tuple[LongArray, FloatArray]:
        """Features that are in a group, ascending, and the weight of each: that of its group.

        `weights` has one number for each group; without it, the groups' own are used.
        """
        own = self.weight if weights is None else as_weight("weights", weights, len(self))
        return self.feature, own[self.group_of]

    def pack(self, ids: ArrayLike, weights: ArrayLike) -> FloatArray:
        """Weights of features as weights of groups: means over members; others count 0."""
        every = np.asarray(ids, dtype=np.int64)
        values = as_weight("weights", weights, len(every))
        group = self.lookup(every)
        sums = np.bincount(group[group >= 0], values[group >= 0], minlength=len(self))
        means: FloatArray = sums / np.maximum(self.sizes(), 1)
        return means

    # -- files -------------------------------------------------------------------------------------

    def save(self, path: PathName) -> None:
        """Write one file of arrays (NumPy's npz), which appears whole or not at all."""
        write_arrays(
            path,
            feature=self.feature,
            group_of=self.group_of,
            weight=self.weight,
            dimension=np.array(self.dimension, dtype=np.int64),
        )

    @classmethod
    def load(cls, path: PathName) -> Groups:
        """Read what `save` wrote; anything else is refused."""
        found = read_arrays(path, "groups", ("feature", "group_of", "weight", "dimension"))
        try:
            dimension = int(found.pop("dimension"))
            return cls(**found, dimension=dimension)
        except (TuningError, TypeError, ValueError) as error:
            reason = f"it is not a file of groups: {error}"
            raise FormatError(reason, file=path, code="file.format") from error
