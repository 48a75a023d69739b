"""Candidate lists on the command line: the argument, reading with progress and reports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosewood.cli.common import needs, warn
from rosewood.errors import TuningError
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.rerank import CandidateList
    from rosewood.rerank.settings import CandidateSettings, LearningSettings

LIST_FILE = typer.Argument(
    metavar="FILE",
    help="Candidates: JSON lines, Moses n-best list, table (TSV), one per line (with "
    "--per-source) or forest set; .gz, .xz and .zst too; - is standard input.",
)
ListFile = Annotated[Path, LIST_FILE]


def read_lists(
    settings: CandidateSettings, file: PathName, *, metric: str | None = None, quiet: bool
) -> Iterator[CandidateList]:
    """The lists of a file, with progress; warns at the end of those that were skipped."""
    from rosewood.progress import progress
    from rosewood.rerank import Dropped

    report = Dropped()
    with progress(f"reading {Path(file).name}", quiet=quiet) as step:
        for candidates in settings.read(file, metric=metric, report=report):
            yield candidates
            step()
    for line in report.told(file):
        warn(line)


def read_both(
    settings: LearningSettings, file: PathName, *, quiet: bool
) -> tuple[Iterator[CandidateList], Iterator[CandidateList] | None]:
    """Candidates to tune on, and training data: FILE, if there is --dev."""
    first = read_lists(settings, file, metric=settings.metric, quiet=quiet)
    if settings.dev is None:
        if settings.dev_ref:
            raise needs(TuningError, "--dev-ref", "--dev")
        return first, None
    dev = read_beside(settings, "--dev", quiet=quiet)
    assert dev is not None
    return dev, first


def read_beside(
    settings: LearningSettings, option: str, *, quiet: bool
) -> Iterator[CandidateList] | None:
    """The lists of a second file, with references of its own, if the option is given."""
    name = option.removeprefix("--")
    file = getattr(settings, name)
    if file is None:
        return None
    beside = settings.beside(option, getattr(settings, f"{name}_ref"))
    return read_lists(beside, file, metric=settings.metric, quiet=quiet)
