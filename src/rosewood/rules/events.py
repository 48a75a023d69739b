"""Orientation events: what reordering models learn from, one for every phrase pair of a corpus.

    for block in orientation_events(corpus, links, kind="hierarchy", direction="backward"):
        block.orientation                  # 0 monotone, 1 swap, 2 discontinuous; one each event
        block.pair_source, block.pair_target, block.left, block.right     # what models look at
    for line in block.lines(): …

Events come in blocks of flat arrays, some sentences at a time, so that fifty million of them take
no more memory than a block; their order is that of the corpus, at any number of threads.

Kinds       word, phrase (neighbours of up to max_phrase words) or hierarchy (of any length)
Directions  backward: with respect to the target phrase before; forward: to the one behind
Classes     msd: monotone, swap, discontinuous; mslr: the last as left and right
Native      core/rules/events.hpp, orientation.hpp; specification: tests/reference/rules.py
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.arrays import IdArray, LongArray, as_count
from rosewood.corpus import IndexedCorpus
from rosewood.errors import RuleError
from rosewood.resources import check_threads
from rosewood.rules.settings import (
    EVENT_CLASSES,
    Direction,
    EventClasses,
    EventSettings,
    Kind,
)

if TYPE_CHECKING:
    from rosewood.align.alignment import Links

_BEGIN, _END = "<s>", "</s>"  # beside the first and the last word of a sentence

_WORDS = 1 << 16  # target words of the sentences of a block: a few hundred thousand events


@dataclass(frozen=True, eq=False)
class EventBlock:
    """Events of consecutive sentences.

    Event n is a phrase pair of sentence `sentence[n]` (from 0). Its aligned words are
    pair_source[p], pair_target[p] for pair_start[n] <= p < pair_start[n+1], word numbers of the
    corpus, one for each link; left[n] and right[n] are the source words beside it, -1 at the ends
    of the sentence.
    """

    sentence: LongArray
    source_begin: IdArray
    source_end: IdArray
    target_begin: IdArray
    target_end: IdArray
    orientations: Sequence[NDArray[np.uint8]]  # by direction, as asked for
    pair_start: LongArray
    pair_source: IdArray
    pair_target: IdArray
    left: IdArray
    right: IdArray
    corpus: IndexedCorpus = field(repr=False)
    names: tuple[str, ...] = field(repr=False)  # of the orientations, by number

    @property
    def orientation(self) -> NDArray[np.uint8]:
        """The orientations of the first direction."""
        return self.orientations[0]

    def __len__(self) -> int:
        return len(self.sentence)

    def __repr__(self) -> str:
        if len(self) == 0:
            return "EventBlock(no events)"
        first, last = self.sentence[0] + 1, self.sentence[-1] + 1
        return f"EventBlock({len(self):,} events of sentences {first:,} to {last:,})"

    def lines(self) -> Iterator[str]:
        """Each event as text: orientation, phrases, aligned words, the words beside the source.

        swap ||| nicht ||| not ||| nicht&not ||| geht nach

        Of aligned words, & and \\ have a \\ before them, and so has a word beside the source that
        is <s> or </s>, which stand for the ends of the sentence.
        """
        corpus, number = self.corpus, -1
        source: list[str] = []
        target: list[str] = []
        words, partners = ([_escaped(word) for word in side.types] for side in
                           (corpus.source, corpus.target))  # fmt: skip
        pairs = [
            f"{words[f]}&{partners[e]}"
            for f, e in zip(self.pair_source.tolist(), self.pair_target.tolist(), strict=True)
        ]
        columns = (
            *(self.sentence, self.orientation, self.source_begin, self.source_end),
            *(self.target_begin, self.target_end, self.pair_start[:-1], self.pair_start[1:]),
        )
        for k, orientation, begin, end, target_begin, target_end, first, behind in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            if k != number:
                number, source, target = k, corpus.source.words(k), corpus.target.words(k)
            left = _beside(source[begin - 1]) if begin > 0 else _BEGIN
            right = _beside(source[end]) if end < len(source) else _END
            yield (
                f"{self.names[orientation]} ||| {' '.join(source[begin:end])} ||| "
                f"{' '.join(target[target_begin:target_end])} ||| {' '.join(pairs[first:behind])} "
                f"||| {left} {right}"
            )


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace("&", "\\&")


def _beside(word: str) -> str:
    return f"\\{word}" if word in (_BEGIN, _END) else word


def orientation_events(
    corpus: IndexedCorpus,
    links: Links,
    *,
    kind: Kind = "hierarchy",
    direction: Direction | Sequence[Direction] = "backward",
    classes: EventClasses = "msd",
    max_phrase: int = 7,
    threads: int = 1,
    block_words: int = _WORDS,
) -> Iterator[EventBlock]:
    """The orientation of every phrase pair of up to `max_phrase` words a side, in blocks.

    A block has as many sentences as have `block_words` target words, and at least one. The corpus
    and the links are checked at once, not when the first block is asked for.
    """
    directions = [direction] if isinstance(direction, str) else list(direction)
    for each in directions:
        EventSettings(kind, each, classes, max_phrase)  # refuses bad ones
    threads = check_threads(threads, RuleError)
    block_words = as_count("block_words", block_words, 1, error=RuleError)
    source, target = corpus.source, corpus.target
    bad = links.beyond(source.lengths, target.lengths)
    if bad is not None:
        reason = f"sentence pair {bad[0] + 1}: {bad[1]}"
        raise RuleError(reason, code="rules.links", value=bad[0] + 1)
    whole = _core.AlignedCorpus(
        *(source.ids, source.start, target.ids, target.start),
        *(links.start, links.source, links.target),
        source_words=source.num_types,
        target_words=target.num_types,
    )
    native = _core.OrientationEvents(
        whole,
        kind=kind,
        directions=directions,
        classes=classes,
        max_phrase=max_phrase,
    )

    def blocks() -> Iterator[EventBlock]:
        begin = 0
        while begin < len(corpus):
            behind = np.searchsorted(target.start, target.start[begin] + block_words, side="right")
            end = max(begin + 1, int(behind) - 1)
            yield EventBlock(*native.block(begin, end, threads), corpus, EVENT_CLASSES[classes])
            begin = end

    return blocks()
