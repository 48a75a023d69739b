"""Candidate lists: summarise and convert them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosewood.cli.candidates import (
    Features,
    Format,
    ListFile,
    OnBadLine,
    PerSource,
    Quiet,
    Reading,
    References,
    Source,
    write_lists,
)
from rosewood.cli.common import Json, Output, print_row
from rosewood.cli.options import check_files
from rosewood.errors import TuningError

if TYPE_CHECKING:
    from rosewood.rerank import Summary

__all__ = ["PLUGIN"]

app = typer.Typer(
    help="Look at lists of candidates and convert them. Files may be JSON lines, Moses n-best "
    "lists, tables, lines with files of features, or forest sets.",
    no_args_is_help=True,
)


@app.command()
def info(
    files: Annotated[list[Path], typer.Argument(help="Files of candidates; - is standard input.")],
    format: Format = None,
    references: References = None,
    source: Source = None,
    features: Features = None,
    per_source: PerSource = None,
    on_bad_line: OnBadLine = "error",
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Lists, candidates, references, and how features and scores spread, for each file."""
    from rosewood.rerank import summarise

    if len(files) > 1 and (references or source or features):
        raise TuningError("--ref, --src and --features belong to one file of candidates")
    reading = Reading(format, references, source, features, per_source, on_bad_line, quiet)
    for number, file in enumerate(files):
        found = summarise(reading.lists(file))
        if json:
            print_row({"file": str(file), **found.to_dict()}, as_json=True)
            continue
        if number:
            print()
        _show(file, found)


_SHOWN = {
    "lists": "lists",
    "candidates": "candidates",
    "shortest": "shortest list",
    "longest": "longest list",
    "distinct": "distinct candidates",
    "sources": "sources",
    "references": "references each",
    "sparse": "sparse features",
}


def _show(file: Path, found: Summary) -> None:
    print_row({"what": "file", "value": str(file)}, as_json=False)
    for name, what in _SHOWN.items():
        print_row({"what": what, "value": getattr(found, name)}, as_json=False)
    for what, columns in (("feature", found.features), ("score", found.scores)):
        if columns:
            print(f"{what}\tmean\tsd\tmin\tmax")
        for name, spread in columns.items():
            row = {"name": name, "mean": spread.mean, "sd": spread.sd}
            print_row({**row, "min": spread.min, "max": spread.max}, as_json=False)


@app.command()
def convert(
    file: ListFile,
    output: Output,
    format: Format = None,
    references: References = None,
    source: Source = None,
    features: Features = None,
    per_source: PerSource = None,
    on_bad_line: OnBadLine = "error",
    quiet: Quiet = False,
) -> None:
    """Write candidates as JSON lines (.jsonl, .jsonl.gz .xz .zst, -) or a forest set (.rwf)."""
    check_files({"-o": output}, [file, source, *(references or ()), *(features or ())])
    reading = Reading(format, references, source, features, per_source, on_bad_line, quiet)
    write_lists(reading.lists(file), output)


PLUGIN = app
