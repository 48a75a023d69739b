"""Forms of English words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rosewood.errors import RosewoodError

_DOUBLING = re.compile(r"[^aeiou]?[^aeiou]?[^aeiou][aeiou][bdgmnprt]")
_VOWEL_SOUND = re.compile(r"(?!one|uni|use|euro)[aeiou]|hour|honest", re.IGNORECASE)


def plural_of(word: str) -> str:
    """The regular plural, which is also the regular third person of a verb."""
    if word.endswith(("s", "x", "z", "ch", "sh", "o")) and not word.endswith(("io", "eo", "oo")):
        return word + "es" if word not in ("photo", "piano", "kimono", "radio") else word + "s"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def with_article(word: str) -> str:
    """The indefinite article before a word."""
    return "an" if _VOWEL_SOUND.match(word) else "a"


@dataclass(frozen=True, slots=True, eq=False)
class EnglishVerb:
    """The five forms, the particle of a phrasal verb, and one that never leaves the verb."""

    base: str
    third: str
    past: str
    participle: str
    gerund: str
    particle: tuple[str, ...] = ()
    bound: tuple[str, ...] = ()

    @staticmethod
    def parse(text: str) -> EnglishVerb:
        """`work`, `give/gave/given`, `get/got/got up`, `look +for`."""
        forms, *more = text.split()
        bound = tuple(word[1:] for word in more if word.startswith("+"))
        particle = tuple(word for word in more if not word.startswith("+"))
        base, *irregular = forms.split("/")
        if len(irregular) not in (0, 2):
            reason = f"{forms!r}: expected one form, or three"
            raise RosewoodError(reason, code="line.fields", value=forms)
        past = irregular[0] if irregular else _past(base)
        participle = irregular[1] if irregular else past
        third = "has" if base == "have" else plural_of(base)
        return EnglishVerb(base, third, past, participle, _gerund(base), particle, bound)


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ied"
    doubled = _DOUBLING.fullmatch(base) or base == "travel"
    return base + base[-1] + "ed" if doubled else base + "ed"


def _gerund(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")) and base != "be":
        return base[:-1] + "ing"
    doubled = _DOUBLING.fullmatch(base) or base in ("begin", "forget", "travel")
    return base + base[-1] + "ing" if doubled else base + "ing"
