"""Pairs of words that occur together: what models of a corpus have an entry for.

    lexicon = Lexicon.of(bitext_of(corpus), threads=2)
    lexicon.entry["forward"]       p(target word | source word), by place

Layout      row s, the places row[s]:row[s+1], is a small hash table of the target words that occur
            with source word s; free places have the word -1
Native      core/align/lexicon.hpp
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.corpus import IndexedCorpus

ENTRY = np.dtype([("word", "<i4"), ("forward", "<f4"), ("backward", "<f4")])
UNIT = 1 << 30  # counts are whole numbers: sums do not depend on who adds first
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Bitext:
    """A corpus as kernels take it."""

    source_words: int
    target_words: int
    view: _core.Bitext = field(repr=False)


def bitext_of(
    corpus: IndexedCorpus,
    source: NDArray[np.int32] | None = None,
    target: NDArray[np.int32] | None = None,
    *,
    words: tuple[int, int] | None = None,
) -> Bitext:
    """The corpus, or with other numbers for its words: `source[w]` and `target[w]` of `words`."""
    if words is None:
        words = corpus.source.num_types, corpus.target.num_types
    ids = [
        text.ids if others is None else others[text.ids]
        for text, others in ((corpus.source, source), (corpus.target, target))
    ]
    view = _core.Bitext(
        ids[0], corpus.source.start, words[0], ids[1], corpus.target.start, words[1]
    )
    return Bitext(*words, view)


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The entries of all pairs of words that occur in a sentence pair."""

    row: NDArray[np.int64]
    entry: NDArray[Any]
    source_words: int
    target_words: int
    view: _core.Lexicon = field(repr=False)

    @classmethod
    def of(cls, bitext: Bitext, *, threads: int = 1) -> Lexicon:
        """Every pair once; both probabilities uniform."""
        row = np.empty(bitext.source_words + 1, np.int64)
        _core.lexicon_rows(bitext.view, row, threads)
        entry = np.empty(row[-1], ENTRY)
        entry["word"] = -1
        view = _core.Lexicon(row, entry.view(np.uint8), bitext.target_words)
        _core.lexicon_fill(bitext.view, view, threads)
        entry["forward"] = 1 / max(1, bitext.target_words)
        entry["backward"] = 1 / max(1, bitext.source_words)
        return cls(row, entry, bitext.source_words, bitext.target_words, view)

    def __len__(self) -> int:
        """How many places there are."""
        return len(self.entry)

    @cached_property
    def partners(self) -> tuple[Counts, Counts]:
        """How many words each source word and each target word occurs with."""
        found = np.empty(self.source_words, np.int64), np.empty(self.target_words, np.int64)
        _core.count_partners(self.view, *found)
        return found

    def totals(self, count: Counts) -> tuple[Counts, Counts]:
        """Counts of links, [place, column], by source word and by target word."""
        sums = np.empty(self.source_words, np.int64), np.empty(self.target_words, np.int64)
        _core.count_totals(self.view, count, *sums)
        return sums

    def pairs(self, count: Counts, least: int = 1) -> tuple[NDArray[np.int32], Any, Any]:
        """Source word, target word and counts of the pairs counted `least` or more, sorted."""
        kept = np.flatnonzero((self.entry["word"] >= 0) & (count >= least).any(axis=1))
        source = (np.searchsorted(self.row, kept, side="right") - 1).astype(np.int32)
        target = self.entry["word"][kept]
        order = np.lexsort((target, source))
        return source[order], target[order], count[kept][order]
