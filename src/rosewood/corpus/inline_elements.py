"""Inline elements of TMX and XLIFF as tags in plain text, and back.

Elements around text stay as they are: `click <g id="1">here</g>`; so do empty ones: `<x id="2"/>`.
Those that hold a program's own codes, which nobody translates, become one tag with the codes in it:
`<bpt i="1">&lt;b&gt;</bpt>` is `<bpt i="1" code="&lt;b&gt;"/>`.  All other text is unescaped, so
whoever protects `<…>` carries every element through a translation as it was.
"""

from __future__ import annotations

import re
from functools import partial
from html import escape
from typing import Any

from rosewood.errors import RosewoodError

_CODES = {"bpt", "ept", "ph", "it", "ut"}
_OTHERS = {"hi", "sub", "g", "x", "bx", "ex", "mrk", "pc", "sc", "ec", "sm", "em", "cp"}
_escape = partial(escape, quote=False)  # xml.sax.saxutils takes long to import
_ATTRIBUTE_ESCAPES = str.maketrans({'"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"})

_VALUE = r'"(?:[^"<>&]|&(?:amp|lt|gt|quot|#9|#10|#13);)*"'
_TAG = re.compile(
    rf"<(?P<close>/?)(?P<name>{'|'.join(sorted(_CODES | _OTHERS))})"
    rf"(?P<attributes>(?: (?:xml:)?[A-Za-z_][\w.-]*={_VALUE})*)(?P<empty>/?)>",
    re.ASCII,
)
_CODE = re.compile(rf" code=(?P<code>{_VALUE})$")
_NAME = re.compile(r' ([\w:.-]+)="')


def as_text(element: Any) -> str:
    """The content of an element, its inline elements as tags."""
    parts = [element.text or ""]
    for child in element:
        if not isinstance(child.tag, str):
            reason = f"there is an entity {child.text}, which is not looked up"
            raise RosewoodError(reason, code="corpus.entity", value=child.text)
        name = _local(child.tag)
        attributes = "".join(
            f' {_attribute(child, key)}="{_escape(value).translate(_ATTRIBUTE_ESCAPES)}"'
            for key, value in child.attrib.items()
        )
        codes = "".join(child.itertext()) if name in _CODES else ""
        inner = "" if name in _CODES else as_text(child)
        if name == "mrk" and child.get("mtype") == "seg":  # of XLIFF 1.2: a sentence, no markup
            parts += [inner, child.tail or ""]
            continue
        if codes:
            attributes += f' code="{_escape(codes).translate(_ATTRIBUTE_ESCAPES)}"'
        parts.append(f"<{name}{attributes}>{inner}</{name}>" if inner else f"<{name}{attributes}/>")
        parts.append(child.tail or "")
    return "".join(parts)


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _attribute(element: Any, key: str) -> str:
    space, brace, name = key.rpartition("}")
    if not brace:
        return name
    if space == "{http://www.w3.org/XML/1998/namespace":
        return f"xml:{name}"
    prefixes = [prefix for prefix, uri in element.nsmap.items() if prefix and f"{{{uri}" == space]
    return f"{prefixes[0]}:{name}" if prefixes else name


def as_markup(text: str) -> str:
    """XML that `as_text` makes this very text of: tags of inline elements are elements again.

    Where tags do not nest, or are not written as `as_text` writes them, all of it is plain text.
    """
    parts: list[str] = []
    around: list[str] = []  # names of elements that are open
    end = 0
    for tag in _TAG.finditer(text):
        parts.append(_escape(text[end : tag.start()]))
        if tag["close"]:
            is_right = (
                bool(around)
                and around.pop() == tag["name"]
                and not tag["attributes"]
                and not tag["empty"]
                and bool(parts[-1] or parts[-2].endswith("/>") or parts[-2].startswith("</"))
            )
            made: str | None = tag[0] if is_right else None
        else:
            made = _opening(tag)
            if not tag["empty"]:
                around.append(tag["name"])
        if made is None:
            return _escape(text)
        parts.append(made)
        end = tag.end()
    return _escape(text) if around else "".join([*parts, _escape(text[end:])])


def _opening(tag: re.Match[str]) -> str | None:
    """An element that begins, or is empty but for its codes; nothing where that cannot be."""
    name, attributes = tag["name"], tag["attributes"]
    names = _NAME.findall(attributes)
    if len(set(names)) < len(names) or (name in _CODES and not tag["empty"]):
        return None
    if name == "mrk" and ' mtype="seg"' in attributes:
        return None
    if name in _CODES and "code" in names:
        code = _CODE.search(attributes)
        if code is None or code["code"] == '""':
            return None
        inner = code["code"][1:-1].replace("&quot;", '"')
        return f"<{name}{attributes[: code.start()]}>{inner}</{name}>"
    return tag[0]
