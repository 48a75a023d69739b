"""Derivatives of the partition function and of expectations with respect to θ.

For log-linear weights scale·θ·φ (Li & Eisner 2009, §5).  Z itself may not fit a double: what
belongs to Z comes as `Scaled`, a value and the log of the factor it is to be multiplied by.
`features` chooses coordinates of θ where a full matrix would be too large.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosewood import _core
from rosewood.arguments import check_length, check_shape
from rosewood.arrays import FloatArray, as_array, as_scale, as_weight
from rosewood.errors import ForestError
from rosewood.forest.expectations import Distribution
from rosewood.forest.forest import Forest


class Scaled(NamedTuple):
    """The array `value`·exp(`log_factor`), which a double might not hold."""

    value: FloatArray
    log_factor: float

    def to_array(self) -> FloatArray:
        """As plain numbers; infinite or zero where they do not fit."""
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            factor = np.exp(self.log_factor)
            return np.where(self.value == 0, 0.0, self.value * factor)


def log_partition_gradient(
    forest: Forest, weight: ArrayLike, *, scale: float = 1.0, threads: int = 1
) -> FloatArray:
    """∇ log Z = γ E[Φ]."""
    scale = as_scale(scale)
    p = Distribution(forest, weight)
    return forest.combine_features(scale * p.edge_posteriors(), threads=threads)


def log_partition_hessian_product(
    forest: Forest, weight: ArrayLike, vector: ArrayLike, *, scale: float = 1.0, threads: int = 1
) -> FloatArray:
    """(∇² log Z)·v = γ² Cov(Φ, Φ·v): the cost of one gradient, whatever the number of features."""
    scale = as_scale(scale)
    _, coefficient = _along(Distribution(forest, weight), vector, threads)
    return forest.combine_features(scale * scale * coefficient, threads=threads)


def _along(p: Distribution, vector: ArrayLike, threads: int) -> tuple[float, FloatArray]:
    """The mean of Φ·v, and its covariance with the count of each edge."""
    direction = as_weight("vector", vector, len(p.forest.features))
    return p.edge_covariances(p.forest.score(direction, threads=threads))


def log_partition_hessian(
    forest: Forest, weight: ArrayLike, *, features: ArrayLike | None = None, scale: float = 1.0
) -> FloatArray:
    """∇² log Z = γ² Cov(Φ, Φ) over the chosen features, one pass for each."""
    return _hessian(Distribution(forest, weight), _chosen(forest, features), as_scale(scale))


def _hessian(p: Distribution, chosen: NDArray[np.intp], scale: float) -> FloatArray:
    rows = np.empty((len(chosen), len(chosen)))
    for row, feature in enumerate(chosen):
        _, coefficient = p.edge_covariances(_column(p.forest, int(feature)))
        rows[row] = p.forest.combine_features(coefficient)[chosen]
    return scale * scale * (rows + rows.T) / 2  # the same but for rounding: exactly symmetric


def partition_gradient(
    forest: Forest, weight: ArrayLike, *, scale: float = 1.0, threads: int = 1
) -> Scaled:
    """∇Z = Z·∇ log Z."""
    scale = as_scale(scale)
    p = Distribution(forest, weight)
    gradient = forest.combine_features(scale * p.edge_posteriors(), threads=threads)
    return Scaled(gradient, p.log_partition)


def partition_hessian_product(
    forest: Forest, weight: ArrayLike, vector: ArrayLike, *, scale: float = 1.0, threads: int = 1
) -> Scaled:
    """(∇²Z)·v = Z·(∇² log Z·v + ∇ log Z (∇ log Z·v))."""
    scale = as_scale(scale)
    p = Distribution(forest, weight)
    mean, coefficient = _along(p, vector, threads)
    total = scale * scale * (coefficient + mean * p.edge_posteriors())
    return Scaled(forest.combine_features(total, threads=threads), p.log_partition)


def partition_hessian(
    forest: Forest, weight: ArrayLike, *, features: ArrayLike | None = None, scale: float = 1.0
) -> Scaled:
    """∇²Z = Z·(∇² log Z + ∇ log Z ∇ log Zᵀ) over the chosen features."""
    scale = as_scale(scale)
    p = Distribution(forest, weight)
    chosen = _chosen(forest, features)
    gradient = forest.combine_features(scale * p.edge_posteriors())[chosen]
    return Scaled(_hessian(p, chosen, scale) + np.outer(gradient, gradient), p.log_partition)


def expectation_jacobian(
    forest: Forest,
    weight: ArrayLike,
    local: ArrayLike,
    *,
    features: ArrayLike | None = None,
    local_jacobian: Sequence[Any] | None = None,
    scale: float = 1.0,
) -> FloatArray:
    """The Jacobian of E[r] with respect to θ (Case 3), [n, m] for `local` [E, n] and m features.

    r_e may depend on θ too: `local_jacobian` then has, for each of the n columns, ∂r_e/∂θ as an
    [E, m] array or SciPy sparse matrix.  n passes, or m where fewer features are chosen than r has
    columns (footnote 11).
    """
    scale = as_scale(scale)
    p = Distribution(forest, weight)
    values = np.asarray(local, dtype=np.float64)
    if values.ndim == 1:
        values = values[:, None]
    check_shape("local", values, (forest.num_edges, "n"), error=ForestError)
    columns = [np.ascontiguousarray(c) for c in values.T]
    chosen = _chosen(forest, features)
    result = np.empty((values.shape[1], len(chosen)))
    if len(chosen) < values.shape[1]:
        for column, feature in enumerate(chosen):
            _, coefficient = p.edge_covariances(_column(forest, int(feature)))
            for row in range(values.shape[1]):
                result[row, column] = scale * _core.dot(coefficient, columns[row])
    else:
        for row in range(values.shape[1]):
            _, coefficient = p.edge_covariances(columns[row])
            result[row] = forest.combine_features(scale * coefficient)[chosen]
    if local_jacobian is not None:
        columns = values.shape[1]
        check_length("local_jacobian", local_jacobian, columns, "column", error=ForestError)
        posterior = p.edge_posteriors()
        for row, matrix in enumerate(local_jacobian):
            want = (forest.num_edges, len(chosen))
            check_shape(f"local_jacobian[{row}]", matrix, want, error=ForestError)
            result[row] += np.asarray(matrix.T @ posterior).ravel()
    return result


def _chosen(forest: Forest, features: ArrayLike | None) -> NDArray[np.intp]:
    count = len(forest.features)
    if features is None:
        return np.arange(count)
    chosen = as_array("features", features, np.intp)
    if chosen.size and (chosen.min() < 0 or chosen.max() >= count):
        reason = f"features must be numbers from 0 to {count - 1}"
        raise ForestError(reason, code="argument.range", argument="features", expected=count)
    return chosen


def _column(forest: Forest, feature: int) -> FloatArray:
    """One feature's value on each edge."""
    unit = np.zeros(len(forest.features))
    unit[feature] = 1.0
    return forest.score(unit)
