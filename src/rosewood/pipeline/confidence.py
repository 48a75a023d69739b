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

The confidence of a translation is the mean over its words, where each source word that it leaves
out counts as a wrong word if most of the forest links it: one that is linked with probability *q*,
as 2 q − 1 words.  Words such as auxiliaries are left out as often as not, and count little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import nan
from typing import NamedTuple

import numpy as np

from rosewood.arrays import FloatArray, rounded
from rosewood.decode import SearchResult, Translation, WordPosteriors, string_posteriors
from rosewood.decode.coverage import linked_shares, unlinked_places
from rosewood.decode.guessing import Guesser
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
    left_out: float = 0.0  # source words left out that most of the forest translates
    highest: float = 1.0  # of the mean: an alternative is no surer than what was chosen

    @property
    def mean(self) -> float:
        """The confidence of a translation; of one without words, its posterior.

        Nothing is known for saying nothing of words, so that is not sure at all, even where
        nothing else can be said.
        """
        if self.is_silent:
            return 0.0
        if not self.words:
            return self.posterior
        return min(self.highest, sum(self.words) / (len(self.words) + self.left_out))


def confidences(
    found: SearchResult,
    theta: FloatArray,
    how: Confidence,
    translations: Sequence[Translation],
    unknown: object = None,
) -> list[Sureness]:
    """How sure translations are, for which the forest is looked at once.

    The first one is what was chosen.  The others are not surer, less what they leave out of the
    words that it translates: they are worse on average where their words seem surer.  All is 0
    where nothing was found.  `theta` are the weights as the decoder has them behind the search,
    `unknown` is what it does with unknown words.
    """
    if found.forest.is_empty:
        return [Sureness((0.0,) * len(each.words), 0.0) for each in translations]
    weight = found.forest.score(theta)
    distinct = list(dict.fromkeys(each.words for each in translations))
    whole = string_posteriors(found.forest, weight, distinct, scale=how.scale)
    shares = dict(zip(distinct, rounded(whole, _BITS).tolist(), strict=True))
    told: list[Sureness] = []
    by_words = _by_words(found, weight, how, translations, unknown)
    for each, (sure, left_out) in zip(translations, by_words, strict=True):
        highest = 1.0
        if not told:
            chosen = left_out
        elif told[0].words:
            also = sum(share for i, share in left_out.items() if i not in chosen)
            words = len(told[0].words)
            highest = told[0].mean * words / (words + also)
        is_silent = not each.words and bool(found.source.words)
        total = sum(left_out.values())
        told.append(Sureness(sure, shares[each.words], is_silent, total, highest))
    return told


def word_confidence(
    found: SearchResult, theta: FloatArray, how: Confidence, unknown: object = None
) -> float:
    """The confidence of the best translation alone: `Sureness.mean` of `confidences`, faster."""
    words = found.best.words
    if found.forest.is_empty or not words:
        return confidences(found, theta, how, [found.best], unknown)[0].mean
    [(sure, left_out)] = _by_words(found, found.forest.score(theta), how, [found.best], unknown)
    return Sureness(sure, 0.0, left_out=sum(left_out.values())).mean


def _by_words(
    found: SearchResult,
    weight: FloatArray,
    how: Confidence,
    translations: Sequence[Translation],
    unknown: object,
) -> Iterator[tuple[tuple[float, ...], dict[int, float]]]:
    """For each translation how sure its words are, and which source words it leaves out.

    A word that is left out counts as so many words as most of the forest would have for it.
    """
    every = (word for each in translations for word in each.words)
    posteriors = WordPosteriors(found.forest, weight, every)
    share = dict(zip(posteriors.words, posteriors(how.scale).tolist(), strict=True))
    unlinked = [unlinked_places(each) for each in translations]
    linked = linked_shares(found, how.scale * weight, {i for some in unlinked for i in some})
    for each, missing in zip(translations, unlinked, strict=True):
        chances = [share[word] for word in each.words]
        sure = rounded(how(chances, *_unknown_words(each, unknown)), _BITS)
        left_out = {i: max(0.0, float(rounded(2 * linked[i] - 1, _BITS))) for i in missing}
        yield tuple(sure.tolist()), left_out


