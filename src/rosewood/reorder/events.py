"""Events that reordering models are trained on: of an aligned corpus, or lines of text.

    events = CorpusEvents(corpus, links, kind="hierarchy", classes="mslr")
    events = TextEvents(["events.gz"], classes="msd")            # as `rosewood rules events` writes
    for block in events.blocks(): block.keys(maker, threads); block.labels["backward"]

Events are read block by block, as often as somebody asks for them, so that memory does not grow
with their number.  Word numbers are the same each time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.align.alignment import Links
from rosewood.arrays import IdArray, LongArray, digest_of
from rosewood.corpus import IndexedCorpus
from rosewood.corpus.lines import read_lines
from rosewood.corpus.standard_streams import name_of, source_of
from rosewood.errors import FormatError, ReorderingError
from rosewood.folders import cut_words
from rosewood.rules.events import EventBlock, orientation_events
from rosewood.rules.settings import DIRECTIONS, EVENT_CLASSES, EventClasses, Kind
from rosewood.shared_types import PathName

_LINES = 1 << 16  # lines of a block
KeyArray = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class LabelledEvents:
    """A block of events: places in texts, aligned words, and class numbers by direction."""

    labels: dict[str, NDArray[np.uint8]]
    sentence: LongArray
    source_begin: IdArray
    source_end: IdArray
    target_begin: IdArray
    target_end: IdArray
    pair_start: LongArray
    pair_source: IdArray
    pair_target: IdArray
    source: IdArray
    target: IdArray
    source_start: LongArray
    target_start: LongArray

    def __len__(self) -> int:
        return len(self.sentence)

    def keys(self, maker: _core.EventFeatureMaker, threads: int = 1) -> tuple[LongArray, KeyArray]:
        """Where the features of each event begin, and the features."""
        return maker.keys(
            self.sentence, self.source_begin, self.source_end, self.target_begin, self.target_end,
            self.pair_start, self.pair_source, self.pair_target, self.source, self.target,
            self.source_start, self.target_start, threads,
        )  # fmt: skip

    def renumbered(self, source: IdArray, target: IdArray) -> LabelledEvents:
        """The same with other numbers of words."""
        return replace(
            self, source=source[self.source], target=target[self.target],
            pair_source=source[self.pair_source], pair_target=target[self.pair_target],
        )  # fmt: skip


class Events(Protocol):
    """What a reordering model is trained on."""

    @property
    def kind(self) -> Kind: ...
    @property
    def classes(self) -> EventClasses: ...
    @property
    def directions(self) -> tuple[str, ...]: ...
    @property
    def widest(self) -> int:
        """Source words on each side of a phrase that are known."""
        ...

    def blocks(self, threads: int = 1) -> Iterator[LabelledEvents]:
        """All events."""
        ...

    def words(self) -> tuple[Sequence[str], Sequence[str]]:
        """Source and target words by number, of the blocks so far."""
        ...

    def facts(self) -> Any:
        """All that decides the events, as JSON values; None where it cannot be known."""
        ...


class CorpusEvents:
    """The phrase pairs of an aligned corpus, in both directions."""

    def __init__(
        self,
        corpus: IndexedCorpus,
        links: Links,
        *,
        kind: Kind = "hierarchy",
        classes: EventClasses = "mslr",
        directions: Sequence[str] = DIRECTIONS,
        max_phrase: int = 7,
    ) -> None:
        self.corpus, self.links = corpus, links
        self.kind, self.classes, self.max_phrase = kind, classes, max_phrase
        self.directions = tuple(directions)
        self.widest = 7
        self._events(1)  # refuses what does not go together

    def _events(self, threads: int) -> Iterator[EventBlock]:
        return orientation_events(
            self.corpus, self.links, kind=self.kind, direction=self.directions,  # type: ignore[arg-type]
            classes=self.classes, max_phrase=self.max_phrase, threads=threads,
        )  # fmt: skip

    def blocks(self, threads: int = 1) -> Iterator[LabelledEvents]:
        """Events of some sentences at a time."""
        source, target = self.corpus.source, self.corpus.target
        for block in self._events(threads):
            yield LabelledEvents(
                dict(zip(self.directions, block.orientations, strict=True)),
                block.sentence, block.source_begin, block.source_end, block.target_begin,
                block.target_end, block.pair_start, block.pair_source, block.pair_target,
                source.ids, target.ids, source.start, target.start,
            )  # fmt: skip

    def words(self) -> tuple[Sequence[str], Sequence[str]]:
        """Source and target words by number."""
        return self.corpus.source.types, self.corpus.target.types

    def facts(self) -> Any:
        """Settings, and a hash of the texts and the links."""
        sides = (self.corpus.source, self.corpus.target)
        links = (self.links.start, self.links.source, self.links.target)
        return [
            "corpus", self.kind, self.classes, list(self.directions), self.max_phrase,
            *(digest_of(each.ids, each.start, each.word_bytes, each.word_start) for each in sides),
            digest_of(*links),
        ]  # fmt: skip


class TextEvents:
    """Events as text, a line each, as `rosewood rules events` writes them.

    swap ||| nicht ||| not ||| nicht&not ||| geht nach

    Of one direction; of the source, nothing is known but the phrase and the words beside it.
    """

    widest = 1

    def __init__(
        self,
        files: Sequence[PathName],
        *,
        kind: Kind = "hierarchy",
        classes: EventClasses = "msd",
        direction: str = "backward",
    ) -> None:
        self.files = tuple(files)
        self.kind, self.classes, self.directions = kind, classes, (direction,)
        self._reader = _core.EventTextReader([])
        self._words: tuple[list[str], list[str]] = ([], [])

    def blocks(self, threads: int = 1) -> Iterator[LabelledEvents]:
        """Events of some lines at a time; lines that are not events are refused by number."""
        self._reader = _core.EventTextReader(list(EVENT_CLASSES[self.classes]))
        self._words = ([], [])
        for file in self.files:
            lines = (text for _, text in read_lines(source_of(file), name_of(file)))
            number = 0
            while some := list(islice(lines, _LINES)):
                yield self._block(some, file, number)
                number += len(some)

    def _block(self, lines: list[str], file: PathName, before: int) -> LabelledEvents:
        try:
            arrays: tuple[Any, ...] = self._reader.read(lines)
            label, begin, end, target_end = arrays[:4]
        except ReorderingError as error:
            place = error.value if isinstance(error.value, int) else 0
            name, bar, _ = lines[place].partition(" ||| ")
            is_of_another_kind = bool(bar) and name not in EVENT_CLASSES[self.classes]
            raise FormatError(
                self._other_classes(name) if is_of_another_kind else str(error), code=error.code,
                file=name_of(file), line=before + 1 + place,
            ) from error  # fmt: skip
        sentence = np.arange(len(label), dtype=np.int64)
        labels = {self.directions[0]: label}
        zero = np.zeros(len(label), np.int32)
        return LabelledEvents(labels, sentence, begin, end, zero, target_end, *arrays[4:])

    def _other_classes(self, name: str) -> str:
        """Why an orientation is refused, and what to do."""
        own = f"{self.classes} ({', '.join(EVENT_CLASSES[self.classes])})"
        others = [kind for kind, names in EVENT_CLASSES.items() if name in names]
        reason = f"the orientation {name!r} is not one of the classes {own}"
        if not others:
            return reason
        return (
            f"{reason}: make the events with --classes {self.classes} (rosewood rules events), or "
            f"the model with --classes {' or '.join(others)} (rosewood reorder train)"
        )

    def words(self) -> tuple[Sequence[str], Sequence[str]]:
        """Source and target words by number, of the lines so far."""
        native = (self._reader.source_words, self._reader.target_words)
        for known, (text, start) in zip(self._words, native, strict=True):
            new = start[len(known) :] - start[len(known)]
            known += [word.decode() for word in cut_words(text[start[len(known)] :], new)]
        return self._words

    def facts(self) -> Any:
        """Settings, and a hash of each file; None of standard input, which is read but once."""
        if "-" in map(str, self.files):
            return None
        hashes = []
        for file in self.files:
            with Path(file).open("rb") as stream:
                hashes.append(hashlib.file_digest(stream, "sha256").hexdigest())
        return ["text", self.kind, self.classes, list(self.directions), hashes]
