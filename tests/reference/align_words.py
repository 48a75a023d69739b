"""Probabilities of words that are aligned, written for reading: lexicons, counts, spelling, stems.

Pairs of words are (source, target).  Counts are sums of whole numbers of 2^-30; probabilities that
kernels look up are single precision.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import digamma, gammaln

Pair = tuple[int, int]
Counts = dict[Pair, float]
Row = list[float]

LEAST = 1e-30  # no pair of words is impossible


def in_units(expected: float) -> float:
    """A count as it is added up."""
    return round(expected * 2**30) / 2**30


def single(probability: float) -> float:
    """A number as lexicons keep it."""
    return float(np.float32(probability))


# -- lexicons --------------------------------------------------------------------------------------


def partners(bitext: Iterable[tuple[Sequence[int], Sequence[int]]], words: int) -> list[list[int]]:
    """The target words that occur with each source word, in the order they are met."""
    met: list[dict[int, None]] = [{} for _ in range(words)]
    for source, target in bitext:
        for s in source:
            met[s].update(dict.fromkeys(target))
    return [list(row) for row in met]


def lexicon_rows(found: Sequence[Sequence[int]]) -> list[int]:
    """Where rows begin: a quarter of their places is free."""
    row = [0]
    for words in found:
        row.append(row[-1] + (len(words) + len(words) // 4 + 1 if words else 0))
    return row


def lexicon_fill(found: Sequence[Sequence[int]]) -> list[int]:
    """The words of all places, -1 where they are free: the first free one from its home on."""
    filled = []
    row = lexicon_rows(found)
    for s, words in enumerate(found):
        size = row[s + 1] - row[s]
        places = [-1] * size
        for word in words:
            place = (word * 0x9E3779B1 % 2**32) * size >> 32
            while places[place] >= 0:
                place = (place + 1) % size
            places[place] = word
        filled += places
    return filled


# -- counts ----------------------------------------------------------------------------------------


def exp_digamma(x: float) -> float:
    """What a count is worth under a Dirichlet prior."""
    return float(np.exp(digamma(x)))


def count_totals(count: Sequence[Counts], words: tuple[int, int]) -> tuple[Row, Row]:
    """By source word of the first column, by target word of the last."""
    totals = [0.0] * words[0], [0.0] * words[1]
    for (s, _), number in count[0].items():
        totals[0][s] += number
    for (_, t), number in count[-1].items():
        totals[1][t] += number
    return totals


def count_partners(pairs: Iterable[Pair], words: tuple[int, int]) -> tuple[list[int], list[int]]:
    """How many words each source and each target word occurs with."""
    partners = [0] * words[0], [0] * words[1]
    for s, t in pairs:
        partners[0][s] += 1
        partners[1][t] += 1
    return partners


def maximise_words(
    pairs: Iterable[Pair],
    count: Sequence[Counts],
    totals: tuple[Row, Row],
    partners: tuple[Sequence[int], Sequence[int]],
    prior: float,
) -> tuple[dict[Pair, float], dict[Pair, float]]:
    """Relative frequencies; with a prior, their variational counterparts, which sum to less."""

    def share(number: float, whole: float, others: int) -> float:
        if prior > 0:
            number, whole = exp_digamma(number + prior), exp_digamma(whole + prior * others)
        return single(max(LEAST, number / max(LEAST, whole)))

    forward, backward = {}, {}
    for s, t in pairs:
        forward[s, t] = share(count[0].get((s, t), 0.0), totals[0][s], partners[0][s])
        backward[s, t] = share(count[-1].get((s, t), 0.0), totals[1][t], partners[1][t])
    return forward, backward


def null_words(count: Row, prior: float) -> Row:
    """The same for the words without partners, which come from one row of their own."""
    if prior > 0:
        whole = max(LEAST, exp_digamma(sum(count) + prior * len(count)))
        return [single(max(LEAST, exp_digamma(each + prior) / whole)) for each in count]
    return [single(max(LEAST, each / max(LEAST, sum(count)))) for each in count]


def dirichlet_divergence(count: Sequence[float], prior: float) -> float:
    """KL(Dirichlet(count + prior) || Dirichlet(prior)), every word of the row given."""
    posterior = np.asarray(count, float) + prior
    whole, before = posterior.sum(), prior * len(posterior)
    return float(
        gammaln(whole) - gammaln(before) - gammaln(posterior).sum()
        + len(posterior) * gammaln(prior)
        + ((posterior - prior) * (digamma(posterior) - digamma(whole))).sum()
    )  # fmt: skip


def word_divergence(count: Counts, given: int, prior: float) -> float:
    """How far all rows of a direction are from their priors; `count` has all pairs that occur."""
    rows: dict[int, Row] = {}
    for pair, number in count.items():
        rows.setdefault(pair[given], []).append(number)
    return sum(dirichlet_divergence(row, prior) for row in rows.values())


def transfer_counts(
    kept: Mapping[Pair, tuple[float, ...]], pairs: Iterable[Pair], columns: int
) -> dict[Pair, tuple[float, ...]]:
    """Counts of the pairs that are wanted, 0 where they were never counted."""
    return {pair: kept.get(pair, (0.0,) * columns) for pair in pairs}


# -- what words tell before they are counted -------------------------------------------------------


def spelling(word: str) -> str:
    """Neither case nor accents; a word that is nothing else stays as it is."""
    folded = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in folded if not unicodedata.combining(c)) or word


def common_subsequence(one: str, other: str) -> int:
    """The length of the longest one."""

    @cache
    def longest(i: int, j: int) -> int:
        if i == len(one) or j == len(other):
            return 0
        if one[i] == other[j]:
            return 1 + longest(i + 1, j + 1)
        return max(longest(i + 1, j), longest(i, j + 1))

    return longest(0, 0)


def likeness(one: str, other: str) -> float:
    """How much of the longer word is common, beyond three fifths; short words: 0 or 1."""
    if one == other:
        return float(bool(one))
    if min(len(one), len(other)) < 4:
        return 0.0
    share = common_subsequence(one, other) / max(len(one), len(other))
    return max(0.0, (share - 0.6) / 0.4)


def spell(
    pairs: Iterable[Pair], source: Sequence[str], target: Sequence[str]
) -> tuple[dict[Pair, float], Row, Row]:
    """The likeness of each pair, and the sums by source and by target word."""
    like = {(s, t): single(likeness(spelling(source[s]), spelling(target[t]))) for s, t in pairs}
    totals = count_totals([like], (len(source), len(target)))
    return like, *totals


class Stems(NamedTuple):
    """The stem of each word, its share of the stem's occurrences, and how many stems there are."""

    stem: list[int]
    share: Row
    size: int


