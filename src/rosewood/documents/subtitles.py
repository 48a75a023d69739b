"""Subtitles: cues of SubRip (SRT) and WebVTT, whose lines are translated together.

The lines of a cue are one text, which is put into as many lines again, of balanced length; where
lines begin with a dash, each speaker is a text.  Numbers, times, tags such as `<i>` and positions
such as `{\\an8}` stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape

from rosewood.corpus.text.scripts import CJK
from rosewood.corpus.text.sentences import has_words
from rosewood.documents.document import Document, Edit, FileText, Unit, lines_of
from rosewood.documents.inline_codes import InlineCodes, Token, without_codes
from rosewood.documents.marks import UnitTranslation
from rosewood.documents.settings import DocumentSettings
from rosewood.documents.wrapping import wrapped

_TIME = r"(?:\d+:)?\d{1,2}:\d{1,2}[,.]\d{1,3}"
_TIMES = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s.*)?\s*\Z")
_CODE = re.compile(
    r"(?P<tag><(?P<slash>/?)(?P<name>[A-Za-z]+)[^<>\n]*>)|(?P<time><[\d:.]+>)|(?P<style>\{\\[^{}\n]*\})"
)
_SKIPPED = re.compile(r"\{\\[^{}\n]*\}|\s+")
_DASH = re.compile(r"(?:\{\\[^{}\n]*\}|<[A-Za-z][^<>\n]*>|\s)*[-–—]\s*")
_WIDE_EDGE = re.compile(f"[{CJK}]\\s*\n\\s*(?=[{CJK}])")
_KEPT_BLOCKS = ("WEBVTT", "NOTE", "STYLE", "REGION")

Lines = list[tuple[int, str]]


@dataclass
class Subtitles(Document):
    """Places of the texts of cues, and their codes."""

    places: list[tuple[int, int, int]] = field(default_factory=list)  # start, end, lines
    codes: list[InlineCodes] = field(default_factory=list)

    def check(self, translation: UnitTranslation, unit: int) -> str | None:
        if "-->" in translation.text:
            return "its translation has an arrow, which would begin another cue"
        return self.codes[unit].fault(translation.text)

    def edits(self, translations: Sequence[UnitTranslation | None]) -> Iterable[Edit]:
        for (start, end, lines), codes, each in zip(
            self.places, self.codes, translations, strict=True
        ):
            if each is not None:
                text = wrapped(
                    each.text, lines, newline=self.file.newline,
                    may_begin=_is_no_speaker,
                )  # fmt: skip
                yield Edit(start, end, codes.restored(text))


def read_subtitles(
    file: FileText, settings: DocumentSettings, *, is_vtt: bool = False
) -> Subtitles:
    """The texts of all cues."""
    document = Subtitles(file, settings)
    if is_vtt and not file.text.startswith("WEBVTT"):
        raise file.refused("it does not begin with WEBVTT", "file.kind", 0, expected="WEBVTT")
    for block in _blocks(file.text):
        times = next((n for n, (_, line) in enumerate(block) if "-->" in line), None)
        if times is None and is_vtt and block[0][1].startswith(_KEPT_BLOCKS):
            continue
        place = block[0][0] if times is None else block[times][0]
        if times is None or times > 1 or not _TIMES.match(block[times][1]):
            raise file.refused(
                "expected a number, then a line of times such as 00:00:01,000 --> 00:00:02,500, "
                "then text up to an empty line",
                "line.format", place,
            )  # fmt: skip
        name = block[0][1].strip() if times else None
        for part in _parts(block[times + 1 :]):
            _add(document, part, name, is_vtt)
    return document


def _is_no_speaker(text: str) -> bool:
    return without_codes(text).lstrip()[:1] not in {"-", "–", "—"}


def _blocks(text: str) -> Iterator[Lines]:
    """Lines between empty ones."""
    block: Lines = []
    for start, line in lines_of(text):
        if line.strip():
            block.append((start, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _parts(lines: Lines) -> Iterator[Lines]:
    """The lines of a cue; those of each speaker alone where lines begin with dashes."""
    if not any(_DASH.match(line) for _, line in lines):
        if lines:
            yield lines
        return
    part: Lines = []
    for start, line in lines:
        if _DASH.match(line) and part:
            yield part
            part = []
        part.append((start, line))
    yield part


def _add(document: Subtitles, lines: Lines, name: str | None, is_vtt: bool) -> None:
    text = document.file.text
    first, last = lines[0][0], lines[-1][0] + len(lines[-1][1])
    dash = _DASH.match(lines[0][1])
    start = first + (dash.end() if dash else 0)
    while (found := _SKIPPED.match(text, start, last)) is not None:
        start = found.end()
    end = start + len(text[start:last].rstrip())
    if start >= end:
        return
    escape = _escaped if is_vtt else str
    tokens: list[Token] = []
    place = start
    for found in _CODE.finditer(text, start, end):
        tokens.append(_text(text[place : found.start()], is_vtt))
        if found["tag"]:
            kind = "close" if found["slash"] else "open"
            tokens.append(Token(kind, found[0], found["name"]))  # type: ignore[arg-type]
        else:
            tokens.append(Token("value", found[0]))
        place = found.end()
    tokens.append(_text(text[place:end], is_vtt))
    codes = InlineCodes(tokens, escape)
    if not has_words(codes.tagged):
        return
    document.codes.append(codes)
    document.places.append((start, end, len(lines)))
    document.units.append(Unit(codes.tagged, document.file.line(start), name))


def _text(text: str, is_vtt: bool) -> Token:
    joined = _WIDE_EDGE.sub(lambda found: found[0][0], text.replace("\r\n", "\n"))
    return Token("text", unescape(joined) if is_vtt else joined)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
