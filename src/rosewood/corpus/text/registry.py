"""All tokenisers by name."""

from __future__ import annotations

from typing import Any

from rosewood.corpus.text.chars import CharTokeniser, NoTokeniser
from rosewood.corpus.text.moses import MosesTokeniser
from rosewood.corpus.text.tokeniser import Tokeniser
from rosewood.corpus.text.unicode import UnicodeTokeniser
from rosewood.errors import TextError

__all__ = ["TOKENISERS", "make_tokeniser"]

TOKENISERS: dict[str, type[Tokeniser]] = {
    kind.name: kind for kind in (UnicodeTokeniser, MosesTokeniser, CharTokeniser, NoTokeniser)
}


def make_tokeniser(name: str = "unicode", **settings: Any) -> Tokeniser:
    """A tokeniser by name, with these settings: language="de", joiners=True, …"""
    kind = TOKENISERS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise TextError(f"there is no tokeniser {name!r}; there are {', '.join(TOKENISERS)}")
    return kind.from_settings(settings)
