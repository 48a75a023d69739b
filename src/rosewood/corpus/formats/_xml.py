"""XML of any size, an element at a time: no entities, no network, nothing looked up elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from rosewood.corpus.inputs import Input
from rosewood.errors import CorpusError, FormatError

_PLACE = re.compile(r", line \d+, column \d+$")  # which lxml puts behind a reason


def each_element(
    source: Input, root: str, begins: set[str], ends: set[str]
) -> Iterator[tuple[str, Any]]:
    """("start" or "end", element) for elements of these names, in the namespace of the root.

    The first is the start of the root, whose local name must be `root`.  An element that has ended
    is forgotten when the next one is asked for, with all that stands before it: memory does not
    grow with the file.
    """
    try:
        from lxml import etree
    except ImportError as error:
        raise needs_extra(source.name) from error
    options = {
        "resolve_entities": False,
        "no_network": True,
        "load_dtd": False,
        "huge_tree": False,
        "remove_comments": True,
        "remove_pis": True,
    }
    space, parser = "", cast(Any, None)
    try:
        with source.open() as stream:
            parser = etree.iterparse(stream, events=("start",), **options)
            for event, element in parser:
                _check_root(element, root, source.name)
                space = element.tag.removesuffix(root)  # elements of strangers keep out of this
                yield event, element
                break
        names = [f"{space}{name}" for name in sorted(begins | ends)]
        with source.open() as stream:
            parser = etree.iterparse(stream, events=("start", "end"), tag=names, **options)
            for event, element in parser:
                name = local_name(element)
                if event == "start" and name in begins:
                    yield event, element
                elif event == "end" and name in ends:
                    yield event, element
                    _forget(element)
    except etree.XMLSyntaxError as error:
        told, line = _PLACE.sub("", error.msg or "it is empty").strip(), error.lineno or None
        if line is None and parser.error_log:  # of entities the error itself tells nothing
            told, line = parser.error_log[0].message, parser.error_log[0].line
        reason = f"it is not XML, or not all of it: {told}"
        raise FormatError(reason, code="file.format", file=source.name, line=line) from error


def local_name(element: Any) -> str:
    """The name without its namespace."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def children(element: Any, name: str) -> list[Any]:
    """The elements of this local name that stand directly in another."""
    return [child for child in element if local_name(child) == name]


def _forget(element: Any) -> None:
    element.clear(keep_tail=False)
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def _check_root(root: Any, wanted: str, file: str) -> None:
    """Entities can grow without bound or read other files; corpora have no use for them."""
    if (name := local_name(root)) != wanted:
        raise FormatError(
            f"it begins with <{name[:40]}>, expected <{wanted}>",
            code="file.kind", value=name, expected=wanted, file=file, line=root.sourceline,
        )  # fmt: skip
    table = root.getroottree().docinfo.internalDTD
    if table is not None and next(iter(table.iterentities()), None) is not None:
        reason = "its document type declares entities, which are refused"
        raise FormatError(reason, code="corpus.entity", file=file)


def needs_extra(file: str) -> CorpusError:
    """What to do where the packages that read such files are missing."""
    told = "files of this format need the extra 'formats': pip install 'rosewood[formats]'"
    return CorpusError(f"{file}: {told}", code="package.missing", value="formats", file=file)
