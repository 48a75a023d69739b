"""The layout of forest sets: header, records, footers; `files.py` describes the whole file."""

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
VERSION = 2
VERSION_AT = len(MAGIC)
HEAD = struct.Struct("<8sII")
_SLOT = struct.Struct("<QQQII")  # generation, footer offset, footer length, footer crc, slot crc
HEADER_SIZE = 128
# Slot of even and of odd generations.  The first slot that version 2 writes (generation 1) is where
# version 1 has nothing: a file of version 1 is upgraded by writing it, then the version number.
SLOT_AT = {1: (16, 48), 2: (16, 80)}
ALIGN = 64

# A record's row of the index: offset; bytes in the file and checksum of its arrays; sizes that give
# every array's place; flags; bytes in the file, checksum and size of its info.
(OFFSET, BYTES, CRC, NODES, EDGES, TAILS, SPARSE, SYMBOLS, FLAGS) = range(9)
(INFO, INFO_CRC, INFO_SIZE) = range(9, 12)
INDEX_WIDTH = {1: 10, 2: 12}
HAS_SPAN, HAS_RULE, HAS_STATE = 1, 2, 4
IS_PACKED, INFO_IS_PACKED = 8, 16  # compressed
ONE_CHECKSUM = 32  # CRC is of arrays and info together: version 1
FLAG_BITS = 63

_INT64: np.dtype[Any] = np.dtype(np.int64)
_INT32: np.dtype[Any] = np.dtype(np.int32)
_FLOAT64: np.dtype[Any] = np.dtype(np.float64)

RecordPart = tuple[str, np.dtype[Any], tuple[int, ...]]  # name, type and shape of an array


def record_parts(row: Sequence[int], width: int) -> list[RecordPart]:
    """Name, type and shape of each array of a record, in file order."""
    nodes, edges, tails, sparse, symbols, flags = row[NODES : FLAGS + 1]
    parts: list[RecordPart] = [
        ("edge_start", _INT64, (nodes + 1,)),
        ("tail_start", _INT64, (edges + 1,)),
        ("feat_start", _INT64, (edges + 1,)),
        ("yield_start", _INT64, (edges + 1,)),
        ("dense", _FLOAT64, (edges, width)),
        ("feat_value", _FLOAT64, (sparse,)),
    ]
    if flags & HAS_RULE:
        parts.append(("rule", _INT64, (edges,)))
    if flags & HAS_STATE:
        parts.append(("state", _INT64, (nodes,)))
    parts += [
        ("tail", _INT32, (tails,)),
        ("feat_id", _INT32, (sparse,)),
        ("yield_symbol", _INT32, (symbols,)),
    ]
    if flags & HAS_SPAN:
        parts.append(("span", _INT32, (nodes, 2)))
    return parts


def part_size(part: RecordPart) -> int:
    """The bytes of an array."""
    _, dtype, shape = part
    return dtype.itemsize * prod(shape)


def record_size(row: Sequence[int], width: int) -> int:
    """The bytes of all arrays of a record, uncompressed."""
    return sum(map(part_size, record_parts(row, width)))


class FooterState(NamedTuple):
    """Where a footer is: the newest one as a slot of the header gives it, others as the next does.

    `version` is that of the footer: a file of version 2 may begin as one of version 1.
    """

    generation: int
    offset: int
    length: int
    crc: int
    version: int = VERSION

    @property
    def end(self) -> int:
        return self.offset + self.length

    @property
    def slot(self) -> int:
        """The place of this state's slot in the header."""
        return SLOT_AT[self.version][self.generation % 2]

    def pack(self) -> bytes:
        body = _SLOT.pack(*self[:4], 0)[:-4]
        # Version 2 seals its slots otherwise: those of version 1 in an upgraded file do not count.
        return body + struct.pack("<I", zlib.crc32(body, self.version - 1))


def newest_state(header: bytes, path: Path) -> FooterState:
    """The state in force, from the header's two slots.

    A slot is written in one piece, so one that is neither empty nor whole was damaged later: it may
    have been the one of what was appended last.
    """
    if len(header) < HEADER_SIZE or not header.startswith(MAGIC):
        raise DamagedFileError("it is not a forest set", file=path, code="file.kind")
    version = HEAD.unpack_from(header)[1]
    if version not in SLOT_AT:
        reason = f"its format version is {version}, this release reads 1 to {VERSION}"
        raise DamagedFileError(reason, code="file.version", value=version, file=path)
    states = []
    for place in SLOT_AT[version]:
        body = header[place : place + _SLOT.size]
        generation, offset, length, crc, _ = _SLOT.unpack(body)
        state = FooterState(generation, offset, length, crc, version)
        if state.pack() == body and state.generation > 0:
            states.append(state)
        elif any(body) and not _is_of_version_1(state, body):
            states.clear()
            break
    if not states:
        raise DamagedFileError("its header is damaged", file=path, code="file.damaged")
    return max(states)


def _is_of_version_1(state: FooterState, body: bytes) -> bool:
    """Whether a slot of an upgraded file is from before."""
    return state._replace(version=1).pack() == body and state.generation > 0
