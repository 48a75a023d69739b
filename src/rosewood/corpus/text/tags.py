"""Inline tags and placeholders: finding them in a text, and which tags belong together.

Two kinds are told apart, because a translation treats them differently:

tags      `<b>` … `</b>`, and `<bpt i="1">…</bpt>` … `<ept i="1">…</ept>` of TMX and XLIFF.  They
          are about the words between them; they are lifted out and put back (placing.py).
values    `<ph id="1"/>`, `<br>`, `{0}`, `{name}`, `%s`, `%(count)d`, `${x}`, `&nbsp;`, and whatever
          a user's own patterns match.  They stand for a word, and stay in the text as one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from rosewood.corpus.text.scripts import EMAIL, URL
from rosewood.errors import TextError

Kind = Literal["open", "close", "value"]

_ATTRIBUTES = r"""(?>\s(?:[^<>"']|"[^"]*"|'[^']*')*+)?"""
_NAME = r"[A-Za-z_][\w:.-]*+"
_CODE = r"(?:ph|bpt|ept|it|ut)"  # elements of TMX and XLIFF whose content is code, not text
_MARKUP = rf"""
    <!--(?:(?!<!--).)*?--> | <\?(?:(?!<\?).)*?\?> | <!\[CDATA\[(?:(?!<!\[).)*?\]\]>
  | <(?P<code>{_CODE}){_ATTRIBUTES}(?<!/)>(?:(?!</?(?P=code)\b).)*</(?P=code)\s*>
  | <(?P<slash>/?)(?P<name>{_NAME}){_ATTRIBUTES}\s*/?>
"""
_VALUES = r"""
    \$?\{\{[^{}]*\}\} | \$\{[^{}\s]+\}
  | \{\s*+[\w.$-]*+\s*+(?:[,:!][^{}]*)?\}
  | %\(\w+\)[-+#0\ ]*\d*(?:\.\d+)?[a-zA-Z]
  | %\d+\$[-+#0\ ]*\d*(?:\.\d+)?(?:hh|h|ll|l|L|q|z|t|j)?[a-zA-Z@]
  | (?<![\w%])%[A-Za-z_]\w+%(?![\w%$(])
  | (?<![\w%])%[-+#0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|L|q|z|t|j)?
    [sdiuoxXfFeEgGcbpaA@](?!\w)
  | (?<![\d%])(?<!\d\s)(?!%ig)  # beside letters, but not as in 100%ig or 50 %der
    %(?:[-+#]?\d+|\*)?(?:\.\d+)?l{0,2}[sdiufx](?!\d)
  | (?<![\w%])%[A-Za-z_]\w*% | %%
  | &(?:[A-Za-z][A-Za-z0-9]{1,31}|\#\d{1,7}|\#[xX][0-9A-Fa-f]{1,6});
"""
_URL = re.compile(URL)
_ESCAPED = re.compile("%[0-9A-Fa-f]{2}")
_HINT = re.compile(r"[<{%&]")  # no tag or placeholder is without one of these
_VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta",
                   "source", "track", "wbr"})  # fmt: skip
_BEGINS = {"bpt": "bpt", "bx": "bx", "sc": "sc"}
_ENDS = {"ept": "bpt", "ex": "bx", "ec": "sc"}
_NUMBER = re.compile(r"""\s(i|rid|id|startRef)\s*=\s*["']?([^"'\s/>]*)""")
_RANK = ("i", "rid", "startRef", "id")  # which of them tells what belongs together


class Found(NamedTuple):
    """A protected part of a text: its place, its kind, and the name that pairs it with another."""

    start: int
    end: int
    kind: Kind
    key: str


@dataclass(frozen=True)
class Protection:
    """What is protected beyond tags and the usual placeholders."""

    urls: bool = False
    patterns: tuple[str, ...] = ()
    _compiled: tuple[re.Pattern[str], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        compiled = [re.compile(f"{_MARKUP}|{_VALUES}", re.VERBOSE | re.DOTALL)]
        if self.urls:
            compiled.append(re.compile(f"{URL}|{EMAIL}"))
        for pattern in self.patterns:
            try:
                compiled.append(re.compile(pattern))
            except (re.error, TypeError, OverflowError) as error:
                raise TextError(
                    f"the pattern {pattern!r} is not valid: {error}",
                    code="argument.value", argument="patterns", value=pattern,
                ) from None  # fmt: skip
        object.__setattr__(self, "_compiled", tuple(compiled))

    def find(self, text: str) -> list[Found]:
        """What is protected in a text, from left to right; a user's own patterns go first."""
        compiled = self._compiled
        if len(compiled) == 1 and not _HINT.search(text):
            return []  # as nearly always
        taken: list[Found] = []
        for pattern in reversed(compiled):
            found = [
                _classified(each, is_own=pattern is not compiled[0])
                for each in pattern.finditer(text)
                if each[0] and not each[0].isspace()
            ]
            if pattern is compiled[0] and "://" in text:
                found = _without_escapes(text, found)
            taken = _beside(taken, found) if taken else found
        return taken

    def is_value(self, token: str) -> bool:
        """Whether a token is a value."""
        found = self.find(token)
        return len(found) == 1 and found[0] == (0, len(token), "value", "")


def _without_escapes(text: str, found: list[Found]) -> list[Found]:
    """Without what is part of an address, such as %df: it begins no placeholder there."""
    hidden = [each.span() for each in _URL.finditer(text)]
    return [
        each for each in found
        if not _ESCAPED.match(text, each.start)
        or not any(start <= each.start < end for start, end in hidden)
    ]  # fmt: skip


def _classified(match: re.Match[str], is_own: bool) -> Found:
    kind: Kind = "value"
    key = ""
    if not is_own:
        name = match["code"] or match["name"] or ""
        if name in _BEGINS or name in _ENDS:
            kind = "open" if name in _BEGINS else "close"
            numbers = dict(reversed(_NUMBER.findall(match[0])))
            number = next((numbers[each] for each in _RANK if each in numbers), "")
            key = f"{_BEGINS.get(name) or _ENDS[name]} {number}"
        elif match["name"] and not match[0].endswith("/>") and name.lower() not in _VOID:
            kind = "close" if match["slash"] else "open"
            key = name
    return Found(match.start(), match.end(), kind, key)


def _beside(taken: list[Found], found: list[Found]) -> list[Found]:
    """Both lists, without spans that overlap earlier ones."""
    starts = [each.start for each in taken]
    kept = list(taken)
    for each in found:
        behind = bisect_left(starts, each.end)  # the first that starts behind it
        if behind == 0 or taken[behind - 1].end <= each.start:
            kept.append(each)
    return sorted(kept)


def paired(tags: Sequence[tuple[Kind, str]]) -> list[int | None]:
    """For each tag the number of its other half: the last one still open of that name.

    What was opened in between and not closed is alone, and so is what closes nothing.
    """
    halves: list[int | None] = [None] * len(tags)
    opened: list[int] = []
    waiting: Counter[str] = Counter()
    for number, (kind, key) in enumerate(tags):
        if kind == "open":
            opened.append(number)
            waiting[key] += 1
        elif waiting[key]:
            other = -1
            while other < 0 or tags[other][1] != key:
                other = opened.pop()
                waiting[tags[other][1]] -= 1
            halves[number], halves[other] = other, number
    return halves
