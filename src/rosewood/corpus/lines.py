"""What every reader of text needs: lines with their numbers, and strict numbers.

The helpers raise RosewoodError with the reason alone; `at` adds the file and the line, so a reason
is written once, next to the check, and no check has to carry the place around.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from os import PathLike, fspath
from typing import NamedTuple

from rosewood.corpus.compression import open_input
from rosewood.errors import DamagedFileError, FormatError, RosewoodError
from rosewood.shared_types import PathName

Source = PathName | Iterable[str] | BufferedIOBase  # a path, lines, or a stream of them

_BadLine = tuple[int, str, str, str | None]  # number, reason, code, argument
_DIGITS = re.compile(r"[0-9.eE+-]*")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@contextmanager
def at(file: str | None, line: int | None) -> Iterator[None]:
    """Add the place to the errors raised inside."""
    try:
        yield
    except FormatError:
        raise  # it tells its own place
    except RosewoodError as error:
        raise error.restated(str(error), FormatError, file=file, line=line) from error


def file_name(source: Source, file: PathName | None) -> str | None:
    """What errors call the source: `file` where it is given, else the path."""
    if file is not None:
        return fspath(file)
    return fspath(source) if isinstance(source, str | PathLike) else None


def read_lines(source: Source, file: str | None) -> Iterator[tuple[int, str]]:
    """The lines with their numbers from 1, without their ends.

    A path may be of a compressed file.  Lines end with a line feed; the carriage return that some
    systems put before it, and a byte order mark in front of the first line, are not part of them.
    """
    for line in each_line(source, file):
        if line.error is not None:
            raise line.error
        yield line.number, line.text


class TextLine(NamedTuple):
    """A line, and what is wrong with its characters; bad ones are replaced in the text."""

    number: int
    text: str
    error: FormatError | None = None


def each_line(source: Source, file: str | None) -> Iterator[TextLine]:
    """As `read_lines`, for callers that continue after a line that is not UTF-8."""
    lines: Iterable[str | bytes] = (
        _raw_lines(source, file) if isinstance(source, str | PathLike) else source
    )
    is_binary = lines is not source or isinstance(source, BufferedIOBase)
    for count, line in enumerate(lines, start=1):
        error, text = None, line
        if isinstance(text, bytes) and is_binary:
            text, error = _decoded(text, file, count)
        elif not isinstance(text, str):
            reason = f"the line is {type(line).__name__}, expected str"
            raise FormatError(reason, code="argument.type", file=file, line=count)
        elif not text.isascii():
            text, error = _encodable(text, file, count)
        text = text.removesuffix("\n").removesuffix("\r")
        yield TextLine(count, text.removeprefix("\ufeff") if count == 1 else text, error)


def _raw_lines(source: PathName, file: str | None) -> Iterator[bytes]:
    count = 0
    try:
        with open_input(source, file) as stream:
            for raw in stream:
                count += 1
                yield raw
    except DamagedFileError as error:
        raise error.restated(error.reason, file=file, line=count + 1) from error


def _decoded(raw: bytes, file: str | None, count: int) -> tuple[str, FormatError | None]:
    try:
        return raw.decode(), None
    except UnicodeDecodeError as error:
        reason = f"it is not UTF-8: {error.reason} at byte {error.start + 1} of the line"
        return raw.decode(errors="replace"), _bad_text(reason, file, count)


def _encodable(text: str, file: str | None, count: int) -> tuple[str, FormatError | None]:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        reason = f"character {error.start + 1} is half of a surrogate pair"
        return text.encode(errors="replace").decode(), _bad_text(reason, file, count)
    return text, None


def _bad_text(reason: str, file: str | None, line: int) -> FormatError:
    return FormatError(reason, code="file.encoding", file=file, line=line)


def check_fed(bad: _BadLine | None, file: str | None) -> None:
    """Raise what native code found wrong with a line."""
    if bad is not None:
        raise line_error(bad, file)


def line_error(bad: _BadLine, file: str | None) -> FormatError:
    """What native code found wrong with a line: its number, the reason, the code, the argument."""
    line, reason, code, argument = bad
    return FormatError(reason, code=code, argument=argument, file=file, line=line)


def split(text: str) -> list[str]:
    """Fields between spaces and tabs; other white space belongs to words."""
    return [field for field in re.split(r"[ \t]+", text) if field]


def number(what: str, text: str) -> float:
    """A finite number, written in the usual way."""
    if not _FLOAT.fullmatch(text) or math.isinf(value := float(text)):
        raise _no_number(what, text, "a finite number")
    return value


def numbers(what: str, texts: list[str]) -> list[float]:
    """What `number` gives for each, quickly."""
    if _DIGITS.fullmatch("".join(texts)):
        try:
            values = list(map(float, texts))
        except ValueError:
            pass
        else:
            if all(map(math.isfinite, values)):
                return values
    return [number(what, text) for text in texts]


def whole(what: str, text: str, low: int = 0, high: int = 2**31 - 2) -> int:
    """A whole number from `low` to `high`."""
    if not re.fullmatch(r"[+-]?[0-9]{1,19}", text) or not low <= int(text) <= high:
        raise _no_number(what, text, f"a whole number from {low} to {high}")
    return int(text)


def _no_number(what: str, text: str, expected: str) -> RosewoodError:
    return RosewoodError(
        f"{what} is {text[:40]!r}, expected {expected}",
        code="line.number", argument=what, value=text, expected=expected,
    )  # fmt: skip


def add_feature(values: dict[str, float], name: str, value: float) -> None:
    """Set a feature that must not be there yet."""
    if not name:
        raise RosewoodError("a feature has no name", code="line.value", argument="feature")
    if name in values:
        raise given_twice("feature", name)
    values[name] = value


def given_twice(what: str, value: object = None) -> RosewoodError:
    """The error for a thing, or a field, of which there must be one."""
    told = what if value is None else f"{what} {value!r:.40}"
    reason = f"{told} is given twice"
    return RosewoodError(reason, code="line.duplicate", argument=what, value=value)
