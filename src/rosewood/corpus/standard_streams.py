"""Standard input and output by the name `-`, beside files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from pathlib import Path
from typing import BinaryIO, cast

from rosewood.shared_types import PathName


def source_of(file: PathName) -> Path | BufferedIOBase:
    """The file to read; `-` is standard input."""
    return cast(BufferedIOBase, sys.stdin.buffer) if str(file) == "-" else Path(file)


def target_of(file: PathName) -> Path | BinaryIO:
    """The file to write; `-` is standard output."""
    return sys.stdout.buffer if str(file) == "-" else Path(file)


def name_of(file: PathName) -> str:
    """The name of an input in errors."""
    return "<stdin>" if str(file) == "-" else str(file)


@contextmanager
def lines_to(output: PathName) -> Iterator[Callable[[str], None]]:
    """Writes lines to a file that appears whole or not at all, or to standard output."""
    from rosewood.corpus.compression import open_output

    if str(output) == "-":
        yield print
        return
    with open_output(output) as stream:

        def write(line: str) -> None:
            stream.write(line.encode() + b"\n")

        yield write
