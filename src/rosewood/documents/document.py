"""What a document format is: a file as text, its units, and the text with translations.

A format is a function that makes a `Document` of a `FileText`.  It finds the units and remembers
where they are; `Document.edits` says which parts of the text change for given translations.  All
other characters stay as they are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from rosewood.corpus.languages import matches
from rosewood.documents.marks import UnitTranslation
from rosewood.documents.settings import DocumentSettings
from rosewood.errors import FormatError


@dataclass(frozen=True)
class FileText:
    """The text of a file, and how it becomes bytes again."""

    text: str
    name: str  # of the file, for errors
    encoding: str = "utf-8"
    mark: bytes = b""  # a byte order mark

    @cached_property
    def _line_starts(self) -> list[int]:
        starts, place = [0], -1
        while (place := self.text.find("\n", place + 1)) >= 0:
            starts.append(place + 1)
        return starts

    def line(self, place: int) -> int:
        """The number of the line, from 1, of a character."""
        return bisect_right(self._line_starts, place)

    def refused(
        self, reason: str, code: str, place: int | None = None, **fields: Any
    ) -> FormatError:
        """The error of a file that cannot be read."""
        line = None if place is None else self.line(place)
        return FormatError(reason, code=code, file=self.name, line=line, **fields)

    @cached_property
    def newline(self) -> str:
        """How lines end in this file."""
        return "\r\n" if "\r\n" in self.text else "\n"


@dataclass(frozen=True)
class Unit:
    """A text to translate, with inline markup as tags.

    With `breaks` line breaks are part of the text; without they are white space like other.
    """

    text: str
    line: int
    name: str | None = None
    breaks: bool = False


class Edit(NamedTuple):
    """Characters of a text that are replaced."""

    start: int
    end: int
    text: str


@dataclass
class Document(ABC):
    """A file with its units; a class for each format."""

    file: FileText
    settings: DocumentSettings
    units: list[Unit] = field(default_factory=list)
    kept: Counter[str] = field(default_factory=Counter)  # why other units are not translated
    notes: list[str] = field(default_factory=list)  # what the user should know, such as a guess

    @abstractmethod
    def edits(self, translations: Sequence[UnitTranslation | None]) -> Iterable[Edit]:
        """What changes in the text; a unit without a translation stays as it is.

        Places must not overlap.
        """

    def keep(self, reason: str) -> None:
        """Count a unit that is not translated."""
        self.kept[reason] += 1

    def check(self, translation: UnitTranslation, unit: int) -> str | None:
        """Why a translation cannot be put into this document; nothing where it can."""
        return None

    def groups(self) -> Iterable[Sequence[int]]:
        """Numbers of units that are written together or not at all, such as plural forms."""
        return ()

    def written(self, translations: Sequence[UnitTranslation | None]) -> str:
        """The text with translations."""
        found = sorted(self.edits(translations), key=lambda each: (each.start, each.end))
        return edited(self.file.text, 0, len(self.file.text), found)

    def check_languages(self, source: str | None, target: str | None, place: int = 0) -> None:
        """Refuse a document that declares other languages than those of the translation."""
        wanted = self.settings.source_language, self.settings.target_language
        for side, own, asked in zip(("source", "target"), (source, target), wanted, strict=True):
            if own and asked and not matches(own, asked):
                raise self.file.refused(
                    f"its {side} language is {own!r}, the translation's is {asked!r}: use another "
                    f"model, or --{side}-language {own} if the document is in the right language",
                    "document.language", place, argument=f"{side}_language", value=own,
                    expected=asked,
                )  # fmt: skip


Reader = Callable[[FileText, DocumentSettings], Document]


@dataclass(frozen=True)
class DocumentFormat:
    """How documents of a format are read.

    `declared` finds the encoding that the first bytes of a file declare.
    """

    read: Reader
    endings: tuple[str, ...] = ()  # in lower case: (".po",)
    declared: Callable[[bytes], str | None] | None = None


def edited(text: str, start: int, end: int, edits: Iterable[Edit]) -> str:
    """A part of a text with edits, which are in order and do not overlap."""
    parts = []
    for each in edits:
        if each.start < start:
            raise AssertionError(f"edits overlap at {each.start}: {each.text[:60]!r}")
        parts += [text[start : each.start], each.text]
        start = each.end
    return "".join([*parts, text[start:end]])


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text with the places where they begin; a line has its end."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield start, text[start:end]
        start = end
