"""Inline markup of a unit as tags that a translation carries along, and back.

    bold = Token("open", "<b>", "b"), Token("text", "Haus"), Token("close", "</b>", "b")
    codes = InlineCodes(bold)
    codes.tagged                                        # <bpt i="1"/>Haus<ept i="1"/>
    codes.restored('<bpt i="1"/>house<ept i="1"/>')     # <b>house</b>

Whatever the markup of a format is, a unit has three kinds of tags: `bpt` and `ept` belong together
and go around the translation of their words; `ph` stands for a word.  The markup itself comes back
as it was, to the byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from rosewood.corpus.text.tags import paired

_CODE = re.compile(r'<(?P<kind>bpt|ept|ph) i="(?P<number>\d{1,9})"/>')
_KINDS = {"open": "bpt", "close": "ept", "value": "ph"}
Escape = Callable[[str], str]
Code = tuple[str, int]  # kind and number


class Token(NamedTuple):
    """A part of a marked-up text: text as it is read, or markup as it is written.

    `key` pairs tags that open with those that close; "value" stands for a word.
    """

    kind: Literal["text", "open", "close", "value"]
    raw: str
    key: str = ""


class InlineCodes:
    """The codes of one unit, and its text with tags for them."""

    def __init__(self, tokens: Iterable[Token], escape: Escape = str) -> None:
        """`escape` makes markup of text."""
        self._escape = escape
        self._raw: dict[Code, str] = {}
        self._pairs: set[int] = set()
        self.codes: list[Code] = []  # of the tokens that are no text, in their order
        self.tokens = tuple(tokens)
        halves = iter(
            paired(
                [
                    (each.kind, each.key)
                    for each in self.tokens
                    if each.kind == "open" or each.kind == "close"
                ]
            )
        )
        numbers: dict[int, int] = {}  # of tags that opened, by their place among tags
        parts: list[str] = []
        place = 0
        for each in self.tokens:
            if each.kind == "text":
                end = 0
                for found in _CODE.finditer(each.raw):  # text that looks like a tag of ours
                    parts.append(each.raw[end : found.start()])
                    parts.append(self._added("ph", len(self._raw) + 1, escape(found[0])))
                    end = found.end()
                parts.append(each.raw[end:])
                continue
            number = len(self._raw) + 1
            if each.kind != "value":
                half = next(halves)
                if half is not None and half > place:
                    numbers[half] = number
                    self._pairs.add(number)
                number = numbers.get(place, number)
                place += 1
            parts.append(self._added(_KINDS[each.kind], number, each.raw))
            self.codes.append((_KINDS[each.kind], number))
        self.tagged = "".join(parts)
        self._alone = list(self._around_alone(self.codes))

    def _added(self, kind: str, number: int, raw: str) -> str:
        self._raw[kind, number] = raw
        return f'<{kind} i="{number}"/>'

    def _around_alone(self, codes: Iterable[Code]) -> Iterator[tuple[Code, frozenset[int]]]:
        """The tags whose other half is not in this unit, each with the pairs that it is in."""
        around: set[int] = set()
        for kind, number in codes:
            if kind == "ph":
                continue
            if number not in self._pairs:
                yield (kind, number), frozenset(around)
            elif kind == "bpt":
                around.add(number)
            else:
                around.discard(number)

    def fault(self, text: str) -> str | None:
        """Why a text has not the codes of this unit, or not in a possible order."""
        if not self._raw and "<" not in text:
            return None
        found = [(each["kind"], int(each["number"])) for each in _CODE.finditer(text)]
        if sorted(found) != sorted(self._raw):
            return "inline markup was lost or doubled"
        around: list[int] = []
        for kind, number in found:
            if number not in self._pairs:
                continue
            if kind == "bpt":
                around.append(number)
            elif not around or around.pop() != number:
                return "inline markup came out in a wrong order"
        if list(self._around_alone(found)) != self._alone:
            return "a tag whose other half is elsewhere came out in a wrong place"
        return None

    def restored(self, text: str, raws: Mapping[Code, str] | None = None) -> str:
        """The markup of a text that has these codes, each once; `raws` is other markup for some."""
        parts, end = [], 0
        for each in _CODE.finditer(text):
            code = each["kind"], int(each["number"])
            parts.append(self._escape(text[end : each.start()]))
            parts.append((raws or self._raw).get(code) or self._raw.get(code, each[0]))
            end = each.end()
        return "".join([*parts, self._escape(text[end:])])


def without_codes(text: str) -> str:
    """The text alone."""
    return _CODE.sub("", text) if "<" in text else text
