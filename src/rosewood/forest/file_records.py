"""Records of forest sets: the arrays of a forest and its info as bytes, compressed on request.

Compressed, a record is one frame of Zstandard.  Before that, offsets (`tail_start`, …) become
differences whose bytes are sorted by significance: they are nearly all equal then.  Feature values
stay as they are: rows of edges with one rule repeat as a whole, and are found as such.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from rosewood.arrays import LongArray
from rosewood.corpus.compression import compressed_bytes, decompressed_bytes
from rosewood.forest.file_layout import (
    BYTES,
    FLAG_BITS,
    FLAGS,
    HAS_RULE,
    HAS_SPAN,
    HAS_STATE,
    INDEX_WIDTH,
    INFO,
    INFO_IS_PACKED,
    INFO_SIZE,
    IS_PACKED,
    NODES,
    VERSION,
    part_size,
    record_parts,
    record_size,
)
from rosewood.forest.forest import Forest

# Zstandard makes at most 128 KB of 4 bytes: what claims to be more was not made by it.
_MOST_RATIO = 1 << 15


class BadRecord(Exception):
    """What is wrong with a record."""


class PackedRecord(NamedTuple):
    """A forest as it is written; `row` is that of the index, without place and checksums."""

    row: list[int]
    arrays: list[bytes]
    info: bytes


def pack_record(forest: Forest, info: bytes, *, compress: bool) -> PackedRecord:
    """The bytes of a forest, and of its info."""
    flags = (
        (HAS_SPAN if forest.span is not None else 0)
        | (HAS_RULE if forest.rule is not None else 0)
        | (HAS_STATE if forest.state is not None else 0)
        | (IS_PACKED if compress else 0)
    )
    row = [0] * INDEX_WIDTH[VERSION]
    row[INFO_SIZE] = len(info)
    row[NODES : FLAGS + 1] = [
        forest.num_nodes,
        forest.num_edges,
        len(forest.tail),
        len(forest.feat_id),
        len(forest.yield_symbol),
        flags,
    ]
    arrays = []
    for name, dtype, _ in record_parts(row, len(forest.features.dense)):
        array = getattr(forest, name).astype(dtype, copy=False)
        arrays.append(_packed_offsets(array) if compress and _is_offsets(name) else array.tobytes())
    if compress:
        arrays = [compressed_bytes(b"".join(arrays))]
        packed = compressed_bytes(info)
        if len(packed) < len(info):
            info = packed
            row[FLAGS] |= INFO_IS_PACKED
    row[BYTES] = sum(map(len, arrays))
    row[INFO] = len(info)
    return PackedRecord(row, arrays, info)


def check_row(row: Sequence[int], width: int) -> None:
    """Refuse a row of the index whose sizes do not add up: nothing is allocated by it then."""
    size, flags = record_size(row, width), row[FLAGS]
    if row[NODES] < 1 or flags > FLAG_BITS:
        raise BadRecord("its entry in the index is impossible")
    for stored, whole, is_packed in (
        (row[BYTES], size, flags & IS_PACKED),
        (row[INFO], row[INFO_SIZE], flags & INFO_IS_PACKED),
    ):
        if whole > stored * _MOST_RATIO if is_packed else whole != stored:
            raise BadRecord("its sizes do not add up")


def unpack_arrays(
    row: Sequence[int],
    width: int,
    data: memoryview | bytes,
    wanted: Container[str] | None = None,
) -> dict[str, Any]:
    """The arrays of a record by name (only those that are wanted), views of `data` where it is not
    compressed."""
    is_packed = bool(row[FLAGS] & IS_PACKED)
    if is_packed:
        data = _decompressed(data, record_size(row, width))
    arrays = {}
    place = 0
    for part in record_parts(row, width):
        name, dtype, shape = part
        if wanted is not None and name not in wanted:
            place += part_size(part)
            continue
        array = np.frombuffer(data, dtype, prod(shape), place)
        place += array.nbytes
        if is_packed and _is_offsets(name):
            array = _unpacked_offsets(array)
        arrays[name] = array if len(shape) == 1 else array.reshape(shape)
    return arrays


def unpack_info(row: Sequence[int], data: bytes) -> bytes:
    """The info of a record as JSON."""
    return _decompressed(data, row[INFO_SIZE]) if row[FLAGS] & INFO_IS_PACKED else data


def _decompressed(data: memoryview | bytes, size: int) -> bytes:
    try:
        return decompressed_bytes(data, size)
    except ValueError as error:
        raise BadRecord(f"it cannot be decompressed: {error}") from error


def _is_offsets(name: str) -> bool:
    return name.endswith("_start")


def _packed_offsets(offsets: LongArray) -> bytes:
    steps = np.diff(offsets, prepend=offsets.dtype.type(0))
    return steps.view(np.uint8).reshape(-1, steps.itemsize).T.tobytes()


def _unpacked_offsets(packed: LongArray) -> LongArray:
    planes = packed.view(np.uint8).reshape(packed.itemsize, -1)
    offsets: LongArray = planes.T.copy().reshape(-1).view(np.int64)
    np.cumsum(offsets, out=offsets)
    offsets.flags.writeable = False
    return offsets
