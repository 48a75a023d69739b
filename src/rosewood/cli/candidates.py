"""What verbs that read candidates share: their options, reading, telling what was dropped."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from io import BufferedIOBase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from rosewood.cli.common import warn
from rosewood.errors import TuningError

if TYPE_CHECKING:
    from rosewood.rerank import CandidateList
    from rosewood.rerank.readers import OnBadLine as WhenBad

__all__ = [
    "Features",
    "Format",
    "ListFile",
    "ListFileOrNone",
    "OnBadLine",
    "PerSource",
    "Quiet",
    "Reading",
    "References",
    "Source",
    "write_lists",
]

_LISTS = (
    "Candidates: JSON lines, a Moses n-best list, a table (TSV), one a line (with --per-source), "
    "or a forest set of such lists; .gz, .xz and .zst too; - is standard input."
)
_PANEL = "Reading candidates"  # of --help
ListFile = Annotated[Path, typer.Argument(help=_LISTS)]
ListFileOrNone = Annotated[Path | None, typer.Argument(metavar="FILE", help=_LISTS)]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        rich_help_panel=_PANEL,
        help="jsonl, moses, lines, tsv or set; without it the ending and the first line tell.",
    ),
]
References = Annotated[
    list[Path] | None,
    typer.Option(
        "--ref",
        metavar="FILE",
        rich_help_panel=_PANEL,
        help="References, a line for each list; once for each reference.",
    ),
]
Source = Annotated[
    Path | None,
    typer.Option(
        "--src", metavar="FILE", rich_help_panel=_PANEL, help="Sources, a line for each list."
    ),
]
Features = Annotated[
    list[Path] | None,
    typer.Option(
        "--features",
        metavar="FILE",
        rich_help_panel=_PANEL,
        help="Features of candidates one a line, on the same line: numbers, named after the file, "
        "or name=value; once for each file.",
    ),
]
PerSource = Annotated[
    str | None,
    typer.Option(
        "--per-source",
        rich_help_panel=_PANEL,
        metavar="N|FILE",
        help="Candidates stand one a line, N for each source, or as many as the lines of FILE say.",
    ),
]
OnBadLine = Annotated[
    str,
    typer.Option(
        "--on-bad-line",
        rich_help_panel=_PANEL,
        metavar="error|skip",
        help="Stop at a bad list, or drop all of it and count.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]


class Reading:
    """Reads candidates as the options say."""

    def __init__(
        self,
        format: str | None = None,
        references: Sequence[Path] | None = None,
        source: Path | None = None,
        features: Sequence[Path] | None = None,
        per_source: str | None = None,
        on_bad_line: str = "error",
        quiet: bool = False,
        metric: str | None = None,
    ) -> None:
        """`metric` is what the lists are read for: it may need references."""
        self.format = format
        self.references = list(references or ())
        self.source = source
        self.features = list(features or ())
        self.per_source = _per_source(per_source)
        self.on_bad_line = cast("WhenBad", on_bad_line)
        self.quiet = quiet
        self.metric = metric

    def beside(self, option: str, references: Sequence[Path] | None) -> Reading:
        """For a second file of candidates, that `option` names, with references of its own."""
        if self.features or self.per_source is not None:
            raise TuningError(
                f"{option} takes candidates with their features in one file: convert those that "
                "stand one a line with rosewood nbest convert"
            )
        return Reading(
            self.format,
            references,
            on_bad_line=self.on_bad_line,
            quiet=self.quiet,
            metric=self.metric,
        )

    def lists(self, file: Path) -> Iterator[CandidateList]:
        """The lists of a file or of standard input; what was dropped is told behind the last."""
        from rosewood.metrics import parse_metric
        from rosewood.progress import progress
        from rosewood.rerank import Dropped, read_candidates

        is_input = str(file) == "-"
        report = Dropped()
        found = read_candidates(
            cast(BufferedIOBase, sys.stdin.buffer) if is_input else file,
            format=self.format,
            references=self.references,
            source=self.source,
            features=self.features,
            per_source=self.per_source,
            on_bad_line=self.on_bad_line,
            report=report,
            file="<stdin>" if is_input else file,
            needs_references=self.metric is not None and parse_metric(self.metric).needs_references,
        )
        with progress(f"reading {file.name}", quiet=self.quiet) as step:
            for candidates in found:
                yield candidates
                step()
        if report.count:
            warn(f"{file}: {report.count} bad lists were dropped")
            for reason in report.reasons:
                warn(f"  {reason}")
            if report.count > len(report.reasons):
                warn(f"  and {report.count - len(report.reasons)} more")


def _per_source(value: str | None) -> int | Path | None:
    if value is None:
        return None
    return int(value) if value.isascii() and value.isdigit() else Path(value)


def write_lists(lists: Iterator[CandidateList], output: Path) -> None:
    """JSON lines or a forest set, by the ending; nothing is left of a file that fails."""
    from rosewood.corpus.compression import plain_name
    from rosewood.rerank import format_candidates, write_candidates, write_forest_set

    if output.suffix == ".rwf":
        write_forest_set(lists, output).close()
    elif str(output) == "-":
        for candidates in lists:
            print(format_candidates(candidates))
    elif plain_name(output).suffix in (".jsonl", ".ndjson") or (
        output.exists() and not output.is_file()
    ):
        write_candidates(lists, output)
    else:
        raise TuningError(f"{output}: candidates are written to .jsonl (.gz .xz .zst), .rwf or -")
