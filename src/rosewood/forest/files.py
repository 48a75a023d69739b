"""Many forests in one file, mapped into memory or read forest by forest.

    set = ForestSet(path); set[3]; set.info(3); for forests in set.slices(100): ...
    set.read(3)                        # a copy in memory: the file need not be mapped
    with ForestSetWriter(path) as out: out.append(forest, {"id": "s17", "refs": [...]})
    with ForestSetWriter(path, mode="append") as out: ...

Layout (little-endian)
    header   magic, version, and two slots that each say where a footer is; the newer one counts
    records  one a forest, 64-byte aligned: its arrays, then its info as JSON
    footer   sizes, offsets and checksums of all records, feature names, words
A new file is written aside and renamed.  Appending writes records and a new footer behind what is
there, then the older slot: killed at any moment, the file is what it was before, or complete.
Each forest is checked (checksum, then everything a forest must be) when it is first read.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import weakref
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import cached_property
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Literal, NamedTuple, Self, overload

import numpy as np

from rosewood.arrays import LongArray
from rosewood.corpus import Vocabulary
from rosewood.errors import DamagedFileError, ForestError
from rosewood.forest.features import FeatureSpace
from rosewood.forest.forest import Forest
from rosewood.forest.rename import renamed
from rosewood.locking import FileLock
from rosewood.output import whole_file

__all__ = ["ForestSet", "ForestSetWriter"]

_MAGIC = b"RWFOREST"
_VERSION = 1
_HEAD = struct.Struct("<8sII")
_SLOT = struct.Struct("<QQQII")  # generation, footer offset, footer length, footer crc, slot crc
_HEADER_SIZE = 128
_SLOT_AT = (_HEAD.size, _HEAD.size + _SLOT.size)
_FOOT = struct.Struct("<QQQ")  # number of forests, bytes of names, bytes of words (+1, 0: none)
_ALIGN = 64

# A record's row of the index: offset, bytes, crc, then the sizes that give every array's place.
_OFFSET, _BYTES, _CRC, _NODES, _EDGES, _TAILS, _SPARSE, _SYMBOLS, _COLUMNS, _INFO = range(10)
_INDEX_WIDTH = 10
_HAS_SPAN, _HAS_RULE, _HAS_STATE = 1, 2, 4


def _parts(row: Sequence[int], width: int) -> list[tuple[str, type[np.generic], tuple[int, ...]]]:
    """Name, type and shape of each array of a record, in file order."""
    nodes, edges, tails, sparse, symbols, columns = row[_NODES : _COLUMNS + 1]
    parts: list[tuple[str, type[np.generic], tuple[int, ...]]] = [
        ("edge_start", np.int64, (nodes + 1,)),
        ("tail_start", np.int64, (edges + 1,)),
        ("feat_start", np.int64, (edges + 1,)),
        ("yield_start", np.int64, (edges + 1,)),
        ("dense", np.float64, (edges, width)),
        ("feat_value", np.float64, (sparse,)),
    ]
    if columns & _HAS_RULE:
        parts.append(("rule", np.int64, (edges,)))
    if columns & _HAS_STATE:
        parts.append(("state", np.int64, (nodes,)))
    parts += [
        ("tail", np.int32, (tails,)),
        ("feat_id", np.int32, (sparse,)),
        ("yield_symbol", np.int32, (symbols,)),
    ]
    if columns & _HAS_SPAN:
        parts.append(("span", np.int32, (nodes, 2)))
    return parts


def _size(part: tuple[str, type[np.generic], tuple[int, ...]]) -> int:
    size = np.dtype(part[1]).itemsize
    for count in part[2]:
        size *= count
    return size


class _State(NamedTuple):
    """Which footer counts, as one slot of the header says."""

    generation: int
    offset: int
    length: int
    crc: int

    @property
    def end(self) -> int:
        return self.offset + self.length

    def pack(self) -> bytes:
        body = _SLOT.pack(*self, 0)[:-4]
        return body + struct.pack("<I", zlib.crc32(body))


def _newest_state(header: bytes, path: Path) -> _State:
    """The state in force, from the header's two slots: at least one of them is whole."""
    if len(header) < _HEADER_SIZE or not header.startswith(_MAGIC):
        raise DamagedFileError("it is not a forest set", file=path)
    version = _HEAD.unpack_from(header)[1]
    if version != _VERSION:
        raise DamagedFileError(
            f"it is of version {version}, this release reads {_VERSION}", file=path
        )
    states = []
    for place in _SLOT_AT:
        body = header[place : place + _SLOT.size]
        state = _State(*_SLOT.unpack(body)[:-1])
        if state.pack() == body and state.generation > 0:
            states.append(state)
    if not states:
        raise DamagedFileError("its header is damaged", file=path)
    return max(states)


