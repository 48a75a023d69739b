"""What a copy of a decoder is asked in another process, which imports it from here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rosewood.decode import PhraseDecoder
from tests.phrase_checks import told


class Lengths:
    """A feature of one's own: target words, squared."""

    names = ("squared",)

    def __call__(self, options: Any) -> Any:
        return (options.target_start[1:] - options.target_start[:-1]) ** 2


def shouted(word: str) -> list[str] | None:
    """Translations of a word that no rule knows."""
    return None if word.isupper() else [word.upper(), f"{word} {word}"]


def translations(decoder: PhraseDecoder, texts: Sequence[str]) -> list[Any]:
    """All that is told of their translations."""
    return [told(each) for each in decoder.translate(texts)]
