"""A JSON object on a line of its own, read strictly."""

from __future__ import annotations

import json
from typing import Any

from rosewood.errors import RosewoodError


def parse_json(text: str, one: str, many: str) -> Any:
    """The object of a line; errors call it `one`, and several of them `many`."""
    if not text.strip(" \t\r"):
        raise RosewoodError("the line is empty", code="line.empty")
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            reason = f"there is more behind the {one}, at column {error.colno}: one {one} a line"
            raise RosewoodError(reason, code="line.fields") from error
        reason = f"it is not JSON: {error.msg} at column {error.colno}"
        raise RosewoodError(reason, code="line.format") from error
    except RecursionError as error:
        reason = f"it is not JSON of {many}: nested too deeply"
        raise RosewoodError(reason, code="line.depth") from error
    except ValueError as error:  # a whole number of thousands of digits
        raise RosewoodError(f"it is not JSON of {many}: {error}", code="line.number") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        reason = f"the key {show(twice)} stands twice in an object"
        raise RosewoodError(reason, code="line.duplicate", argument="key", value=twice)
    return table


def _refuse_constant(name: str) -> float:
    reason = f"there is a number {name}, expected finite numbers"
    raise RosewoodError(reason, code="line.number", value=name, expected="a finite number")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant)


def show(value: object) -> str:
    """A value of a file in an error: as JSON writes it, and not too long."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = repr(type(value).__name__)
    return text if len(text) <= 40 else f"{text[:40]}…"
