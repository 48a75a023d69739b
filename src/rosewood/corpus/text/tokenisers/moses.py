"""The tokeniser of Moses, through the package sacremoses (the extra `text`).

Only *where* it cuts and where it puts spaces is taken from there: characters stay those of the
text.  Moses drops control characters and changes words that look like its own marks; a piece of
text that would come out changed is left whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

from rosewood.corpus.text.tokeniser import Cut, Joining
from rosewood.errors import TextError


@dataclass(frozen=True)
class MosesTokeniser(Joining):
    """Cuts as Moses does; the words are not escaped as XML."""

    name: ClassVar[str] = "moses"

    _forward: Any = field(init=False, repr=False, compare=False)
    _back: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            from sacremoses import MosesDetokenizer, MosesTokenizer
        except ImportError as error:
            raise TextError(
                "the tokeniser moses needs the package sacremoses: pip install 'rosewood[text]'",
                code="package.missing", value="sacremoses",
            ) from error  # fmt: skip
        language = self.language.lower().partition("-")[0] or "en"
        object.__setattr__(self, "_forward", _made(MosesTokenizer, language))
        object.__setattr__(self, "_back", _made(MosesDetokenizer, language))

    def cut(self, text: str) -> Cut:
        pieces = text.split()
        if not pieces:
            return Cut([], [bool(text)])
        tokens: list[str] = self._forward.tokenize(" ".join(pieces), escape=False)
        spaced = _found_in(tokens, pieces)
        if spaced is None:
            tokens, spaced = [], []
            for piece in pieces:
                cut = self._forward.tokenize(piece, escape=False)
                cut = cut if "".join(cut) == piece else [piece]
                tokens += cut
                spaced += [True, *[False] * (len(cut) - 1)]
        spaced[0] = text[0].isspace()
        return Cut(tokens, [*spaced, text[-1].isspace()])

    def spaces(self, tokens: Sequence[str]) -> list[bool]:
        pieces = self._back.detokenize(list(tokens), unescape=False).split()
        spaced = _found_in(tokens, pieces)
        if spaced is None:  # it would have changed the words
            spaced = [True] * len(tokens)
        spaced[:1] = [False] * len(spaced[:1])
        return spaced


@cache
def _made(kind: Any, language: str) -> Any:
    """One for each language: they keep nothing of what they read, and take long to make."""
    return kind(lang=language)


def _found_in(tokens: Sequence[str], pieces: Sequence[str]) -> list[bool] | None:
    """Whether each token begins a piece; None where tokens are not just the pieces, cut."""
    if "".join(tokens) != "".join(pieces):
        return None
    begins, place = set(), 0
    for piece in pieces:
        begins.add(place)
        place += len(piece)
    spaced, place = [], 0
    for token in tokens:
        spaced.append(place in begins)
        place += len(token)
    return spaced


PLUGIN = MosesTokeniser
