"""How sure a translation is: what the forest holds against it.

    words, whole = confidence(found, decoder.theta(), scale, translation.words)
    scale = fit_scale(searches, decoder.theta(), [s.best.words for s in searches], references)

A translation drawn from the forest, p(d) ∝ exp(scale · score), has each word with some probability,
and is the very same with another one; both are exact.  Scores say which translation is better, not
how sure that is: the scale is fitted on held-out text, so that words with a confidence of 0.8 are
right eight times out of ten, on average over all words.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from rosewood.arrays import FloatArray
from rosewood.decode import PhraseSearch, WordPosteriors, string_posteriors

__all__ = ["confidence", "confidences", "default_scale", "fit_scale"]

MOST_SEARCHES = 200  # that are looked at
_LEAST, _MOST = 0.1, 1000.0  # of scales, for weights whose sizes add up to 1
_USUAL = 10.0
_NEAR = 1e-3  # relative


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
    """What is taken where there is nothing to fit: 10 for weights whose sizes add up to 1."""
    return _USUAL / _size(theta)


def fit_scale(
    searches: Iterable[PhraseSearch],
    theta: FloatArray,
    words: Iterable[Sequence[str]],
    references: Iterable[Sequence[Sequence[str]]],
) -> float:
    """The scale at which words are as sure, on average, as they are often right.

    Of each search there are the words of its translation, and one reference or more, as words.  A
    word is right if one of them has it, as often as they do.  The first 200 searches are
    looked at; of nothing at all comes `default_scale`.
    """
    seen: list[tuple[WordPosteriors, list[int]]] = []
    right = total = 0
    for found, said, meant in islice(zip(searches, words, references, strict=True), MOST_SEARCHES):
        if found.forest.is_empty or not said or not any(meant):
            continue
        counts = Counter(said)
        posteriors = WordPosteriors(found.forest, found.forest.score(theta), counts)
        seen.append((posteriors, [counts[word] for word in posteriors.words]))
        right += sum(
            min(count, max(list(each).count(word) for each in meant))
            for word, count in counts.items()
        )
        total += len(said)
    if not total:
        return default_scale(theta)
    wanted = (right + 0.5) / (total + 1.0)  # nobody is sure of everything

    def sureness(scale: float) -> float:
        return sum(float(each(scale) @ counts) for each, counts in seen) / total

    low, high = math.log(_LEAST / _size(theta)), math.log(_MOST / _size(theta))
    while high - low > _NEAR:
        middle = (low + high) / 2
        if sureness(math.exp(middle)) < wanted:
            low = middle
        else:
            high = middle
    return math.exp((low + high) / 2)


def _size(theta: FloatArray) -> float:
    """The sizes of all weights, added up; 1 where there are none."""
    return float(abs(theta).sum()) or 1.0
