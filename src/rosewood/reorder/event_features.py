"""Features of events as numbers: which ones occur, how often, and what they are called.

    table = count_features(events, settings, threads=2)      # one pass over the events
    start, feature, count = table.rows(block)                # of a block of events
    table.name(table.key[0])                                 # 'pair:haus&house'

Native      core/reorder/event_features.hpp (how a feature becomes a number); specification:
            tests/reference/event_features.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.arrays import IdArray, LongArray
from rosewood.corpus.clusters import UNKNOWN, WordClasses
from rosewood.errors import ReorderingError
from rosewood.reorder.events import Events, KeyArray, LabelledEvents
from rosewood.reorder.settings import SYMBOLS, EventFeatureSettings
from rosewood.shared_types import ProgressCallback

_NONE = np.zeros(0, np.int32)
_WINDOW = 2  # source words on each side, where nobody says how many
_BOUNDARIES = {(1 << 28) - 2: "<s>", (1 << 28) - 1: "</s>"}
_SYMBOL = np.uint64((1 << 28) - 1)
_FAMILIES = ("pair", "context", "source", "target")


def templates_of(settings: EventFeatureSettings) -> tuple[int, bool, bool, bool, bool, int]:
    """As native code takes them."""
    return (
        int(settings.window), settings.sides, settings.boundaries, settings.source_edges,
        settings.target_edges, SYMBOLS.index(settings.symbols),
    )  # fmt: skip


def feature_maker(
    settings: EventFeatureSettings,
    source_class: IdArray,
    target_class: IdArray,
    unknown_class: Sequence[int],
) -> _core.EventFeatureMaker:
    """What makes features of events; classes are by word number."""
    return _core.EventFeatureMaker(
        templates_of(settings), source_class, target_class, unknown_class[0], unknown_class[1]
    )


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Features by number: the most frequent one is 0.

    Symbols of a key are numbers of words, or of classes, which words have by `source_class` and
    `target_class`; words without a number have the `unknown_class`, -1 if there is none.
    """

    key: KeyArray
    count: LongArray
    settings: EventFeatureSettings
    source_words: Sequence[str]
    target_words: Sequence[str]
    source_class: IdArray = field(default_factory=lambda: _NONE)
    target_class: IdArray = field(default_factory=lambda: _NONE)
    unknown_class: tuple[int, int] = (-1, -1)

    def __len__(self) -> int:
        return len(self.key)

    @cached_property
    def maker(self) -> _core.EventFeatureMaker:
        """Makes the features of events."""
        return feature_maker(
            self.settings, self.source_class, self.target_class, self.unknown_class
        )

    @cached_property
    def _numbers(self) -> _core.FeatureNumbers:
        return _core.FeatureNumbers(self.key)

    def rows(
        self, block: LabelledEvents, threads: int = 1
    ) -> tuple[LongArray, IdArray, NDArray[np.float32]]:
        """Features of events by number, and how often each event has them; others are left out."""
        start, keys = block.keys(self.maker, threads)
        return self._numbers.rows(start, keys, threads)

    def chosen(self, mask: NDArray[np.bool_]) -> FeatureTable:
        """The same with some of the features, numbered anew."""
        return replace(self, key=self.key[mask], count=self.count[mask])

    def only(self, mask: NDArray[np.bool_]) -> FeatureTable:
        """The same with some of the features and no other words than theirs."""
        key = self.key[mask]
        family, is_class = key >> np.uint64(61), (key >> np.uint64(60) & np.uint64(1)) == 1
        first, second = ((key >> np.uint64(by) & _SYMBOL).astype(np.int64) for by in (28, 0))
        is_source = ~is_class & (family <= 2) & (first < len(self.source_words))
        is_target = ~is_class & (family == 3)
        is_pair = ~is_class & (family == 0)
        source = _kept_words(first[is_source], self.source_class)
        target = _kept_words(np.append(second[is_pair], first[is_target]), self.target_class)
        first[is_source] = np.searchsorted(source, first[is_source])
        first[is_target] = np.searchsorted(target, first[is_target])
        second[is_pair] = np.searchsorted(target, second[is_pair])
        top = key >> np.uint64(56) << np.uint64(56)
        return replace(
            self,
            key=np.bitwise_or(
                top, first.astype(np.uint64) << np.uint64(28) | second.astype(np.uint64)
            ),
            count=self.count[mask],
            source_words=[self.source_words[n] for n in source.tolist()],
            target_words=[self.target_words[n] for n in target.tolist()],
        )

    def name(self, key: int) -> str:
        """A feature for people: pair:haus&house, left:das, right2:nicht, source_class_first:12."""
        key = int(key)
        first, second = key >> 28 & (1 << 28) - 1, key & (1 << 28) - 1
        template = key >> 56
        family, is_class, position = template >> 5, template >> 4 & 1, template & 15
        if family >= len(_FAMILIES):
            raise ReorderingError(f"{key} is not a feature", code="argument.value", value=key)
        kind = "_class" if is_class else ""

        def symbol(number: int, words: Sequence[str]) -> str:
            return str(number) if is_class else _BOUNDARIES.get(number) or words[number]

        source, target = self.source_words, self.target_words
        if family == 0:
            return f"pair{kind}:{symbol(first, source)}&{symbol(second, target)}"
        if family == 1:
            distance = position & 7
            side = "context" if not position else "left" if position < 8 else "right"
            return f"{side}{distance if distance > 1 else ''}{kind}:{symbol(first, source)}"
        edge = "first" if position == 1 else "last"
        return (
            f"{_FAMILIES[family]}{kind}_{edge}:{symbol(first, source if family == 2 else target)}"
        )


