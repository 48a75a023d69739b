"""HTML as tokens with their places, without making it a tree: templates and fragments stay as is.

Tags, comments, declarations and text follow each other as they are written.  What a browser would
repair (a tag that is never closed, an attribute without quotes) is left to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Literal, NamedTuple

Kind = Literal["text", "open", "close", "empty", "other"]

_ATTRIBUTES = r"""(?:[^<>"'/]++|"[^"]*+"|'[^']*+'|/(?!>)|["'])*+"""
_TOKEN = re.compile(
    rf"""<!--.*?(?:-->|\Z) | <!\[CDATA\[.*?(?:\]\]>|\Z) | <[!?][^>]*+(?:>|\Z)
       | <%(?:(?!<%|%>).)*+%> | \{{%(?:(?!\{{%|%\}}).)*+%\}} | \{{\#(?:(?!\{{\#|\#\}}).)*+\#\}}
       | <(?P<slash>/?)(?P<name>[A-Za-z][^\s/<>]*+)(?P<attributes>{_ATTRIBUTES})(?P<empty>/?)>""",
    re.VERBOSE | re.DOTALL,
)
_ATTRIBUTE = re.compile(
    r"""(?P<name>[^\s"'<>/=]+)(?:\s*=\s*(?P<value>"[^"]*"|'[^']*'|[^\s"'<>=`]+))?"""
)
_VOID = "area base br col embed hr img input link meta source track wbr"
VOID = frozenset(_VOID.split())
RAW = frozenset({"script", "style"})  # whose content is no markup


class HtmlToken(NamedTuple):
    """A part of a document; `name` is that of a tag, in small letters."""

    kind: Kind
    start: int
    end: int
    name: str = ""


class Attribute(NamedTuple):
    """An attribute of a tag; `start` and `end` are the places of its value with quotes."""

    value: str
    start: int
    end: int


def html_tokens(text: str) -> Iterator[HtmlToken]:
    """The tokens of a document, which together are all of it."""
    place = 0
    while place < len(text):
        found = _TOKEN.search(text, place)
        if found is None:
            yield HtmlToken("text", place, len(text))
            return
        if place < found.start():
            yield HtmlToken("text", place, found.start())
        place = found.end()
        if found["name"] is None:
            yield HtmlToken("other", found.start(), place)
            continue
        name = found["name"].lower()
        if found["slash"]:
            yield HtmlToken("close", found.start(), place, name)
        elif found["empty"] or name in VOID:
            yield HtmlToken("empty", found.start(), place, name)
        else:
            yield HtmlToken("open", found.start(), place, name)
            if name in RAW:
                end = re.compile(rf"</{name}\b", re.IGNORECASE).search(text, place)
                stop = len(text) if end is None else end.start()
                if place < stop:
                    yield HtmlToken("other", place, stop)
                place = stop


def attributes_of(text: str, tag: HtmlToken) -> dict[str, Attribute]:
    """The attributes of a tag that have a value, by their names in small letters."""
    found: dict[str, Attribute] = {}
    begin = tag.start + 1 + len(tag.name)
    for each in _ATTRIBUTE.finditer(text, begin, tag.end - 1):
        value = each["value"]
        if value is None:
            found.setdefault(each["name"].lower(), Attribute("", each.end(), each.end()))
            continue
        plain = value[1:-1] if value[0] in "\"'" else value
        found.setdefault(each["name"].lower(), Attribute(unescape(plain), *each.span("value")))
    return found


def escaped(text: str) -> str:
    """Markup of a text."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\xa0", "&nbsp;")


def quoted(text: str) -> str:
    """The value of an attribute."""
    return '"' + escaped(text).replace('"', "&quot;") + '"'
