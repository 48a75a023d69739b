"""Names for array types, and how arrays from outside become arrays that can be kept."""

from __future__ import annotations

import hashlib
from mmap import mmap
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosewood.arguments import check_shape, check_whole
from rosewood.errors import ForestError, RosewoodError

FloatArray = NDArray[np.float64]
IdArray = NDArray[np.int32]  # nodes, words, features
LongArray = NDArray[np.int64]  # offsets, edges, rules


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only view of the array, which cannot be made writable again by its flag."""
    array.flags.writeable = False
    return array.view()


def rounded(values: ArrayLike, bits: int) -> FloatArray:
    """Numbers with so many significant bits.

    BLAS adds in another order on other processors, and results differ in their last bits.  What is
    written to files has none of those.
    """
    mantissa, exponent = np.frexp(np.asarray(values, np.float64))
    found: FloatArray = np.ldexp(np.rint(np.ldexp(mantissa, bits)), exponent - bits)
    return found


def digest_of(*arrays: NDArray[Any]) -> str:
    """A hash of the numbers of some arrays, for the name of work that is done on them."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(len(array).to_bytes(8, "little"))
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


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
        reason = f"{name} has {array.ndim} dimensions, expected {ndim}"
        raise ForestError(reason, code="argument.shape", argument=name, value=array.ndim)
    if array.dtype != dtype:
        if array.dtype.kind not in ("biu" if np.dtype(dtype).kind == "i" else "biuf"):
            raise _wrong_type(name, array, dtype)
        if np.dtype(dtype).kind == "i" and array.size:
            limit = np.iinfo(dtype)  # type: ignore[type-var]
            if array.min() < limit.min or array.max() > limit.max:
                reason = f"{name} has numbers that do not fit {np.dtype(dtype)}"
                raise ForestError(reason, code="argument.range", argument=name)
        return freeze(np.ascontiguousarray(array.astype(dtype)))
    if _is_read_only(array) and array.flags.c_contiguous:
        return array
    return freeze(np.array(array, order="C", copy=True))


def _numbers(name: str, value: ArrayLike) -> NDArray[Any]:
    try:
        return np.asarray(value)
    except (ValueError, TypeError, OverflowError) as error:
        reason = f"{name} is not an array of numbers: {error}"
        raise ForestError(reason, code="argument.type", argument=name) from error


def _wrong_type(name: str, array: NDArray[Any], dtype: type[np.generic]) -> ForestError:
    reason = f"{name} has numbers of type {array.dtype}, expected {np.dtype(dtype)}"
    return ForestError(reason, code="argument.type", argument=name, value=str(array.dtype))


def _is_read_only(array: object) -> bool:
    """Whether neither the array nor its base can be written to."""
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
        raise _wrong_type(name, array, np.float64)
    check_shape(name, array, (count,), error=ForestError)
    return np.ascontiguousarray(array, dtype=np.float64)


def as_count(
    name: str,
    value: SupportsIndex,
    low: int = 0,
    high: int = 2**62,
    error: type[RosewoodError] = ForestError,
) -> int:
    """A whole number that native code takes: from `low` to `high`, of NumPy too."""
    return check_whole(name, value, low=low, high=high, error=error)


def as_scale(value: float) -> float:
    """The factor γ: above zero and finite."""
    if not 0 < value < float("inf"):
        reason = f"scale is {value}, expected a finite number above 0"
        raise ForestError(reason, code="argument.range", argument="scale", value=value)
    return float(value)


def not_below(name: str, number: int, count: int, where: str = "") -> ForestError:
    """The error for a number of a node, an edge or a state that does not exist."""
    reason = f"{where}there is no {name} {number}, expected 0 to {count - 1}"
    return ForestError(reason, code="argument.range", argument=name, value=number, expected=count)
