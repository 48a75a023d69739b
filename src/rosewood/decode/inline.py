"""Translations given by tags in the text: <x translation="the house">das haus</x>.

The name of the tag is anything.  Alternatives stand between ||; soft="true" adds them to what the
table has, instead of forbidding everything else.  In the text, and in what a tag says, < > & and
quotation marks are written &lt; &gt; &amp; &quot; &apos; (or by number, &#124;).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from rosewood.arguments import check_choice
from rosewood.corpus import Encoded, TextProcessor
from rosewood.corpus.lines import split
from rosewood.corpus.text import Tag
from rosewood.decode.glossary import target_words
from rosewood.decode.source import Forced, Words
from rosewood.errors import DecodingError

_NAME = r"[A-Za-z_][\w:.-]*"
_VALUE = r"""(?:"[^"]*"|'[^']*')"""
_TAG = re.compile(rf"<(?P<close>/?)(?P<name>{_NAME})(?P<rest>(?:\s+{_NAME}\s*=\s*{_VALUE})*)\s*>")
_ATTRIBUTE = re.compile(rf"({_NAME})\s*=\s*({_VALUE})")
_ESCAPE = re.compile(r"&(#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|\w*)(;?)")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_BETWEEN = "||"


class _Given(NamedTuple):
    """The translation that a tag gives to the words after it."""

    targets: tuple[Words, ...]
    exclusive: bool


def parse_spans(text: str) -> tuple[tuple[str, ...], tuple[Forced, ...]]:
    """The words of a text, which stand between spaces and tags, and what its tags say of them."""
    words: list[str] = []
    spans: list[Forced] = []
    opened: tuple[str, int, _Given] | None = None
    place = 0
    for found in _TAG.finditer(text):
        words += map(unescaped, split(_plain(text, place, found.start())))
        place = found.end()
        name = found["name"]
        if not found["close"]:
            given = _given(found[0], None)
            if given is None:
                raise DecodingError(
                    f"{found[0][:40]!r} has no translation: < of the text itself is written &lt;",
                    code="inline.no-translation",
                    value=found[0],
                )
            if opened is not None:
                reason = f"{found[0][:40]!r} is within another span"
                raise DecodingError(reason, code="inline.nested", value=found[0])
            opened = name, len(words), given
            continue
        if opened is None or opened[0] != name:
            reason = f"{found[0]!r} closes nothing"
            raise DecodingError(reason, code="inline.unopened", value=found[0])
        spans.append(_span(found[0], opened[1], len(words), opened[2]))
        opened = None
    words += map(unescaped, split(_plain(text, place, len(text))))
    if opened is not None:
        raise DecodingError(f"<{opened[0]}> is not closed", code="inline.unclosed", value=opened[0])
    return tuple(words), tuple(spans)


def lift_spans(encoded: Encoded, target: TextProcessor) -> tuple[Encoded, tuple[Forced, ...]]:
    """As `parse_spans`, for text whose tags are lifted already: tags with a translation go."""
    spans: list[Forced] = []
    gone: set[int] = set()
    for number, tag in enumerate(encoded.tags):
        given = _given(tag.text, target) if tag.kind == "open" else None
        if given is None:
            continue
        if tag.half is None:
            reason = f"{tag.text[:40]!r} is not closed"
            raise DecodingError(reason, code="inline.unclosed", value=tag.text)
        span = _span(tag.text, tag.place, encoded.tags[tag.half].place, given)
        if spans and span.begin < spans[-1].end:
            reason = f"{tag.text[:40]!r} is within another span"
            raise DecodingError(reason, code="inline.nested", value=tag.text)
        spans.append(span)
        gone |= {number, tag.half}
    return (_without(encoded, gone) if gone else encoded), tuple(spans)


def unescaped(text: str) -> str:
    """The text with its escapes read."""
    return _ESCAPE.sub(_character, text) if "&" in text else text


def _character(found: re.Match[str]) -> str:
    name, end = found.groups()
    if end and name in _NAMED:
        return _NAMED[name]
    if end and name.startswith("#"):
        code = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
        if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000:
            return chr(code)
    reason = f"{found[0]!r} is not an escape: & of the text itself is written &amp;"
    raise DecodingError(reason, code="inline.escape", value=found[0])


def _plain(text: str, begin: int, end: int) -> str:
    part = text[begin:end]
    if (place := part.find("<")) >= 0:
        reason = (
            f"< at character {begin + place + 1} does not begin a tag with a translation: write "
            "&lt; for a < of the text"
        )
        raise DecodingError(reason, code="inline.bracket", value=begin + place + 1)
    return part


def _given(tag: str, target: TextProcessor | None) -> _Given | None:
    """The attributes of a tag; None if it has no translation."""
    found = _TAG.fullmatch(tag)
    said: dict[str, str] = {}
    for name, value in _ATTRIBUTE.findall(found["rest"]) if found is not None else ():
        if name in said:
            reason = f"{tag[:40]!r} has {name} twice"
            raise DecodingError(reason, code="inline.attribute", argument=name, value=tag)
        said[name] = value[1:-1]
    if "translation" not in said:
        return None
    soft = said.get("soft", "false")
    check_choice("soft", soft, ("true", "false"), error=DecodingError)
    phrases = [unescaped(each) for each in said["translation"].split(_BETWEEN)]
    targets = tuple(target_words(phrase, target) for phrase in phrases)
    if len(set(targets)) < len(targets):
        reason = f"{tag[:40]!r} has one translation twice"
        raise DecodingError(reason, code="inline.duplicate", value=tag)
    return _Given(targets, soft == "false")


def _span(tag: str, begin: int, end: int, given: _Given) -> Forced:
    if begin == end:
        reason = f"{tag[:40]!r}: there are no words in the span"
        raise DecodingError(reason, code="inline.empty", value=tag)
    return Forced(begin, end, *given)


def _without(encoded: Encoded, gone: set[int]) -> Encoded:
    """An encoded text without some of its tags; the white space before them stays."""
    kept = [number for number in range(len(encoded.tags)) if number not in gone]
    numbers = {old: new for new, old in enumerate(kept)}
    spaced = list(encoded.spaced)
    tags: list[Tag] = []
    pending = False
    for number, tag in enumerate(encoded.tags):
        pending |= tag.spaced
        if number not in gone:
            half = None if tag.half is None else numbers[tag.half]
            tags.append(replace(tag, spaced=pending, half=half))
            pending = False
        elif _is_last(encoded.tags, number):
            spaced[tag.place] |= pending
            pending = False
    return replace(encoded, spaced=tuple(spaced), tags=tuple(tags))


def _is_last(tags: Sequence[Tag], number: int) -> bool:
    """Whether this tag is the last at its place: a word, or nothing, follows."""
    return number + 1 == len(tags) or tags[number + 1].place != tags[number].place
