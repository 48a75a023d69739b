"""Errors by their codes and fields: tests do not depend on the wording of messages.

with refuses(TuningError, "argument.range", argument="rounds", value=0):
    LoopSettings(rounds=0)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from rosewood.errors import FormatError, RosewoodError

BAD_VALUES = ("usage", "argument.type", "argument.range", "argument.choice", "argument.unknown",
              "argument.value")  # fmt: skip


@contextmanager
def refuses(
    kind: type[RosewoodError], code: str, *, match: str | None = None, **fields: Any
) -> Iterator[pytest.ExceptionInfo[RosewoodError]]:
    """Expect an error of exactly this class and code, and with these fields.

    `match` is for tests about the text itself.
    """
    with pytest.raises(kind, match=match) as refused:
        yield refused
    check(refused.value, kind, code, **fields)


def fault(code: str, **fields: Any) -> dict[str, Any]:
    """What `refuses` takes, for tables of bad input."""
    return {"code": code, **fields}


def check(error: RosewoodError, kind: type[RosewoodError], code: str, **fields: Any) -> None:
    """The same of an error that was caught."""
    found = {name: getattr(error, name) for name in fields}
    assert (type(error), error.code, found) == (kind, code, fields), str(error)
    assert str(error)


def shows(
    done: Any, code: str, *fields: object, is_only_line: bool = True, exit_code: int | None = None
) -> None:
    """Expect that a command was refused: exit code, form, code, and texts such as file:line.

    shows(command("links", "show", file, 9), "argument.range", f"{file}", "LINE")

    The exit code is 2 for values that an option cannot have.  "usage" are errors that are shown
    with the usage of the verb: a code follows them, too.
    """
    assert "Traceback" not in done.err, done.err
    if exit_code is None:
        exit_code = 2 if code in BAD_VALUES else 1
    assert done.code == exit_code, done.err
    text = " ".join(done.err.split())
    if code == "usage":
        assert text.startswith("Usage: "), done.err
        assert re.search(r" \[argument\.[a-z]+\]$", text), done.err
    else:
        *before, last = done.err.splitlines()
        assert last.startswith("rosewood: "), done.err
        assert not (is_only_line and before), done.err
        assert last.endswith(f" [{code}]"), done.err
    missing = [str(each) for each in fields if str(each) not in text]
    assert not missing, (missing, done.err)


def warns(text: str, *tokens: object, is_only_line: bool = False) -> None:
    """Expect a line of the command to the user that has these words, numbers, options and paths.

    warns(done.err, "--max-pops", 2, "(lines 1 3)")
    """
    lines = text.splitlines()
    found = [
        line
        for line in lines
        if line.startswith("rosewood: ")
        and all(re.search(rf"(?<![\w.-]){re.escape(str(each))}(?![\w-])", line) for each in tokens)
    ]
    assert len(found) == 1, (tokens, text)
    assert not is_only_line or lines == found, text


def reader_refuses(
    read: Callable[..., Any], *arguments: Any, line: int | None, **expected: Any
) -> None:
    """What a reader of forests says of a file named `input`."""
    with refuses(FormatError, line=line, file="input", **expected):
        found = read(*arguments, file="input")
        if not hasattr(found, "num_nodes"):
            list(found)
