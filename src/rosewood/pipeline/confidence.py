"""How sure a translation is: what the forest holds against it, and how often that was right.

    how = fit_confidence(searches, decoder.theta(), references)          # on held-out sentences
    [sure] = confidences(found, decoder.theta(), how, [found.best])
    sure.words; sure.mean; sure.posterior

A translation drawn from the forest, p(d) ∝ exp(scale · score), has each word with some probability,
and is the very same with another one; both are exact.  Scores say which translation is better, not
how sure that is.  So the scale is the one at which the probabilities of words tell those that a
reference has best from those that none has, by correlation; and lines make them shares of words
that are right (`model.confidence`): of words with 0.8, eight in ten occur in the reference, on text
like the one it was fitted on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from rosewood.arrays import FloatArray, rounded
from rosewood.decode import SearchResult, Translation, WordPosteriors, string_posteriors
from rosewood.model.confidence import Confidence

MOST_SEARCHES = 200  # that are looked at
_LEAST, _MOST, _STEPS = 0.2, 10.0, 24  # of scales, for that of `Confidence.default`
_SCALE_BITS, _BITS = 24, 40  # of numbers that are the same whatever the processor's exp and log are


@dataclass(frozen=True)
class Sureness:
    """How sure each word of a translation is, and how probable the string of all of them."""

    words: tuple[float, ...]
    posterior: float
    is_silent: bool = False  # it says nothing of a source that has words

    @property
    def mean(self) -> float:
        """The confidence of a translation; of one without words, its posterior.

        Nothing is known for saying nothing of words, so that is not sure at all, even where
        nothing else can be said.
        """
        if self.is_silent:
            return 0.0
        return sum(self.words) / len(self.words) if self.words else self.posterior


def confidences(
    found: SearchResult, theta: FloatArray, how: Confidence, translations: Sequence[Translation]
) -> list[Sureness]:
    """How sure translations are, for which the forest is looked at once.

    All is 0 where nothing was found.  `theta` are the weights as the decoder has them behind the
    search.
    """
    if found.forest.is_empty:
        return [Sureness((0.0,) * len(each.words), 0.0) for each in translations]
    weight = found.forest.score(theta)
    every = (word for each in translations for word in each.words)
    posteriors = WordPosteriors(found.forest, weight, every)
    share = dict(zip(posteriors.words, posteriors(how.scale).tolist(), strict=True))
    distinct = list(dict.fromkeys(each.words for each in translations))
    whole = string_posteriors(found.forest, weight, distinct, scale=how.scale)
    shares = dict(zip(distinct, rounded(whole, _BITS).tolist(), strict=True))
    told = []
    for each in translations:
        sure = rounded(how([share[word] for word in each.words], _unknown_words(each)), _BITS)
        is_silent = not each.words and bool(found.source.words)
        told.append(Sureness(tuple(sure.tolist()), shares[each.words], is_silent))
    return told


def fit_confidence(
    searches: Iterable[SearchResult],
    theta: FloatArray | Callable[[], FloatArray],
    references: Iterable[Sequence[Sequence[str]]],
    *,
    dense: int | None = None,
) -> Confidence:
    """What makes confidence of probabilities, by the best translations of held-out sentences.

    Of each search there is one reference or more, as words.  The first 200 are looked at, one after
    the other; where none has words, it is `Confidence.default`.  `theta` is a function where sparse
    features are met while searching; then `dense` is the number of dense features.  Scales are
    tried around the usual one of the dense weights: how many sparse features were met before
    depends on whether a run was resumed.
    """
    weights = theta if callable(theta) else lambda: theta
    usual = Confidence.default(weights()[:dense])
    scales = rounded(usual.scale * np.geomspace(_LEAST, _MOST, _STEPS + 1), _SCALE_BITS)
    scales = np.append(scales, usual.scale)
    tables: list[FloatArray] = [np.empty((0, len(scales)))]
    rights: list[bool] = []
    unknown: list[bool] = []
    for found, meant in islice(zip(searches, references, strict=True), MOST_SEARCHES):
        said = found.best
        if found.forest.is_empty or not said.words or not any(meant):
            continue
        posteriors = WordPosteriors(found.forest, found.forest.score(weights()), said.words)
        place = {word: n for n, word in enumerate(posteriors.words)}
        table = np.stack([posteriors(scale) for scale in scales.tolist()], axis=1)
        tables.append(table[[place[word] for word in said.words]])
        rights += right_words(said.words, meant)
        unknown += _unknown_words(said)
    if not rights:
        return usual
    sure, right = np.concatenate(tables), np.array(rights, np.float64)
    known = np.zeros(len(right), np.bool_)
    telling = [_correlation(rounded(usual(column, known), _BITS), right) for column in sure.T]
    best = max(range(len(scales)), key=telling.__getitem__)
    if not telling[best]:  # all are right, or none, or all are as sure
        best = len(scales) - 1
    return Confidence.calibrated(float(scales[best]), sure[:, best], unknown, rights)


def right_words(words: Sequence[str], references: Sequence[Sequence[str]]) -> list[bool]:
    """Whether a reference has each word: as often as one of them does, from the first on."""
    left = {word: max(list(each).count(word) for each in references) for word in set(words)}
    found = []
    for word in words:
        found.append(left[word] > 0)
        left[word] -= 1
    return found


def _unknown_words(said: Translation) -> list[bool]:
    """Whether each word of a translation is of a phrase that no rule translates."""
    found = [False] * len(said.words)
    for use in said.rules:
        if use.is_unknown:
            for place in use.target_places:
                found[place] = True
    return found


def _correlation(sure: FloatArray, right: FloatArray) -> float:
    """Of probabilities with being right; 0 where one of them is the same everywhere."""
    if not np.ptp(sure) or not np.ptp(right):
        return 0.0
    return float(np.corrcoef(sure, right)[0, 1])
