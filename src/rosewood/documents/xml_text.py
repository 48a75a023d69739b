"""XML whose text is edited in place: elements with the places of their tags in the text.

The tree is read once, without entities of its own, network or external parts, and has a depth that
the parser limits; every element knows where its tags begin and end, so that a change of one leaves
all other characters as they are: quotes, spaces within tags, comments, declarations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from xml.parsers import expat

from rosewood.corpus.formats._xml import needs_extra
from rosewood.documents.document import FileText
from rosewood.documents.inline_codes import InlineCodes, Token
from rosewood.errors import FormatError

XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_DECLARED = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:-]+)[\"']")
_PLACE = re.compile(r", line \d+, column \d+$")  # which lxml puts behind a reason
_ATTRIBUTE = r"""(\s+)({name})(\s*=\s*)("[^"]*"|'[^']*')"""
_NAME = re.compile(r"<([^\s/>]+)")
_INDENT = 200  # characters of white space before an element, at most
_BAD = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Span(NamedTuple):
    """Where an element is: before its first tag, behind it, before its last one, behind that."""

    start: int
    inner: int
    inner_end: int
    end: int


class XmlText:
    """A document, its tree, and the places of its elements."""

    def __init__(self, file: FileText, root: str) -> None:
        """The root's local name must be `root`."""
        self.file = file
        self.root = _tree(file, root)
        elements = [each for each in self.root.iter() if isinstance(each.tag, str)]
        self._spans: dict[Any, Span] = dict(zip(elements, _spans(file), strict=True))

    def span(self, element: Any) -> Span:
        """The place of an element."""
        return self._spans[element]

    def raw(self, element: Any) -> str:
        """The element as it is written."""
        span = self._spans[element]
        return self.file.text[span.start : span.end]

    def line(self, element: Any) -> int:
        """The line on which an element begins."""
        return self.file.line(self._spans[element].start)

    def tag(self, element: Any) -> str:
        """The first tag of an element as it is written."""
        span = self._spans[element]
        return self.file.text[span.start : span.inner]

    def qualified(self, element: Any, name: str) -> str:
        """A name with the prefix that an element is written with."""
        found = _NAME.match(self.tag(element))
        prefix = "" if found is None else found[1].rpartition(":")[0]
        return f"{prefix}:{name}" if prefix else name

    def indent(self, element: Any) -> str:
        """The white space before an element, if it begins a line."""
        start = self._spans[element].start
        before = self.file.text[max(start - _INDENT, 0) : start]
        space = before[len(before.rstrip()) :]
        return space if "\n" in space else ""

    def tokens(self, element: Any, kinds: Mapping[str, str]) -> Iterator[Token]:
        """The content of an element as text and codes.

        `kinds` says of local names what their elements are: "pair" around text, "open" or "close"
        with an attribute that pairs them (`pair_key`), else a "value" with everything in it.
        """
        if element.text:
            yield Token("text", element.text)
        for child in element:
            if isinstance(child.tag, str):
                yield from self._child(child, kinds)
            else:  # a comment or an instruction
                yield Token("value", _special(child))
            if child.tail:
                yield Token("text", child.tail)

    def _child(self, child: Any, kinds: Mapping[str, str]) -> Iterator[Token]:
        name = local_name(child)
        kind = kinds.get(name, "value")
        span = self._spans[child]
        is_protected = child.get("translate") == "no" or child.get("mtype") == "protected"
        if kind == "pair" and span.inner_end > span.inner and not is_protected:
            key = f"element {span.start}"
            yield Token("open", self.file.text[span.start : span.inner], key)
            yield from self.tokens(child, kinds)
            yield Token("close", self.file.text[span.inner_end : span.end], key)
        elif (half := _HALF.match(child.get("id") or "")) is not None and name == "x":
            yield Token("open" if half[1] == "START" else "close", self.raw(child), half[2])
        elif kind in ("open", "close"):
            key = f"{_PAIRS[name]} {pair_key(child)}"
            yield Token(kind, self.raw(child), key)  # type: ignore[arg-type]
        else:
            yield Token("value", self.raw(child))

    def codes(self, element: Any, kinds: Mapping[str, str]) -> InlineCodes:
        """The content of an element as a text with codes."""
        return InlineCodes(self.tokens(element, kinds), escaped)


# Angular writes tags as <x id="START_BOLD_TEXT"/> and <x id="CLOSE_BOLD_TEXT"/>.
_HALF = re.compile(r"(START|CLOSE)_(\w*?)(?:_\d+)?\Z")
_PAIRS = {"bpt": "bpt", "ept": "bpt", "bx": "bx", "ex": "bx", "sc": "sc", "ec": "sc"}


def pair_key(element: Any) -> str:
    """What says which tags belong together."""
    for name in ("i", "rid", "startRef", "id"):
        if (value := element.get(name)) is not None:
            return str(value)
    return ""


