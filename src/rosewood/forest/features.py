"""Feature names: a few dense ones, any number of sparse ones.

A parameter vector θ has the dense features first, in order, then the sparse ones by number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from rosewood.arguments import check_shape
from rosewood.arrays import FloatArray, IdArray
from rosewood.errors import ForestError
from rosewood.forest.sparse import SparseFeatures
from rosewood.forest.weights import Weights

# Names of dense features that count single words, or words of single classes, begin so.
INDICATORS = ("deletes_", "inserts_", "links_")


class FeatureSpace:
    """Names of the features of forests: `dense` is fixed, `sparse` grows as features are met."""

    __slots__ = ("_dense_ids", "dense", "sparse")

    def __init__(
        self, dense: Iterable[str] = (), sparse: Iterable[str] | SparseFeatures = ()
    ) -> None:
        self.dense: tuple[str, ...] = tuple(dense)
        self.sparse = sparse if isinstance(sparse, SparseFeatures) else SparseFeatures(sparse)
        self._dense_ids = {name: i for i, name in enumerate(self.dense)}
        if len(self._dense_ids) != len(self.dense):
            reason = "a dense feature is named twice"
            raise ForestError(reason, code="argument.duplicate", argument="dense")
        for name in self.dense:
            if name in self.sparse:
                reason = f"feature {name!r} is both dense and sparse"
                raise ForestError(reason, code="argument.duplicate", argument="sparse", value=name)

    def __len__(self) -> int:
        return len(self.dense) + len(self.sparse)

    @property
    def names(self) -> list[str]:
        """All names, in the order of θ."""
        return [*self.dense, *self.sparse]

    @property
    def indicators(self) -> NDArray[np.bool_]:
        """Which dense features are indicators of single words or classes, by their names."""
        return np.array([name.startswith(INDICATORS) for name in self.dense], dtype=np.bool_)

    def dense_index(self, name: str) -> int | None:
        """The column of a dense feature, or None."""
        return self._dense_ids.get(name)

    def index(self, name: str) -> int:
        """The place of a feature in θ."""
        dense = self._dense_ids.get(name)
        if dense is not None:
            return dense
        sparse = self.sparse.get(name)
        if sparse is None:
            raise _unknown(name)
        return len(self.dense) + sparse

    def name(self, place: int) -> str:
        """The name of the feature at a place of θ."""
        count = len(self.dense)
        return self.dense[place] if place < count else self.sparse[place - count]

    def vector(self, weights: Mapping[str, float], *, only_known: bool = False) -> FloatArray:
        """θ with these weights, zero elsewhere.

        A name that is not here is an error, or ignored with `only_known`: sparse features are met
        as forests are made.
        """
        # Features that other threads add meanwhile are not in this θ; all others can be found.
        size = len(self.dense) + self.sparse.settled()
        theta = np.zeros(size)
        given = Weights.of(weights)
        for name, weight in given.named.items():
            place = self._dense_ids.get(name)
            if place is None:
                sparse = self.sparse.get(name)
                place = None if sparse is None else len(self.dense) + sparse
            if place is not None and place < size:
                theta[place] = weight
            elif not only_known:
                raise _unknown(name)
        own = self.sparse.numbered()
        for template, (numbers, values) in given.numbered.items():
            known, ids = own.get(template, (np.empty(0, np.int64), np.empty(0, np.int32)))
            if only_known and len(known) < len(numbers):
                is_here = ids < size - len(self.dense)
                theta[len(self.dense) + ids[is_here]] = given.lookup(template, known[is_here])
                continue
            found = self.sparse.find_numbers(template, numbers)
            if not only_known and (found < 0).any():
                missing = int(numbers[np.flatnonzero(found < 0)[0]])
                raise _unknown(f"{template}:{missing}")
            is_here = (found >= 0) & (found < size - len(self.dense))
            theta[len(self.dense) + found[is_here]] = values[is_here]
        return theta

    def weights(self, theta: FloatArray) -> Weights:
        """θ as weights by name: all dense ones, and the sparse ones that are not zero."""
        self._check(theta)
        named = dict(zip(self.dense, theta[: len(self.dense)].tolist(), strict=True))
        sparse = theta[len(self.dense) :]
        named |= {name: float(sparse[i]) for name, i in self.sparse.named().items() if sparse[i]}
        numbered = {}
        for template, (numbers, ids) in self.sparse.numbered().items():
            is_used = sparse[ids] != 0
            if is_used.any():
                numbered[template] = (numbers[is_used], sparse[ids[is_used]])
        return Weights(named, numbered)

    def _check(self, theta: FloatArray) -> None:
        check_shape("theta", theta, (len(self),), error=ForestError)

    def mapping(self, theta: FloatArray) -> dict[str, float]:
        """The non-zero weights of θ by name."""
        self._check(theta)
        return {self.name(i): float(theta[i]) for i in np.flatnonzero(theta).tolist()}

    def joined(self, other: FeatureSpace) -> tuple[FeatureSpace, IdArray]:
        """A new space with these features and, behind them, the sparse ones of another; and where
        each sparse feature of the other is in it."""
        every = FeatureSpace(self.dense, self.sparse.copy())
        places = every.sparse.add_from(other.sparse, np.arange(len(other.sparse), dtype=np.int32))
        return every, places

    def begins_with(self, other: FeatureSpace) -> bool:
        """Whether the features of another space have the same places in θ here."""
        return self.dense == other.dense and self.sparse.begins_with(other.sparse)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FeatureSpace)
            and self.dense == other.dense
            and self.sparse == other.sparse
        )

    __hash__ = None  # type: ignore[assignment]  # it grows

    def __repr__(self) -> str:
        return f"FeatureSpace(dense={list(self.dense)}, {len(self.sparse)} sparse)"

    def __reduce__(self) -> tuple[object, ...]:
        return (FeatureSpace, (self.dense, self.sparse))


def _unknown(name: str) -> ForestError:
    reason = f"there is no feature {name!r}"
    return ForestError(reason, code="argument.unknown", argument="feature", value=name)
