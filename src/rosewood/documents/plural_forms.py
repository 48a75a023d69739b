"""Plural forms of gettext: how many a language has, and which of them is the singular."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from rosewood.corpus.text.tags import Protection

_HEADER = re.compile(r"\s*nplurals\s*=\s*(\d{1,2})\s*;\s*plural\s*=\s*([^;]*);?\s*\Z")
_TWO, _FRENCH = "nplurals=2; plural=(n != 1);", "nplurals=2; plural=(n > 1);"
_ONE = "nplurals=1; plural=0;"
_EAST = (
    "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && "
    "(n%100<12 || n%100>14) ? 1 : 2);"
)
_POLISH = "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);"
_CZECH = "nplurals=3; plural=(n==1 ? 0 : n>=2 && n<=4 ? 1 : 2);"
_LIKE_ENGLISH = "en de nl sv da nb nn no it es pt ca el fi hu bg et tr he eu gl"
_OF_LANGUAGE = {
    **dict.fromkeys(_LIKE_ENGLISH.split(), _TWO),
    **dict.fromkeys(("fr", "pt-br"), _FRENCH),
    **dict.fromkeys(["ja", "zh", "ko", "vi", "th", "id", "ms", "lo", "my"], _ONE),
    **dict.fromkeys(("ru", "uk", "be", "sr", "hr", "bs"), _EAST),
    "pl": _POLISH,
    **dict.fromkeys(("cs", "sk"), _CZECH),
}
_COUNTS = 200  # numbers that are tried
_PROTECTION = Protection()


def forms_of_language(language: str | None) -> str:
    """What a header says of a language; empty where it is not known here."""
    code = (language or "").lower().replace("_", "-")
    return _OF_LANGUAGE.get(code) or _OF_LANGUAGE.get(code.partition("-")[0], "")


@dataclass(frozen=True)
class PluralForms:
    """The field Plural-Forms of a header; `count` is 0 where there is none."""

    count: int = 0
    singular: int = 0  # the form of the number 1
    is_one: bool = True  # and of no other number
    is_known: bool = False  # from the header

    @classmethod
    def parse(cls, text: str, is_known: bool = True) -> PluralForms:
        """The forms that a header declares; those of an untouched template are none."""
        found = _HEADER.match(text)
        if found is None or not 1 <= int(found[1]) <= 20:
            return cls()
        form = _rule(found[2])
        try:
            which = [form(number) for number in range(_COUNTS)]
        except (ArithmeticError, ValueError, TypeError, RecursionError):
            return cls(int(found[1]), is_known=is_known)
        one = which[1]
        return cls(int(found[1]), one, which.count(one) == 1, is_known)

    def is_singular(self, form: int, single: str, plural: str) -> bool:
        """Whether a form is the translation of the singular.

        A form of 1, 21 and 31 is not, if the singular does not say the number.
        """
        if self.count == 1 or form != self.singular:
            return False
        return self.is_one or self.count == 2 or _values(single) == _values(plural)


def _rule(expression: str) -> Callable[[int], int]:
    from gettext import c2py  # which reads nothing but such expressions

    try:
        rule: Callable[[int], int] = c2py(expression)
    except (ValueError, RecursionError, OverflowError):
        return lambda number: 0 if number == 1 else 1
    return rule


def _values(text: str) -> Counter[str]:
    found = _PROTECTION.find(text)
    return Counter(text[each.start : each.end] for each in found if each.kind == "value")
