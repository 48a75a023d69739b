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
import weakref
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from functools import cached_property
from math import prod
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Literal, Self

import numpy as np

from rosewood.arguments import check_choice
from rosewood.arrays import LongArray, as_count
from rosewood.corpus import Vocabulary
from rosewood.errors import DamagedFileError, ForestError, RosewoodError
from rosewood.forest.features import FeatureSpace
from rosewood.forest.file_layout import (
    ALIGN,
    BYTES,
    CRC,
    EDGES,
    FOOT,
    HAS_RULE,
    HAS_SPAN,
    HAS_STATE,
    HEAD,
    HEADER_SIZE,
    INDEX_WIDTH,
    INFO,
    MAGIC,
    NODES,
    OFFSET,
    SLOT_AT,
    VERSION,
    FooterState,
    RecordPart,
    newest_state,
    part_size,
    record_parts,
)
from rosewood.forest.forest import Forest
from rosewood.forest.rename import renamed
from rosewood.locking import FileLock
from rosewood.output import whole_file
from rosewood.sequences import LazySequence
from rosewood.shared_types import PathName


class ForestSet(LazySequence[Forest]):
    """Forests of a file; one is read when it is asked for.

    `set[i]` maps the file: forests share its pages.  `set.read(i)` reads one forest into memory of
    its own, so that what a program has in memory is what it holds.
    """

    def __init__(self, path: PathName, *, features: FeatureSpace | None = None) -> None:
        """`features` replaces the table of the file, with which it must begin; θ is of it then."""
        self.path = Path(path)
        # Kept open: what is read later is of this file, even if another takes its name.
        self._file = os.open(self.path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self._closing = weakref.finalize(self, os.close, self._file)
        self._size = os.fstat(self._file).st_size
        state = newest_state(self._bytes(0, min(HEADER_SIZE, self._size)), self.path)
        if state.end > self._size:
            reason = f"it is truncated: {self._size} bytes, but {state.end} are in use"
            raise DamagedFileError(reason, code="file.damaged", file=self.path)
        self.features: FeatureSpace
        self._read_footer(state)
        self._checked = np.zeros(len(self._index), dtype=bool)
        self._given = features
        if features is not None:
            if not features.begins_with(self.features):
                reason = f"{self.path}: its features are not the first ones of those that are given"
                raise ForestError(reason, code="file.mismatch", argument="features", file=path)
            self.features = features

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

    def _read_footer(self, state: FooterState) -> None:
        footer = self._bytes(state.offset, state.end)
        if zlib.crc32(footer) != state.crc:
            raise self._damaged("its footer does not match its checksum")
        if len(footer) < FOOT.size:
            raise self._damaged("its footer is too short")
        count, name_bytes, word_bytes = FOOT.unpack_from(footer)
        index_bytes = count * INDEX_WIDTH * 8
        words = max(word_bytes - 1, 0)
        if FOOT.size + index_bytes + name_bytes + words != len(footer):
            raise self._damaged("the sizes in its footer do not add up")
        index = np.frombuffer(footer, np.int64, count * INDEX_WIDTH, FOOT.size)
        self._index: LongArray = index.reshape(count, INDEX_WIDTH)
        place = FOOT.size + index_bytes
        try:
            names = json.loads(footer[place : place + name_bytes])
            self.features = FeatureSpace(names["dense"], names["sparse"])
            self.vocabulary = (
                Vocabulary(json.loads(footer[place + name_bytes :])) if word_bytes else None
            )
        except (ValueError, KeyError, TypeError, RosewoodError, RecursionError) as error:
            raise self._damaged(f"its names cannot be read: {error}") from error

    def _damaged(self, reason: str) -> DamagedFileError:
        return DamagedFileError(reason, file=self.path, code="file.damaged")

    def __len__(self) -> int:
        return len(self._index)

    def _item(self, number: int) -> Forest:
        row, parts = self._record(number)
        record = memoryview(self._map)[row[OFFSET] : row[OFFSET] + row[BYTES]]
        return self._forest(number, row, parts, record)

    def read(self, index: int) -> Forest:
        """A forest in memory of its own: nothing of the file is mapped for it."""
        number = range(len(self))[index]
        row, parts = self._record(number)
        record = self._bytes(row[OFFSET], row[OFFSET] + row[BYTES])
        return self._forest(number, row, parts, record)

    def _forest(
        self, number: int, row: list[int], parts: list[RecordPart], record: memoryview | bytes
    ) -> Forest:
        """The forest of a record: checked when it is read for the first time."""
        self._check(number, row, record)
        arrays: dict[str, Any] = {}
        place = 0
        for name, dtype, shape in parts:
            array = np.frombuffer(record, dtype, prod(shape), place)
            arrays[name] = array if len(shape) == 1 else array.reshape(shape)
            place += array.nbytes
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
        return self._index[:, EDGES].copy()

    def info(self, index: int) -> dict[str, Any]:
        """What was noted of a forest when it was written: its id, source, references…"""
        number = range(len(self))[index]
        row, _ = self._record(number)
        end = row[OFFSET] + row[BYTES]
        if self._checked[number]:
            text = self._bytes(end - row[INFO], end)
        else:
            record = self._bytes(row[OFFSET], end)
            self._check(number, row, record)
            text = record[len(record) - row[INFO] :]
        try:
            info = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self._damaged(f"forest {number}: its info is not JSON") from error
        if not isinstance(info, dict):
            raise self._damaged(f"forest {number}: its info is not a table")
        return info

    def _record(self, number: int) -> tuple[list[int], list[RecordPart]]:
        """A checked row of the index and the arrays it describes."""
        row: list[int] = self._index[number].tolist()
        if min(row) < 0 or row[NODES] < 1:
            raise self._damaged(f"forest {number}: its entry in the index is impossible")
        parts = record_parts(row, len(self.features.dense))
        if sum(map(part_size, parts)) + row[INFO] != row[BYTES]:
            raise self._damaged(f"forest {number}: its sizes do not add up")
        if row[OFFSET] % ALIGN or row[OFFSET] + row[BYTES] > self._size:
            raise self._damaged(f"forest {number}: it lies outside of the file")
        return row, parts

    def _check(self, number: int, row: list[int], record: memoryview | bytes) -> None:
        if not self._checked[number] and zlib.crc32(record) != row[CRC]:
            raise self._damaged(f"forest {number}: it does not match its checksum")

    def slices(self, size: int) -> Iterator[list[Forest]]:
        """All forests, `size` at a time."""
        size = as_count("size", size, 1)
        for first in range(0, len(self), size):
            yield self[first : first + size]

    def verify(self) -> None:
        """Read and check everything; the first thing wrong is a DamagedFileError."""
        self._checked[:] = False
        for number in range(len(self)):
            _ = self[number]
            self.info(number)

    def close(self) -> None:
        """Close the file.  Forests that are still in use stay valid."""
        if "_map" in self.__dict__:
            with suppress(BufferError):
                self._map.close()
        self._closing()

    def __repr__(self) -> str:
        return f"ForestSet({os.fspath(self.path)!r}, {len(self)} forests)"

    def __reduce__(self) -> tuple[object, ...]:
        return (_opened, (self.path, self._given))


def _opened(path: Path, features: FeatureSpace | None) -> ForestSet:
    return ForestSet(path, features=features)


class _Abandoned(Exception):
    """Tells `whole_file` that the file is not to take its place."""


class ForestSetWriter:
    """Writes a `ForestSet`; leaving the `with` block without an error makes it complete.

    All forests of a set share feature names and words; a forest that has others is renamed, feature
    by feature and word by word.
    """

    def __init__(
        self,
        path: PathName,
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
                reason = f"{self.path}: a forest set is written to an ordinary file"
                raise ForestError(reason, code="file.kind", file=self.path)
            self._file.write(b"\0" * HEADER_SIZE)
        else:
            check_choice("mode", mode, ("create", "append"), error=ForestError)

    def _open_existing(self) -> None:
        if self.features is not None or self.vocabulary is not None:
            reason = "appending takes the features and words of the file"
            raise ForestError(reason, code="argument.conflict", argument="features")
        self._file = self._opened.enter_context(self.path.open("r+b"))
        try:
            _lock(self._opened, self.path)
            state = newest_state(self._file.read(HEADER_SIZE), self.path)
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
        """Add a forest and facts about it (JSON values); return its number."""
        if self.features is None:  # the first forest decides
            # Tables of its own: those of the forest are not to grow with the set.
            self.features = FeatureSpace(forest.features.dense, forest.features.sparse.copy())
            words = forest.vocabulary
            self.vocabulary = None if words is None else Vocabulary(words)
        forest = renamed(forest, self.features, self.vocabulary)
        try:
            text = json.dumps(dict(info or {}), ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            reason = f"the info of a forest must be JSON: {error}"
            raise ForestError(reason, code="argument.value", argument="info") from error
        columns = (
            (HAS_SPAN if forest.span is not None else 0)
            | (HAS_RULE if forest.rule is not None else 0)
            | (HAS_STATE if forest.state is not None else 0)
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
        for name, dtype, _ in record_parts(row, len(self.features.dense)):
            self._put(row, getattr(forest, name).astype(dtype, copy=False).tobytes())
        self._put(row, text)
        self._index.append(row)
        return len(self._index) - 1

    def _pad(self) -> int:
        place = self._file.tell()
        self._file.write(b"\0" * (-place % ALIGN))
        return place + -place % ALIGN

    def _put(self, row: list[int], data: bytes) -> None:
        self._file.write(data)
        row[BYTES] += len(data)
        row[CRC] = zlib.crc32(data, row[CRC])

    def close(self) -> None:
        """Write the footer, then the slot that makes it count."""
        if self._file.closed:
            return
        space = FeatureSpace() if self.features is None else self.features
        names = json.dumps({"dense": list(space.dense), "sparse": list(space.sparse)}).encode()
        words = b"" if self.vocabulary is None else json.dumps(list(self.vocabulary)).encode()
        index = np.array(self._index, dtype=np.int64).reshape(-1, INDEX_WIDTH)
        told = 0 if self.vocabulary is None else len(words) + 1
        footer = FOOT.pack(len(index), len(names), told) + index.tobytes() + names + words
        state = FooterState(self._generation + 1, self._pad(), len(footer), zlib.crc32(footer))
        self._file.write(footer)
        self._flush()
        if self._fresh:
            self._file.seek(0)
            self._file.write(HEAD.pack(MAGIC, VERSION, 0))
        self._file.seek(SLOT_AT[state.generation % 2])
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
