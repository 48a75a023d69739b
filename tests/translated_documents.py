"""Documents translated without a model: the text in capitals, tags and placeholders as they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rosewood.corpus.text.tags import Protection
from rosewood.documents import Document, DocumentSettings, UnitTranslation, read_document
from rosewood.documents.opening import encoded

GOLDEN = Path(__file__).parent / "golden" / "documents"
_PROTECTION = Protection()


def shouted(text: str) -> str:
    """The text in capitals, but for tags and placeholders."""
    parts, end = [], 0
    for each in _PROTECTION.find(text):
        parts += [text[end : each.start].upper(), text[each.start : each.end]]
        end = each.end
    return "".join([*parts, text[end:].upper()])


def opened(tmp_path: Path, name: str, text: str | bytes, **settings: object) -> Document:
    """A document of this text in a file of this name."""
    file = tmp_path / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_document(file, DocumentSettings(**settings))


def unchanged(document: Document) -> bool:
    """Whether translating nothing gives the same text."""
    return document.written([None] * len(document.units)) == document.file.text


def written(
    document: Document,
    change: Callable[[str], str] = shouted,
    confidence: float | None = 0.875,
    **more: str,
) -> str:
    """The document with changed units."""
    made = [UnitTranslation(change(each.text), confidence, **more) for each in document.units]
    assert [document.check(each, n) for n, each in enumerate(made)] == [None] * len(made)
    return document.written(made)


def in_bytes(document: Document, text: str) -> bytes:
    """The text as it would be in a file."""
    return encoded(document.file, text)
