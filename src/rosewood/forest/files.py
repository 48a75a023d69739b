"""Many forests in one file, mapped into memory or read forest by forest.

    set = ForestSet(path); set[3]; set.info(3); for forests in set.slices(100): ...
    set.read(3)                        # a copy in memory: the file need not be mapped
    with ForestSetWriter(path) as out: out.append(forest, {"id": "s17", "refs": [...]})
    with ForestSetWriter(path, compress=True) as out: ...
    with ForestSetWriter(path, mode="append") as out: ...

Layout (little-endian)
    header   magic, version, and two slots that each say where a footer is; the newer one counts
    records  one a forest, 64-byte aligned: its arrays, then its info as JSON; either may be
             compressed by itself (`file_records.py`)
    footers  sizes, offsets and checksums of records, feature names, words: what is new since the
             footer before, and where that one is (`file_footers.py`)
A new file is written aside and renamed.  Appending writes records and a new footer behind what is
there, then the older slot: killed at any moment, the file is what it was before, or complete.
Each forest is checked (checksum, then everything a forest must be) when it is first read.
Files of version 1 are read; the first append makes them version 2.
"""

from __future__ import annotations

import json
import mmap
import os
import weakref
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rosewood import _core
from rosewood.arrays import LongArray, as_count
from rosewood.errors import DamagedFileError, ForestError
from rosewood.forest.features import FeatureSpace
from rosewood.forest.file_footers import BadFooter, Counts, read_footers
from rosewood.forest.file_layout import (
    ALIGN,
    BYTES,
    CRC,
    EDGES,
    FLAGS,
    HEADER_SIZE,
    INFO,
    INFO_CRC,
    IS_PACKED,
    NODES,
    OFFSET,
    ONE_CHECKSUM,
    SPARSE,
    newest_state,
    record_size,
)
from rosewood.forest.file_records import BadRecord, check_row, unpack_arrays, unpack_info
from rosewood.forest.forest import Forest
from rosewood.sequences import LazySequence
from rosewood.shared_types import PathName

T = TypeVar("T")
_OF_FEATURES = ("dense", "feat_start", "feat_id", "feat_value")


