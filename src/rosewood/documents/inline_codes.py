"""Inline markup of a unit as tags that a translation carries along, and back.

    codes = InlineCodes()
    number = codes.opened("<b>"); codes.text("Haus"); codes.closed(number, "</b>")
    codes.tagged                           # <bpt i="1"/>Haus<ept i="1"/>
    codes.restored('<bpt i="1"/>house<ept i="1"/>')               # <b>house</b>

Whatever the markup of a format is, a unit has three kinds of tags: `bpt` and `ept` belong together
and go around the translation of their words; `ph` stands for a word.  The markup itself comes back
as it was, to the byte.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

_CODE = re.compile(r'<(?P<kind>bpt|ept|ph) i="(?P<number>\d{1,9})"/>')
Escape = Callable[[str], str]


class InlineCodes:
    """The codes of one unit, and its text with tags for them."""

    def __init__(self, escape: Escape = str) -> None:
        """`escape` makes markup of text."""
        self._escape = escape
        self._parts: list[str] = []
        self._raw: dict[tuple[str, int], str] = {}
        self._elements: set[int] = set()  # pairs that must be nested in each other
        self._count = 0

    @property
    def tagged(self) -> str:
        """The text with tags."""
        return "".join(self._parts)

    def text(self, text: str) -> None:
        """Text between codes; what looks like one of our tags becomes a code itself."""
        end = 0
        for each in _CODE.finditer(text):
            self._parts.append(text[end : each.start()])
            self.alone(self._escape(each[0]))
            end = each.end()
        self._parts.append(text[end:])

    def alone(self, raw: str) -> None:
        """Markup that stands for a word."""
        self._count += 1
        self._add("ph", self._count, raw)

    def opened(self, raw: str, *, is_element: bool = True) -> int:
        """The first half of a pair; returns its number.  Elements are nested in each other."""
        self._count += 1
        self._add("bpt", self._count, raw)
        if is_element:
            self._elements.add(self._count)
        return self._count

    def closed(self, number: int, raw: str) -> None:
        """The second half of a pair."""
        self._add("ept", number, raw)

    def _add(self, kind: str, number: int, raw: str) -> None:
        self._raw[kind, number] = raw
        self._parts.append(f'<{kind} i="{number}"/>')

    def fault(self, text: str) -> str | None:
        """Why a text has not the codes of this unit, or not in a possible order."""
        found = [(each["kind"], int(each["number"])) for each in _CODE.finditer(text)]
        if Counter(found) != Counter(self._raw):
            return "inline markup was lost or doubled"
        around: list[int] = []
        seen: set[int] = set()
        for kind, number in found:
            if kind == "bpt":
                seen.add(number)
                around += [number] if number in self._elements else []
            elif kind == "ept":
                is_last = number not in self._elements or (around and around.pop() == number)
                if number not in seen or not is_last:
                    return "inline markup came out in a wrong order"
        return None

    def restored(self, text: str, raw_of: Callable[[str, int, str], str] | None = None) -> str:
        """The markup of a text that has these codes, each once."""
        parts, end = [], 0
        for each in _CODE.finditer(text):
            kind, number = each["kind"], int(each["number"])
            raw = self._raw.get((kind, number), each[0])
            parts.append(self._escape(text[end : each.start()]))
            parts.append(raw if raw_of is None else raw_of(kind, number, raw))
            end = each.end()
        return "".join([*parts, self._escape(text[end:])])


def without_codes(text: str) -> str:
    """The text alone."""
    return _CODE.sub("", text)
