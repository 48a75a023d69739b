"""Pairs by 64 bits of their text: which were there before, in 8 bytes each.

Two different texts share a fingerprint with probability 2⁻⁶⁴: among ten million pairs, some two do
in one corpus of 400,000.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING

from rosewood.corpus.pairs import SentencePair

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# What makes two pairs the same.  No text has a line feed, so the whole pair has only one reading.
KEYS: dict[str, Callable[[SentencePair], str]] = {
    "pair": lambda pair: f"{pair.source}\n{pair.target}",
    "source": lambda pair: pair.source,
    "target": lambda pair: pair.target,
}


def fingerprint(text: str | bytes, seed: int = 0) -> bytes:
    """Eight bytes that stand for a text, or for its UTF-8; every seed gives others."""
    salt = seed.to_bytes(16, "little", signed=True)
    data = text if isinstance(text, bytes) else text.encode()
    return blake2b(data, digest_size=8, salt=salt).digest()


class SeenFingerprints:
    """A set of fingerprints that only grows.

    They are kept in sorted runs, each at least twice as long as the next, so that there are few to
    look into, and each fingerprint is merged a few times only.
    """

    def __init__(self) -> None:
        self._runs: list[NDArray[np.uint64]] = []

    def __len__(self) -> int:
        return sum(map(len, self._runs))

    def add(self, fingerprints: Iterable[bytes]) -> list[bool]:
        """Which of them are new, to the set and among themselves; all are in it from then on."""
        import numpy as np

        keys = np.frombuffer(b"".join(fingerprints), dtype="<u8").astype(np.uint64)
        values, first = np.unique(keys, return_index=True)
        is_new = np.ones(len(values), dtype=bool)
        for run in self._runs:
            place = np.searchsorted(run, values)
            place[place == len(run)] = 0
            is_new &= run[place] != values
        found = np.zeros(len(keys), dtype=bool)
        found[first[is_new]] = True
        self._append(values[is_new])
        return [bool(each) for each in found]

    def _append(self, run: NDArray[np.uint64]) -> None:
        import numpy as np

        if not len(run):
            return
        self._runs.append(run)
        while len(self._runs) > 1 and len(self._runs[-2]) < 2 * len(self._runs[-1]):
            merged = np.concatenate(self._runs[-2:])
            del self._runs[-2:]
            merged.sort(kind="stable")  # two sorted runs: merged, not sorted anew
            self._runs.append(merged)
