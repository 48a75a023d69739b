"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import BinaryIO

__all__ = ["whole_file"]


@contextmanager
def whole_file(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Opens a file for writing that takes its place when the block ends without an error.

    It is written aside, under a name nobody else has, and then renamed.  A symbolic link stays:
    what it leads to is replaced.  What is no ordinary file (a pipe, a device) is written directly.
    """
    target = Path(path)
    if target.is_symlink():
        target = target.resolve()
    if target.exists() and not target.is_file():
        with target.open("wb") as direct:
            yield direct
        return
    aside = target.with_name(f"{target.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
    stream = aside.open("xb+")
    try:
        with stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)
