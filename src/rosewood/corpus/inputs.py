"""Input of all parsers: files, pipes and standard input, and lines of bounded length."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from os import fspath
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO, NamedTuple, cast
from weakref import finalize

from rosewood.corpus.checks import BadPair, Checks, Gate, Tally
from rosewood.corpus.compression import open_input
from rosewood.errors import DamagedFileError, RosewoodError
from rosewood.shared_types import PathName

_CHUNK = 1 << 20


@dataclass(slots=True, weakref_slot=True)
class Input:
    """A file; or standard input or a pipe, which is kept aside so that it can be read again.

    What is read only `once` goes by as it comes.
    """

    path: str
    once: bool = False
    _kept: IO[bytes] | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """What errors call it."""
        return "<stdin>" if self.path == "-" else fspath(self.path)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        if self._kept is None:
            with self._opened() as stream:
                if self.once or not (self.path == "-" or Path(self.path).is_fifo()):
                    yield stream
                    return
                kept = TemporaryFile()  # noqa: SIM115 - it stays as long as the input does
                finalize(self, kept.close)
                copyfileobj(stream, kept, _CHUNK)
                self._kept = kept
        self._kept.seek(0)
        yield cast(BinaryIO, self._kept)

    def _opened(self) -> AbstractContextManager[BinaryIO]:
        return _standard_input() if self.path == "-" else open_input(self.path)


def _standard_input() -> AbstractContextManager[BinaryIO]:
    """Standard input, with a handle of its own.

    A thread may wait for its next line when the process ends.  Python closes `sys.stdin` then, and
    would abort because that thread has locked it.
    """
    try:
        return open(os.dup(sys.stdin.fileno()), "rb")  # noqa: PTH123 - it is not a path
    except (OSError, ValueError):  # it is not a file
        return nullcontext(sys.stdin.buffer)


@dataclass(frozen=True, slots=True)
class ParserSettings:
    """How a corpus is read: which languages, in tags like `de` or `pt-BR`, and which limits."""

    source_language: str | None = None
    target_language: str | None = None
    checks: Checks = field(default_factory=Checks)

    def gate(self, tally: Tally, file: str, target_file: str | None = None) -> Gate:
        return Gate(self.checks, tally, file, target_file)


class Line(NamedTuple):
    """A line with its number from 1, without its end; of a bad one there may be no text."""

    number: int
    text: str
    bad: BadPair | None = None


def strict_lines(source: Input, limit: int) -> Iterator[Line]:
    """Lines end with a line feed, and a carriage return before it is part of the end.

    A line of more than `limit` bytes is bad; no more of it than that is ever held.
    """
    number = 0
    try:
        with source.open() as stream:
            while raw := stream.readline(limit):
                number += 1
                if len(raw) == limit and raw[-1] != 0x0A:
                    told = f"it is longer than {limit:,} bytes"
                    yield _bad(source, number, "too long", told, expected=limit)
                    _pass_over(stream)
                    continue
                try:
                    text = raw.decode()
                except UnicodeDecodeError as error:
                    yield _bad(source, number, "not UTF-8", _not_utf8(raw, error, number))
                    continue
                text = text.removesuffix("\n").removesuffix("\r")
                if text.startswith("\ufeff"):  # also where files were put one behind the other
                    told = "the line begins with a byte order mark: save it as UTF-8 without one"
                    bad = _bad(source, number, "byte order mark", told)
                    yield bad._replace(text=text.removeprefix("\ufeff"))
                    continue
                yield Line(number, text)
    except DamagedFileError as error:
        raise error.restated(error.reason, file=source.name, line=number + 1) from error


def checked_lines(
    file: PathName,
    name: str,
    line_characters: int,
    line_words: int | None = None,
    bad_lines: dict[int, RosewoodError] | None = None,
) -> Iterator[tuple[int, str]]:
    """Lines of a text with their numbers, as they come; errors call the file `name`.

    Lines that a corpus would refuse are refused, except empty ones.  With `bad_lines` they become
    empty lines, and it gets their errors by number.
    """
    checks = Checks(line_words or line_characters, line_characters, allow_empty=True)
    for line in strict_lines(Input(str(file), once=True), checks.max_bytes):
        bad = line.bad
        if bad is None and (wrong := checks.problem(line.text)) is not None:
            bad = BadPair.with_fault(wrong)
        if bad is None:
            yield line.number, line.text
            continue
        error = bad.error.restated(bad.error.reason, file=name, line=line.number)
        if bad_lines is None:
            raise error
        bad_lines[line.number] = error
        yield line.number, ""


def _bad(source: Input, number: int, kind: str, reason: str, expected: object = None) -> Line:
    bad = BadPair.of(kind, reason, expected=expected, file=source.name, line=number)
    return Line(number, "", bad)


def _pass_over(stream: Any) -> None:
    """The rest of a line."""
    while (piece := stream.readline(_CHUNK)) and piece[-1] != 0x0A:
        pass


def _not_utf8(raw: bytes, error: UnicodeDecodeError, number: int) -> str:
    if number == 1 and raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "it is UTF-16: convert it to UTF-8"
    return f"it is not UTF-8: {error.reason} at byte {error.start + 1} of the line"
