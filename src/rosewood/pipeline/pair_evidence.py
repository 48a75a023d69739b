"""Evidence that line i of one side translates line i of the other: statistics of samples.

    model = LexicalModel(runs)                   # IBM Model 1 in both directions
    z = evidence(runs, model)                    # a row for each run: see `Evidence`

For a run of m lines, scores of all m × m pairings are computed: by the lexical model, by length, by
words that both sides share.  Rows and columns are centred.  If lines were paired at random, the sum
of the diagonal would have mean 0 and a known variance (Hoeffding 1951), so it is given in standard
deviations, z.  Real pairs of 32 lines have z from 4 to 30, by language and by what the model knows.
Another diagonal that is large instead tells by how many lines one side is shifted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosewood.align import Aligner, Model1
from rosewood.arrays import FloatArray
from rosewood.corpus import IndexedCorpus
from rosewood.corpus.samples import Run
from rosewood.corpus.text.scripts import HAN, HIRAGANA, KATAKANA

OFFSETS = 8  # lines by which a shift is looked for
_STEM = 6  # characters of a word that count
_LONGEST = 40  # tokens of a sentence that are looked at
_UNSPACED = f"{HAN}{HIRAGANA}{KATAKANA}"
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W\d_{_UNSPACED}]+|\d+|[^\w\s]")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_SHARE = 0.9  # of a word's probability, that other words of the sentence explain it
_RARE, _FREQUENT = 2, 0.2  # sentences of a word that tells something: at least, and at most a share
_EVEN = 1e-9

Tokens = list[str]


def tokens(text: str) -> Tokens:
    """Beginnings of words, and punctuation; characters and pairs of them where no spaces are."""
    found: Tokens = []
    before = ""
    for token in _TOKEN.findall(text.lower()):
        if _IS_UNSPACED.match(token):
            found.append(token)
            if before:
                found.append(before + token)
            before = token
            continue
        before = ""
        if len(token) > 3 * _STEM:  # a script without spaces, or an address
            found += [token[at : at + 3] for at in range(len(token) - 2)]
        elif token.isprintable():
            found.append(token[:_STEM])
        if len(found) >= _LONGEST:
            break
    return found[:_LONGEST]


@dataclass(frozen=True)
class TokenRun:
    """A run of lines as tokens, with their lengths in characters."""

    numbers: range
    source: list[Tokens]
    target: list[Tokens]
    lengths: tuple[FloatArray, FloatArray]  # logarithms

    @classmethod
    def of(cls, run: Run) -> TokenRun:
        lengths = [np.log([len(each) + 3.0 for each in side]) for side in (run.source, run.target)]
        return cls(
            run.numbers,
            [tokens(each) for each in run.source],
            [tokens(each) for each in run.target],
            (lengths[0], lengths[1]),
        )

    def __len__(self) -> int:
        return len(self.numbers)

    def swapped(self) -> TokenRun:
        """The same in the other direction."""
        return TokenRun(self.numbers, self.target, self.source, self.lengths[::-1])

    def turned(self, which: Sequence[bool]) -> TokenRun:
        """The same with the sides of some pairs exchanged."""
        sides = [
            (t, s) if turn else (s, t)
            for s, t, turn in zip(self.source, self.target, which, strict=True)
        ]
        left, right = self.lengths
        return TokenRun(
            self.numbers, [s for s, _ in sides], [t for _, t in sides],
            (np.where(which, right, left), np.where(which, left, right)),
        )  # fmt: skip

    def shifted(self, offset: int) -> TokenRun:
        """Source lines with the targets that stand so many lines behind them."""
        size = len(self) - abs(offset)
        i, j = max(0, -offset), max(0, offset)
        source, target = slice(i, i + size), slice(j, j + size)
        return TokenRun(
            self.numbers[source], self.source[source], self.target[target],
            (self.lengths[0][source], self.lengths[1][target]),
        )  # fmt: skip


class _Pair:
    __slots__ = ("source", "target")

    def __init__(self, source: Tokens, target: Tokens) -> None:
        self.source, self.target = source, target


class LexicalModel:
    """Translation probabilities of tokens in both directions, from sentence pairs."""

    @classmethod
    def of(cls, runs: Sequence[TokenRun], *, threads: int = 1) -> LexicalModel | None:
        """A model of some runs; None if they have no words on both sides."""
        each = (pair for run in runs for pair in zip(run.source, run.target, strict=True))
        return cls(runs, threads=threads) if any(all(pair) for pair in each) else None

    def __init__(self, runs: Sequence[TokenRun], *, threads: int = 1) -> None:
        pairs = [
            _Pair(s, t) for run in runs for s, t in zip(run.source, run.target, strict=True)
            if s and t
        ]  # fmt: skip
        self.pairs = len(pairs)
        corpus = IndexedCorpus.from_pairs(pairs)
        table = Aligner.fit(corpus, Model1(iterations=4), threads=threads).lexicon()
        self.number = [
            {word: k for k, word in enumerate(words)}
            for words in (table.source_words, table.target_words)
        ]
        self._start = np.searchsorted(table.source, np.arange(len(table.source_words) + 1))
        self._target = table.target
        self._forward, self._backward = table.forward, table.backward
        self._often, self.tells = [], []
        for text, words in zip((corpus.source, corpus.target), self.number, strict=True):
            count = np.bincount(text.ids, minlength=len(words))
            self._often.append((count + 0.5) / (count + 0.5).sum())
            self.tells.append((count >= _RARE) & (count <= max(_RARE, _FREQUENT * self.pairs)))

    def scores(self, run: TokenRun) -> tuple[FloatArray, float]:
        """Log ratios of all pairings of a run, and how many telling words its pairs have."""
        source, at = _present(run.source, self.number[0])
        target, to = _present(run.target, self.number[1])
        if not len(at) or not len(to):
            return np.zeros((len(run), len(run))), 0.0
        telling = np.minimum(source @ self.tells[0][at], target @ self.tells[1][to]).mean()
        forward, backward = self._part(at, to)
        found = _explained(source, forward, self._often[1][to]) @ target.T
        found += (_explained(target, backward.T, self._often[0][at]) @ source.T).T
        return found, float(telling)

    def _part(self, source: NDArray[np.int64], target: NDArray[np.int64]) -> tuple[Any, Any]:
        """Both probabilities of some words, as dense matrices."""
        sizes = self._start[source + 1] - self._start[source]
        before = np.cumsum(sizes) - sizes
        places = np.repeat(self._start[source] - before, sizes) + np.arange(sizes.sum())
        column = np.full(len(self.number[1]), -1)
        column[target] = np.arange(len(target))
        to = column[self._target[places]]
        row = np.repeat(np.arange(len(source)), sizes)[to >= 0]
        places, to = places[to >= 0], to[to >= 0]
        both = np.zeros((2, len(source), len(target)))
        both[0, row, to] = self._forward[places]
        both[1, row, to] = self._backward[places]
        return both[0], both[1]


def _explained(sentences: FloatArray, table: FloatArray, often: FloatArray) -> FloatArray:
    """How much likelier each word of the other language is beside each sentence than anywhere."""
    words = np.maximum(sentences.sum(axis=1, keepdims=True), 1.0)
    found: FloatArray = np.log((1 - _SHARE) + _SHARE * ((sentences / words) @ table) / often)
    return found


def _present(
    sentences: Sequence[Collection[str]], number: dict[str, int], every: Collection[str] = ()
) -> tuple[FloatArray, NDArray[np.int64]]:
    """Which known words each sentence has, as a matrix, and the numbers of its columns.

    Columns are words that some sentence has, or `every` one of these.
    """
    rows = [{number[each] for each in sentence if each in number} for sentence in sentences]
    columns = sorted({number[each] for each in every} or set().union(*rows))
    place = {each: k for k, each in enumerate(columns)}
    found = np.zeros((len(sentences), len(columns)))
    for k, row in enumerate(rows):
        found[k, [place[each] for each in row]] = 1.0
    return found, np.array(columns, np.int64)


def _shared(run: TokenRun) -> FloatArray:
    """How many word beginnings all pairings share, rare ones more."""
    sides = [
        [{word[:4] for word in sentence if len(word) > 2 or word.isdigit()} for sentence in side]
        for side in (run.source, run.target)
    ]
    both = set().union(*sides[0]) & set().union(*sides[1])
    number = {word: k for k, word in enumerate(sorted(both))}
    (source, columns), (target, _) = (_present(side, number, both) for side in sides)
    if not len(columns):
        return np.zeros((len(run), len(run)))
    found: FloatArray = (source / (source.sum(axis=0) + target.sum(axis=0))) @ target.T
    return found


@dataclass(frozen=True)
class Evidence:
    """What the pairings of a run tell."""

    pairs: int
    diagonals: FloatArray  # centred sums of the diagonals -OFFSETS .. OFFSETS
    variance: float
    telling: float  # words of a pair from which something can be learnt
    lines: FloatArray  # the part of each line, in standard deviations

    @property
    def z(self) -> float:
        """That the lines belong together as they stand."""
        return self.at(0)

    def at(self, offset: int) -> float:
        """That they do when targets are taken so many lines further down."""
        share = max(0, self.pairs - abs(offset)) / max(1, self.pairs)
        deviation = float(np.sqrt(self.variance * share + _EVEN))
        return float(self.diagonals[OFFSETS + offset]) / deviation


def together(each: Sequence[Evidence]) -> Evidence:
    """The evidence of several runs."""
    pairs = sum(one.pairs for one in each)
    return Evidence(
        pairs,
        np.sum([one.diagonals for one in each], axis=0) if each else np.zeros(2 * OFFSETS + 1),
        sum(one.variance for one in each),
        sum(one.telling * one.pairs for one in each) / max(1, pairs),
        np.concatenate([np.zeros(0), *(one.lines for one in each)]),
    )


def pairings(run: TokenRun, model: LexicalModel | None) -> tuple[FloatArray, float]:
    """Centred scores of all pairings of a run, and the telling words of its pairs."""
    size = len(run)
    by_words, telling = (np.zeros((size, size)), 0.0) if model is None else model.scores(run)
    a, b = (each - each.mean() for each in run.lengths)
    total = np.zeros((size, size))
    for scores in (by_words, np.outer(a, b), _shared(run)):
        centred = _centred(scores)
        variance = float((centred**2).sum()) / max(1, size - 1)
        if variance > _EVEN:
            total += centred / np.sqrt(variance)
    return total, telling


def evidence(run: TokenRun, model: LexicalModel | None) -> Evidence:
    """The evidence of a run, by a model that has not read it."""
    total, telling = pairings(run, model)
    variance = float((total**2).sum()) / max(1, len(run) - 1)
    return Evidence(
        len(run),
        np.array([np.trace(total, k) for k in range(-OFFSETS, OFFSETS + 1)]),
        variance,
        telling,
        np.diag(total) / np.sqrt(variance / max(1, len(run)) + _EVEN),
    )


def _centred(scores: FloatArray) -> FloatArray:
    rows, columns = scores.mean(axis=1, keepdims=True), scores.mean(axis=0, keepdims=True)
    found: FloatArray = scores - rows - columns + scores.mean()
    return found


def cross_evidence(runs: Sequence[TokenRun], *, threads: int = 1) -> list[Evidence]:
    """The evidence of each run by a model of the others."""
    folds = min(len(runs), 4 if sum(map(len, runs)) < 500 else 2)
    found: dict[int, Evidence] = {}
    for fold in range(folds):
        others = [run for k, run in enumerate(runs) if k % folds != fold]
        model = LexicalModel.of(others, threads=threads)
        found |= {k: evidence(run, model) for k, run in enumerate(runs) if k % folds == fold}
    return [found[k] for k in range(len(runs))]
