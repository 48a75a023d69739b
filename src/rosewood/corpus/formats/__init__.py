"""Formats of corpora, a file each: endings, parser and, where there is one, writer.

A parser yields pairs, or what is wrong with them, one after the other.  An error that it raises
concerns the whole file and always stops; a `BadPair` may be skipped.  Other packages add formats
as entry points of the group "rosewood.corpus_formats".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rosewood.errors import CorpusError
from rosewood.registry import Registry

if TYPE_CHECKING:
    from rosewood.corpus.checks import BadPair
    from rosewood.corpus.pairs import SentencePair

__all__ = [
    "CORPUS_FORMATS",
    "SIDES",
    "CorpusFormat",
    "Languages",
    "Layout",
    "Parsed",
    "by_ending",
    "tag",
    "written_formats",
]

Parsed = Iterator["SentencePair | BadPair"]
Languages = tuple[str | None, str | None]  # source and target
SIDES = ("source", "target")  # names that tags cannot have in tables and JSON lines


class Layout(NamedTuple):
    """What a writer puts into its files: before, for each pair and file, and at the end."""

    rows: Callable[[SentencePair], tuple[str, ...]]
    head: str = ""
    tail: str = ""


@dataclass(frozen=True)
class CorpusFormat:
    """How corpora of a format are read and written.

    `parse` is called with the inputs (as many as `files`), the `ParserSettings` and the `Tally` of
    rosewood.corpus; `write` with the languages and the names of all tags.  With
    `is_memory`, files are what translators keep their translations in: models of them have a
    translation memory.
    """

    parse: Callable[..., Parsed]
    endings: tuple[str, ...] = ()  # in lower case: (".tsv", ".tab")
    write: Callable[[Languages, Sequence[str]], Layout] | None = None
    files: int = 1
    is_memory: bool = False


CORPUS_FORMATS: Registry[CorpusFormat] = Registry(
    "rosewood.corpus.formats",
    "rosewood.corpus_formats",
    "format",
    CorpusError,
    instance_of="rosewood.corpus.formats:CorpusFormat",
)


def by_ending() -> dict[str, str]:
    """The name of the format for each ending; formats of broken packages have none."""
    found: dict[str, str] = {}
    for name, form in CORPUS_FORMATS.working():
        for ending in form.endings:
            found.setdefault(ending, name)
    return found


def written_formats() -> list[str]:
    """The formats in which corpora are written."""
    return [name for name, form in CORPUS_FORMATS.working() if form.write]


def tag(name: str) -> str:
    """The name of a tag, where it is not that of a text."""
    if name in SIDES:
        reason = f"a tag is called {name!r}, which is what the text is called"
        raise CorpusError(reason, code="corpus.tag", argument="tag", value=name)
    return name
