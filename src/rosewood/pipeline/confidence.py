"""How sure a translation is: what the forest holds against it.

    words, whole = confidence(found, decoder.theta(), scale, translation.words)
    scale = fit_scale(searches, decoder.theta(), [s.best.words for s in searches], references)

A translation drawn from the forest, p(d) ∝ exp(scale · score), has each word with some probability,
and is the very same with another one; both are exact.  Scores say which translation is better, not
how sure that is.  So the scale is fitted on held-out text: it is the one at which the probabilities
of words tell those that a reference has best from those that none has, by correlation.  What all
that the search has met agree on is certain at any scale, so words are less often in one reference
than their confidence says; they need not be wrong for that.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.decode import PhraseSearch, WordPosteriors, string_posteriors

__all__ = ["confidence", "confidences", "default_scale", "fit_scale"]

MOST_SEARCHES = 200  # that are looked at
_LEAST, _MOST = 1.0, 50.0  # of scales, for weights whose sizes add up to 1
_USUAL = 5.0
_STEPS = 12  # from the least to the most
_NEAR = 0.01  # relative
_GOLDEN = (math.sqrt(5) - 1) / 2


def confidence(
    found: PhraseSearch, theta: FloatArray, scale: float, words: Sequence[str]
) -> tuple[list[float], float]:
    """For each word, how probable it is that it occurs; and how probable the string of all is.

    All are 0 where nothing was found.  `theta` are the weights as the decoder has them behind the
    search.
    """
    return confidences(found, theta, scale, [words])[0]


def confidences(
    found: PhraseSearch, theta: FloatArray, scale: float, strings: Sequence[Sequence[str]]
) -> list[tuple[list[float], float]]:
    """The same of several strings, for which the forest is looked at once."""
    if found.forest.is_empty:
        return [([0.0] * len(words), 0.0) for words in strings]
    weight = found.forest.score(theta)
    posteriors = WordPosteriors(found.forest, weight, (word for each in strings for word in each))
    share = dict(zip(posteriors.words, posteriors(scale).tolist(), strict=True))
    distinct = list(dict.fromkeys(map(tuple, strings)))
    whole = string_posteriors(found.forest, weight, distinct, scale=scale)
    shares = dict(zip(distinct, whole.tolist(), strict=True))
    return [([share[word] for word in each], shares[tuple(each)]) for each in strings]


def default_scale(theta: FloatArray) -> float:
    """What is taken where there is nothing to fit: 5 for weights whose sizes add up to 1."""
    return _USUAL / _size(theta)


def fit_scale(
    searches: Iterable[PhraseSearch],
    theta: FloatArray,
    words: Iterable[Sequence[str]],
    references: Iterable[Sequence[Sequence[str]]],
) -> float:
    """The scale at which the probabilities of words tell right ones best from wrong ones.

    Of each search there are the words of its translation, and one reference or more, as words.  A
    word is right if one of them has it, as often as they do.  The first 200 searches are looked at;
    where all are right, or none is, there is nothing to fit, and it is `default_scale`.
    """
    seen: list[WordPosteriors] = []
    counts: list[int] = []
    rights: list[int] = []
    for found, said, meant in islice(zip(searches, words, references, strict=True), MOST_SEARCHES):
        if found.forest.is_empty or not said or not any(meant):
            continue
        spoken = Counter(said)
        seen.append(WordPosteriors(found.forest, found.forest.score(theta), spoken))
        for word in seen[-1].words:
            counts.append(spoken[word])
            rights.append(min(spoken[word], max(list(each).count(word) for each in meant)))
    count, right = np.array(counts, np.float64), np.array(rights, np.float64)
    if not 0 < right.sum() < count.sum():
        return default_scale(theta)

    def telling(log_scale: float) -> float:
        sure = np.concatenate([each(math.exp(log_scale)) for each in seen])
        return _correlation(sure, count, right)

    low, high = math.log(_LEAST / _size(theta)), math.log(_MOST / _size(theta))
    grid = np.linspace(low, high, _STEPS + 1).tolist()
    values = [telling(each) for each in grid]
    best = max(range(len(grid)), key=values.__getitem__)
    if not values[best]:
        return default_scale(theta)
    around = grid[max(best - 1, 0)], grid[min(best + 1, _STEPS)]
    return math.exp(_highest(telling, *around))


def _correlation(sure: FloatArray, count: FloatArray, right: FloatArray) -> float:
    """Of probabilities with being right, where words are there so often and right so often."""
    total = count.sum()
    mean, share = count @ sure / total, right.sum() / total
    spread = count @ (sure - mean) ** 2 / total * share * (1 - share)
    if not spread > 0:
        return 0.0
    return float((right @ (sure - mean) / total) / math.sqrt(spread))


def _highest(value: Callable[[float], float], low: float, high: float) -> float:
    """Where a function is highest, by golden sections."""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = value(left), value(right)
    while high - low > _NEAR:
        if at_left >= at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = value(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = value(right)
    return (low + high) / 2


def _size(theta: FloatArray) -> float:
    """The sizes of all weights, added up; 1 where there are none."""
    return float(abs(theta).sum()) or 1.0
