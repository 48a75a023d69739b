"""Logistic regression with a normal prior, for few coefficients and little data.

    found = fit_logistic(columns, right, prior=[0.0, 1.0])
    probability = sigmoid(columns @ found)

Newton's method; results are the same on all processors once they are rounded.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rosewood.arrays import FloatArray

_STEPS = 100  # of Newton's method, which needs about 8
_SMALL = 1e-10
_TRUSTED = 1e-4


def fit_logistic(
    columns: FloatArray,
    right: ArrayLike,
    *,
    prior: Sequence[float],
    variance: float = 1.0,
    share: ArrayLike = 1.0,
    lows: Sequence[float] | None = None,
) -> FloatArray:
    """The likeliest coefficients of these columns, given normal priors of one variance.

    `right` is the share of each row that is right, from 0 to 1; `share` is how much each row
    counts.  A coefficient that would be below its number in `lows` is fixed at that number.
    """
    mean = np.asarray(prior, np.float64)
    rights = np.asarray(right, np.float64)
    shares = np.broadcast_to(np.asarray(share, np.float64), rights.shape)
    low = np.full(len(mean), -np.inf) if lows is None else np.asarray(lows, np.float64)
    free = np.ones(len(mean), np.bool_)
    start = np.maximum(mean, low)
    while True:
        found = _likeliest(columns, rights, shares, mean, variance, free, start)
        below = free & (found < low)
        if not below.any():
            return found
        free &= ~below
        start = np.where(free, start, low)


def sigmoid(odds: ArrayLike) -> FloatArray:
    """Probabilities of log odds."""
    return np.asarray(np.exp(-np.logaddexp(0.0, -np.asarray(odds, np.float64))))


def _likeliest(
    columns: FloatArray,
    right: FloatArray,
    share: FloatArray,
    mean: FloatArray,
    variance: float,
    free: np.ndarray[tuple[int], np.dtype[np.bool_]],
    start: FloatArray,
) -> FloatArray:
    """Coefficients that are not free stay as they are in `start`."""
    found = start.copy()
    if not free.any():
        return found

    def cost(numbers: FloatArray) -> float:
        odds = columns @ numbers
        lost = share @ np.logaddexp(0.0, odds) - (share * right) @ odds
        return float(lost + ((numbers - mean) ** 2).sum() / (2 * variance))

    value = cost(found)
    for _ in range(_STEPS):
        sure = sigmoid(columns @ found)
        gradient = (columns.T @ (share * (sure - right)) + (found - mean) / variance)[free]
        curve = columns.T @ (columns * (share * sure * (1 - sure))[:, None])
        curve += np.eye(len(mean)) / variance
        step = np.zeros(len(mean))
        step[free] = np.linalg.solve(curve[np.ix_(free, free)], gradient)
        # Differences of costs of so small a step are rounding; there, Newton's steps converge.
        while (size := abs(step).max()) > _TRUSTED and cost(found - step) > value:
            step /= 2
        found = found - step
        value = cost(found)
        if size < _SMALL:
            break
    return found
