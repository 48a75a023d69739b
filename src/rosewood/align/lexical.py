"""Lexical translation tables: which words translate which, and how likely, both ways."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosewood.align.alignment import Links
from rosewood.arguments import check_length
from rosewood.corpus import IndexedCorpus
from rosewood.corpus.compression import open_output
from rosewood.errors import AlignmentError
from rosewood.shared_types import PathName


class WordTranslation(NamedTuple):
    """A pair of words."""

    source: str
    target: str
    forward: float  # p(target | source)
    backward: float  # p(source | target)


@dataclass(frozen=True, eq=False)
class LexicalTable:
    """Pairs of words, sorted by source and then by target word in the order of their numbers."""

    source_words: list[str]
    target_words: list[str]
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    forward: NDArray[np.float64]
    backward: NDArray[np.float64]

    @classmethod
    def of(cls, corpus: IndexedCorpus, links: Links) -> LexicalTable:
        """Relative frequencies of the links of an aligned corpus, as phrase tables use them.

        A word without links counts as linked to nothing, which is no row of the table but takes
        its share of probability.
        """
        check_length("corpus", corpus, len(links), "sentence with links", error=AlignmentError)
        beyond = links.beyond(corpus.source.lengths, corpus.target.lengths)
        if beyond is not None:
            reason = f"sentence {beyond[0]}: {beyond[1]}"
            raise AlignmentError(reason, code="argument.range", argument="links", value=beyond[0])
        at = np.repeat(np.arange(len(links)), links.counts)
        places = corpus.source.start[at] + links.source, corpus.target.start[at] + links.target
        words = corpus.source.ids[places[0]], corpus.target.ids[places[1]]
        sizes = corpus.source.num_types, corpus.target.num_types
        key, count = np.unique(words[0].astype(np.int64) * sizes[1] + words[1], return_counts=True)
        source, target = key // max(1, sizes[1]), key % max(1, sizes[1])
        totals = [
            np.bincount(linked, minlength=size) + _unlinked(text.ids, place, size)
            for linked, size, text, place in zip(
                words, sizes, (corpus.source, corpus.target), places, strict=True
            )
        ]
        return cls(
            corpus.source.types,
            corpus.target.types,
            source.astype(np.int32),
            target.astype(np.int32),
            count / totals[0][source],
            count / totals[1][target],
        )

    def __len__(self) -> int:
        return len(self.source)

    def __iter__(self) -> Iterator[WordTranslation]:
        return map(self._row, range(len(self)))

    def __repr__(self) -> str:
        return f"LexicalTable({len(self):,} pairs of words)"

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.source_words)}

    def translations(self, word: str, most: int = 10) -> list[WordTranslation]:
        """The likeliest translations of a source word, the best first."""
        number = self._numbers.get(word)
        if number is None:
            return []
        first, last = np.searchsorted(self.source, [number, number + 1])
        order = np.argsort(-self.forward[first:last], kind="stable")[:most]
        return [self._row(int(first + n)) for n in order]

    def write(self, path: PathName) -> None:
        """As text: source word, target word, p(target|source), p(source|target), by tabs."""
        with open_output(path) as stream:
            for row in self:
                line = f"{row.source}\t{row.target}\t{row.forward:.7g}\t{row.backward:.7g}\n"
                stream.write(line.encode())

    def _row(self, n: int) -> WordTranslation:
        return WordTranslation(
            self.source_words[self.source[n]],
            self.target_words[self.target[n]],
            float(self.forward[n]),
            float(self.backward[n]),
        )


def _unlinked(ids: NDArray[np.int32], linked: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """How often each word has no link."""
    is_free = np.ones(len(ids), bool)
    is_free[linked] = False
    return np.bincount(ids[is_free], minlength=size)
