"""What writing rules as text has in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import BinaryIO

from rosewood import _core
from rosewood.arguments import check_type
from rosewood.corpus.compression import open_output
from rosewood.errors import RuleError
from rosewood.rules.formats.reading import Show, counted
from rosewood.rules.table import RuleTable
from rosewood.shared_types import PathName


@dataclass(frozen=True)
class Exported:
    """The columns that were written, and the count of rules left out."""

    features: tuple[str, ...]  # in the order of the columns
    skipped: int = 0  # rules that the format cannot hold

    def told(self) -> Iterator[str]:
        """What people should know, in a few words."""
        if self.skipped:
            rules = counted(self.skipped, "rule is", "rules are")
            yield f"{rules} left out, which the format cannot hold"


def check_outputs(table: RuleTable, *paths: PathName | BinaryIO | None) -> None:
    """Before anything is written: is this a table, and are these files, not files of its own?"""
    check_type("table", table, RuleTable, "a RuleTable, such as RuleTable.open(…)", error=RuleError)
    for path in paths:
        if isinstance(path, str | PathLike):
            if Path(path).resolve().is_relative_to(table.folder.resolve()):
                reason = f"{fspath(path)}: it is in the folder of the table itself"
                raise RuleError(reason, code="file.exists", file=path)
        elif path is not None and not hasattr(path, "write"):
            reason = f"rules cannot be written to {path!r}, expected a path or a stream of bytes"
            raise RuleError(reason, code="argument.type", argument="path", value=path)


def write_text(
    table: RuleTable,
    path: PathName | BinaryIO,
    format: _core.RuleFormat,
    columns: Sequence[str],
    *,
    skip_unwritable: bool,
    threads: int,
    show: Show,
    prefix: str = "",
    name: str = "text",
) -> int:
    """All rules to a file, which appears whole or not at all, or to a stream.

    Returns how many were left out, because the format cannot hold them.
    """
    if isinstance(path, str | PathLike):
        with open_output(path) as stream:
            return write_text(
                table, stream, format, columns, skip_unwritable=skip_unwritable, threads=threads,
                show=show, prefix=prefix, name=fspath(path),
            )  # fmt: skip
    features = table.features
    if unknown := [name for name in columns if name not in features]:
        reason = f"{table.folder}: it has no feature {unknown[0]!r}"
        raise RuleError(reason, code="features.missing", argument=unknown[0], file=table.folder)
    places = [features.index(name) for name in columns]
    with show(f"writing {name}, bytes", None) as step:
        try:
            writer = _core.RuleTextWriter(
                table.native, format, table.labels, features, places, prefix,
                bool(skip_unwritable), threads,
            )  # fmt: skip
            while block := writer.next():
                path.write(block)
                step(len(block))
        except RuleError as error:
            raise error.restated(
                f"{fspath(table.folder)}: {error}", RuleError, file=table.folder
            ) from error
    return writer.skipped
