"""Text into word numbers, written for reading: the specification of core/corpus/indexer.hpp."""

from __future__ import annotations

import re
from typing import NamedTuple


class Indexed(NamedTuple):
    """Each line's word numbers, the words by number, and the first bad line with its reason."""

    lines: list[list[int]]
    words: list[bytes]
    bad: tuple[int, str] | None = None


def index(data: bytes, max_words: int, max_bytes: int) -> Indexed:
    """Lines end at line feeds, words at spaces and tabs; nothing behind a bad line counts."""
    numbers: dict[bytes, int] = {}
    lines: list[list[int]] = []
    pieces = data.split(b"\n")
    if pieces[-1] == b"":
        pieces.pop()  # a line feed ends a line, it does not begin one
    for count, piece in enumerate(pieces, start=1):
        line = piece.removesuffix(b"\r")
        reason = objection(line, count == 1, max_words, max_bytes)
        if reason:
            return Indexed(lines, list(numbers), (count, reason))
        lines.append([numbers.setdefault(word, len(numbers)) for word in words_of(line)])
    return Indexed(lines, list(numbers))


def index_good_lines(
    data: bytes, max_words: int, max_bytes: int
) -> tuple[list[list[bytes]], list[tuple[int, str]]]:
    """The words of all lines but bad ones, and those with their reasons."""
    good: list[list[bytes]] = []
    bad: list[tuple[int, str]] = []
    pieces = data.split(b"\n")
    if pieces[-1] == b"":
        pieces.pop()
    for count, piece in enumerate(pieces, start=1):
        line = piece.removesuffix(b"\r")
        reason = objection(line, count == 1, max_words, max_bytes)
        if reason:
            bad.append((count, reason))
        else:
            good.append(words_of(line))
    return good, bad


def words_of(line: bytes) -> list[bytes]:
    return [word for word in re.split(rb"[ \t]+", line) if word]


def objection(line: bytes, is_first: bool, max_words: int, max_bytes: int) -> str:
    """The first thing wrong with a line from its left to its right; empty if nothing is."""
    if len(line) > max_bytes:
        return f"the line has more than {max_bytes} bytes"
    if is_first and line.startswith("\ufeff".encode()):
        return "the text begins with a byte order mark"
    found = {}  # reasons by their place
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        found[error.start] = f"it is not UTF-8 at byte {error.start + 1} of the line"
        text = line[: error.start].decode()
    for place, character in enumerate(text):
        byte = len(text[:place].encode())
        if character == "\r":
            found[byte] = (
                f"a carriage return at byte {byte + 1} of the line: "
                "lines end with a line feed alone"
            )
        elif character != "\t" and (ord(character) < 32 or 127 <= ord(character) < 160):
            name = f"U+{ord(character):04X}"
            found[byte] = f"the control character {name} at byte {byte + 1} of the line"
        elif character == "\ufeff":
            found[byte] = f"a byte order mark (U+FEFF) at byte {byte + 1} of the line"
        elif character in "\ufffe\uffff":
            name = f"U+{ord(character):04X}"
            found[byte] = f"{name} at byte {byte + 1} of the line, which is no character"
    begins = [match.start() for match in re.finditer(rb"[^ \t]+", line)]
    if len(begins) > max_words:  # it is seen where the word that is too many begins
        found[begins[max_words] - 0.5] = f"the line has more than {max_words} words"
    return found[min(found)] if found else ""