def stems_of(words: Sequence[str], frequency: Sequence[int], length: int) -> Stems:
    """Stems are first characters; a word that never occurs counts as if it had once."""
    cut = [unicodedata.normalize("NFC", w.casefold())[:length] if length else w for w in words]
    names = list(dict.fromkeys(cut))
    seen = [max(1, number) for number in frequency]
    whole = {n: sum(s for s, c in zip(seen, cut, strict=True) if c == n) for n in names}
    shares = [number / whole[name] for number, name in zip(seen, cut, strict=True)]
    return Stems([names.index(name) for name in cut], shares, len(names))


def pair_stems(pairs: Iterable[Pair], stems: tuple[Stems, Stems]) -> dict[Pair, Pair]:
    """The pair of stems of each pair of words."""
    return {(s, t): (stems[0].stem[s], stems[1].stem[t]) for s, t in pairs}


def add_pairs(count: Mapping[Pair, float], pair: Mapping[Pair, Pair]) -> Counts:
    """Counts of pairs of stems."""
    sums: Counts = {}
    for words, number in count.items():
        sums[pair[words]] = sums.get(pair[words], 0.0) + number
    return sums


# -- counts that leave out -------------------------------------------------------------------------


class Priors(NamedTuple):
    """Pseudo-counts."""

    pair: float
    null: float
    spelling: float
    stem_weight: float
    stem: float


@dataclass(frozen=True)
class Collapsed:
    """All that probabilities are made of when a word's own link is to say nothing of itself."""

    count: Counts
    null: tuple[Row, Row]  # of target words, of source words
    like: tuple[dict[Pair, float], Row, Row]
    stems: tuple[Stems, Stems]
    priors: Priors

    @cached_property
    def words(self) -> tuple[int, int]:
        return len(self.null[1]), len(self.null[0])

    @cached_property
    def totals(self) -> tuple[Row, Row]:
        return count_totals([self.count], self.words)

    @cached_property
    def stem_count(self) -> Counts:
        return add_pairs(self.count, pair_stems(self.count, self.stems))

    @cached_property
    def stem_totals(self) -> tuple[Row, Row]:
        return count_totals([self.stem_count], (self.stems[0].size, self.stems[1].size))

    def probability(self, given: int, pair: Pair, own: float) -> float:
        """Of the target word from the source word (0), or the other way round (1)."""
        priors, other = self.priors, 1 - given
        number = self.count.get(pair, 0.0) - own + priors.pair
        number += priors.spelling * self.like[0][pair]
        whole = self.totals[given][pair[given]] - own + priors.pair * self.words[other]
        whole += priors.spelling * self.like[1 + given][pair[given]]
        if priors.stem_weight > 0:
            stems = self.stems[0].stem[pair[0]], self.stems[1].stem[pair[1]]
            form = self.stem_probability(given, stems, own) * self.stems[other].share[pair[other]]
            number += priors.stem_weight * form
            whole += priors.stem_weight
        return number / whole

    def stem_probability(self, given: int, stems: Pair, own: float) -> float:
        number = self.stem_count.get(stems, 0.0) - own + self.priors.stem
        whole = self.stem_totals[given][stems[given]] - own
        return number / (whole + self.priors.stem * self.stems[1 - given].size)

    def null_probability(self, side: int, word: int, own: float) -> float:
        """Of a source word (0) or a target word (1) that comes from nothing."""
        counts = self.null[1 - side]
        whole = sum(counts) - own + self.priors.null * len(counts)
        return (counts[word] - own + self.priors.null) / whole

    def null_words(self) -> tuple[Row, Row]:
        """Nothing left out; target words first."""
        target = [single(self.null_probability(1, t, 0.0)) for t in range(self.words[1])]
        return target, [single(self.null_probability(0, s, 0.0)) for s in range(self.words[0])]


def maximise_collapsed(
    pairs: Iterable[Pair], collapsed: Collapsed
) -> tuple[dict[Pair, float], dict[Pair, float]]:
    """Probabilities that leave nothing out."""
    pairs = list(pairs)
    return (
        {pair: single(collapsed.probability(0, pair, 0.0)) for pair in pairs},
        {pair: single(collapsed.probability(1, pair, 0.0)) for pair in pairs},
    )