def local_name(element: Any) -> str:
    """The name without its namespace."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def children(element: Any, name: str) -> list[Any]:
    """The elements of this local name right within another."""
    return [each for each in element if local_name(each) == name]


def child(element: Any, name: str) -> Any:
    """The first of them."""
    return next(iter(children(element, name)), None)


def escaped(text: str) -> str:
    """Markup of a text."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\r", "&#13;")


def with_attributes(tag: str, values: Mapping[str, str | None]) -> str:
    """The first tag of an element with other attributes; None takes one away."""
    for name, value in values.items():
        found = re.search(_ATTRIBUTE.format(name=re.escape(name)), tag)
        if found is not None:
            new = "" if value is None else f"{found[1]}{found[2]}{found[3]}{_quoted(value)}"
            tag = tag[: found.start()] + new + tag[found.end() :]
        elif value is not None:
            end = len(tag) - (2 if tag.endswith("/>") else 1)
            body = tag[:end].rstrip()
            tag = f"{body} {name}={_quoted(value)}{tag[len(body) :]}"
    return tag


def opened(tag: str) -> str:
    """The first tag of an element that is no longer empty."""
    return f"{tag[:-2].rstrip()}>" if tag.endswith("/>") else tag


def bad_character(text: str) -> str | None:
    """Why a text cannot be in XML."""
    found = _BAD.search(text)
    return None if found is None else f"its translation has U+{ord(found[0]):04X}"


def declared(head: bytes) -> str | None:
    """The encoding of an XML declaration."""
    found = _DECLARED.match(head.removeprefix(b"\xef\xbb\xbf"))
    return None if found is None else found[1].decode("ascii")


def _quoted(value: str) -> str:
    return '"' + escaped(value).replace('"', "&quot;") + '"'


def _special(node: Any) -> str:
    from lxml import etree

    return str(etree.tostring(node, encoding="unicode", with_tail=False))


def _tree(file: FileText, root: str) -> Any:
    try:
        from lxml import etree
    except ImportError as error:
        raise needs_extra(file.name) from error
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, encoding="utf-8"
    )
    try:
        found = etree.fromstring(file.text.encode(), parser)
    except (etree.XMLSyntaxError, UnicodeEncodeError) as error:
        message, line = getattr(error, "msg", None) or str(error), getattr(error, "lineno", None)
        if parser.error_log:
            message, line = parser.error_log[0].message, parser.error_log[0].line
        reason = f"it is not XML, or not all of it: {_PLACE.sub('', message).strip()}"
        raise FormatError(reason, code="file.format", file=file.name, line=line) from error
    if (name := local_name(found)) != root:
        reason = f"it begins with <{name[:40]}>, expected <{root}>"
        raise file.refused(
            reason, "file.kind", file.text.find("<" + name), value=name, expected=root
        )
    table = found.getroottree().docinfo.internalDTD
    if table is not None and next(iter(table.iterentities()), None) is not None:
        reason = "its document type declares entities, which are refused"
        raise file.refused(reason, "corpus.entity")
    for each in found.iter(etree.Entity):
        reason = f"there is an entity {each.text[:40]}, which is not looked up"
        raise file.refused(reason, "corpus.entity", value=each.text)
    return found


def _spans(file: FileText) -> list[Span]:
    """The places of all elements, in the order in which they begin."""
    text = file.text
    data = text.encode()
    parser = expat.ParserCreate("utf-8")
    found: list[list[int]] = []
    open_elements: list[list[int]] = []

    def begins(name: str, attributes: object) -> None:
        start = parser.CurrentByteIndex
        inner = _tag_end(data, start)
        found.append([start, inner, inner, inner])
        open_elements.append(found[-1])

    def ends(name: str) -> None:
        place = parser.CurrentByteIndex
        element = open_elements.pop()
        if data[element[1] - 2 : element[1]] != b"/>":
            element[2], element[3] = place, data.index(b">", place) + 1

    parser.StartElementHandler, parser.EndElementHandler = begins, ends
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:  # lxml reads some files that are not well-formed
        reason = f"it is not XML, or not all of it: {expat.ErrorString(error.code)}"
        raise FormatError(reason, code="file.format", file=file.name, line=error.lineno) from error
    if text.isascii():
        return [Span(*each) for each in found]
    places = sorted({place for each in found for place in each})
    characters: dict[int, int] = {}
    last = count = 0
    for place in places:
        count += len(data[last:place].decode())
        last, characters[place] = place, count
    return [Span(*(characters[place] for place in each)) for each in found]


def _tag_end(data: bytes, start: int) -> int:
    """Behind the > of a tag; those in quotes do not count."""
    found = _TAG.match(data, start)
    assert found is not None, data[start : start + 60]
    return found.end()


_TAG = re.compile(rb"""<(?:[^<>"']|"[^"]*"|'[^']*')*>""")
