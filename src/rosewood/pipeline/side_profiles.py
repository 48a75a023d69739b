"""Which side of a corpus a text resembles: words of the source or words of the target.

sides, orientation = SideProfiles.of(runs)     # of training data, whose runs may differ
balance(sides.ratios(texts))                   # near 1: like the source; near -1: the target
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.pipeline.pair_evidence import TokenRun, Tokens

_CLIP = 3.0  # of log ratios: one word does not decide
_PRIOR = 0.5
_ROUNDS = 3
_CLEAR = 0.6  # balance: four of five
_SURE = 3.0  # standard deviations of the sign test


class Balance(NamedTuple):
    """How many texts are like the source rather than the target: from -1 to 1, and by chance."""

    share: float
    z: float

    @property
    def is_source(self) -> bool:
        """Clearly like the source."""
        return self.share > _CLEAR and self.z > _SURE

    @property
    def is_target(self) -> bool:
        """Clearly like the target."""
        return self.share < -_CLEAR and self.z < -_SURE


def balance(ratios: FloatArray) -> Balance:
    """The sign test of some ratios; those near zero say nothing."""
    signs = np.sign(np.where(np.abs(ratios) < 0.02, 0.0, ratios))
    count = int(np.abs(signs).sum())
    if not count:
        return Balance(0.0, 0.0)
    total = float(signs.sum())
    # Texts that say nothing count as half for and half against.
    return Balance(total / len(ratios), total / float(np.sqrt(count)))


@dataclass(frozen=True, eq=False)
class SideProfiles:
    """Log ratios of words: how much more often one occurs on the source side."""

    number: dict[str, int]
    ratio: FloatArray
    source_words: frozenset[str]
    target_words: frozenset[str]
    known: tuple[float, float] = (0.0, 0.0)  # the usual share of known words, of each side

    @classmethod
    def of(cls, runs: Sequence[TokenRun]) -> tuple[SideProfiles, list[Balance]]:
        """Profiles of the side that is the source in the first run, and how each run fits them.

        A run whose sides are swapped has a negative balance.  Each is compared with the others.
        """
        sides = [(run.source, run.target) for run in runs]
        number: dict[str, int] = {}
        for texts in sides:
            for side in texts:
                for sentence in side:
                    for word in sentence:
                        number.setdefault(word, len(number))
        counts = np.zeros((len(runs), 2, len(number)))
        for k, texts in enumerate(sides):
            for s, side in enumerate(texts):
                at = [number[word] for sentence in side for word in sentence]
                counts[k, s] = np.bincount(np.array(at, np.int64), minlength=len(number))
        signs = np.zeros(len(runs))
        signs[:1] = 1.0
        fits: list[Balance] = []
        for _ in range(_ROUNDS):
            total = _total(counts, signs)
            fits = []
            for k, run in enumerate(runs):
                own = counts[k] if signs[k] >= 0 else counts[k, ::-1]
                rest = total - own * abs(signs[k])
                if not rest.any():  # the first run, which all others are compared with
                    rest = total
                fits.append(balance(_differences(run, number, _log_ratio(rest))))
            new = np.array([float(np.sign(each.share)) for each in fits])
            if (new == signs).all():
                break
            signs = new
        total = _total(counts, signs)
        words = list(number)
        seen = [frozenset(words[k] for k in np.flatnonzero(side)) for side in total]
        known = _usual(counts, signs, total)
        return cls(number, _log_ratio(total), seen[0], seen[1], known), fits

    def reversed(self) -> SideProfiles:
        """The same with source and target exchanged."""
        return SideProfiles(
            self.number, -self.ratio, self.target_words, self.source_words, self.known[::-1]
        )

    def ratios(self, texts: Sequence[Tokens]) -> FloatArray:
        """Mean log ratio of each text: positive like the source."""
        return _ratios(texts, self.number, self.ratio)

    def fit(self, runs: Sequence[TokenRun]) -> Balance:
        """How the pairs of some runs fit: negative where sides are swapped."""
        if not runs:
            return Balance(0.0, 0.0)
        return balance(np.concatenate([_differences(run, self.number, self.ratio) for run in runs]))


def known_share(texts: Sequence[Tokens], words: frozenset[str]) -> tuple[float, int]:
    """Which share of the words with letters is known, and how many words there are."""
    found = [word in words for text in texts for word in text if word[0].isalpha()]
    return sum(found) / max(1, len(found)), len(found)


def _total(counts: FloatArray, signs: FloatArray) -> FloatArray:
    """Counts of both sides, runs turned by their signs."""
    straight, turned = (signs > 0).astype(float), (signs < 0).astype(float)
    found: FloatArray = np.tensordot(straight, counts, 1) + np.tensordot(turned, counts[:, ::-1], 1)
    return found


def _usual(counts: FloatArray, signs: FloatArray, total: FloatArray) -> tuple[float, float]:
    """Which share of the words of each run the other runs have, on both sides."""
    shares = []
    for side in (0, 1):
        known = every = 0.0
        for own, sign in zip(counts, signs, strict=True):
            if sign:
                words = own[side if sign > 0 else 1 - side]
                known += float(words[total[side] > words].sum())
                every += float(words.sum())
        shares.append(known / max(1.0, every))
    return shares[0], shares[1]


def _log_ratio(counts: FloatArray) -> FloatArray:
    smooth = counts + _PRIOR
    logs = np.log(smooth / smooth.sum(axis=1, keepdims=True))
    found: FloatArray = np.clip(logs[0] - logs[1], -_CLIP, _CLIP)
    found[counts.sum(axis=0) == 0] = 0.0
    return found


def _ratios(texts: Sequence[Tokens], number: dict[str, int], ratio: FloatArray) -> FloatArray:
    of, found = ratio.tolist(), []
    for text in texts:
        known = [of[number[word]] for word in text if word in number]
        found.append(sum(known) / max(1, len(known)))
    return np.array(found)


def _differences(run: TokenRun, number: dict[str, int], ratio: FloatArray) -> FloatArray:
    return _ratios(run.source, number, ratio) - _ratios(run.target, number, ratio)
