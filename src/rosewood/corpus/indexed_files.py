"""The folder of an indexed corpus: its arrays, their checksums, and what may be wrong with them."""

from __future__ import annotations

import json
import mmap
import os
import zlib
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosewood.errors import DamagedFileError
from rosewood.output import whole_file

__all__ = [
    "MANIFEST",
    "SIDES",
    "Arrays",
    "SideWriter",
    "cut_words",
    "open_sides",
    "verify",
    "write_manifest",
]

MANIFEST = "corpus.json"
SIDES = ("source", "target")
_FORMAT, _VERSION = "rosewood indexed corpus", 1
_PARTS: dict[str, str] = {"ids": "<i4", "start": "<i8", "words": "|u1", "word_start": "<i8"}
_CHUNK = 1 << 24


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
    table = {"format": _FORMAT, "version": _VERSION, "files": listed}
    with whole_file(folder / MANIFEST) as stream:
        stream.write(json.dumps(table, indent=1).encode() + b"\n")


def open_sides(folder: Path) -> list[Arrays]:
    """The arrays of both sides, mapped; whatever indexes something is in its range."""
    listed = _manifest(folder)
    sides = []
    for side in SIDES:
        maps = [
            _mapped(folder / f"{side}.{part}", kind, listed[f"{side}.{part}"]["bytes"])
            for part, kind in _PARTS.items()
        ]
        arrays = Arrays(*maps)
        _check_offsets(folder / f"{side}.start", arrays.start, len(arrays.ids))
        _check_offsets(folder / f"{side}.word_start", arrays.word_start, len(arrays.word_bytes))
        types = len(arrays.word_start) - 1
        if len(arrays.ids) and not (arrays.ids.min() >= 0 and arrays.ids.max() < types):
            raise DamagedFileError(
                f"it has word numbers beyond the {types} words", file=folder / f"{side}.ids"
            )
        sides.append(arrays)
    counts = [len(side.start) - 1 for side in sides]
    if counts[0] != counts[1]:
        raise DamagedFileError(
            f"the source has {counts[0]} sentences, the target {counts[1]}", file=folder / MANIFEST
        )
    return sides


def verify(folder: Path) -> None:
    """Checksums of all files, and that words are UTF-8 and distinct."""
    listed = _manifest(folder)
    for name, told in listed.items():
        if _checksum(folder / name) != told["crc32"]:
            raise DamagedFileError("it does not match its checksum", file=folder / name)
    for side, arrays in zip(SIDES, open_sides(folder), strict=True):
        file = folder / f"{side}.words"
        words = cut_words(arrays.word_bytes, arrays.word_start)
        if len(set(words)) < len(words) or b"" in words:
            raise DamagedFileError("a word is empty or stands twice", file=file)
        for number, word in enumerate(words):
            try:
                word.decode()
            except UnicodeDecodeError as error:
                raise DamagedFileError(f"word {number} is not UTF-8", file=file) from error


def cut_words(word_bytes: NDArray[np.uint8], word_start: NDArray[np.int64]) -> list[bytes]:
    """The words, one by one."""
    text = word_bytes.tobytes()
    return [text[begin:end] for begin, end in pairwise(word_start.tolist())]


def _manifest(folder: Path) -> dict[str, dict[str, int]]:
    """The files that must be there, as the manifest tells them."""
    path = folder / MANIFEST
    try:
        table = json.loads(path.read_bytes())
        kind, version, listed = table["format"], table["version"], table["files"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamagedFileError("it is not the manifest of an indexed corpus", file=path) from error
    if kind != _FORMAT:
        raise DamagedFileError("it is not the manifest of an indexed corpus", file=path)
    if version != _VERSION:
        raise DamagedFileError(
            f"it is of version {version}, this release reads {_VERSION}", file=path
        )
    names = {f"{side}.{part}" for side in SIDES for part in _PARTS}
    is_good = isinstance(listed, dict) and set(listed) == names
    if not is_good or not all(_is_entry(entry) for entry in listed.values()):
        raise DamagedFileError("its list of files is damaged", file=path)
    return {name: listed[name] for name in sorted(names)}


def _is_entry(entry: object) -> bool:
    return (
        isinstance(entry, dict)
        and entry.keys() == {"bytes", "crc32"}
        and all(type(value) is int and value >= 0 for value in entry.values())
    )


def _mapped(path: Path, kind: str, size: int) -> NDArray[Any]:
    """The numbers of a file, read-only."""
    try:
        stream = path.open("rb")
    except FileNotFoundError as error:
        raise DamagedFileError("the file is missing", file=path) from error
    with stream:
        found = stream.seek(0, 2)
        if found != size:
            raise DamagedFileError(f"it has {found} bytes, want {size}", file=path)
        if size % np.dtype(kind).itemsize:
            raise DamagedFileError(f"its {size} bytes are not whole numbers", file=path)
        if size == 0:
            return np.frombuffer(b"", kind)
        data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    return np.frombuffer(data, kind)


def _check_offsets(path: Path, start: NDArray[np.int64], end: int) -> None:
    if len(start) == 0 or start[0] != 0 or start[-1] != end:
        raise DamagedFileError(f"its offsets do not go from 0 to {end}", file=path)
    if (start[1:] < start[:-1]).any():
        raise DamagedFileError("its offsets do not ascend", file=path)


def _checksum(path: Path) -> int:
    crc = 0
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            crc = zlib.crc32(chunk, crc)
    return crc
