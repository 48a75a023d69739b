"""Names for array types, and how arrays from outside become arrays a forest can keep."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosewood.errors import ForestError

__all__ = ["FloatArray", "IdArray", "LongArray", "MaskArray", "as_array", "as_weight", "freeze"]

FloatArray = NDArray[np.float64]
IdArray = NDArray[np.int32]  # nodes, words, features
LongArray = NDArray[np.int64]  # offsets, edges, rules
MaskArray = NDArray[np.uint8]


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, no longer writable."""
    array.flags.writeable = False
    return array


def as_array(
    name: str, value: ArrayLike, dtype: type[np.generic], *, ndim: int = 1, copy: bool = True
) -> NDArray[Any]:
    """`value` as a read-only C-contiguous array that nobody else can write to.

    Read-only arrays (memory maps) are taken as they are; others are copied where `copy` says so.
    Numbers that the type cannot hold exactly are refused.
    """
    array = np.asarray(value)
    if array.size == 0:
        array = array.reshape((0,) * (ndim - array.ndim) + array.shape).astype(dtype)
    if array.ndim != ndim:
        raise ForestError(f"{name} has {array.ndim} dimensions, not {ndim}")
    if array.dtype != dtype:
        if array.dtype.kind not in ("biu" if np.dtype(dtype).kind == "i" else "biuf"):
            raise ForestError(f"{name} has numbers of type {array.dtype}, want {np.dtype(dtype)}")
        if np.dtype(dtype).kind == "i" and array.size:
            limit = np.iinfo(dtype)  # type: ignore[type-var]
            if array.min() < limit.min or array.max() > limit.max:
                raise ForestError(f"{name} has numbers beyond {np.dtype(dtype)}")
        array = array.astype(dtype)
    elif copy and array.flags.writeable:
        array = array.copy()
    array = np.ascontiguousarray(array)
    if array.flags.writeable and array.base is not None:
        array = array.view()
    return freeze(array)


def as_weight(name: str, value: ArrayLike, count: int) -> FloatArray:
    """One number an edge (or whatever there are `count` of), checked for shape, not copied."""
    array = np.ascontiguousarray(value, dtype=np.float64)
    if array.shape != (count,):
        raise ForestError(f"{name} has shape {array.shape}, want ({count},)")
    return array
