"""Which sentences there were, in a few bytes each."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from hashlib import blake2b


class SeenTexts:
    """A set of texts that keeps eight bytes of each: open addressing in one flat array.

    Two texts are mistaken for each other once in 2⁶⁴ / n times: a new sentence would be thought an
    old one and be passed over, which nobody notices.
    """

    def __init__(self) -> None:
        self._table = array("Q", bytes(8 * 1024))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, text: str) -> bool:
        return self._table[self._slot(_mark(text))] != 0

    def add(self, text: str) -> bool:
        """Whether the text is new; from now on it is not."""
        mark = _mark(text)
        slot = self._slot(mark)
        if self._table[slot]:
            return False
        self._table[slot] = mark
        self._count += 1
        if 2 * self._count > len(self._table):
            self._grow()
        return True

    def _slot(self, mark: int) -> int:
        table, last = self._table, len(self._table) - 1
        slot = mark & last
        while table[slot] not in (0, mark):
            slot = (slot + 1) & last
        return slot

    def _grow(self) -> None:
        marks = self._marks()
        self._table = array("Q", bytes(16 * len(self._table)))
        for mark in marks:
            self._table[self._slot(mark)] = mark

    def _marks(self) -> Iterator[int]:
        return filter(None, self._table)


def _mark(text: str) -> int:
    """Eight bytes that stand for the text; 0 is the empty slot."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little") or 1
