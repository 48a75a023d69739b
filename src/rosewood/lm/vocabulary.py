"""The words of a language model: as arrays while it is made, and as they lie in its file.

Numbers 0, 1 and 2 are `<unk>`, `<s>` and `</s>` in every model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.errors import DamagedFileError, LanguageModelError
from rosewood.folders import cut_words, joined_words

UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
_NO_WORD = re.compile("[ \t\n]|^$")


class Words(NamedTuple):
    """Words in UTF-8, concatenated, and where each begins, with the end of the last."""

    word_bytes: NDArray[np.uint8]
    word_start: NDArray[np.int64]

    @classmethod
    def of(cls, words: Iterable[str]) -> Words:
        return cls(*joined_words(words))

    def some(self, numbers: NDArray[np.integer[Any]]) -> Words:
        """The words of these numbers, in this order."""
        size = np.diff(self.word_start)[numbers]
        start = np.concatenate([[0], np.cumsum(size)])
        shift = np.repeat(self.word_start[:-1][numbers] - start[:-1], size)
        return Words(self.word_bytes[np.arange(start[-1]) + shift], start.astype(np.int64))

    def with_more(self, words: Sequence[str]) -> Words:
        """These, and then others."""
        word_bytes, start = joined_words(words)
        return Words(
            np.concatenate([self.word_bytes, word_bytes]),
            np.concatenate([self.word_start, self.word_start[-1] + start[1:]]),
        )

    def list(self) -> list[str]:
        return [word.decode() for word in cut_words(self.word_bytes, self.word_start)]


class ModelVocabulary:
    """The words of a model and their numbers, read from its file when they are asked for."""

    def __init__(self, path: Path, words: Words, native: _core.LanguageModel) -> None:
        self._path = path
        self._words = words
        self._native = native

    def id(self, word: str) -> int:
        """The number of a word; 0, which is that of `<unk>`, for those that are not known."""
        try:
            return self._native.find_word(word)
        except TypeError:
            as_bytes(word, "the word")
            raise

    def word(self, number: int) -> str:
        """The word of a number."""
        if not 0 <= number < len(self):
            reason = f"vocabulary: no word {number}, there are {len(self)}"
            raise LanguageModelError(reason, code="argument.range", argument="number", value=number)
        begin, end = map(int, self._words.word_start[number : number + 2])
        if not 0 <= begin <= end <= len(self._words.word_bytes):
            reason = f"word {number} lies outside of the words"
            raise DamagedFileError(reason, code="file.damaged", file=self._path)
        try:
            return self._words.word_bytes[begin:end].tobytes().decode()
        except UnicodeDecodeError as error:
            reason = f"word {number} is not UTF-8"
            raise DamagedFileError(reason, code="file.encoding", file=self._path) from error

    def words(self, numbers: Iterable[int]) -> list[str]:
        """The word of each number."""
        return [self.word(number) for number in numbers]

    def __contains__(self, word: object) -> bool:
        try:
            return isinstance(word, str) and (self.id(word) != 0 or word == UNKNOWN)
        except LanguageModelError:  # no text at all
            return False

    def __len__(self) -> int:
        return len(self._words.word_start) - 1

    def __iter__(self) -> Iterator[str]:
        try:
            return iter(self._words.list())
        except UnicodeDecodeError:  # one by one, it is told which word is damaged
            return map(self.word, range(len(self)))

    def __repr__(self) -> str:
        return f"ModelVocabulary({len(self)} words)"


def as_bytes(text: str, what: str = "the text") -> NDArray[np.uint8]:
    """UTF-8 for native code; half characters, which have none, are refused."""
    try:
        return np.frombuffer(text.encode(), np.uint8)
    except UnicodeEncodeError as error:
        raise LanguageModelError(
            f"{what} has half a character (U+{ord(text[error.start]):04X}) at place "
            f"{error.start + 1}, which cannot be encoded",
            code="file.encoding", argument=what,
        ) from error  # fmt: skip


def words_of(sentence: str | Sequence[str]) -> list[str]:
    """A sentence's words: a text split at spaces and tabs, or words given one by one."""
    if isinstance(sentence, str):
        return [word for word in sentence.replace("\t", " ").split(" ") if word]
    words = list(sentence)
    for place, word in enumerate(words, 1):
        if not isinstance(word, str) or _NO_WORD.search(word):
            reason = f"word {place} of a sentence is {word!r}, which is no word"
            raise LanguageModelError(reason, code="lm.word", value=word)
    return words


def text_of(sentence: str | Sequence[str]) -> str:
    """A sentence as one text, in which spaces and tabs stand between words."""
    return sentence if isinstance(sentence, str) else " ".join(words_of(sentence))
