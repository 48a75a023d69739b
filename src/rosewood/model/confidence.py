"""How a model's confidence comes from probabilities: of words with 0.8, eight in ten are right.

    how = Confidence.calibrated(scale, posterior, is_unknown, is_right)      # on held-out words
    how(posterior, is_unknown)                                               # of others

The probability that a word occurs in a translation drawn from the forest, where log probabilities
are scores times the scale, tells right words from wrong ones, but is too high: what all that the
search has met agree on is certain, right or wrong.  So its log odds go through a line, which is
fitted to what was right on held-out text:

    confidence = sigmoid(offset + slope · logit p)        of a word that a rule says
               = sigmoid(unknown + slope · logit p + guess_slope · logit g)            copied
               = sigmoid(guessed + slope · logit p + guess_slope · logit g)           guessed

A word that no rule translates has a line of its own: the forest often has nothing else to say, so
its probability says little.  *g* is how often such a guess or copy was right on words seen once;
where that is not known, logit g is 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosewood.arguments import check_number, check_type
from rosewood.arrays import FloatArray, rounded
from rosewood.errors import DecodingError
from rosewood.logistic import fit_logistic, sigmoid

_NEAREST = 0.01  # that a probability comes to 0 or to 1: beyond, it does not tell more
_CERTAIN = math.log((1 - _NEAREST) / _NEAREST)  # the log odds of the surest
_USUAL = 5.0  # scale, for weights whose sizes add up to 1
# Of the slope, the offset, the log odds of a certain word that is copied and of one that is
# guessed, and the slope of guesses.
_PRIOR = (1.0, 0.0, 0.0, 0.0, 1.0)
_LOWS = (0.0, -np.inf, -np.inf, -np.inf, 0.0)  # what is likelier is not less sure
_BITS = 24  # of the numbers found, which are the same on all processors then
_ADDED = ("guessed", "guess_slope")  # numbers that models of older releases do not have


@dataclass(frozen=True)
class Confidence:
    """A scale of scores, and lines for the log odds of known, copied and guessed words.

    Without lines confidence is the probability itself, and a word that no rule translates is as
    likely right as wrong if nothing else could be said, or as its guess was.
    """

    scale: float
    slope: float = 1.0
    offset: float = 0.0
    unknown: float = -_CERTAIN
    guessed: float = -_CERTAIN
    guess_slope: float = 1.0

    def __post_init__(self) -> None:
        """Numbers that are none are refused."""
        lows = {"scale": 1e-300, "slope": 0, "offset": None, "unknown": None, "guessed": None,
                "guess_slope": 0}  # fmt: skip
        for name, low in lows.items():
            check_number(name, getattr(self, name), low=low, error=DecodingError)

    @classmethod
    def default(cls, theta: FloatArray) -> Confidence:
        """The default without data to fit: 5 for weights whose absolute values add up to 1."""
        return cls(_USUAL / (float(abs(theta).sum()) or 1.0))

    @classmethod
    def calibrated(
        cls,
        scale: float,
        posterior: ArrayLike,
        is_unknown: ArrayLike,
        is_right: ArrayLike,
        guess: ArrayLike | None = None,
        is_guess: ArrayLike = False,
    ) -> Confidence:
        """The likeliest lines of words with these probabilities, of which some are right.

        `guess` and `is_guess` are as in calls.  Each number
        has a normal prior of variance 1 around those of `Confidence(scale)`, which decides where
        there is little to go by and is soon outweighed.
        """
        unknown = np.asarray(is_unknown, np.bool_)
        odds = _log_odds(posterior)
        guessed_ones, guess_odds = _guesses(guess, is_guess, unknown)
        columns = np.stack(
            [
                # Unknown words are often certain: their numbers are what is known of those then.
                np.where(unknown, odds - _CERTAIN, odds),
                ~unknown, unknown & ~guessed_ones, guessed_ones, guess_odds,
            ],
            axis=1,
        )  # fmt: skip
        found = fit_logistic(columns, is_right, prior=_PRIOR, lows=_LOWS)
        slope, offset, copied, guessed, guess_slope = rounded(found, _BITS).tolist()
        certain = slope * _CERTAIN
        return cls(scale, slope, offset, copied - certain, guessed - certain, guess_slope)

    def __call__(
        self,
        posterior: ArrayLike,
        is_unknown: ArrayLike,
        guess: ArrayLike | None = None,
        is_guess: ArrayLike = False,
    ) -> FloatArray:
        """How sure each word is, by its probability and whether a rule translates it.

        `guess` is how likely unknown words are right by what was guessed and copied of others,
        NaN where that is not known; `is_guess` tells guesses from copies.
        """
        unknown = np.asarray(is_unknown, np.bool_)
        guessed_ones, guess_odds = _guesses(guess, is_guess, unknown)
        begin = np.where(unknown, np.where(guessed_ones, self.guessed, self.unknown), self.offset)
        return sigmoid(begin + self.guess_slope * guess_odds + self.slope * _log_odds(posterior))

    def to_dict(self) -> dict[str, float]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Confidence:
        """What `to_dict` made; refused if anything is missing, too much or no number.

        Models of older releases do not tell guessed words from copied ones.
        """
        if not {*_ADDED} & {*table}:
            table = {**table, "guessed": table.get("unknown", 0.0), "guess_slope": 0.0}
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


def _guesses(
    guess: ArrayLike | None, is_guess: ArrayLike, unknown: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], FloatArray]:
    """Which unknown words are guessed, and the log odds of all of them; 0 where not known."""
    values = np.broadcast_to(np.asarray(np.nan if guess is None else guess, float), unknown.shape)
    is_known = unknown & ~np.isnan(values)
    odds = np.where(is_known, _log_odds(np.where(is_known, values, 0.5)), 0.0)
    return unknown & np.broadcast_to(np.asarray(is_guess, np.bool_), unknown.shape), odds


def _log_odds(posterior: ArrayLike) -> FloatArray:
    near = np.clip(np.asarray(posterior, np.float64), _NEAREST, 1 - _NEAREST)
    return np.asarray(np.log(near) - np.log1p(-near))
