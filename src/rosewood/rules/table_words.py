"""The words of a rule table, and sentences on their way to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.arguments import check_list, check_text
from rosewood.errors import DamagedFileError, RuleError

_SPACES = frozenset(" \t\n")


class TableWords:
    """The words of one side and their numbers, read from the files when they are asked for."""

    def __init__(self, folder: Path, native: _core.RuleTable, *, is_target: bool) -> None:
        self._folder = folder
        self._native = native
        self._is_target = is_target

    def id(self, word: str) -> int | None:
        """The number of a word; None for those the table does not have."""
        number = self._native.find_word(self._is_target, encoded(word))
        return None if number < 0 else number

    def word(self, number: int) -> str:
        """The word of a number."""
        if not 0 <= number < len(self):
            raise IndexError(f"there is no word {number}, there are {len(self)}")
        try:
            return self._native.word(self._is_target, number).decode()
        except UnicodeDecodeError as error:
            side = "target" if self._is_target else "source"
            file = self._folder / f"{side}.words"
            reason = f"word {number} is not UTF-8"
            raise DamagedFileError(reason, file=file, code="file.encoding", value=number) from error

    def __contains__(self, word: object) -> bool:
        try:
            return isinstance(word, str) and self.id(word) is not None
        except RuleError:  # no text at all
            return False

    def __len__(self) -> int:
        return self._native.num_words(self._is_target)

    def __iter__(self) -> Iterator[str]:
        return map(self.word, range(len(self)))

    def __repr__(self) -> str:
        return f"TableWords({len(self)} words)"


def sentence_text(sentence: str | Sequence[str]) -> str:
    """A sentence in one line: a text without line feeds, or checked words joined by spaces."""
    if isinstance(sentence, str):
        line = sentence.removesuffix("\n")
        if "\n" in line:
            raise RuleError("a sentence has a line feed within it", code="source.line-feed")
        return line
    words = list(check_list("the words of a sentence", sentence, error=RuleError))
    for place, word in enumerate(words, 1):
        if not isinstance(word, str) or not word or not _SPACES.isdisjoint(word):
            reason = f"word {place} of a sentence is {word!r}, which is not a word"
            raise RuleError(reason, code="source.word", argument="words", value=word)
    return " ".join(words)


def sentence_bytes(sentence: str | Sequence[str]) -> NDArray[np.uint8]:
    """A sentence as native code takes it."""
    return encoded(sentence_text(sentence))


def encoded(text: str) -> NDArray[np.uint8]:
    """A text as bytes of UTF-8."""
    check_text("sentence", text, error=RuleError)
    try:
        return np.frombuffer(text.encode(), np.uint8)
    except UnicodeEncodeError as error:
        place = error.start + 1
        reason = f"character {place} is half of a surrogate pair"
        raise RuleError(reason, code="source.encoding", value=place) from error
