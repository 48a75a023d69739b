"""The layout of forest sets: header, records, footer; see `files.py`."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosewood.errors import DamagedFileError

MAGIC = b"RWFOREST"
VERSION = 1
HEAD = struct.Struct("<8sII")
_SLOT = struct.Struct("<QQQII")  # generation, footer offset, footer length, footer crc, slot crc
HEADER_SIZE = 128
SLOT_AT = (HEAD.size, HEAD.size + _SLOT.size)
FOOT = struct.Struct("<QQQ")  # number of forests, bytes of names, bytes of words (+1, 0: none)
ALIGN = 64

# A record's row of the index: offset, bytes, crc, then the sizes that give every array's place.
OFFSET, BYTES, CRC, NODES, EDGES, TAILS, SPARSE, SYMBOLS, COLUMNS, INFO = range(10)
INDEX_WIDTH = 10
HAS_SPAN, HAS_RULE, HAS_STATE = 1, 2, 4


_INT64: np.dtype[Any] = np.dtype(np.int64)
_INT32: np.dtype[Any] = np.dtype(np.int32)
_FLOAT64: np.dtype[Any] = np.dtype(np.float64)

RecordPart = tuple[str, np.dtype[Any], tuple[int, ...]]  # name, type and shape of an array


def record_parts(row: Sequence[int], width: int) -> list[RecordPart]:
    """Name, type and shape of each array of a record, in file order."""
    nodes, edges, tails, sparse, symbols, columns = row[NODES : COLUMNS + 1]
    parts: list[RecordPart] = [
        ("edge_start", _INT64, (nodes + 1,)),
        ("tail_start", _INT64, (edges + 1,)),
        ("feat_start", _INT64, (edges + 1,)),
        ("yield_start", _INT64, (edges + 1,)),
        ("dense", _FLOAT64, (edges, width)),
        ("feat_value", _FLOAT64, (sparse,)),
    ]
    if columns & HAS_RULE:
        parts.append(("rule", _INT64, (edges,)))
    if columns & HAS_STATE:
        parts.append(("state", _INT64, (nodes,)))
    parts += [
        ("tail", _INT32, (tails,)),
        ("feat_id", _INT32, (sparse,)),
        ("yield_symbol", _INT32, (symbols,)),
    ]
    if columns & HAS_SPAN:
        parts.append(("span", _INT32, (nodes, 2)))
    return parts


def part_size(part: RecordPart) -> int:
    """The bytes of an array."""
    _, dtype, shape = part
    return dtype.itemsize * prod(shape)


class FooterState(NamedTuple):
    """The valid footer, as one slot of the header gives it."""

    generation: int
    offset: int
    length: int
    crc: int

    @property
    def end(self) -> int:
        return self.offset + self.length

    def pack(self) -> bytes:
        body = _SLOT.pack(*self, 0)[:-4]
        return body + struct.pack("<I", zlib.crc32(body))


def newest_state(header: bytes, path: Path) -> FooterState:
    """The state in force, from the header's two slots: at least one of them is whole."""
    if len(header) < HEADER_SIZE or not header.startswith(MAGIC):
        raise DamagedFileError("it is not a forest set", file=path, code="file.kind")
    version = HEAD.unpack_from(header)[1]
    if version != VERSION:
        reason = f"its format version is {version}, this release reads {VERSION}"
        raise DamagedFileError(reason, code="file.version", value=version, file=path)
    states = []
    for place in SLOT_AT:
        body = header[place : place + _SLOT.size]
        state = FooterState(*_SLOT.unpack(body)[:-1])
        if state.pack() == body and state.generation > 0:
            states.append(state)
    if not states:
        raise DamagedFileError("its header is damaged", file=path, code="file.damaged")
    return max(states)
