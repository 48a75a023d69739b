"""Footers of forest sets: each has what is new since the one before it.

Version 2   where the previous footer is (offset, length, checksum, version; zeros: none), how many
            forests, sparse names and words all earlier footers have, then what this one adds:
            rows of the index, names as JSON (dense ones in the first footer only), words as JSON
Version 1   one footer has everything: the numbers of forests and of bytes, rows, names, words
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rosewood.arrays import LongArray
from rosewood.corpus import Vocabulary
from rosewood.errors import RosewoodError
from rosewood.forest.features import FeatureSpace
from rosewood.forest.file_layout import (
    BYTES,
    FLAGS,
    HEADER_SIZE,
    INDEX_WIDTH,
    INFO,
    INFO_SIZE,
    ONE_CHECKSUM,
    FooterState,
)

# Forests, bytes of names, bytes of words + 1 (0: no words, only their numbers).
_SIZES = struct.Struct("<QQQ")
_PREVIOUS = struct.Struct("<QQIIQQQ")
_LARGEST = 1 << 48  # of a number in the index: sums and products of sizes do not overflow


class BadFooter(Exception):
    """What is wrong with a footer."""


class Counts(NamedTuple):
    """How much a set has."""

    forests: int = 0
    sparse: int = 0
    words: int = 0


class Contents(NamedTuple):
    """What all footers of a set say together."""

    rows: LongArray  # of the index
    features: FeatureSpace
    vocabulary: Vocabulary | None

    @property
    def counts(self) -> Counts:
        """How much that is."""
        words = 0 if self.vocabulary is None else len(self.vocabulary)
        return Counts(len(self.rows), self.features.sparse.settled(), words)


class _Footer(NamedTuple):
    rows: LongArray
    names: dict[str, list[str]]
    words: list[str] | None
    previous: FooterState | None
    before: Counts


def pack_footer(
    previous: FooterState | None, before: Counts, now: Counts, contents: Contents
) -> bytes:
    """The footer of what a set has now and had not before; `contents` have its new rows only."""
    rows, features, words = contents
    told = FooterState(0, 0, 0, 0, 0) if previous is None else previous
    names = {"sparse": features.sparse.words(range(before.sparse, now.sparse))}
    if previous is None:
        names["dense"] = list(features.dense)
    parts = [
        rows.tobytes(),
        json.dumps(names).encode(),
        b"" if words is None else json.dumps(words.words(range(before.words, now.words))).encode(),
    ]
    sizes = (len(rows), len(parts[1]), 0 if words is None else len(parts[2]) + 1)
    link = _PREVIOUS.pack(told.offset, told.length, told.crc, told.version, *before)
    return b"".join([link, _SIZES.pack(*sizes), *parts])


def read_footers(read: Callable[[int, int], bytes], newest: FooterState) -> Contents:
    """Everything that the newest footer and those before it have; `read` takes begin and end."""
    footers: list[_Footer] = []
    state: FooterState | None = newest
    while state is not None:  # it ends: each footer lies before the next
        footers.append(_read_footer(read(state.offset, state.end), state))
        state = footers[-1].previous
    footers.reverse()
    sparse: list[str] = []
    words: list[str] = []
    has_words = footers[0].words is not None
    forests = 0
    for footer in footers:
        if footer.before != (forests, len(sparse), len(words)):
            raise BadFooter("its footers do not follow each other")
        is_first = footer.previous is None
        if (footer.words is not None) != has_words or ("dense" in footer.names) != is_first:
            raise BadFooter("its footers do not belong together")
        forests += len(footer.rows)
        sparse += footer.names["sparse"]
        words += footer.words or []
    try:
        features = FeatureSpace(footers[0].names["dense"], sparse)
        vocabulary = Vocabulary(words) if has_words else None
    except (TypeError, RosewoodError) as error:
        raise BadFooter(f"its names cannot be read: {error}") from error
    index = np.concatenate([footer.rows for footer in footers])
    bad = np.flatnonzero((index < 0).any(axis=1) | (index > _LARGEST).any(axis=1))
    if len(bad):
        raise BadFooter(f"forest {bad[0]}: its entry in the index is impossible")
    index.flags.writeable = False
    return Contents(index, features, vocabulary)


def _read_footer(data: bytes, state: FooterState) -> _Footer:
    if zlib.crc32(data) != state.crc:
        raise BadFooter("its footer does not match its checksum")
    place = _SIZES.size if state.version == 1 else _PREVIOUS.size + _SIZES.size
    if len(data) < place:
        raise BadFooter("its footer is too short")
    previous, before = None, Counts()
    if state.version != 1:
        offset, length, crc, version, *counts = _PREVIOUS.unpack_from(data)
        before = Counts(*counts)
        if version:
            previous = FooterState(0, offset, length, crc, version)
            if (
                version not in INDEX_WIDTH
                or not HEADER_SIZE <= offset <= previous.end <= state.offset
            ):
                raise BadFooter("its footer says that the previous one is in an impossible place")
    count, name_bytes, word_bytes = _SIZES.unpack_from(data, place - _SIZES.size)
    width = INDEX_WIDTH[state.version]
    end = place + count * width * 8
    if end + name_bytes + max(word_bytes - 1, 0) != len(data):
        raise BadFooter("the sizes in its footer do not add up")
    rows = np.frombuffer(data, np.int64, count * width, place).reshape(count, width)
    try:
        names = json.loads(data[end : end + name_bytes])
        words = json.loads(data[end + name_bytes :]) if word_bytes else None
        _check_names(names, words)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadFooter(f"its names cannot be read: {error}") from error
    return _Footer(_upgraded(rows) if state.version == 1 else rows, names, words, previous, before)


def _check_names(names: Any, words: Any) -> None:
    lists = [names["sparse"], names.get("dense", []), [] if words is None else words]
    if not all(isinstance(each, list) for each in lists):
        raise TypeError("names are not in a list")
    if not all(isinstance(name, str) for each in lists for name in each):
        raise TypeError("a name is not a text")


def _upgraded(rows: LongArray) -> LongArray:
    """Rows of version 1, in which arrays and info have one size and one checksum, as of 2."""
    made = np.zeros((len(rows), INDEX_WIDTH[2]), dtype=np.int64)
    if (rows < 0).any():
        raise BadFooter("an entry in its index is impossible")
    made[:, : INDEX_WIDTH[1]] = rows
    made[:, BYTES] -= rows[:, INFO]
    made[:, FLAGS] |= ONE_CHECKSUM
    made[:, INFO_SIZE] = rows[:, INFO]
    return made
