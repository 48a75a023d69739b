"""Feature names: a few dense ones, any number of sparse ones.

A parameter vector θ has the dense features first, in order, then the sparse ones by number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.corpus import Vocabulary
from rosewood.errors import ForestError

__all__ = ["FeatureSpace"]


class FeatureSpace:
    """Names of the features of forests: `dense` is fixed, `sparse` grows as features are met."""

    __slots__ = ("_dense_ids", "dense", "sparse")

    def __init__(self, dense: Iterable[str] = (), sparse: Iterable[str] | Vocabulary = ()) -> None:
        self.dense: tuple[str, ...] = tuple(dense)
        self.sparse = sparse if isinstance(sparse, Vocabulary) else Vocabulary(sparse)
        self._dense_ids = {name: i for i, name in enumerate(self.dense)}
        if len(self._dense_ids) != len(self.dense):
            raise ForestError("a dense feature is named twice")
        for name in self.dense:
            if name in self.sparse:
                raise ForestError(f"feature {name!r} is both dense and sparse")

    def __len__(self) -> int:
        return len(self.dense) + len(self.sparse)

    @property
    def names(self) -> list[str]:
        """All names, in the order of θ."""
        return [*self.dense, *self.sparse]

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
            raise ForestError(f"there is no feature {name!r}")
        return len(self.dense) + sparse

    def vector(self, weights: Mapping[str, float]) -> FloatArray:
        """θ with these weights by name, zero elsewhere; a name that is not here is an error."""
        theta = np.zeros(len(self))
        for name, weight in weights.items():
            theta[self.index(name)] = weight
        return theta

    def mapping(self, theta: FloatArray) -> dict[str, float]:
        """The non-zero weights of θ by name."""
        if theta.shape != (len(self),):
            raise ForestError(f"θ has shape {theta.shape}, want ({len(self)},)")
        names = self.names
        return {names[i]: float(theta[i]) for i in np.flatnonzero(theta)}

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
