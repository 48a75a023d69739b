"""Languages by their tags: `de`, `pt-BR`, `zh_Hant`."""

from __future__ import annotations

from collections.abc import Iterable

from rosewood.errors import CorpusError

__all__ = ["check_language", "closest", "matches"]


def check_language(what: str, language: object) -> None:
    """Refuses what cannot be the tag of a language."""
    if language is None:
        return
    if not isinstance(language, str) or not _parts(language)[0].isalpha():
        raise CorpusError(f"{what} is {language!r}, want a language such as 'de' or 'pt-BR'")


def _parts(language: str) -> list[str]:
    return language.strip().lower().replace("_", "-").split("-")


def matches(wanted: str, found: str) -> bool:
    """Whether one of them is the other, or the other without its region: en and en-US."""
    left, right = _parts(wanted), _parts(found)
    shorter = min(len(left), len(right))
    return left[:shorter] == right[:shorter]


def closest(wanted: str, found: Iterable[str]) -> str | None:
    """The very language, or else the first that matches it."""
    there = [each for each in found if matches(wanted, each)]
    exact = (each for each in there if _parts(each) == _parts(wanted))
    return next(exact, there[0] if there else None)
