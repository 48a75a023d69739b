"""Candidate lists: summarise and convert them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosewood.cli.candidates import ListFile, read_lists
from rosewood.cli.common import Output, print_row
from rosewood.cli.groups import VerbGroup
from rosewood.cli.options import check_files
from rosewood.cli.run_options import Json, Quiet
from rosewood.errors import TuningError
from rosewood.rerank.settings import ReferenceSettings

if TYPE_CHECKING:
    from rosewood.rerank import CandidateSummary

app = VerbGroup(
    "Summarise candidate lists and convert them: JSON lines, Moses n-best lists, tables, lines "
    "with feature files, forest sets."
)
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


@app.command()
def info(
    files: Annotated[list[Path], typer.Argument(help="Files of candidates; - is standard input.")],
    options: ReferenceSettings,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Count lists, candidates and references, and summarise features and scores, per file."""
    from rosewood.rerank import summarise

    if len(files) > 1 and options.files():
        reason = "--ref, --src and --features need a single file of candidates"
        raise TuningError(reason, code="argument.conflict")
    for number, file in enumerate(files):
        found = summarise(read_lists(options, file, quiet=quiet))
        if json:
            print_row({"file": str(file), **found.to_dict()}, as_json=True)
            continue
        if number:
            print()
        _show(file, found)


def _show(file: Path, found: CandidateSummary) -> None:
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
    file: ListFile, output: Output, options: ReferenceSettings, quiet: Quiet = False
) -> None:
    """Write candidates as JSON lines (.jsonl, .jsonl.gz .xz .zst, -) or a forest set (.rwf)."""
    from rosewood.rerank import write_lists

    check_files({"-o": output}, [file, *options.files()])
    write_lists(read_lists(options, file, quiet=quiet), output)


PLUGIN = app
