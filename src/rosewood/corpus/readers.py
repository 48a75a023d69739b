"""Which files make a corpus and how they are read: sources, formats by their endings, one walk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import get_args

from rosewood.arguments import check_choice, check_type
from rosewood.corpus.checks import Checks, Tally
from rosewood.corpus.compression import plain_name
from rosewood.corpus.formats import CORPUS_FORMATS, Parsed, by_ending
from rosewood.corpus.inputs import Input, ParserSettings
from rosewood.corpus.languages import check_language
from rosewood.corpus.pairs import Origin, SentencePair
from rosewood.errors import CorpusError, FormatError
from rosewood.shared_types import OnBadLine, PathName

Source = PathName | tuple[PathName, PathName]  # one file, or two text files that belong together


def format_of(path: PathName) -> str | None:
    """What the ending tells; of plain text it tells nothing."""
    return by_ending().get(plain_name(path).suffix.lower())


@dataclass(slots=True)
class _File:
    """One source: a file of pairs, or two of text."""

    format: str
    inputs: tuple[Input, ...]

    def parse(self, settings: ParserSettings, tally: Tally) -> Parsed:
        return CORPUS_FORMATS[self.format].parse(*self.inputs, settings, tally)


@dataclass(frozen=True)
class ReadingPlace:
    """How far a walk has come: it is in this file, and has yielded so many items of it."""

    file: int = 0
    items: int = 0
    before: Tally = field(default_factory=Tally)  # when the file began


@dataclass(slots=True)
class CorpusReading:
    """Walks through sources, again and again; the tally is of the walk that began last."""

    sources: Sequence[Source]
    format: str | None
    settings: ParserSettings
    on_bad_line: OnBadLine
    tally: Tally = field(default_factory=Tally)
    _at: tuple[int, int, Tally] = (0, 0, Tally())
    _files: list[_File] = field(default_factory=list)

    def __post_init__(self) -> None:
        check_choice("on_bad_line", self.on_bad_line, get_args(OnBadLine), error=CorpusError)
        if self.format is not None:
            check_choice("format", self.format, CORPUS_FORMATS, error=CorpusError)
        check_type("checks", self.settings.checks, Checks, "Checks(…)", error=CorpusError)
        check_language("source_language", self.settings.source_language)
        check_language("target_language", self.settings.target_language)
        self._files = _grouped(self.sources, self.format)

    @property
    def place(self) -> ReadingPlace:
        """How far the walk that began last has come."""
        return ReadingPlace(*self._at)

    @property
    def formats(self) -> dict[str, str]:
        """The format of each file, by the name that errors have."""
        return {each.name: file.format for file in self._files for each in file.inputs}

    @property
    def names(self) -> list[str]:
        """The files, as errors call them."""
        return [each.name for file in self._files for each in file.inputs]

    @property
    def may_have_tags(self) -> bool:
        """Text files have none."""
        return any(file.format != "text" for file in self._files)

    def separately(self) -> list[CorpusReading]:
        """A reading of each source alone, which skips bad lines."""
        found = []
        for file in self._files:
            paths = tuple(each.path for each in file.inputs)
            source = (paths[0], paths[1]) if len(paths) == 2 else paths[0]
            found.append(CorpusReading([source], file.format, self.settings, "skip"))
        return found

    def __call__(self, start: ReadingPlace | None = None) -> Iterator[SentencePair]:
        """All pairs, or those behind a place that an earlier walk has come to.

        Files before that place are not opened; the items of its file that were yielded then are
        parsed again, for the tally, and left out.
        """
        start = ReadingPlace() if start is None else start
        self.tally = tally = start.before.copy()
        for number, file in enumerate(self._files[start.file :], start.file):
            before = tally.copy()
            behind = start.items if number == start.file else 0
            for items, pair in enumerate(self._pairs(file, tally), 1):
                self._at = (number, items, before)
                if items > behind:
                    yield pair

    def _pairs(self, file: _File, tally: Tally) -> Iterator[SentencePair]:
        """The pairs of one source."""
        stops, blanks = self.on_bad_line == "stop", self.on_bad_line == "blank"
        good = 0
        before = sum(tally.skipped.values()), sum(tally.left_out.values())
        for item in file.parse(self.settings, tally):
            if isinstance(item, SentencePair):
                good += 1
                yield item
            elif stops:
                raise item.error
            else:
                tally.skip(item)
                if blanks:
                    origin = Origin(item.error.file or "", item.error.line)
                    yield SentencePair("", "", origin=origin)
        if not good:
            raise _nothing(file, tally, before)


def _nothing(file: _File, tally: Tally, before: tuple[int, int]) -> FormatError:
    told = "there are no sentence pairs in it"
    skipped = sum(tally.skipped.values()) - before[0]
    left_out = sum(tally.left_out.values()) - before[1]
    if skipped:
        told += f"; {skipped:,} bad ones were skipped"
        if tally.examples and not before[0]:
            told += f", the first: {tally.examples[0]}"
    if left_out:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in tally.left_out.most_common(5))
        told += f"; {left_out:,} were left out ({kinds})"
    return FormatError(told, code="file.empty", file=file.inputs[0].name)


def _grouped(sources: Sequence[Source], format: str | None) -> list[_File]:
    """Files by their format or ending; two text files in a row make a pair."""
    if not sources:
        raise CorpusError("there are no files to read", code="argument.missing", argument="sources")
    found: list[_File] = []
    waiting: str | None = None  # for its other side
    kept: dict[str, Input] = {}  # standard input is one stream, whoever reads it
    for source in sources:
        if isinstance(source, tuple) and len(source) == 2:
            _refuse_half(waiting)
            if format not in (None, "text"):
                raise CorpusError(
                    f"two files make one source of text, not of {format}",
                    code="argument.conflict", argument="format", value=format, expected="text",
                )  # fmt: skip
            found.append(_File("text", tuple(_input(path_text(side), kept) for side in source)))
            continue
        path = path_text(source)
        kind = format or format_of(path)
        if path == "-" and kind is None and waiting is None:
            known = CORPUS_FORMATS.names()
            reason = f"standard input has no ending: say which format it is ({', '.join(known)})"
            raise CorpusError(reason, code="argument.missing", argument="format", expected=known)
        if kind not in (None, "text"):
            _refuse_half(waiting)
            found.append(_File(str(kind), (_input(path, kept),)))
        elif waiting is None:
            waiting = path
        else:
            found.append(_File("text", (_input(waiting, kept), _input(path, kept))))
            waiting = None
    _refuse_half(waiting)
    return found


def path_text(source: object) -> str:
    """A path as a string; anything else is refused."""
    if not isinstance(source, str | PathLike):
        reason = f"{source!r} is neither a path nor two paths of text files"
        raise CorpusError(reason, code="argument.type", argument="source", value=source)
    path = fspath(source)
    if not isinstance(path, str) or not path:
        reason = f"{source!r} is no path"
        raise CorpusError(reason, code="argument.value", argument="source", value=source)
    return path


def _input(path: str, kept: dict[str, Input]) -> Input:
    if path == "-" and path in kept:
        reason = "standard input (-) can be only one of the files"
        raise CorpusError(reason, code="argument.duplicate", argument="source", value="-")
    return kept.setdefault(path, Input(path)) if path == "-" else Input(path)


def _refuse_half(path: str | None) -> None:
    if path is not None:
        raise CorpusError(
            f"{path}: a text file needs the file of its translations beside it "
            f"(other formats end in {' '.join(sorted(by_ending()))}, or say which it is)",
            code="corpus.one-side", argument="source", value=path,
        )  # fmt: skip
