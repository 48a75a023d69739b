"""Languages by their tags: `de`, `pt-BR`, `zh_Hant`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from rosewood.errors import CorpusError


def check_language(what: str, language: object) -> None:
    """Refuses what cannot be the tag of a language."""
    if language is None:
        return
    if not isinstance(language, str) or not _parts(language)[0].isalpha():
        expected = "a language such as 'de' or 'pt-BR'"
        raise CorpusError(
            f"{what} is {language!r}, expected {expected}",
            code="argument.value", argument=what, value=language, expected=expected,
        )  # fmt: skip


@lru_cache(maxsize=1024)
def _parts(language: str) -> tuple[str, ...]:
    return tuple(language.strip().lower().replace("_", "-").split("-"))


@lru_cache(maxsize=1024)  # a memory asks the same of each unit
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


def is_backward(
    own: tuple[str | None, str | None], source: str | None, target: str | None
) -> bool | None:
    """Whether a file of two languages is to be read the other way round; nothing if not at all.

    What a file does not tell, and what nobody asks for, fits.
    """

    def fits(wanted: str | None, found: str | None) -> bool:
        return wanted is None or not found or matches(wanted, found)

    if fits(source, own[0]) and fits(target, own[1]):
        return False
    return True if fits(source, own[1]) and fits(target, own[0]) else None
