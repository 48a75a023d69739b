"""Documents: files whose text is translated while everything else in them stays.

A format reads a file into units of text, with inline markup as tags, and writes the file with their
translations; what is not translated stays as it is, byte for byte.
"""

from typing import TYPE_CHECKING

from rosewood.lazy_names import lazy_names

if TYPE_CHECKING:
    from rosewood.documents.document import Document, DocumentFormat, Unit
    from rosewood.documents.formats import DOCUMENTS
    from rosewood.documents.marks import Mark, UnitTranslation
    from rosewood.documents.opening import read_document, write_document
    from rosewood.documents.settings import DocumentSettings

__all__ = [
    "DOCUMENTS",
    "Document",
    "DocumentFormat",
    "DocumentSettings",
    "Mark",
    "Unit",
    "UnitTranslation",
    "read_document",
    "write_document",
]

__getattr__, __dir__ = lazy_names(__name__)