class ForestSet(LazySequence[Forest]):
    """Forests of a file; one is read when it is asked for.

    `set[i]` maps the file: forests share its pages.  `set.read(i)` reads one forest into memory of
    its own, so that what a program has in memory is what it holds.  A compressed forest is always
    read so.
    """

    def __init__(self, path: PathName, *, features: FeatureSpace | None = None) -> None:
        """`features` replaces the table of the file, with which it must begin; θ is of it then."""
        self.path = Path(path)
        # Kept open: what is read later is of this file, even if another takes its name.
        self._file = os.open(self.path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self._closing = weakref.finalize(self, os.close, self._file)
        self._size = os.fstat(self._file).st_size
        self.state = newest_state(self._bytes(0, min(HEADER_SIZE, self._size)), self.path)
        if self.state.end > self._size:
            reason = f"it is truncated: {self._size} bytes, but {self.state.end} are in use"
            raise self._damaged(reason)
        try:
            contents = read_footers(self._bytes, self.state)
        except BadFooter as error:
            raise self._damaged(str(error)) from error
        self._index, self.features, self.vocabulary = contents
        self.counts: Counts = contents.counts
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

    def _damaged(self, reason: str, number: int | None = None) -> DamagedFileError:
        if number is not None:
            reason = f"forest {number}: {reason}"
        return DamagedFileError(reason, file=self.path, code="file.damaged", value=number)

    def __len__(self) -> int:
        return len(self._index)

    def _item(self, number: int) -> Forest:
        if self._index[number, FLAGS] & IS_PACKED:
            return self.read(number)
        return self._forest(number, lambda begin, end: memoryview(self._map)[begin:end])

    def read(self, index: int) -> Forest:
        """A forest in memory of its own: nothing of the file is mapped for it."""
        return self._forest(range(len(self))[index], self._bytes)

    def _forest(self, number: int, read: Callable[[int, int], memoryview | bytes]) -> Forest:
        """The forest of a record: checked when it is read for the first time."""
        row, width = self._row(number), len(self.features.dense)
        begin, end = row[OFFSET], row[OFFSET] + row[BYTES]
        if self._checked[number]:
            record = read(begin, end)
        elif row[FLAGS] & ONE_CHECKSUM:
            record = self._sound(number, read(begin, end + row[INFO]), row[CRC])[: row[BYTES]]
        else:
            record = self._sound(number, read(begin, end), row[CRC])
        fields: dict[str, Any] = self._unpacked(number, unpack_arrays, row, width, record)
        fields |= {"features": self.features, "vocabulary": self.vocabulary}
        if self._checked[number]:
            return Forest._unchecked(**fields)
        try:
            forest = Forest(**fields, allow_unreachable=True)
        except ForestError as error:
            raise self._damaged(str(error), number) from error
        self._checked[number] = True
        return forest

    def feature_view(self, number: int) -> _core.FeatureView:
        """The features of a forest as native kernels take them; nothing else of it is made."""
        if not self._checked[number]:
            return self.read(number).feature_view
        row, width = self._row(number), len(self.features.dense)
        data = self._bytes(row[OFFSET], row[OFFSET] + row[BYTES])
        found = self._unpacked(number, unpack_arrays, row, width, data, _OF_FEATURES)
        dense, start, ids, values = (found[name] for name in _OF_FEATURES)
        return _core.make_features(dense, start, ids, values, len(self.features.sparse))

    @property
    def num_nodes(self) -> LongArray:
        """The nodes of each forest; no forest is read."""
        return self._index[:, NODES].copy()

    @property
    def num_edges(self) -> LongArray:
        """The edges of each forest; no forest is read."""
        return self._index[:, EDGES].copy()

    @property
    def num_values(self) -> LongArray:
        """The feature values of each forest, dense and sparse; no forest is read."""
        return self._index[:, EDGES] * len(self.features.dense) + self._index[:, SPARSE]

    @property
    def num_bytes(self) -> LongArray:
        """The bytes of each forest's arrays in memory; no forest is read."""
        width = len(self.features.dense)
        sizes = [record_size(row, width) for row in self._index.tolist()]
        return np.array(sizes, dtype=np.int64) + 4 * self._index[:, EDGES]  # and the heads of edges

    @property
    def is_compressed(self) -> bool:
        """Whether any forest is compressed."""
        return bool((self._index[:, FLAGS] & IS_PACKED).any())

    def info(self, index: int) -> dict[str, Any]:
        """What was noted of a forest when it was written: its id, source, references…"""
        number = range(len(self))[index]
        row = self._row(number)
        begin = row[OFFSET] + row[BYTES]
        end = begin + row[INFO]
        if not row[FLAGS] & ONE_CHECKSUM:
            data = self._sound(number, self._bytes(begin, end), row[INFO_CRC])
        elif self._checked[number]:
            data = self._bytes(begin, end)
        else:
            data = self._sound(number, self._bytes(row[OFFSET], end), row[CRC])[row[BYTES] :]
        try:
            info = json.loads(self._unpacked(number, unpack_info, row, data))
        except (ValueError, RecursionError) as error:
            raise self._damaged("its info is not JSON", number) from error
        if not isinstance(info, dict):
            raise self._damaged("its info is not a table", number)
        return info

    def _row(self, number: int) -> list[int]:
        """A checked row of the index."""
        row: list[int] = self._index[number].tolist()
        if self._checked[number]:
            return row
        self._unpacked(number, check_row, row, len(self.features.dense))
        if row[OFFSET] % ALIGN or row[OFFSET] + row[BYTES] + row[INFO] > self._size:
            raise self._damaged("it lies outside of the file", number)
        return row

    def _unpacked(self, number: int, unpack: Callable[..., T], *arguments: Any) -> T:
        try:
            return unpack(*arguments)
        except BadRecord as error:
            raise self._damaged(str(error), number) from error

    def _sound(self, number: int, data: memoryview | bytes, crc: int) -> Any:
        if zlib.crc32(data) != crc:
            raise self._damaged("it does not match its checksum", number)
        return data

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
