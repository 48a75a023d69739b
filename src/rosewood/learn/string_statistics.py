"""Statistics of strings that forests say, remembered as long as they fit into memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from threading import Lock

import numpy as np

from rosewood.arrays import FloatArray

_ENTRY = 150  # bytes that a string takes besides its own and its statistics, about


class StringStatistics:
    """The metric's statistics of strings, each counted once while it is remembered.

    When more than `most` bytes are remembered all is forgotten, and what is asked for again is
    counted again: the numbers are the same.
    """

    def __init__(
        self, count: Callable[[int, Sequence[str]], FloatArray], width: int, most: int
    ) -> None:
        """`count(i, texts)` gives the statistics of strings of forest i, `width` numbers each."""
        self._count, self._width, self._most = count, width, most
        self._known: dict[int, dict[str, bytes]] = {}
        self._bytes = 0
        self._lock = Lock()

    def of(self, i: int, texts: Sequence[str]) -> FloatArray:
        """[texts, columns]: the statistics of strings of forest i."""
        with self._lock:
            known = dict(self._known.get(i, {}))
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            found = {
                text: row.tobytes()
                for text, row in zip(new, self._count(i, new), strict=True)
            }  # fmt: skip
            known |= found
            self._remember(i, found)
        rows = np.frombuffer(b"".join([known[text] for text in texts]))
        return rows.reshape(len(texts), self._width)

    def _remember(self, i: int, found: dict[str, bytes]) -> None:
        size = sum(sys.getsizeof(text) + sys.getsizeof(row) + _ENTRY for text, row in found.items())
        with self._lock:
            if self._bytes + size > self._most:
                self._known, self._bytes = {}, 0
            if size <= self._most:
                self._known.setdefault(i, {}).update(found)
                self._bytes += size
