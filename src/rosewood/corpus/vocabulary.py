"""Words and their numbers: a table with an owner, never global."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from threading import Lock

from rosewood.errors import CorpusError


class Vocabulary:
    """Distinct strings numbered from zero in order of arrival.  It only grows."""

    __slots__ = ("_ids", "_lock", "_words")

    def __init__(self, words: Iterable[str] = ()) -> None:
        self._words: list[str] = list(words)
        self._ids: dict[str, int] = {word: number for number, word in enumerate(self._words)}
        self._lock = Lock()
        if len(self._ids) < len(self._words):
            twice = next(w for number, w in enumerate(self._words) if self._ids[w] != number)
            reason = f"vocabulary: {twice!r} occurs twice"
            raise CorpusError(reason, code="argument.duplicate", argument="words", value=twice)

    def add(self, word: str) -> int:
        """The number of `word`, which is given the next one if it is new."""
        number = self._ids.get(word)
        if number is None:
            with self._lock:  # forests of several threads may share one vocabulary
                number = self._ids.get(word)
                if number is None:
                    number = len(self._words)
                    self._words.append(word)
                    self._ids[word] = number
        return number

    def add_all(self, words: Iterable[str]) -> list[int]:
        """The number of each word, new ones added."""
        known = list(words)
        try:
            return list(map(self._ids.__getitem__, known))  # after a while, nearly all are
        except KeyError:
            return [self.add(word) for word in known]

    def words(self, numbers: Iterable[int]) -> list[str]:
        """The word of each number."""
        wanted = list(numbers)
        if wanted and not (min(wanted) >= 0 and max(wanted) < len(self._words)):
            raise self._no_word(min(wanted) if min(wanted) < 0 else max(wanted))
        return list(map(self._words.__getitem__, wanted))

    def get(self, word: str, default: int | None = None) -> int | None:
        """The number of `word`, or `default` where it is unknown."""
        return self._ids.get(word, default)

    def __getitem__(self, number: int) -> str:
        if not 0 <= number < len(self._words):
            raise self._no_word(number)
        return self._words[number]

    def _no_word(self, number: int) -> CorpusError:
        reason = f"vocabulary: no word {number}, there are {len(self._words)}"
        return CorpusError(reason, code="argument.range", argument="number", value=number)

    def __contains__(self, word: object) -> bool:
        return word in self._ids

    def __len__(self) -> int:
        return len(self._words)

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self._words == other._words

    __hash__ = None  # type: ignore[assignment]  # it grows

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} words)"

    def __reduce__(self) -> tuple[object, ...]:
        return (Vocabulary, (tuple(self._words),))
