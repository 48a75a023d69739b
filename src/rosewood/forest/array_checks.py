"""What is checked of arrays before they make a forest; native code checks the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rosewood.arguments import check_shape
from rosewood.arrays import FloatArray, IdArray, LongArray, as_array, freeze
from rosewood.errors import ForestError


def checked_edge_start(edge_start: ArrayLike) -> LongArray:
    """Where the edges of each node begin: from 0, never falling, for one node at least."""
    starts: LongArray = as_array("edge_start", edge_start, np.int64)
    if len(starts) < 2:
        reason = f"edge_start has {len(starts)} entries, expected one more than nodes"
        raise ForestError(reason, code="argument.shape", argument="edge_start")
    if starts[0] != 0:
        reason = f"edge_start begins with {starts[0]}, expected 0"
        raise ForestError(reason, code="argument.range", argument="edge_start")
    falls = starts[1:] < starts[:-1]  # a difference of int64 may wrap around
    if falls.any():
        node = int(np.argmax(falls))
        reason = f"edge_start decreases at node {node}: {starts[node]} then {starts[node + 1]}"
        raise ForestError(reason, code="argument.value", argument="edge_start", value=node)
    return starts


def heads_of(edge_start: LongArray) -> IdArray:
    """The head of each edge; offsets must have been checked, and be of edges that are there."""
    counts = edge_start[1:] - edge_start[:-1]
    return freeze(np.repeat(np.arange(len(counts), dtype=np.int32), counts))


def checked_dense(dense: ArrayLike | None, edges: int, width: int) -> FloatArray:
    """A row of dense features for each edge."""
    if dense is None:
        if width:
            reason = f"{width} dense features are named but none are given"
            raise ForestError(reason, code="argument.missing", argument="dense")
        dense = np.zeros((edges, 0))
    block: FloatArray = as_array("dense", dense, np.float64, ndim=2)
    check_shape("dense", block, (edges, width), error=ForestError)
    return block


def checked_column(
    name: str, value: ArrayLike | None, shape: tuple[int, ...], dtype: type[np.generic]
) -> Any:
    """An optional array of one fixed shape."""
    if value is None:
        return None
    array = as_array(name, value, dtype, ndim=len(shape))
    check_shape(name, array, shape, error=ForestError)
    return array


def check_spans(span: IdArray) -> None:
    """Refuse a node whose source words end before they begin."""
    bad = np.flatnonzero((span[:, 0] < 0) | (span[:, 0] > span[:, 1]))
    if bad.size:
        reason = f"node {bad[0]} covers source words {span[bad[0]].tolist()}"
        raise ForestError(reason, code="argument.value", argument="span", value=int(bad[0]))
