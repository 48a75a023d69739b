"""The words of a rule table, and sentences on their way to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.errors import DamagedFileError, RuleError
from rosewood.rules.rule import several

__all__ = ["TableWords", "sentence_bytes"]

_SPACES = " \t\n"


class TableWords:
    """The words of one side and their numbers, read from the files when they are asked for."""

    def __init__(self, folder: Path, native: _core.RuleTable, *, is_target: bool) -> None:
        self._folder = folder
        self._native = native
        self._is_target = is_target

    def id(self, word: str) -> int | None:
        """The number of a word; None for those the table does not have."""
        number = self._native.find_word(self._is_target, _encoded(word))
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
            raise DamagedFileError(
                f"word {number} is not UTF-8", file=file, code="file.encoding", value=number
            ) from error

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


def sentence_bytes(sentence: str | Sequence[str]) -> NDArray[np.uint8]:
    """A sentence as native code takes it: a text without line feeds, or words one by one."""
    if isinstance(sentence, str):
        if "\n" in sentence.removesuffix("\n"):
            raise RuleError("a sentence has a line feed within it", code="source.line-feed")
        return _encoded(sentence.removesuffix("\n"))
    words = list(several("the words of a sentence", sentence))
    for place, word in enumerate(words, 1):
        if not isinstance(word, str) or not word or any(space in word for space in _SPACES):
            raise RuleError(
                f"word {place} of a sentence is {word!r}, which is not a word",
                code="source.word",
                argument="words",
                value=word,
            )
    return _encoded(" ".join(words))


def _encoded(text: str) -> NDArray[np.uint8]:
    if not isinstance(text, str):
        raise RuleError(
            f"{text!r} is not a text", code="argument.type", argument="sentence", value=text
        )
    try:
        return np.frombuffer(text.encode(), np.uint8)
    except UnicodeEncodeError as error:
        raise RuleError(
            f"character {error.start + 1} is half of a surrogate pair",
            code="source.encoding",
            value=error.start + 1,
        ) from error