class ForestSet(Sequence[Forest]):
    """Forests of a file; one is read when it is asked for.

    `set[i]` maps the file: forests share its pages.  `set.read(i)` reads one forest into memory of
    its own, so that what a program has in memory is what it holds.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        # Kept open: what is read later is of this file, even if another takes its name.
        self._file = os.open(self.path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self._closing = weakref.finalize(self, os.close, self._file)
        self._size = os.fstat(self._file).st_size
        state = _newest_state(self._bytes(0, min(_HEADER_SIZE, self._size)), self.path)
        if state.end > self._size:
            raise DamagedFileError(
                f"it is truncated: {self._size} bytes, but {state.end} are in use", file=self.path
            )
        self._read_footer(state)
        self._checked = np.zeros(len(self._index), dtype=bool)

    @cached_property
    def _map(self) -> mmap.mmap:
        return mmap.mmap(self._file, 0, access=mmap.ACCESS_READ)

    def _bytes(self, begin: int, end: int) -> bytes:
        """A part of the file, read without mapping it (where the system can)."""
        if not hasattr(os, "pread"):
            return self._map[begin:end]
        parts = []
        while begin < end:
            part = os.pread(self._file, end - begin, begin)
            if not part:
                raise self._damaged("it is truncated")
            parts.append(part)
            begin += len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _read_footer(self, state: _State) -> None:
        footer = self._bytes(state.offset, state.end)
        if zlib.crc32(footer) != state.crc:
            raise self._damaged("its footer does not match its checksum")
        if len(footer) < _FOOT.size:
            raise self._damaged("its footer is too short")
        count, name_bytes, word_bytes = _FOOT.unpack_from(footer)
        index_bytes = count * _INDEX_WIDTH * 8
        words = max(word_bytes - 1, 0)
        if _FOOT.size + index_bytes + name_bytes + words != len(footer):
            raise self._damaged("the sizes in its footer do not add up")
        index = np.frombuffer(footer, np.int64, count * _INDEX_WIDTH, _FOOT.size)
        self._index: LongArray = index.reshape(count, _INDEX_WIDTH)
        place = _FOOT.size + index_bytes
        try:
            names = json.loads(footer[place : place + name_bytes])
            self.features = FeatureSpace(names["dense"], names["sparse"])
            self.vocabulary = (
                Vocabulary(json.loads(footer[place + name_bytes :])) if word_bytes else None
            )
        except (ValueError, KeyError, TypeError, ForestError, RecursionError) as error:
            raise self._damaged(f"its names cannot be read: {error}") from error

    def _damaged(self, reason: str) -> DamagedFileError:
        return DamagedFileError(reason, file=self.path)

    def __len__(self) -> int:
        return len(self._index)

    @overload
    def __getitem__(self, index: int) -> Forest: ...
    @overload
    def __getitem__(self, index: slice) -> list[Forest]: ...
    def __getitem__(self, index: int | slice) -> Forest | list[Forest]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        row, parts = self._record(number)
        record = memoryview(self._map)[row[_OFFSET] : row[_OFFSET] + row[_BYTES]]
        return self._forest(number, row, parts, record)

    def read(self, index: int) -> Forest:
        """A forest in memory of its own: nothing of the file is mapped for it."""
        number = range(len(self))[index]
        row, parts = self._record(number)
        record = self._bytes(row[_OFFSET], row[_OFFSET] + row[_BYTES])
        return self._forest(number, row, parts, record)

    def _forest(
        self, number: int, row: list[int], parts: list[Any], record: memoryview | bytes
    ) -> Forest:
        """The forest of a record: checked when it is read for the first time."""
        self._check(number, row, record)
        arrays: dict[str, Any] = {}
        place = 0
        for part in parts:
            name, dtype, shape = part
            count = _size(part) // np.dtype(dtype).itemsize
            arrays[name] = np.frombuffer(record, dtype, count, place).reshape(shape)
            place += _size(part)
        names: dict[str, Any] = {"features": self.features, "vocabulary": self.vocabulary}
        if self._checked[number]:
            return Forest._unchecked(**arrays, **names)
        try:
            forest = Forest(**arrays, **names, allow_unreachable=True)
        except ForestError as error:
            raise self._damaged(f"forest {number}: {error}") from error
        self._checked[number] = True
        return forest

    @property
    def num_edges(self) -> LongArray:
        """The edges of each forest; no forest is read."""
        return self._index[:, _EDGES].copy()

    def info(self, index: int) -> dict[str, Any]:
        """What was noted of a forest when it was written: its id, source, references…"""
        number = range(len(self))[index]
        row, _ = self._record(number)
        end = row[_OFFSET] + row[_BYTES]
        if self._checked[number]:
            text = self._bytes(end - row[_INFO], end)
        else:
            record = self._bytes(row[_OFFSET], end)
            self._check(number, row, record)
            text = record[len(record) - row[_INFO] :]
        try:
            info = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self._damaged(f"forest {number}: its info is not JSON") from error
        if not isinstance(info, dict):
            raise self._damaged(f"forest {number}: its info is not a table")
        return info

    def _record(self, number: int) -> tuple[list[int], list[Any]]:
        """A checked row of the index and the arrays it describes."""
        row: list[int] = self._index[number].tolist()
        if min(row) < 0 or row[_NODES] < 1:
            raise self._damaged(f"forest {number}: its entry in the index is impossible")
        parts = _parts(row, len(self.features.dense))
        if sum(map(_size, parts)) + row[_INFO] != row[_BYTES]:
            raise self._damaged(f"forest {number}: its sizes do not add up")
        if row[_OFFSET] % _ALIGN or row[_OFFSET] + row[_BYTES] > self._size:
            raise self._damaged(f"forest {number}: it lies outside of the file")
        return row, parts

    def _check(self, number: int, row: list[int], record: memoryview | bytes) -> None:
        if not self._checked[number] and zlib.crc32(record) != row[_CRC]:
            raise self._damaged(f"forest {number}: it does not match its checksum")

    def slices(self, size: int) -> Iterator[list[Forest]]:
        """All forests, `size` at a time."""
        if size < 1:
            raise ForestError(f"slices: the size is {size}, want at least 1")
        for first in range(0, len(self), size):
            yield self[first : first + size]

    def verify(self) -> None:
        """Read and check everything; the first thing wrong is a DamagedFileError."""
        self._checked[:] = False
        for number in range(len(self)):
            _ = self[number]
            self.info(number)

    def close(self) -> None:
        """Close the file.  Forests that are still in use keep what they need of it."""
        if "_map" in self.__dict__:
            with suppress(BufferError):
                self._map.close()
        self._closing()

    def __repr__(self) -> str:
        return f"ForestSet({os.fspath(self.path)!r}, {len(self)} forests)"

    def __reduce__(self) -> tuple[object, ...]:
        return (ForestSet, (self.path,))


class _Abandoned(Exception):
    """Tells `whole_file` that the file is not to take its place."""


class ForestSetWriter:
    """Writes a `ForestSet`; leaving the `with` block without an error makes it complete.

    All forests of a set share feature names and words; a forest that has others is renamed, feature
    by feature and word by word.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        features: FeatureSpace | None = None,
        vocabulary: Vocabulary | None = None,
        mode: Literal["create", "append"] = "create",
    ) -> None:
        self.path = Path(path)
        self.features = features
        self.vocabulary = vocabulary
        self._index: list[list[int]] = []
        self._generation = 0
        self._fresh = mode == "create"
        self._opened = ExitStack()
        self._file: BinaryIO
        if mode == "append":
            self._open_existing()
        elif mode == "create":
            self._file = self._opened.enter_context(whole_file(self.path))
            if not self._file.seekable():
                self.discard()
                raise ForestError(f"{self.path}: a forest set is written to an ordinary file")
            self._file.write(b"\0" * _HEADER_SIZE)
        else:
            raise ForestError(f"the mode of a ForestSetWriter is create or append, not {mode!r}")

    def _open_existing(self) -> None:
        if self.features is not None or self.vocabulary is not None:
            raise ForestError("appending takes the features and words of the file")
        self._file = self._opened.enter_context(self.path.open("r+b"))
        try:
            _lock(self._opened, self.path)
            state = _newest_state(self._file.read(_HEADER_SIZE), self.path)
            existing = ForestSet(self.path)
            self.features, self.vocabulary = existing.features, existing.vocabulary
            self._index = existing._index.tolist()
            existing.close()  # some systems do not shorten a file that is mapped
            self._generation = state.generation
            self._file.truncate(state.end)  # what an interrupted append may have left
            self._file.seek(state.end)
        except BaseException:
            self._opened.close()
            raise

    def append(self, forest: Forest, info: Mapping[str, Any] | None = None) -> int:
        """Add a forest, and what is to be known of it (anything JSON can hold); its number."""
        if self.features is None:  # the first forest decides
            # Tables of its own: those of the forest are not to grow with the set.
            self.features = FeatureSpace(forest.features.dense, forest.features.sparse.copy())
            words = forest.vocabulary
            self.vocabulary = None if words is None else Vocabulary(words)
        forest = renamed(forest, self.features, self.vocabulary)
        try:
            text = json.dumps(dict(info or {}), ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            raise ForestError(f"the info of a forest must be JSON: {error}") from error
        columns = (
            (_HAS_SPAN if forest.span is not None else 0)
            | (_HAS_RULE if forest.rule is not None else 0)
            | (_HAS_STATE if forest.state is not None else 0)
        )
        sizes = [
            forest.num_nodes,
            forest.num_edges,
            len(forest.tail),
            len(forest.feat_id),
            len(forest.yield_symbol),
            columns,
            len(text),
        ]
        row = [self._pad(), 0, 0, *sizes]
        for name, dtype, _ in _parts(row, len(self.features.dense)):
            self._put(row, getattr(forest, name).astype(dtype, copy=False).tobytes())
        self._put(row, text)
        self._index.append(row)
        return len(self._index) - 1

    def _pad(self) -> int:
        place = self._file.tell()
        self._file.write(b"\0" * (-place % _ALIGN))
        return place + -place % _ALIGN

    def _put(self, row: list[int], data: bytes) -> None:
        self._file.write(data)
        row[_BYTES] += len(data)
        row[_CRC] = zlib.crc32(data, row[_CRC])

    def close(self) -> None:
        """Write the footer, then the slot that makes it count."""
        if self._file.closed:
            return
        space = FeatureSpace() if self.features is None else self.features
        names = json.dumps({"dense": list(space.dense), "sparse": list(space.sparse)}).encode()
        words = b"" if self.vocabulary is None else json.dumps(list(self.vocabulary)).encode()
        index = np.array(self._index, dtype=np.int64).reshape(-1, _INDEX_WIDTH)
        told = 0 if self.vocabulary is None else len(words) + 1
        footer = _FOOT.pack(len(index), len(names), told) + index.tobytes() + names + words
        state = _State(self._generation + 1, self._pad(), len(footer), zlib.crc32(footer))
        self._file.write(footer)
        self._flush()
        if self._fresh:
            self._file.seek(0)
            self._file.write(_HEAD.pack(_MAGIC, _VERSION, 0))
        self._file.seek(_SLOT_AT[state.generation % 2])
        self._file.write(state.pack())
        self._flush()
        self._opened.close()

    def _flush(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())

    def discard(self) -> None:
        """Give up: nothing of this writer stays."""
        with suppress(_Abandoned):
            self._opened.__exit__(_Abandoned, _Abandoned(), None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            try:
                self.close()
            except BaseException:
                self.discard()
                raise
        else:
            self.discard()


def _lock(opened: ExitStack, path: Path) -> None:
    """One appender at a time; the lock is released when `opened` closes or the process ends."""
    real = path.resolve()
    lock = FileLock(
        real.with_name(f"{real.name}.lock"), ForestError,
        f"{path}: another writer is appending to it", "wait until it ends", is_temporary=True,
    )  # fmt: skip
    opened.callback(lock.release)
