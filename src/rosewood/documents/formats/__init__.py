"""Formats of documents, a file each: endings and the function that reads one.

Other packages add formats as entry points of the group "rosewood.documents".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosewood.corpus.compression import plain_name
from rosewood.errors import CorpusError
from rosewood.registry import Registry
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.documents.document import DocumentFormat

__all__ = ["DOCUMENTS", "TEXT", "format_of"]

TEXT = "text"  # no format: lines, each translated by itself

DOCUMENTS: Registry[DocumentFormat] = Registry(
    "rosewood.documents.formats",
    "rosewood.documents",
    "document format",
    CorpusError,
    instance_of="rosewood.documents.document:DocumentFormat",
)


def format_names() -> tuple[str, ...]:
    """Names that --format takes."""
    return (*DOCUMENTS.names(), TEXT)


def format_of(file: PathName, name: str | None = None) -> str:
    """The name of the format of a file, by its ending where none is given."""
    if name is not None:
        return name
    ending = plain_name(file).suffix.lower()
    for each, form in DOCUMENTS.working():
        if ending in form.endings:
            return each
    return TEXT
