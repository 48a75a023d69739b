"""Inline markup of Markdown as tokens: emphasis and links around text, code and images as words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from rosewood.corpus.text.scripts import EMAIL, URL
from rosewood.documents.html_tokens import VOID
from rosewood.documents.inline_codes import InlineCodes, Token

_HTML_ATTRIBUTES = r"""(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*+\s*"""
_TOKEN = re.compile(
    rf"""(?P<escape>\\[!-/:-@\[-`{{-~])
       | (?P<ticks>`++)
       | (?P<math>\$(?![\s$\d])[^$\n]*(?<![\s\\])\$(?!\d))
       | (?P<note>\[\^[^\]\s]+\])
       | (?P<image>!\[[^\[\]\n]*\](?:\([^()\n]*\)|\[[^\]\n]*\])?)
       | (?P<auto><(?:[A-Za-z][A-Za-z0-9+.-]{{1,31}}:[^\s<>]*|{EMAIL})>|<!--.*?-->)
       | <(?P<slash>/?)(?P<name>[A-Za-z][A-Za-z0-9-]*){_HTML_ATTRIBUTES}(?P<empty>/?)>
       | (?P<open>\[)
       | (?P<end>\](?:\((?:[^()\\\n]|\\.|\([^()\n]*\))*+\)|\[[^\]\n]*\])?)
       | (?P<url>{URL})
       | (?P<run>\*+|_+|~~)""",
    re.VERBOSE | re.DOTALL,
)
_SPECIAL = re.compile(r"[*_`\[\]<>\\~]")
_EMPTY_PAIR = re.compile(r'<bpt i="(\d+)"/>(\s*)<ept i="\1"/>')
_AFTER_OPEN = re.compile(r'((?:<bpt i="\d+"/>)+)(\s+)')
_BEFORE_CLOSE = re.compile(r'(\s+)((?:<ept i="\d+"/>)+)')
_MOST = 20_000  # characters of a text whose markup is looked at


@dataclass
class _Mark:
    """Markup that may turn out to be text."""

    raw: str
    kind: str = "text"
    key: str = ""
    can_open: bool = False
    can_close: bool = False


def inline_tokens(text: str, references: Collection[str]) -> Iterator[Token]:
    """The tokens of a text; `references` are labels that the document defines, in small letters."""
    marks: list[_Mark] = []
    brackets: list[int] = []
    runs: list[int] = []
    place = 0
    limit = min(len(text), _MOST)
    no_ticks: set[int] = set()  # lengths of runs of backticks that nothing closes
    while (found := _TOKEN.search(text, place, limit)) is not None:
        if place < found.start():
            marks.append(_Mark(text[place : found.start()]))
        place = found.end()
        raw, kind = found[0], found.lastgroup
        if found["ticks"]:
            end = None
            if len(raw) not in no_ticks:
                end = re.compile(rf"(?<!`)`{{{len(raw)}}}(?!`)").search(text, place)
            if end is None:
                no_ticks.add(len(raw))
                marks.append(_Mark(raw))
                continue
            marks.append(_Mark(text[found.start() : end.end()], "value"))
            place = end.end()
        elif found["name"]:
            name = found["name"].lower()
            single = found["empty"] or name in VOID
            kind = "value" if single else "close" if found["slash"] else "open"
            marks.append(_Mark(raw, kind, f"html {name}"))
        elif kind == "open":
            brackets.append(len(marks))
            marks.append(_Mark(raw))
        elif kind == "end":
            _link(marks, brackets, raw, references)
        elif kind == "run":
            _run(marks, runs, found, text)
        else:
            marks.append(_Mark(raw, "value"))
    if place < len(text):
        marks.append(_Mark(text[place:]))
    for each in marks:
        yield Token(each.kind, each.raw, each.key)  # type: ignore[arg-type]


def _link(marks: list[_Mark], brackets: list[int], raw: str, references: Collection[str]) -> None:
    """The end of a link, if one began."""
    end = _Mark(raw)
    if brackets:
        begin = brackets.pop()
        label = "".join(each.raw for each in marks[begin + 1 :])
        is_known = " ".join(label.lower().split()) in references
        if raw in ("]", "[]", "][]") and is_known:  # what is translated is no label any more
            end.raw = f"][{' '.join(label.split())}]"
        if end.raw != "]" and (end.raw.startswith("](") or end.raw.startswith("][")):
            key = f"link {len(marks)}"
            marks[begin].kind, marks[begin].key = "open", key
            end.kind, end.key = "close", key
    marks.append(end)


def _run(marks: list[_Mark], runs: list[int], found: re.Match[str], text: str) -> None:
    """A run of * or _, which opens or closes emphasis by what is beside it."""
    before = text[found.start() - 1 : found.start()] or " "
    behind = text[found.end() : found.end() + 1] or " "
    left = not behind.isspace() and (
        not _is_punctuation(behind) or before.isspace() or _is_punctuation(before)
    )
    right = not before.isspace() and (
        not _is_punctuation(before) or behind.isspace() or _is_punctuation(behind)
    )
    mark = _Mark(found[0], can_open=left, can_close=right)
    if found[0][0] == "_":
        mark.can_open = left and (not right or _is_punctuation(before))
        mark.can_close = right and (not left or _is_punctuation(behind))
    if mark.can_close:
        for place in range(len(runs) - 1, max(len(runs) - 50, -1), -1):
            other = marks[runs[place]]
            if other.raw == mark.raw:
                key = f"run {len(marks)}"
                other.kind, other.key = "open", key
                mark.kind, mark.key = "close", key
                del runs[place:]
                break
    if mark.kind == "text" and mark.can_open:
        runs.append(len(marks))
    marks.append(mark)


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


class MarkdownCodes(InlineCodes):
    """The codes of a text; what is special in a translation and was not in the text is escaped."""

    def __init__(self, text: str, references: Collection[str], *, is_cell: bool = False) -> None:
        tokens = list(inline_tokens(text, references))
        own = "".join(each.raw for each in tokens if each.kind == "text")
        known = set(_SPECIAL.findall(own))

        def escape(part: str) -> str:
            made = _SPECIAL.sub(lambda each: each[0] if each[0] in known else f"\\{each[0]}", part)
            return made.replace("|", r"\|") if is_cell else made

        super().__init__(tokens, escape)

    def in_place(self, text: str) -> str:
        """A translation whose emphasis begins and ends at words, and goes around something."""
        text = _AFTER_OPEN.sub(r"\2\1", text)
        text = _BEFORE_CLOSE.sub(r"\2\1", text)
        return _EMPTY_PAIR.sub(self._empty, text)

    def _empty(self, found: re.Match[str]) -> str:
        """Emphasis around nothing is left out, or its marks would be text; a link stays."""
        raw = self._raw["bpt", int(found[1])]
        return found[2] if raw[0] in "*_~" else found[0]
