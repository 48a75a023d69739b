"""The pairs of a corpus, read from their files once and kept in blocks while a stage works.

    blocks = PairBlocks(inputs.train, task.going / "pairs", inputs.state())
    blocks.read(told)                      # continues where a killed run stopped
    for pair in blocks: …                  # as often as one likes, without parsing
    blocks.tally                           # what reading skipped

A block is on disk before the note that counts it.  A run that was killed opens finished files
no more; of the file it was reading it parses the beginning again, and keeps only what is new.
"""

from __future__ import annotations

import json
import marshal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rosewood.corpus import Corpus, SentencePair
from rosewood.corpus.checks import Tally
from rosewood.corpus.pairs import Origin
from rosewood.corpus.readers import Place
from rosewood.errors import FormatError
from rosewood.output import whole_file
from rosewood.pipeline.telling import Told

__all__ = ["PairBlocks"]

_BLOCK = 10_000  # pairs
_NOTE = "read.json"
_FORMAT = 2  # of marshal: the same for every Python


class PairBlocks:
    """Blocks of pairs in a folder of unfinished work."""

    def __init__(self, corpus: Corpus, folder: Path, state: Any = None) -> None:
        """`state` is what is known of the files without reading them: kept pairs must match it."""
        self._corpus, self._folder = corpus, folder
        self._state = json.loads(json.dumps(state))
        self.tally = Tally()
        self._blocks = 0

    def read(self, told: Told) -> None:
        """Read all pairs that no earlier run has kept."""
        self._folder.mkdir(parents=True, exist_ok=True)
        note = self._note()
        place = None if note is None else _place(note)
        self._blocks = 0 if note is None else note["blocks"]
        if note is not None and note["is_done"]:
            self.tally = _tally(note["tally"])
            return
        count = self._blocks * _BLOCK
        waiting: list[SentencePair] = []
        for pair in self._corpus.walk_from(place):
            if count % 1024 == 0:
                told("reading pairs", count, None)
            count += 1
            waiting.append(pair)
            if len(waiting) == _BLOCK:
                self._keep(waiting)
                waiting = []
        self.tally = self._corpus.tally
        self._keep(waiting, is_done=True)

    def __iter__(self) -> Iterator[SentencePair]:
        for number in range(self._blocks):
            for row in marshal.loads(self._path(number).read_bytes()):
                source, target, tags, origin = row
                yield SentencePair(
                    source, target, tags, None if origin is None else Origin(*origin)
                )

    def _keep(self, pairs: list[SentencePair], *, is_done: bool = False) -> None:
        rows = [
            (
                pair.source,
                pair.target,
                dict(pair.tags),
                None if pair.origin is None else tuple(pair.origin),
            )
            for pair in pairs
        ]
        if rows:
            with whole_file(self._path(self._blocks)) as stream:
                stream.write(marshal.dumps(rows, _FORMAT))
            self._blocks += 1
        place = self._corpus.place
        note: dict[str, Any] = {
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
            is_whole = is_whole and note["state"] == self._state  # else a file has changed since
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return note if is_whole else None

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
        [FormatError(text, file=file, line=line) for text, file, line in facts["examples"]],
        Counter(facts["left_out"]),
        facts["joined"],
    )


def _place(note: dict[str, Any]) -> Place:
    return Place(note["file"], note["items"], _tally(note["before"]))
