"""The direction of each sentence pair: which pairs have their sides the wrong way round.

    directions, signs = PairDirections.of(runs)     # of training data, which may be mixed
    directions.signs(other_runs)                    # 1: as most; -1: swapped; 0: not clear

Pairs are divided into two directions by the words on their sides: at first by the main axis of the
differences between source and target (power iteration), then by log ratios of words, in which no
pair counts for itself.  A direction is clear where both sides of a pair look like one language
each.  Nothing is clear where both sides share most of their words, as in a corpus of paraphrases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rosewood.arrays import FloatArray, LongArray
from rosewood.pipeline.pair_evidence import TokenRun

_POWER, _ROUNDS = 40, 4  # iterations
_PRIOR, _CLIP = 0.5, 3.0  # of log ratios
_CLEAR = 0.4  # of the usual log ratio of a side
_LEAST_EVIDENCE = 4.0  # sum of log ratios on each side
_LEAST_RATIO = 0.8  # usual log ratio of a side: two languages, which share few words
_LEAST_PAIRS = 24


@dataclass(frozen=True, eq=False)
class _Words:
    """Counts of words: one row for each pair and word in it."""

    pair: LongArray
    word: LongArray
    source: FloatArray
    target: FloatArray
    pairs: int

    @classmethod
    def of(cls, runs: Sequence[TokenRun], number: dict[str, int], is_open: bool) -> _Words:
        """Counts of the words of some runs; `is_open`: unknown words get numbers."""
        pair: list[int] = []
        word: list[int] = []
        counts: list[tuple[int, int]] = []
        at = 0
        for run in runs:
            for sides in zip(run.source, run.target, strict=True):
                own: dict[int, list[int]] = {}
                for side, texts in enumerate(sides):
                    for each in texts:
                        key = number.setdefault(each, len(number)) if is_open else number.get(each)
                        if key is not None:
                            own.setdefault(key, [0, 0])[side] += 1
                pair += [at] * len(own)
                word += own
                counts += [(source, target) for source, target in own.values()]
                at += 1
        both = np.array(counts, float).reshape(-1, 2)
        return cls(np.array(pair, np.int64), np.array(word, np.int64), both[:, 0], both[:, 1], at)

    def by_pair(self, values: FloatArray) -> FloatArray:
        found: FloatArray = np.bincount(self.pair, values, self.pairs).astype(np.float64)
        return found

    def scores(self, ratio: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The mean ratio of the words of each side, and the smaller sum of evidence."""
        means, sums = [], []
        for counts in (self.source, self.target):
            known = counts * (ratio != 0)
            total = self.by_pair(known * ratio)
            means.append(total / np.maximum(1.0, self.by_pair(known)))
            sums.append(np.abs(total))
        return means[0], means[1], np.minimum(*sums)


@dataclass(frozen=True, eq=False)
class PairDirections:
    """Log ratios of words, and from which ratio on a pair is clear."""

    number: dict[str, int]
    ratio: FloatArray
    least: float  # infinite where directions cannot be told

    @classmethod
    def of(cls, runs: Sequence[TokenRun]) -> tuple[PairDirections, LongArray]:
        """The direction that most of the pairs have, and the sign of each pair."""
        number: dict[str, int] = {}
        words = _Words.of(runs, number, is_open=True)
        if words.pairs < _LEAST_PAIRS or not number:
            return cls(number, np.zeros(len(number)), np.inf), np.zeros(words.pairs, np.int64)
        signs = _main_axis(words, len(number))
        for _ in range(_ROUNDS):
            left, right, _ = words.scores(_without_own(words, signs, len(number)))
            new = np.sign(left - right)
            if (new == signs).all():
                break
            signs = new
        if signs.sum() < 0 or (signs.sum() == 0 and signs[0] < 0):
            signs = -signs
        ratios = _without_own(words, signs, len(number))
        left, right, evidence = words.scores(ratios)
        usual = float(min(np.median(left * signs), np.median(-right * signs)))
        least = _CLEAR * usual if usual > _LEAST_RATIO else np.inf
        total = _totals(words, signs, len(number))
        return cls(number, _log_ratio(total[0], total[1], total.sum(axis=1)), least), _clear(
            left, right, evidence, least
        )

    def reversed(self) -> PairDirections:
        """The same with source and target exchanged."""
        return PairDirections(self.number, -self.ratio, self.least)

    def signs(self, runs: Sequence[TokenRun]) -> LongArray:
        """The direction of each pair of other runs."""
        words = _Words.of(runs, self.number, is_open=False)
        return _clear(*words.scores(self.ratio[words.word]), self.least)


def _clear(left: FloatArray, right: FloatArray, evidence: FloatArray, least: float) -> LongArray:
    is_clear = (evidence > _LEAST_EVIDENCE) & (np.minimum(np.abs(left), np.abs(right)) > least)
    found: LongArray = (np.sign(left) * is_clear * (left * right < 0)).astype(np.int64)
    return found


def _main_axis(words: _Words, count: int) -> FloatArray:
    """Signs of pairs along the axis on which they differ most."""
    difference = words.source - words.target
    size = np.sqrt(np.bincount(words.word, words.source + words.target, count))
    difference = difference / size[words.word]
    length = np.sqrt(words.by_pair(difference**2))
    difference /= np.maximum(length, 1e-9)[words.pair]
    found: FloatArray = np.ones(words.pairs)
    found[0] = 2.0
    for _ in range(_POWER):
        axis = np.bincount(words.word, difference * found[words.pair], count)
        found = words.by_pair(difference * axis[words.word])
        norm = float(np.sqrt((found**2).sum()))
        if not norm:
            break
        found /= norm
    signs: FloatArray = np.sign(found)
    return signs


def _totals(words: _Words, signs: FloatArray, count: int) -> FloatArray:
    """Counts of words on both sides, pairs turned by their signs."""
    of = signs[words.pair]
    source = np.where(of > 0, words.source, words.target) * np.abs(of)
    target = np.where(of > 0, words.target, words.source) * np.abs(of)
    return np.array([np.bincount(words.word, each, count) for each in (source, target)])


def _without_own(words: _Words, signs: FloatArray, count: int) -> FloatArray:
    """The log ratio of each word of a pair by the other pairs."""
    total = _totals(words, signs, count)
    of = signs[words.pair]
    source = np.where(of > 0, words.source, words.target) * np.abs(of)
    target = np.where(of > 0, words.target, words.source) * np.abs(of)
    rest = total[0, words.word] - source, total[1, words.word] - target
    return _log_ratio(*rest, total.sum(axis=1))


def _log_ratio(source: FloatArray, target: FloatArray, sums: FloatArray) -> FloatArray:
    ratio = np.log((source + _PRIOR) / (sums[0] + 1)) - np.log((target + _PRIOR) / (sums[1] + 1))
    found: FloatArray = np.clip(ratio, -_CLIP, _CLIP)
    found[(source + target) == 0] = 0.0
    return found
