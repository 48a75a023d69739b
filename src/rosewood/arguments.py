"""Checks of arguments and settings: one message and one code for each kind of fault.

    check_whole("rounds", rounds, low=1, error=TuningError)
    check_choice("unknown", unknown, ("copy", "drop"), error=DecodingError)

Each check returns the value, and raises the caller's class of error with `argument`, `value` and
`expected`.  Codes: argument.type, argument.range, argument.choice, argument.unknown,
argument.shape.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sized
from operator import index
from typing import Any, TypeVar

from rosewood.errors import RosewoodError

T = TypeVar("T")
Kind = type[RosewoodError]


def bounds(low: float | None, high: float | None) -> str:
    """How bounds are written: "from 1 to 9"; nothing without any."""
    parts = [
        f"{word} {bound}" if isinstance(bound, int) else f"{word} {bound:g}"
        for word, bound in (("from", low), ("to", high))
        if bound is not None
    ]
    return " ".join(parts)


def check_whole(
    name: str, value: object, *, low: int | None = None, high: int | None = None, error: Kind
) -> int:
    """A whole number, NumPy's too, within bounds, both of which are included."""
    try:
        whole = value if type(value) is int else index(value)  # type: ignore[arg-type]
    except TypeError:
        whole = None
    if whole is None or isinstance(value, bool):
        raise refused(name, value, _whole(low, high), "argument.type", error)
    if (low is not None and whole < low) or (high is not None and whole > high):
        raise refused(name, value, _whole(low, high), "argument.range", error)
    return whole


def check_number(
    name: str, value: object, *, low: float | None = None, high: float | None = None, error: Kind
) -> float:
    """A finite number within bounds, both of which are included."""
    expected = f"a number {bounds(low, high)}".rstrip()
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise refused(name, value, expected, "argument.type", error)
    is_finite = math.isfinite(value)
    if not is_finite or (low is not None and value < low) or (high is not None and value > high):
        raise refused(name, value, expected, "argument.range", error)
    return value


def check_flag(name: str, value: object, *, error: Kind) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise refused(name, value, "True or False", "argument.type", error)
    return value


def check_text(name: str, value: object, *, error: Kind) -> str:
    """A text."""
    if not isinstance(value, str):
        raise refused(name, value, "a text", "argument.type", error)
    return value


def check_type(name: str, value: T, kind: Any, expected: str, *, error: Kind) -> T:
    """An object of a class, or of one of several."""
    if not isinstance(value, kind):
        raise refused(name, value, expected, "argument.type", error)
    return value


def check_choice(name: str, value: T, choices: Iterable[Any], *, error: Kind) -> T:
    """One of a few values."""
    known = tuple(choices)
    if not any(value == each and type(value) is type(each) for each in known):
        raise refused(name, value, one_of(known), "argument.choice", error)
    return value


def check_known(what: str, names: Iterable[Any], known: Iterable[str], *, error: Kind) -> None:
    """Names that exist: `what` is what they are called, as in "setting"."""
    every = list(known)
    for name in names:
        if name not in every:
            listed = ", ".join(every) or "none"
            reason = f"there is no {what} {name!r}; known: {listed}"
            raise error(reason, code="argument.unknown", argument=what, value=name, expected=every)


def check_length(name: str, values: Sized, count: int, of: str, *, error: Kind) -> None:
    """A collection with one entry for each of `count` things, which are called `of`."""
    if len(values) != count:
        reason = f"{name} has {len(values)} entries, expected {count}: one for each {of}"
        raise error(reason, code="argument.shape", argument=name, value=len(values), expected=count)


def check_list(name: str, values: T, expected: str = "a list", *, error: Kind) -> T:
    """Anything to iterate over but a text, which would be taken for a list of its characters."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise refused(name, values, expected, "argument.type", error)
    return values


def check_shape(name: str, array: Any, shape: tuple[int | str, ...], *, error: Kind) -> None:
    """An array of this shape; a text is any number."""
    pairs = zip(array.shape, shape, strict=False)
    if len(array.shape) != len(shape) or any(a != b for a, b in pairs if not isinstance(b, str)):
        told = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
        reason = f"{name} has shape {array.shape}, expected ({told})"
        raise error(reason, code="argument.shape", argument=name, value=array.shape, expected=shape)


def one_of(known: Iterable[object]) -> str:
    """How a choice is written."""
    names = [str(each) for each in known]
    return " or ".join(names) if len(names) < 3 else f"one of {', '.join(names)}"


def _whole(low: int | None, high: int | None) -> str:
    return f"a whole number {bounds(low, high)}".rstrip()


def refused(name: str, value: object, expected: str, code: str, error: Kind) -> RosewoodError:
    """The error of a value that is not what is expected."""
    told = repr(value)
    told = told if len(told) <= 80 else f"{told[:79]}…"
    return error(
        f"{name} is {told}, expected {expected}",
        code=code, argument=name, value=value, expected=expected,
    )  # fmt: skip
