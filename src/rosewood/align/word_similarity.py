"""What words tell before they are counted: their stems, and how they are spelled."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.align.lexicon import Lexicon


def spelling(word: str) -> str:
    """A word as it is compared with those of another language: no case, no accents.

    >>> spelling("Éléphant")
    'elephant'
    """
    if word.isascii():  # most words of most corpora, and all of this takes time
        return word.lower()
    folded = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in folded if not unicodedata.combining(c)) or word


@dataclass(frozen=True, eq=False)
class Stems:
    """Words of one language by what their forms have in common: their first characters.

    A crude stem, which needs no knowledge of the language; endings are what most languages bend.
    """

    stem: NDArray[np.int32]  # of each word
    share: NDArray[np.float64]  # of each word among the occurrences of its stem
    size: int  # how many stems there are

    @classmethod
    def of(cls, words: Sequence[str], frequency: NDArray[np.int64], length: int) -> Stems:
        """Stems of `length` characters; 0 makes each word its own."""
        numbers: dict[str, int] = {}
        found = (numbers.setdefault(_stem(word, length), len(numbers)) for word in words)
        stem = np.fromiter(found, np.int32, len(words))
        seen = np.maximum(frequency, 1).astype(np.float64)
        whole = np.bincount(stem, weights=seen, minlength=len(numbers))
        return cls(stem, seen / whole[stem], len(numbers))


def _stem(word: str, length: int) -> str:
    if length == 0:
        return word
    folded = word.lower() if word.isascii() else unicodedata.normalize("NFC", word.casefold())
    return folded[:length]


@dataclass(frozen=True, eq=False)
class Likeness:
    """How alike the words of each pair are spelled, from 0 to 1, and the sums for each word."""

    like: NDArray[np.float32]
    source_total: NDArray[np.float64]
    target_total: NDArray[np.float64]


def likeness_of(
    lexicon: Lexicon, source: Iterable[str], target: Iterable[str], *, threads: int = 1
) -> Likeness:
    """Compares the words of every pair of the lexicon."""
    made = Likeness(
        np.empty(len(lexicon), np.float32),
        np.empty(lexicon.source_words),
        np.empty(lexicon.target_words),
    )
    _core.spell(
        lexicon.view,
        *_points(source),
        *_points(target),
        made.like,
        made.source_total,
        made.target_total,
        threads,
    )
    return made


def _points(words: Iterable[str]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The characters of all words one after the other, and where each word begins."""
    texts = [spelling(word) for word in words]
    start = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    data = "".join(texts).encode("utf-32-le", "surrogatepass")
    return np.frombuffer(data, np.int32), start
