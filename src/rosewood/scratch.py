"""Arrays as long as a corpus: in memory while they are small, on disk and mapped when they are not.

What is on disk has no name: it is gone with the array, or with the process, however that ends.
"""

from __future__ import annotations

import mmap
import tempfile
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = ["Growing", "filled"]

_SMALL = 1 << 26  # bytes that are worth no file


def filled(size: int, value: int, dtype: DTypeLike) -> NDArray[Any]:
    """An array of one value, to be written to."""
    kind = np.dtype(dtype)
    if size * kind.itemsize <= _SMALL:
        return np.full(size, value, kind)
    with tempfile.TemporaryFile() as stream:
        stream.truncate(size * kind.itemsize)
        data = mmap.mmap(stream.fileno(), size * kind.itemsize)
    made = np.frombuffer(data, kind)
    if value != 0:  # a new file reads as zeros
        made[:] = value
    return made


class Growing:
    """Numbers that are appended, and then read as one array."""

    def __init__(self, dtype: DTypeLike) -> None:
        self._kind = np.dtype(dtype)
        self._parts: list[NDArray[Any]] = []
        self._held = 0
        self._file: Any = None

    def append(self, part: NDArray[Any]) -> None:
        """More numbers at the end."""
        self._parts.append(np.ascontiguousarray(part, self._kind))
        self._held += self._parts[-1].nbytes
        if self._held > _SMALL:
            self._write()

    def _write(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115  # it lives as long as the array
        for part in self._parts:
            self._file.write(part.data)
        self._parts, self._held = [], 0

    def array(self) -> NDArray[Any]:
        """All of them, read-only."""
        if self._file is None:
            whole = np.concatenate([np.zeros(0, self._kind), *self._parts])
            whole.flags.writeable = False
            return whole.view()
        self._write()
        self._file.flush()
        with self._file as stream:
            return np.frombuffer(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ), self._kind)
