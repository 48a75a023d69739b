"""Sentences that weights are tuned on: the development set, or sentences of the training corpus.

Sentences of the training corpus are spread evenly over it.  They are translated as if they were not
in it: rules that were extracted from a sentence alone are left out while it is translated, the
other rules that it has are scored without it (leave one out), and the language model has not read
it.  So there are `FOLDS` language models, each of which has read all but a part of the sentences.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from rosewood.corpus import IndexedCorpus
from rosewood.decode import Decoder
from rosewood.decode.source import Sentence, Source
from rosewood.forest import Forest
from rosewood.pipeline.background import ahead
from rosewood.pipeline.model_stages import read_links
from rosewood.rules import RuleTable
from rosewood.rules.leave_one_out import LeaveOneOut, LeftOut
from rosewood.sequences import LazySequence

FOLDS = 4  # parts of training sentences, each of which a language model has not read
_SENTENCES = 64  # whose own rules are in memory
_WAITING = 64  # forests at most that are searched and not yet made into lists


class TuningSentences(ABC):
    """Sentences and their references.  Pickled by what they are made of."""

    @property
    @abstractmethod
    def references(self) -> Sequence[list[str]]:
        """The references of each sentence."""

    @abstractmethod
    def sources(self, numbers: range) -> Iterable[Sentence]:
        """Some sentences, as a decoder takes them."""

    def __len__(self) -> int:
        return len(self.references)


@dataclass(frozen=True)
class DevSentences(TuningSentences):
    """A development set."""

    texts: list[str]
    given: list[list[str]]

    @property
    def references(self) -> list[list[str]]:
        return self.given

    def sources(self, numbers: range) -> list[Sentence]:
        return [self.texts[i] for i in numbers]


@dataclass(frozen=True)
class TrainingSentences(TuningSentences):
    """Sentences of the training corpus, at most so many, spread over it.

    With the folder of its links and the rules that were extracted from it, a sentence is translated
    as if it were not in the corpus.
    """

    corpus: IndexedCorpus
    most: int | None
    links: Path | None = None
    rules: RuleTable | None = None

    @cached_property
    def chosen(self) -> list[int]:
        """Their numbers in the corpus."""
        size = len(self.corpus)
        count = size if self.most is None else min(self.most, size)
        numbers: list[int] = ((np.arange(count) * size) // max(1, count)).tolist()
        return numbers

    def fold(self, number: int) -> list[int]:
        """The sentences of one of `FOLDS` parts, by their numbers in the corpus."""
        return [self.chosen[i] for i in fold(self, number, FOLDS)]

    @cached_property
    def _rest(self) -> LeaveOneOut | None:
        if self.links is None or self.rules is None:
            return None
        return LeaveOneOut(self.rules, self.corpus, read_links(self.links))

    @property
    def references(self) -> Sequence[list[str]]:
        return _TargetTexts(self.corpus, self.chosen)

    def sources(self, numbers: range) -> Iterator[Sentence]:
        for first in range(numbers.start, numbers.stop, _SENTENCES):
            some = self.chosen[first : min(first + _SENTENCES, numbers.stop)]
            left_out: Sequence[LeftOut | None] = [None] * len(some)
            if self._rest is not None:
                left_out = self._rest.of(some)
            for pair, rules in zip(some, left_out, strict=True):
                yield Source(tuple(self.corpus.source.words(pair)), left_out=rules)

    def __reduce__(self) -> tuple[object, ...]:
        return (TrainingSentences, (self.corpus, self.most, self.links, self.rules))


def fold(data: Sized, number: int, folds: int) -> range:
    """The sentences of a part of the data, of so many parts."""
    return range(number * len(data) // folds, (number + 1) * len(data) // folds)


@dataclass(frozen=True)
class DecodedForests:
    """Forests of sentences: of all that the search has met, or lists of the n best translations;
    each decoder has a part of the sentences."""

    decoders: tuple[Decoder, ...]
    data: TuningSentences
    n: int | None = None
    threads: int = 1

    def __call__(
        self, weights: Mapping[str, float], number: int, numbers: range
    ) -> Iterator[Forest]:
        """Those of some sentences with these weights.

        With several threads, one of them makes lists, so that the next sentences are searched
        meanwhile.
        """
        for place, each in enumerate(self.decoders):
            own = fold(self.data, place, len(self.decoders))
            part = range(max(own.start, numbers.start), min(own.stop, numbers.stop))
            if len(part):
                yield from self._forests(each.with_weights(weights), part)

    def _forests(self, decoder: Decoder, numbers: range) -> Iterator[Forest]:
        found = decoder.search_all(self.data.sources(numbers), threads=self.threads)
        searched = (each.forest for each in found)
        if self.n is None:
            return searched
        listed = partial(_listed, decoder, self.n)
        return map(listed, searched) if self.threads == 1 else ahead(listed, searched, _WAITING)


def _listed(decoder: Decoder, n: int, forest: Forest) -> Forest:
    return forest.k_best(forest.score(decoder.theta()), n, distinct=True).as_list()


class _TargetTexts(LazySequence[list[str]]):
    """The target of each chosen sentence pair, as its only reference."""

    def __init__(self, corpus: IndexedCorpus, chosen: list[int]) -> None:
        self._corpus, self._chosen = corpus, chosen

    def __len__(self) -> int:
        return len(self._chosen)

    def _item(self, number: int) -> list[str]:
        return [" ".join(self._corpus.target.words(self._chosen[number]))]
