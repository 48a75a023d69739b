"""Characters as words; a space is ␣."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from rosewood.corpus.text.scripts import marks
from rosewood.corpus.text.tokeniser import ESCAPE, Cut, Tokeniser, escaped, unescaped

SPACE = "␣"
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True)
class CharTokeniser(Tokeniser):
    """Every character is a word, with the marks that combine with it, and a space is ␣.

    For spelling: historical forms to modern ones, one transcription to another.
    """

    name: ClassVar[str] = "char"
    MARKS: ClassVar[re.Pattern[str]] = re.compile(rf"[{ESCAPE}{SPACE}\s]")

    _mark: re.Pattern[str] = field(init=False, repr=False, compare=False)
    _character: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "_mark", re.compile(f"[{marks()}]"))
        object.__setattr__(self, "_character", re.compile(f" |.[{marks()}]*", re.DOTALL))

    @property
    def is_exact(self) -> bool:
        return True

    def cut(self, text: str) -> Cut:
        spaced = _SPACES.sub(" ", text)
        has_marks = not spaced.isascii() and self._mark.search(spaced)
        tokens = self._character.findall(spaced) if has_marks else list(spaced)
        return Cut(tokens, [False] * (len(tokens) + 1))

    def mark(self, cut: Cut) -> list[str]:
        text = "".join(cut.tokens)
        if ESCAPE not in text and SPACE not in text and len(text) == len(cut.tokens):
            return [SPACE if token == " " else token for token in cut.tokens]
        return [SPACE if token == " " else escaped(token, self.MARKS) for token in cut.tokens]

    def spaces(self, tokens: Sequence[str]) -> list[bool]:
        return [False] * len(tokens)

    def unmark(self, words: Sequence[str]) -> Cut:
        tokens = [unescaped(word.replace(SPACE, " ")) for word in words]
        return Cut(tokens, [False] * (len(tokens) + 1))


PLUGIN = CharTokeniser
