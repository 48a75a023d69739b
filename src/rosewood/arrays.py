"""Names for array types, and how arrays from outside become arrays that can be kept."""

from __future__ import annotations

from mmap import mmap
from operator import index
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosewood.errors import ForestError

__all__ = [
    "FloatArray",
    "IdArray",
    "LongArray",
    "as_array",
    "as_count",
    "as_scale",
    "as_weight",
    "freeze",
]

FloatArray = NDArray[np.float64]
IdArray = NDArray[np.int32]  # nodes, words, features
LongArray = NDArray[np.int64]  # offsets, edges, rules


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers, read-only: a view, so that nobody makes it writable again by its flag."""
    array.flags.writeable = False
    return array.view()


def as_array(
    name: str, value: ArrayLike, dtype: type[np.generic], *, ndim: int = 1
) -> NDArray[Any]:
    """`value` as a read-only C-contiguous array that nobody else can write to.

    Arrays that are read-only all the way down (memory maps) are taken as they are, others copied.
    Numbers that the type cannot hold exactly are refused.
    """
    array = _numbers(name, value)
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
        return freeze(np.ascontiguousarray(array.astype(dtype)))
    if _is_read_only(array) and array.flags.c_contiguous:
        return array
    return freeze(np.array(array, order="C", copy=True))


def _numbers(name: str, value: ArrayLike) -> NDArray[Any]:
    try:
        return np.asarray(value)
    except (ValueError, TypeError, OverflowError) as error:
        raise ForestError(f"{name} is not an array of numbers: {error}") from error


def _is_read_only(array: object) -> bool:
    """Whether neither the array nor what it is a view of can be written to."""
    while isinstance(array, np.ndarray | memoryview):
        if isinstance(array, memoryview):
            array = array.obj
            continue
        if array.flags.writeable:
            return False
        if array.base is None:
            return True
        array = array.base
    return isinstance(array, bytes) or (isinstance(array, mmap) and memoryview(array).readonly)


def as_weight(name: str, value: ArrayLike, count: int) -> FloatArray:
    """One number an edge (or whatever there are `count` of), checked for shape, not copied."""
    array = _numbers(name, value)
    if array.dtype.kind not in "biuf" and array.size:
        raise ForestError(f"{name} has numbers of type {array.dtype}, want float64")
    if array.shape != (count,):
        raise ForestError(f"{name} has shape {array.shape}, want ({count},)")
    return np.ascontiguousarray(array, dtype=np.float64)


def as_count(name: str, value: SupportsIndex, low: int = 0, high: int = 2**62) -> int:
    """A whole number from `low` to `high`."""
    try:
        number = index(value)
    except TypeError:
        raise ForestError(f"{name} is {value!r}, want a whole number") from None
    if not low <= number <= high:
        raise ForestError(f"{name} is {number}, want a number from {low} to {high}")
    return number


def as_scale(value: float) -> float:
    """The factor γ: above zero and finite."""
    if not 0 < value < float("inf"):
        raise ForestError(f"the scale is {value}, want a finite number above 0")
    return float(value)
