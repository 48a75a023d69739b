"""The folder of an indexed corpus: its arrays, their checksums, and what may be wrong with them."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosewood.errors import DamagedFileError
from rosewood.folders import FolderKind, check_offsets, cut_words

MANIFEST = "corpus.json"
SIDES = ("source", "target")
_PARTS: dict[str, str] = {"ids": "<i4", "start": "<i8", "words": "|u1", "word_start": "<i8"}
_KIND = FolderKind(
    MANIFEST,
    "rosewood indexed corpus",
    1,
    {f"{side}.{part}": kind for side in SIDES for part, kind in _PARTS.items()},
)


class Arrays(NamedTuple):
    """What the files of a side hold."""

    ids: NDArray[np.int32]
    start: NDArray[np.int64]
    word_bytes: NDArray[np.uint8]
    word_start: NDArray[np.int64]


class SideWriter:
    """Writes the four files of a side as its numbers come."""

    def __init__(self, folder: Path, side: str) -> None:
        self.side = side
        self._opened = ExitStack()
        self._streams = {
            part: self._opened.enter_context((folder / f"{side}.{part}").open("wb"))
            for part in _PARTS
        }
        self._crc = dict.fromkeys(_PARTS, 0)
        self._size = dict.fromkeys(_PARTS, 0)
        self._put("start", np.zeros(1, np.int64))

    def _put(self, part: str, array: NDArray[Any]) -> None:
        data = array.astype(_PARTS[part], copy=False).tobytes()
        self._streams[part].write(data)
        self._crc[part] = zlib.crc32(data, self._crc[part])
        self._size[part] += len(data)

    def append(self, ids: NDArray[np.int32], ends: NDArray[np.int64]) -> None:
        """More words, and where their lines end among all words."""
        self._put("ids", ids)
        self._put("start", ends)

    def finish(self, word_bytes: NDArray[np.uint8], word_start: NDArray[np.int64]) -> None:
        """The words, when all lines have come."""
        self._put("words", word_bytes)
        self._put("word_start", word_start)
        for stream in self._streams.values():
            stream.flush()
            os.fsync(stream.fileno())
        self.close()

    def told(self) -> dict[str, dict[str, int]]:
        """Size and checksum of each file."""
        return {
            f"{self.side}.{part}": {"bytes": self._size[part], "crc32": self._crc[part]}
            for part in _PARTS
        }

    def close(self) -> None:
        """Give the files back, whatever is in them."""
        self._opened.close()


def write_manifest(folder: Path, writers: Sequence[SideWriter]) -> None:
    """The sizes and checksums of all files."""
    listed: dict[str, dict[str, int]] = {}
    for writer in writers:
        listed |= writer.told()
    _KIND.write_manifest(folder, listed, {})


def open_sides(folder: Path) -> list[Arrays]:
    """The arrays of both sides, mapped; whatever indexes something is in its range."""
    _, found = _KIND.open(folder)
    sides = []
    for side in SIDES:
        arrays = Arrays(*(found[f"{side}.{part}"] for part in _PARTS))
        check_offsets(folder / f"{side}.start", arrays.start, len(arrays.ids))
        check_offsets(folder / f"{side}.word_start", arrays.word_start, len(arrays.word_bytes))
        types = len(arrays.word_start) - 1
        if len(arrays.ids) and not (arrays.ids.min() >= 0 and arrays.ids.max() < types):
            reason = f"it has word numbers beyond the {types} words"
            raise DamagedFileError(reason, code="file.damaged", file=folder / f"{side}.ids")
        sides.append(arrays)
    counts = [len(side.start) - 1 for side in sides]
    if counts[0] != counts[1]:
        reason = f"the source has {counts[0]} sentences, the target {counts[1]}"
        raise DamagedFileError(reason, code="file.mismatch", file=folder / MANIFEST)
    return sides


def verify(folder: Path) -> None:
    """Checksums of all files, and that words are UTF-8 and distinct."""
    _KIND.verify(folder)
    for side, arrays in zip(SIDES, open_sides(folder), strict=True):
        file = folder / f"{side}.words"
        words = cut_words(arrays.word_bytes, arrays.word_start)
        if len(set(words)) < len(words) or b"" in words:
            reason = "a word is empty or occurs twice"
            raise DamagedFileError(reason, code="file.damaged", file=file)
        for number, word in enumerate(words):
            try:
                word.decode()
            except UnicodeDecodeError as error:
                reason = f"word {number} is not UTF-8"
                raise DamagedFileError(reason, code="file.encoding", file=file) from error
    _KIND.verify_manifest(folder)