def _kept_words(used: LongArray, classes: IdArray) -> LongArray:
    """Numbers of words that are symbols of features, or have a class."""
    return np.arange(len(classes)) if len(classes) else np.unique(used)


def count_features(
    events: Events,
    settings: EventFeatureSettings,
    *,
    classes: tuple[WordClasses, WordClasses] | None = None,
    threads: int = 1,
    told: ProgressCallback | None = None,
) -> FeatureTable:
    """The features of all events that occur at least `min_count` times.

    `classes` are the `WordClasses` of the source and the target, where features have classes.
    """
    if settings.window == "auto":
        settings = replace(settings, window=min(_WINDOW, events.widest))
    if int(settings.window) > events.widest:
        words = "1 word" if events.widest == 1 else f"{events.widest} words"
        reason = (
            f"window is {settings.window}, but these events have only {words} on each side of a "
            f"phrase: choose a window of at most {events.widest}"
        )
        raise ReorderingError(
            reason, code="argument.range", argument="window", value=settings.window,
            expected=events.widest,
        )  # fmt: skip
    source_class, target_class, unknown = _NONE, _NONE, (-1, -1)
    if settings.symbols != "words":
        if classes is None:
            reason = (
                f"features of {settings.symbols} need word classes of the source and the target "
                "(--source-classes, --target-classes)"
            )
            raise ReorderingError(reason, code="argument.missing", argument="classes")
        for _ in () if events.words()[0] else events.blocks():
            pass  # text has its words when it has been read
        source_class, target_class = (
            np.ascontiguousarray(own.numbers(words), np.int32)
            for own, words in zip(classes, events.words(), strict=True)
        )
        unknown = (UNKNOWN, UNKNOWN)
    maker = feature_maker(settings, source_class, target_class, unknown)
    counts = _core.FeatureCounts()
    done = 0
    for block in events.blocks(threads):
        counts.add(block.keys(maker, threads)[1], threads)
        done += len(block)
        if told is not None:
            told("counting features", done, None)
    key, count = counts.kept(settings.min_count)
    source, target = events.words()
    return FeatureTable(key, count, settings, source, target, source_class, target_class, unknown)
