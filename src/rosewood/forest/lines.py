"""What every reader of text needs: lines with their numbers, and strict numbers.

The helpers raise ForestError with the reason alone; `at` adds the file and the line, so a reason is
written once, next to the check, and no check has to carry the place around.
"""

from __future__ import annotations

import gzip
import lzma
import math
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import BinaryIO, cast

from rosewood.errors import ForestError, FormatError

__all__ = ["Source", "add_feature", "at", "file_name", "number", "read_lines", "split", "whole"]

Source = str | PathLike[str] | Iterable[str]  # a path, or lines

_FLOAT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_BROKEN = (gzip.BadGzipFile, EOFError, zlib.error, lzma.LZMAError)


@contextmanager
def at(file: str | None, line: int | None) -> Iterator[None]:
    """Tell the place of whatever goes wrong inside."""
    try:
        yield
    except ForestError as error:
        raise FormatError(str(error), file=file, line=line) from error


def file_name(source: Source, file: str | PathLike[str] | None) -> str | None:
    """What errors call the source: `file` where it is given, else the path."""
    if file is not None:
        return fspath(file)
    return fspath(source) if isinstance(source, str | PathLike) else None


def read_lines(source: Source, file: str | None) -> Iterator[tuple[int, str]]:
    """The lines with their numbers from 1, without their ends.

    A path may be of a gzip or xz file.  Lines end with a line feed; the carriage return that some
    systems put before it, and a byte order mark in front of the first line, are not part of them.
    """
    lines = _decode(source, file) if isinstance(source, str | PathLike) else source
    for count, line in enumerate(lines, start=1):
        if not isinstance(line, str):
            raise FormatError(f"the line is {type(line).__name__}, want str", file=file, line=count)
        if not line.isascii():
            try:
                line.encode()
            except UnicodeEncodeError as error:
                reason = f"character {error.start + 1} is half of a surrogate pair"
                raise FormatError(reason, file=file, line=count) from error
        text = line.removesuffix("\n").removesuffix("\r")
        yield count, text.removeprefix("\ufeff") if count == 1 else text


def _decode(source: str | PathLike[str], file: str | None) -> Iterator[str]:
    count = 0
    try:
        with _open(Path(source), file) as stream:
            for raw in stream:
                count += 1
                yield raw.decode()
    except UnicodeDecodeError as error:
        reason = f"it is not UTF-8: {error.reason} at byte {error.start + 1} of the line"
        raise FormatError(reason, file=file, line=count) from error
    except _BROKEN as error:
        reason = f"the compressed file is damaged: {error}"
        raise FormatError(reason, file=file, line=count + 1) from error


def _open(path: Path, file: str | None) -> BinaryIO:
    if path.suffix == ".gz":
        return cast(BinaryIO, gzip.open(path, "rb"))
    if path.suffix == ".xz":
        return cast(BinaryIO, lzma.open(path, "rb"))
    if path.suffix in (".zst", ".bz2", ".Z"):
        raise FormatError(f"{path.suffix} files are not read here: decompress it first", file=file)
    return path.open("rb")


def split(text: str) -> list[str]:
    """Fields between spaces and tabs; other white space belongs to words."""
    return [field for field in re.split(r"[ \t]+", text) if field]


def number(what: str, text: str) -> float:
    """A finite number, written in the usual way."""
    if not _FLOAT.fullmatch(text):
        raise ForestError(f"{what} is {text[:40]!r}, want a finite number")
    value = float(text)
    if math.isinf(value):
        raise ForestError(f"{what} is {text[:40]!r}, which is too large")
    return value


def whole(what: str, text: str, low: int = 0, high: int = 2**31 - 2) -> int:
    """A whole number from `low` to `high`."""
    if not re.fullmatch(r"[+-]?[0-9]{1,19}", text) or not low <= int(text) <= high:
        raise ForestError(f"{what} is {text[:40]!r}, want a whole number from {low} to {high}")
    return int(text)


def add_feature(values: dict[str, float], name: str, value: float) -> None:
    """Set a feature that must not be there yet."""
    if not name:
        raise ForestError("a feature has no name")
    if name in values:
        raise ForestError(f"feature {name[:40]!r} stands twice")
    values[name] = value
