"""Errors by their codes and fields: tests do not depend on the wording of messages.

with refuses(TuningError, "argument.range", argument="rounds", value=0):
    LoopSettings(rounds=0)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from rosewood.errors import RosewoodError


@contextmanager
def refuses(
    kind: type[RosewoodError], code: str, *, match: str | None = None, **fields: Any
) -> Iterator[pytest.ExceptionInfo[RosewoodError]]:
    """Expect an error of exactly this class and code, and with these fields.

    `match` is for errors of native code, which have no fields, and for tests about the text itself.
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
