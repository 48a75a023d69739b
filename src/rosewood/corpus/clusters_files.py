"""Files of word classes: ours, with facts and checksums, and lines `word class` of any program.

Layout      the first line is a JSON object: format, version, number of classes and of words, facts,
            size and checksum of the rest, and a checksum of this line's other fields
            then a line `word<TAB>class<TAB>count` for each word, the most frequent first
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosewood.corpus import lines
from rosewood.corpus.compression import open_input, open_output
from rosewood.errors import DamagedFileError, FormatError, RosewoodError
from rosewood.folders import table_checksum
from rosewood.shared_types import PathName

FORMAT = "rosewood word classes"
VERSION = 1
PATHS = (str, PathLike)
Source = lines.Source
Target = PathName | BinaryIO
_WHOLE = re.compile(r"[0-9]{1,9}")
_FIELDS = {"words": int, "classes": int, "bytes": int, "body_crc32": int, "facts": dict}


class Stored(NamedTuple):
    """What a file holds."""

    words: list[str]
    classes: NDArray[np.int32]
    counts: NDArray[np.int64]
    num_classes: int
    facts: dict[str, Any]


def write(
    path: PathName,
    words: Sequence[str],
    classes: NDArray[np.int32],
    counts: NDArray[np.int64],
    num_classes: int,
    facts: Mapping[str, Any],
) -> None:
    """Write a file, which appears whole or not at all."""
    rows = zip(words, classes.tolist(), counts.tolist(), strict=True)
    body = "".join(f"{word}\t{number}\t{count}\n" for word, number, count in rows).encode()
    table: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "classes": num_classes,
        "words": len(words),
        "bytes": len(body),
        "body_crc32": zlib.crc32(body),
        "facts": dict(facts),
    }
    table["crc32"] = table_checksum(table)
    with open_output(path) as stream:
        stream.write(_first_line(table))
        stream.write(body)


def _first_line(table: Mapping[str, Any]) -> bytes:
    return json.dumps(table, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _is_as_written(table: Mapping[str, Any], line: bytes) -> bool:
    """Compares bytes: the last digit of a number may change without changing the number."""
    try:
        return _first_line(table) == line
    except ValueError:  # not a number, or a character that is none
        return False


def read(path: PathName) -> Stored:
    """Read a file that `write` wrote; anything else is refused with a reason."""
    with open_input(path) as stream:
        first, body = stream.readline(), stream.read()
    table = _header(path, first)
    if len(body) != table["bytes"]:
        raise DamagedFileError(
            f"it has {len(body)} bytes of words, expected {table['bytes']}",
            code="file.damaged", value=len(body), expected=table["bytes"], file=path,
        )  # fmt: skip
    if zlib.crc32(body) != table["body_crc32"]:
        raise DamagedFileError("checksum mismatch", code="file.changed", file=path)
    try:
        rows = body.decode().split("\n")[:-1]
    except UnicodeDecodeError as error:
        raise DamagedFileError("it is not UTF-8", code="file.encoding", file=path) from error
    words: list[str] = []
    numbers: list[int] = []
    counts: list[int] = []
    for place, line in enumerate(rows, start=2):
        with lines.at(str(path), place):
            word, number, count = _fields(line, 3)
            words.append(word)
            numbers.append(lines.whole("class", number, 1, table["classes"]))
            counts.append(lines.whole("count", count, 0, 2**62))
    if len(words) != table["words"] or len(set(words)) < len(words):
        reason = f"it has {len(set(words))} words, expected {table['words']}"
        raise DamagedFileError(reason, code="file.damaged", argument="words", file=path)
    arrays = np.array(numbers, np.int32), np.array(counts, np.int64)
    return Stored(words, *arrays, table["classes"], table["facts"])


def is_ours(path: PathName) -> bool:
    """Whether it begins as a file that `write` wrote does."""
    begin = f'{{"format": "{FORMAT}"'.encode()
    with open_input(path) as stream:
        return stream.read(len(begin)) == begin


def _header(path: PathName, line: bytes) -> dict[str, Any]:
    what = f"it is not a file of {FORMAT}"
    try:
        table = json.loads(line)
        kind, version = table["format"], table["version"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamagedFileError(what, code="file.kind", file=path) from error
    if kind != FORMAT:
        raise DamagedFileError(what, code="file.kind", file=path)
    if version != VERSION:
        reason = f"its format version is {version}, this release reads {VERSION}"
        raise DamagedFileError(reason, code="file.version", value=version, file=path)
    if table.get("crc32") != table_checksum(table) or not _is_as_written(table, line):
        raise DamagedFileError("checksum mismatch", code="file.changed", file=path, line=1)
    for name, kind in _FIELDS.items():
        if type(table.get(name)) is not kind:
            reason = f"its field {name!r} is missing or of the wrong type"
            raise DamagedFileError(reason, code="file.damaged", argument=name, file=path, line=1)
    return dict(table)


def write_text(path: Target, words: Sequence[str], classes: NDArray[np.int32]) -> None:
    """Write lines `word<TAB>class` to a file or a stream."""
    rows = zip(words, classes.tolist(), strict=True)
    text = "".join(f"{word}\t{number}\n" for word, number in rows).encode()
    if isinstance(path, PATHS):
        with open_output(path) as stream:
            stream.write(text)
    else:
        path.write(text)


def read_text(
    source: Source, file: PathName | None = None
) -> tuple[list[str], NDArray[np.int32], int]:
    """Read lines `word class`: words, their classes from 1 on, and how many classes there are."""
    name = lines.file_name(source, file)
    labels: dict[str, str] = {}
    for place, line in lines.read_lines(source, name):
        with lines.at(name, place):
            word, label = _fields(line, 2)
            if word in labels:
                raise lines.given_twice("word", word)
            labels[word] = label
    if not labels:
        raise FormatError("there are no words", code="file.empty", file=name)
    distinct = set(labels.values())
    if all(map(_WHOLE.fullmatch, distinct)):
        distinct = {str(int(each)) for each in distinct}
        labels = {word: str(int(each)) for word, each in labels.items()}
        ordered = sorted(distinct, key=int)
    else:
        ordered = sorted(distinct)
    number = {label: place for place, label in enumerate(ordered, start=1)}
    classes = np.array([number[label] for label in labels.values()], np.int32)
    return list(labels), classes, len(ordered)


def _fields(line: str, count: int) -> list[str]:
    found = lines.split(line)
    if len(found) != count:
        reason = f"it has {len(found)} fields, expected {count}"
        raise RosewoodError(reason, code="line.fields", value=len(found), expected=count)
    return found
