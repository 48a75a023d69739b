"""Arrays as long as a corpus: in memory while they are small, on disk and mapped when they are not.

What is on disk has no name: it is gone with the array, or with the process, however that ends.
"""

from __future__ import annotations

import mmap
import tempfile
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rosewood.output import blamed_on

SMALL = 1 << 26  # bytes that are worth no file


def filled(size: int, value: int, dtype: DTypeLike) -> NDArray[Any]:
    """An array of one value, to be written to."""
    kind = np.dtype(dtype)
    if size * kind.itemsize <= SMALL:
        return np.full(size, value, kind)
    # Written, not only made long: on a full disk, writing to what is mapped kills the process.
    block = np.full(SMALL // kind.itemsize, value, kind)
    with tempfile.TemporaryFile() as stream, blamed_on(tempfile.gettempdir()):
        for begin in range(0, size, len(block)):
            stream.write(block[: size - begin].data)
        stream.flush()
        return np.frombuffer(mmap.mmap(stream.fileno(), 0), kind)


class Growing:
    """Numbers that are appended, and then read as one array."""

    def __init__(self, dtype: DTypeLike, most: int | None = None) -> None:
        """`most` is how many bytes stay in memory; None is 64 MB."""
        self._most = SMALL if most is None else most
        self._kind = np.dtype(dtype)
        self._parts: list[NDArray[Any]] = []
        self._held = 0
        self._file: Any = None

    def append(self, part: NDArray[Any]) -> None:
        """More numbers at the end."""
        self._parts.append(np.ascontiguousarray(part, self._kind).reshape(-1))
        self._held += self._parts[-1].nbytes
        if self._held > self._most:
            self._write()

    def _write(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115  # it lives as long as the array
        with blamed_on(tempfile.gettempdir()):
            for part in self._parts:
                self._file.write(part.data)
            self._file.flush()
        self._parts, self._held = [], 0

    def array(self) -> NDArray[Any]:
        """All of them, read-only."""
        if self._file is None:
            whole = np.concatenate([np.zeros(0, self._kind), *self._parts])
            whole.flags.writeable = False
            return whole.view()
        self._write()
        with self._file as stream:
            return np.frombuffer(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ), self._kind)
