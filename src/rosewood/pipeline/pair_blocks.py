"""The pairs of a corpus, read from their files once and kept in blocks while a stage works.

    blocks = PairBlocks(inputs.train, task.going / "pairs", inputs.state())
    for path in blocks.read(told):         # continues where a killed run stopped
        Block.load(path)                   # as often as one likes, without parsing
    blocks.tally                           # what reading skipped

A block is on disk before the note that counts it.  A run that was killed opens finished files
no more; of the file it was reading it parses the beginning again, and keeps only what is new.
"""

from __future__ import annotations

import json
import marshal
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from rosewood.corpus import Corpus, SentencePair
from rosewood.corpus.checks import Tally
from rosewood.corpus.pairs import Origin
from rosewood.corpus.readers import ReadingPlace
from rosewood.errors import FormatError
from rosewood.output import whole_file
from rosewood.shared_types import ProgressCallback

BLOCK = 10_000  # pairs
_NOTE = "read.json"
_FORMAT = 2  # of marshal: the same for every Python
_LAYOUT = 2  # of a block


class Block(NamedTuple):
    """Some pairs without their tags, by columns: texts a line each, and where each pair stood."""

    source: bytes
    target: bytes
    files: list[str]
    file: list[int]  # its place in `files`
    line: list[int | None]
    unit: list[str | None]

    @classmethod
    def of(cls, pairs: list[SentencePair]) -> Block:
        numbers: dict[str, int] = {}
        origins = [pair.origin or Origin("?") for pair in pairs]
        file = [numbers.setdefault(each.file, len(numbers)) for each in origins]
        return cls(
            "".join([f"{pair.source}\n" for pair in pairs]).encode(),
            "".join([f"{pair.target}\n" for pair in pairs]).encode(),
            list(numbers),
            file,
            [each.line for each in origins],
            [each.unit for each in origins],
        )

    @classmethod
    def load(cls, path: Path) -> Block:
        return cls(*marshal.loads(path.read_bytes()))

    def save(self, path: Path) -> None:
        with whole_file(path) as stream:
            stream.write(marshal.dumps(tuple(self), _FORMAT))

    def sources(self) -> list[bytes]:
        return self.source.split(b"\n")[:-1]

    def targets(self) -> list[bytes]:
        return self.target.split(b"\n")[:-1]

    def origin(self, number: int) -> Origin:
        """Where a pair stood."""
        return Origin(self.files[self.file[number]], self.line[number], self.unit[number])


class PairBlocks:
    """Blocks of pairs in a folder of unfinished work."""

    def __init__(self, corpus: Corpus, folder: Path, state: Any = None) -> None:
        """`state` identifies the files without reading them: kept pairs must match it."""
        self._corpus, self._folder = corpus, folder
        self._state = json.loads(json.dumps(state))
        self._blocks = 0
        self.tally = Tally()

    @property
    def paths(self) -> list[Path]:
        """The files of the blocks that are kept."""
        return [self._path(number) for number in range(self._blocks)]

    def read(self, told: ProgressCallback) -> Iterator[Path]:
        """Keep all pairs; yields each block when it is on disk, those of an earlier run first."""
        self._folder.mkdir(parents=True, exist_ok=True)
        note = self._note()
        self._blocks = 0 if note is None else note["blocks"]
        yield from self.paths
        if note is not None and note["is_done"]:
            self.tally = _tally(note["tally"])
            return
        pairs = self._corpus.walk_from(None if note is None else _place(note))
        is_done = False
        while not is_done:
            told("reading pairs", self._blocks * BLOCK, None)
            some = list(islice(pairs, BLOCK))
            is_done = len(some) < BLOCK
            if some:
                Block.of(some).save(self._path(self._blocks))
                self._blocks += 1
            self._write_note(is_done)
            if some:
                yield self._path(self._blocks - 1)
        self.tally = self._corpus.tally

    def _write_note(self, is_done: bool) -> None:
        place = self._corpus.place
        note: dict[str, Any] = {
            "layout": _LAYOUT,
            "state": self._state,
            "blocks": self._blocks,
            "is_done": is_done,
            "file": place.file,
            "items": place.items,
            "before": _facts(place.before),
            "tally": _facts(self._corpus.tally),
        }
        with whole_file(self._folder / _NOTE) as stream:
            stream.write(json.dumps(note).encode())

    def _note(self) -> dict[str, Any] | None:
        """What an earlier run kept; None where it cannot be used."""
        try:
            note: dict[str, Any] = json.loads((self._folder / _NOTE).read_bytes())
            is_whole = all(self._path(number).exists() for number in range(note["blocks"]))
            is_same = note["layout"] == _LAYOUT and note["state"] == self._state
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return note if is_whole and is_same else None

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:06d}.pairs"


def _facts(tally: Tally) -> dict[str, Any]:
    return {
        "skipped": dict(tally.skipped),
        "left_out": dict(tally.left_out),
        "joined": tally.joined,
        "examples": [[each.reason, each.file, each.line] for each in tally.examples],
    }


def _tally(facts: dict[str, Any]) -> Tally:
    return Tally(
        Counter(facts["skipped"]),
        [
            FormatError(text, file=file, line=line, code="line.value")
            for text, file, line in facts["examples"]
        ],
        Counter(facts["left_out"]),
        facts["joined"],
    )


def _place(note: dict[str, Any]) -> ReadingPlace:
    return ReadingPlace(note["file"], note["items"], _tally(note["before"]))
