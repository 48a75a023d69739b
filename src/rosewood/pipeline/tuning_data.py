"""Sentences that weights are tuned on: the development set, or sentences of the training corpus.

Sentences of the training corpus are spread evenly over it.  They are translated as if they were not
in it (leave one out): rules that were extracted from a sentence alone are left out while it is
translated, and the other rules that it has are scored without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rosewood.corpus import IndexedCorpus
from rosewood.decode import Decoder
from rosewood.decode.source import Sentence
from rosewood.forest import Forest
from rosewood.pipeline.background import ahead
from rosewood.pipeline.stage import Task
from rosewood.sequences import LazySequence

_WAITING = 64  # forests at most that are searched and not yet made into lists


@dataclass(frozen=True)
class TuningData:
    """Sentences and their references."""

    sentences: Callable[[range], Sequence[Sentence]]
    references: Sequence[Sequence[str]]

    def __len__(self) -> int:
        return len(self.references)

    @classmethod
    def dev(cls, sentences: list[str], references: list[list[str]]) -> TuningData:
        """A development set."""
        return cls(lambda numbers: [sentences[i] for i in numbers], references)

    @classmethod
    def training(cls, task: Task) -> TuningData:
        """Sentences of the training corpus, as many as the settings say."""
        corpus = IndexedCorpus.open(task.needs["tokenise"].folder / "corpus")
        most = task.settings.tune_sentences
        count = len(corpus) if most is None else min(most, len(corpus))
        chosen = (np.arange(count) * len(corpus)) // max(1, count)

        def sentences(numbers: range) -> list[Sentence]:
            return [corpus.source.words(int(chosen[i])) for i in numbers]

        return cls(sentences, _TargetTexts(corpus, chosen.tolist()))

    def lists(self, decoder: Decoder, numbers: range, n: int, threads: int) -> Iterator[Forest]:
        """The n best translations of each of some sentences, as flat forests.

        A second thread makes the lists, so that the next sentences are searched meanwhile.
        """

        def listed(forest: Forest) -> Forest:
            return forest.k_best(forest.score(decoder.theta()), n, distinct=True).as_list()

        found = decoder.search_all(self.sentences(numbers), threads=threads)
        searched = (each.forest for each in found)
        return map(listed, searched) if threads == 1 else ahead(listed, searched, _WAITING)


class _TargetTexts(LazySequence[list[str]]):
    """The target of each chosen sentence pair, as its only reference."""

    def __init__(self, corpus: IndexedCorpus, chosen: list[int]) -> None:
        self._corpus, self._chosen = corpus, chosen

    def __len__(self) -> int:
        return len(self._chosen)

    def _item(self, number: int) -> list[str]:
        return [" ".join(self._corpus.target.words(self._chosen[number]))]
