"""Words as they stand between white space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rosewood.corpus.text.tokeniser import Cut, Tokeniser


@dataclass(frozen=True)
class NoTokeniser(Tokeniser):
    """Splits at white space only, for text that is tokenised already."""

    name: ClassVar[str] = "none"

    def cut(self, text: str) -> Cut:
        tokens = text.split()
        if not tokens:
            return Cut([], [bool(text)])
        inside = [True] * (len(tokens) - 1)
        return Cut(tokens, [text[0].isspace(), *inside, text[-1].isspace()])

    def spaces(self, tokens: Sequence[str]) -> list[bool]:
        return [place > 0 for place in range(len(tokens))]


PLUGIN = NoTokeniser
