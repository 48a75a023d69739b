"""Documents from files, and back into files: encodings, byte order marks, compression."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

from rosewood.corpus.compression import open_output
from rosewood.corpus.inputs import Input
from rosewood.corpus.standard_streams import target_of
from rosewood.documents.document import Document, FileText
from rosewood.documents.formats import DOCUMENTS, TEXT, format_of
from rosewood.documents.marks import UnitTranslation
from rosewood.documents.settings import DocumentSettings
from rosewood.errors import CorpusError, FormatError
from rosewood.shared_types import PathName

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEAD = 4096  # bytes in which an encoding is declared


def read_document(file: PathName, settings: DocumentSettings | None = None) -> Document:
    """The units of a file; its format is that of its ending, unless settings name one."""
    settings = settings or DocumentSettings()
    name = format_of(file, settings.format)
    if name == TEXT:
        raise CorpusError(
            f"{file}: its ending names no document format: expected one of "
            f"{', '.join(DOCUMENTS.names())}",
            code="argument.missing", argument="format", file=file,
        )  # fmt: skip
    source = Input(str(file), once=True)
    with source.open() as stream:
        data = stream.read()
    form = DOCUMENTS[name]
    declared = form.declared(data[:_HEAD]) if form.declared is not None else None
    return form.read(_decoded(data, declared, settings.encoding, source.name), settings)


def write_document(
    document: Document, translations: Sequence[UnitTranslation | None], output: PathName
) -> None:
    """Write a document with translations; `-` is standard output."""
    data = encoded(document.file, document.written(translations))
    target = target_of(output)
    if str(output) == "-":
        target.write(data)  # type: ignore[union-attr]
        target.flush()  # type: ignore[union-attr]
        return
    with open_output(output) as stream:
        stream.write(data)


def encoded(file: FileText, text: str) -> bytes:
    """The bytes of a text in the encoding of a file."""
    try:
        return file.mark + text.encode(file.encoding)
    except UnicodeEncodeError as error:
        character = text[error.start]
        raise FormatError(
            f"a translation has {character!r}, which its encoding {file.encoding} cannot write: "
            "convert the file to UTF-8",
            code="document.encoding", value=character, file=file.name,
        ) from error  # fmt: skip


def _decoded(data: bytes, declared: str | None, chosen: str | None, name: str) -> FileText:
    mark = b""
    encoding = declared or chosen or "utf-8"
    for each, own in _MARKS:
        if data.startswith(each):
            mark, encoding = each, own
            break
    try:
        encoding = codecs.lookup(encoding).name
        text = data[len(mark) :].decode(encoding)
    except (LookupError, ValueError) as error:
        if not isinstance(error, UnicodeDecodeError):
            raise FormatError(
                f"unknown encoding {encoding!r}: convert the file to UTF-8",
                code="file.encoding", value=encoding, file=name,
            ) from error  # fmt: skip
        line = data.count(b"\n", 0, error.start + len(mark)) + 1
        told = "" if declared or mark else ", or name its encoding with --encoding"
        raise FormatError(
            f"it is not {encoding}: {error.reason}: convert the file to UTF-8{told}",
            code="file.encoding", value=encoding, file=name, line=line,
        ) from error  # fmt: skip
    if text.encode(encoding, "replace") != data[len(mark) :]:  # as with shift states
        raise FormatError(
            f"text in the encoding {encoding} does not come back as it was: convert it to UTF-8",
            code="file.encoding", value=encoding, file=name,
        )  # fmt: skip
    if (place := text.find("\0")) >= 0:
        raise FormatError(
            "it has a NUL character: it is a binary file, or in another encoding",
            code="corpus.control-character", file=name, line=text.count("\n", 0, place) + 1,
        )  # fmt: skip
    return FileText(text, name, encoding, mark)
