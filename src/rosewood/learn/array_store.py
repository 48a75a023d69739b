"""Arrays of many forests: in memory while they are few, in a scratch file when they are not.

The file has no name: it is gone with the store, or with the process, however that ends.  Records
are read, not mapped, so that what is in memory is what the caller holds.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from threading import Lock
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosewood.output import blamed_on


class _Place(NamedTuple):
    offset: int
    shapes: list[tuple[np.dtype[Any], int]]


class RecordStore:
    """Records of one-dimensional arrays, by number; in each, arrays of wider numbers come first,
    so that all are aligned."""

    def __init__(self, most: int) -> None:
        """`most` is how many bytes stay in memory; a store that grows beyond goes to disk."""
        self._most = most
        self._held: list[list[NDArray[Any]]] = []
        self._bytes = 0
        self._places: list[_Place] = []
        self._file: BinaryIO | None = None
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._held) + len(self._places)

    @property
    def is_held(self) -> bool:
        """Whether all records are in memory."""
        return self._file is None

    def append(self, arrays: Sequence[NDArray[Any]]) -> None:
        """A record more."""
        size = sum(array.nbytes for array in arrays)
        if self._file is None and self._bytes + size > self._most:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115  # it lives as long as the store
            self._bytes = 0
            for record in self._held:
                self._write(record)
            self._held = []
        if self._file is None:
            self._held.append(list(arrays))
            self._bytes += size
        else:
            self._write(arrays)

    def _write(self, arrays: Sequence[NDArray[Any]]) -> None:
        assert self._file is not None
        self._places.append(_Place(self._bytes, [(a.dtype, len(a)) for a in arrays]))
        with blamed_on(tempfile.gettempdir()):
            self._file.seek(self._bytes)
            for array in arrays:
                self._file.write(np.ascontiguousarray(array).data)
                self._bytes += array.nbytes
            self._file.flush()

    def read(self, number: int) -> list[NDArray[Any]]:
        """The arrays of a record, read-only."""
        if self._file is None:
            return self._held[number]
        place = self._places[number]
        size = sum(kind.itemsize * count for kind, count in place.shapes)
        with self._lock:
            self._file.seek(place.offset)
            data = self._file.read(size)
        if len(data) < size:
            raise OSError("a scratch file is shorter than what was written to it")
        arrays, begin = [], 0
        for kind, count in place.shapes:
            arrays.append(np.frombuffer(data, kind, count, begin))
            begin += kind.itemsize * count
        return arrays

    def close(self) -> None:
        """Give the scratch file back to the system."""
        if self._file is not None:
            self._file.close()

    def __del__(self) -> None:
        self.close()
