"""Numbers, amounts, percentages, dates and times of a text as another language writes them.

    localiser = NumberLocaliser.between("de", "en")
    localiser.text("Er kostet 119,20 Euro.")             # Er kostet 119.20 euros.
    localiser.spans(tokens, spaced)          # [LocalSpan(2, 4, "119.20 euros", "money")]

Only notation changes, never a value, a unit or a currency.  What could be read in two ways stays
as it is: version numbers, IP addresses, telephone numbers, ISO dates, times of a clock of twelve
hours, numeric dates of a language with two orders.  The tables are in `number_formats.py` and
`date_formats.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import NamedTuple

from rosewood.corpus.text.date_formats import date_format
from rosewood.corpus.text.date_patterns import date_finders
from rosewood.corpus.text.number_formats import number_format, with_ascii_digits
from rosewood.corpus.text.number_patterns import Finder, Kind, number_finders

BARRIER = "\ufffc"  # stands for a tag, a value, or words whose translation is known
_NO_BREAK = re.compile("[\u00a0\u202f]")
_NO_BREAK_DIGITS = re.compile(r"\d[\u00a0\u202f]\d")
_GROUPED = re.compile(r"\d{1,3}(?: \d{3})+(?!\d)")
_WIDE_GROUPS = re.compile("(?<![\\d.,，])[０-９]{1,3}(?:，[０-９]{3})+(?![\\d，])")
_NUMBER_BEFORE = re.compile(r"[\d+)] ?$|\+ ?\d+ $")
_NUMBER_BEHIND = re.compile(r" ?\d")


class LocalSpan(NamedTuple):
    """Tokens begin .. end-1, and what they become in the other language."""

    begin: int
    end: int
    target: str  # spaces between digits are no-break spaces, others are not
    kind: Kind


class _Found(NamedTuple):
    """Characters begin .. end-1; a target that is the text itself changes nothing."""

    begin: int
    end: int
    target: str
    kind: Kind


class NumberLocaliser:
    """From the notation of one language to that of another."""

    def __init__(self, source: str, target: str) -> None:
        """Languages of which `number_format` knows something: see `between`."""
        one, other = number_format(source), number_format(target)
        if one is None or other is None:
            raise ValueError(f"no number format is known for {source!r} or {target!r}")
        self._formats = one, other
        self._dates = date_format(source), date_format(target)
        self._groups_by_spaces = one.groups_by_spaces

    @classmethod
    def between(cls, source: str, target: str) -> NumberLocaliser | None:
        """None if either language is unknown, or both are the same."""
        known = number_format(source) is not None and number_format(target) is not None
        return cls(source, target) if known and source.lower() != target.lower() else None

    @cached_property
    def _finders(self) -> list[Finder]:
        """Made when the first number comes: patterns take a while to compile."""
        return [*date_finders(*self._dates), *number_finders(*self._formats)]

    def text(self, text: str) -> str:
        """A text with everything localised that can be."""
        parts, place = [], 0
        plain = self._plain(text)
        for begin, end, target, _ in self._found(plain, text):
            parts += [text[place:begin], target]
            place = end
        return "".join([*parts, text[place:]])

    def spans(
        self,
        tokens: Sequence[str],
        spaced: Sequence[bool],
        *,
        barriers: Collection[int] = (),
        breaks: Collection[int] = (),
        text: str = "",
    ) -> list[LocalSpan]:
        """What changes in a text that is cut into tokens, and whole numbers, from left to right.

        `spaced` tells which tokens have white space before them, `barriers` which tokens nothing
        may touch, `breaks` before which tokens a tag is.  In `text`, which the tokens are from,
        no-break spaces are looked for: they group digits where spaces may or may not.
        """
        parts: list[str] = []
        starts: dict[int, int] = {}
        ends: dict[int, int] = {}
        length = 0
        for place, token in enumerate(tokens):
            before = BARRIER if place in breaks else ""
            if spaced[place]:
                before += " "
            said = BARRIER if place in barriers else token
            parts += [before, said]
            starts[length + len(before)] = place
            length += len(before) + len(said)
            ends[length] = place + 1
        written = "".join(parts)
        line = self._plain(written)

        def fits(begin: int, end: int) -> bool:
            return begin in starts and end in ends

        found = self._found(line, written, text, fits, wants_digits=True)
        return [LocalSpan(starts[each.begin], ends[each.end], *each[2:]) for each in found]

    def _plain(self, text: str) -> str:
        """A text with ASCII digits and marks, character by character."""
        if "，" in text and self._formats[0].grouping == ",":
            text = _WIDE_GROUPS.sub(lambda match: match[0].replace("，", ","), text)
        return with_ascii_digits(text)

    def _found(
        self,
        line: str,
        written: str,
        raw: str = "",
        fits: Callable[[int, int], bool] = lambda begin, end: True,
        *,
        wants_digits: bool = False,
    ) -> list[_Found]:
        """Expressions that change, in order: of those that overlap, the kind that comes first.

        With `wants_digits` also whole numbers that do not, and what stays in one piece.
        """
        taken: list[tuple[int, int]] = []
        found: list[_Found] = []
        small = line.lower()
        for kind, pattern, write, needs in self._finders:
            if needs and not any(each in small for each in needs):
                continue
            for match in pattern.finditer(line):
                begin, end = match.span()
                if not fits(begin, end) or any(a < end and begin < b for a, b in taken):
                    continue
                if kind != "digits" and self._is_doubtful(line, begin, end, raw or written):
                    continue
                target = write(match)
                if target is None:
                    continue
                taken.append((begin, end))
                if wants_digits and (not target or target.isdecimal()):
                    found.append(_Found(begin, end, target or written[begin:end], kind))
                elif target and target != written[begin:end]:
                    found.append(_Found(begin, end, target, kind))
        return sorted(found)

    def _is_doubtful(self, line: str, begin: int, end: int, raw: str) -> bool:
        """Whether digits that plain spaces join may be several numbers."""
        grouped = _GROUPED.search(line, begin, end)
        if grouped is None:
            return False
        if _NO_BREAK_DIGITS.search(raw):
            at = _NO_BREAK.sub(" ", raw).find(grouped[0])
            if at >= 0 and " " not in raw[at : at + len(grouped[0])]:
                return False
        if not self._groups_by_spaces and grouped.end() == end:
            return True  # without a fraction it is as likely to be two numbers
        first, *others = grouped[0].split(" ")
        return (
            first.startswith("0")
            or line[begin] == "+"
            or (len(first) == 3 and len(others) == 2)  # a telephone number
            or _NUMBER_BEFORE.search(line[:begin]) is not None
            or _NUMBER_BEHIND.match(line, end) is not None
        )