def fit_confidence(
    searches: Iterable[SearchResult],
    theta: FloatArray | Callable[[], FloatArray],
    references: Iterable[Sequence[Sequence[str]]],
    *,
    dense: int | None = None,
    unknown: object = None,
) -> Confidence:
    """What makes confidence of probabilities, by the best translations of held-out sentences.

    Of each search there is one reference or more, as words.  The first 200 are looked at, one after
    the other; where none has words, it is `Confidence.default`.  `theta` is a function where sparse
    features are met while searching; then `dense` is the number of dense features.  `unknown` is
    what the decoder does with unknown words.  Scales are tried around the usual one of the dense
    weights: how many sparse features were met before depends on whether a run was resumed.
    """
    weights = theta if callable(theta) else lambda: theta
    usual = Confidence.default(weights()[:dense])
    scales = rounded(usual.scale * np.geomspace(_LEAST, _MOST, _STEPS + 1), _SCALE_BITS)
    scales = np.append(scales, usual.scale)
    tables: list[FloatArray] = [np.empty((0, len(scales)))]
    rights: list[bool] = []
    is_unknown: list[bool] = []
    guess: list[float] = []
    is_guess: list[bool] = []
    for found, meant in islice(zip(searches, references, strict=True), MOST_SEARCHES):
        said = found.best
        if found.forest.is_empty or not said.words or not any(meant):
            continue
        posteriors = WordPosteriors(found.forest, found.forest.score(weights()), said.words)
        place = {word: n for n, word in enumerate(posteriors.words)}
        table = np.stack([posteriors(scale) for scale in scales.tolist()], axis=1)
        tables.append(table[[place[word] for word in said.words]])
        rights += right_words(said.words, meant)
        each = _unknown_words(said, unknown)
        is_unknown += each.is_unknown
        guess += each.guess
        is_guess += each.is_guess
    if not rights:
        return usual
    sure, right = np.concatenate(tables), np.array(rights, np.float64)
    known = np.zeros(len(right), np.bool_)
    telling = [_correlation(rounded(usual(column, known), _BITS), right) for column in sure.T]
    best = max(range(len(scales)), key=telling.__getitem__)
    if not telling[best]:  # all are right, or none, or all are as sure
        best = len(scales) - 1
    return Confidence.calibrated(
        float(scales[best]), sure[:, best], is_unknown, rights, guess, is_guess
    )


def right_words(words: Sequence[str], references: Sequence[Sequence[str]]) -> list[bool]:
    """Whether a reference has each word: as often as one of them does, from the first on."""
    left = {word: max(list(each).count(word) for each in references) for word in set(words)}
    found = []
    for word in words:
        found.append(left[word] > 0)
        left[word] -= 1
    return found


class _Unknown(NamedTuple):
    """What `Confidence` asks of each word of a translation."""

    is_unknown: list[bool]  # of a phrase that no rule translates
    guess: list[float]  # how likely a guess or copy is right, by other words; or NaN
    is_guess: list[bool]


def _unknown_words(said: Translation, unknown: object) -> _Unknown:
    count = len(said.words)
    found = _Unknown([False] * count, [nan] * count, [False] * count)
    for use in said.rules:
        if not use.is_unknown:
            continue
        sure, source = None, said.source.words[use.begin]
        words = " ".join(said.words[place] for place in use.target_places)
        if isinstance(unknown, Guesser):
            sure = unknown.probability(source, words)
        for place in use.target_places:
            found.is_unknown[place] = True
            found.guess[place] = nan if sure is None else sure
            found.is_guess[place] = words != source
    return found


def _correlation(sure: FloatArray, right: FloatArray) -> float:
    """Of probabilities with being right; 0 where one of them is the same everywhere."""
    if not np.ptp(sure) or not np.ptp(right):
        return 0.0
    return float(np.corrcoef(sure, right)[0, 1])
