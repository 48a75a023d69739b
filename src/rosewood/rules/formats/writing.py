"""What writing rules as text has in common."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from typing import BinaryIO

from rosewood import _core
from rosewood.corpus.compression import open_output
from rosewood.errors import RuleError
from rosewood.rules.formats.reading import PathName, Show
from rosewood.rules.table import RuleTable

__all__ = ["write_text"]


def write_text(
    table: RuleTable,
    path: PathName | BinaryIO,
    format: _core.RuleFormat,
    columns: Sequence[str],
    *,
    threads: int,
    show: Show,
    prefix: str = "",
    name: str = "text",
) -> None:
    """All rules to a file, which appears whole or not at all, or to a stream."""
    if isinstance(path, str | PathLike):
        with open_output(path) as stream:
            write_text(
                table, stream, format, columns, threads=threads, show=show, prefix=prefix,
                name=fspath(path),
            )  # fmt: skip
        return
    features = table.features
    if unknown := [name for name in columns if name not in features]:
        raise RuleError(f"{table.folder}: it has no feature {unknown[0]!r}")
    places = [features.index(name) for name in columns]
    with show(f"writing {name}, bytes", None) as step:
        try:
            writer = _core.RuleTextWriter(
                table.native, format, table.labels, features, places, prefix, threads
            )
            while block := writer.next():
                path.write(block)
                step(len(block))
        except RuleError as error:
            raise RuleError(f"{fspath(table.folder)}: {error}") from error
