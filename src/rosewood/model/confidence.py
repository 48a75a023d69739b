"""How a model's confidence comes from probabilities: of words with 0.8, eight in ten are right.

    how = Confidence.calibrated(scale, posterior, is_unknown, is_right)      # on held-out words
    how(posterior, is_unknown)                                               # of others

The probability that a word occurs in a translation drawn from the forest, where log probabilities
are scores times the scale, tells right words from wrong ones, but is too high: what all that the
search has met agree on is certain, right or wrong.  So its log odds go through a line, which is
fitted to what was right on held-out text:

    confidence = sigmoid(offset + slope · logit p)        of a word that a rule says
               = sigmoid(unknown + slope · logit p)       of one that no rule translates

A word that no rule translates is copied or guessed, and has a line of its own: the forest often has
nothing else to say, so its probability says little.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rosewood.arguments import check_number, check_type
from rosewood.arrays import FloatArray, rounded
from rosewood.errors import DecodingError

_NEAREST = 0.01  # that a probability comes to 0 or to 1: beyond, it does not tell more
_CERTAIN = math.log((1 - _NEAREST) / _NEAREST)  # the log odds of the surest
_USUAL = 5.0  # scale, for weights whose sizes add up to 1
_PRIOR = np.array(
    [1.0, 0.0, 0.0]
)  # of the slope, the offset, and a certain unknown word's log odds
_STEPS = 100  # of Newton's method, which needs about 8
_SMALL = 1e-10
_TRUSTED = 1e-4
_BITS = 24  # of the numbers found, which are the same on all processors then


@dataclass(frozen=True)
class Confidence:
    """A scale of scores, and lines for the log odds of known and of unknown words.

    Without lines confidence is the probability itself, and a word that no rule translates is as
    likely right as wrong if nothing else could be said.
    """

    scale: float
    slope: float = 1.0
    offset: float = 0.0
    unknown: float = -_CERTAIN

    def __post_init__(self) -> None:
        """Numbers that are none are refused."""
        lows = {"scale": 1e-300, "slope": 0, "offset": None, "unknown": None}
        for name, low in lows.items():
            check_number(name, getattr(self, name), low=low, error=DecodingError)

    @classmethod
    def default(cls, theta: FloatArray) -> Confidence:
        """The default without data to fit: 5 for weights whose absolute values add up to 1."""
        return cls(_USUAL / (float(abs(theta).sum()) or 1.0))

    @classmethod
    def calibrated(
        cls, scale: float, posterior: ArrayLike, is_unknown: ArrayLike, is_right: ArrayLike
    ) -> Confidence:
        """The likeliest lines of words with these probabilities, of which some are right.

        Each number has a normal prior of variance 1 around those of `Confidence(scale)`, which
        decides where there is little to go by and is soon outweighed.
        """
        unknown = np.asarray(is_unknown, np.bool_)
        right = np.asarray(is_right, np.float64)
        odds = _log_odds(posterior)
        # The third number is what an unknown word has that is certain: that is what is known of it.
        columns = np.stack([np.where(unknown, odds - _CERTAIN, odds), ~unknown, unknown], axis=1)
        found = _likeliest(columns, right, np.ones(3, np.bool_))
        if found[0] < 0:  # on the boundary, then: what is likelier is not less sure
            found = _likeliest(columns, right, np.array([False, True, True]))
        slope, offset, certain = rounded(found, _BITS).tolist()
        return cls(scale, slope, offset, certain - slope * _CERTAIN)

    def __call__(self, posterior: ArrayLike, is_unknown: ArrayLike) -> FloatArray:
        """How sure each word is, by its probability and whether no rule translates it."""
        begin = np.where(np.asarray(is_unknown, np.bool_), self.unknown, self.offset)
        return _sigmoid(begin + self.slope * _log_odds(posterior))

    def to_dict(self) -> dict[str, float]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Confidence:
        """What `to_dict` made; refused if anything is missing, too much or no number."""
        names = [each.name for each in fields(cls)]
        for name in sorted({*names} ^ {*table}):
            what, code = ("missing", "missing") if name in names else ("not expected", "unknown")
            raise DecodingError(
                f"{name} is {what}: expected the numbers {', '.join(names)}",
                code=f"argument.{code}", argument=name, expected=names,
            )  # fmt: skip
        for name in names:
            check_type(name, table[name], float, "a floating-point number", error=DecodingError)
        return cls(**table)


def _likeliest(columns: FloatArray, right: FloatArray, free: Any) -> FloatArray:
    """Logistic regression with a normal prior; coefficients that are not free are 0."""
    found = np.where(free, _PRIOR, 0.0)
    value = _cost(columns, right, found)
    for _ in range(_STEPS):
        sure = _sigmoid(columns @ found)
        gradient = (columns.T @ (sure - right) + found - _PRIOR)[free]
        curve = columns.T @ (columns * (sure * (1 - sure))[:, None]) + np.eye(3)
        step = np.zeros(3)
        step[free] = np.linalg.solve(curve[np.ix_(free, free)], gradient)
        # Differences of costs of so small a step are rounding; there, Newton's steps converge.
        while (size := abs(step).max()) > _TRUSTED and _cost(columns, right, found - step) > value:
            step /= 2
        found = found - step
        value = _cost(columns, right, found)
        if size < _SMALL:
            break
    return found


def _cost(columns: FloatArray, right: FloatArray, numbers: FloatArray) -> float:
    odds = columns @ numbers
    lost = np.logaddexp(0.0, odds).sum() - right @ odds
    return float(lost + ((numbers - _PRIOR) ** 2).sum() / 2)


def _log_odds(posterior: ArrayLike) -> FloatArray:
    near = np.clip(np.asarray(posterior, np.float64), _NEAREST, 1 - _NEAREST)
    return np.asarray(np.log(near) - np.log1p(-near))


def _sigmoid(odds: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-np.logaddexp(0.0, -odds)))
