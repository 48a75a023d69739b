"""Reading candidate lists: options, lists with progress, and reports of dropped ones."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import BufferedIOBase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from rosewood.cli.common import warn
from rosewood.errors import TuningError
from rosewood.settings import Settings, setting
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.rerank import CandidateList

__all__ = ["CandidateOptions", "ListFile", "ReferenceOptions", "write_lists"]

_GROUP = "Reading candidates"  # of --help
ListFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="Candidates: JSON lines, Moses n-best list, table (TSV), one per line (with "
        "--per-source) or forest set; .gz, .xz and .zst too; - is standard input.",
    ),
]


@dataclass(frozen=True)
class CandidateOptions(Settings):
    """How candidates are read."""

    error = TuningError

    format: str | None = setting(
        None,
        "Format: jsonl, moses, lines, tsv or set.",
        group=_GROUP,
        default_text="from the name and the first line",
        metavar="NAME",
    )
    src: PathName | None = setting(None, "Source sentences, one line per list.", group=_GROUP)
    features: tuple[PathName, ...] = setting(
        (),
        "Features of candidates that are one per line, on the same line: numbers, named after the "
        "file, or name=value. Repeatable.",
        group=_GROUP,
    )
    per_source: str | None = setting(
        None,
        "Candidates are one per line: N per source, or as many as the lines of FILE say.",
        group=_GROUP,
        metavar="N|FILE",
    )
    on_bad_line: Literal["stop", "skip"] = setting(
        "stop", "At a malformed list: stop, or skip the whole list and count it.", group=_GROUP
    )

    @property
    def references(self) -> tuple[PathName, ...]:
        """Files of references."""
        return ()

    def files(self) -> list[Path]:
        """All files that are read beside the candidates."""
        given = [self.src, *self.references, *self.features]
        return [Path(file) for file in given if file is not None]

    def lists(
        self, file: Path, *, metric: str | None = None, quiet: bool = False
    ) -> Iterator[CandidateList]:
        """The lists of a file or of standard input; reports at the end what was dropped.

        `metric` is what the lists are read for: it may need references.
        """
        from rosewood.metrics import parse_metric
        from rosewood.progress import progress
        from rosewood.rerank import Dropped, read_candidates

        is_input = str(file) == "-"
        report = Dropped()
        found = read_candidates(
            cast(BufferedIOBase, sys.stdin.buffer) if is_input else file,
            format=self.format,
            references=[Path(each) for each in self.references],
            source=self.src,
            features=[Path(each) for each in self.features],
            per_source=_per_source(self.per_source),
            on_bad_line=self.on_bad_line,
            report=report,
            file="<stdin>" if is_input else file,
            needs_references=metric is not None and parse_metric(metric).needs_references,
        )
        with progress(f"reading {file.name}", quiet=quiet) as step:
            for candidates in found:
                yield candidates
                step()
        if report.count:
            warn(f"{file}: {report.count} malformed lists were skipped")
            for reason in report.reasons:
                warn(f"  {reason}")
            if report.count > len(report.reasons):
                warn(f"  and {report.count - len(report.reasons)} more")


@dataclass(frozen=True)
class ReferenceOptions(CandidateOptions):
    """How candidates are read that have references."""

    ref: tuple[PathName, ...] = setting(
        (), "References, one line per list. Repeatable for several references.", group=_GROUP
    )

    @property
    def references(self) -> tuple[PathName, ...]:
        return self.ref

    def beside(self, option: str, references: Sequence[PathName]) -> ReferenceOptions:
        """For a second file of candidates, which `option` names, with references of its own."""
        if self.features or self.per_source is not None:
            raise TuningError(
                f"{option} needs candidates with their features in one file: convert them with "
                "rosewood nbest convert",
                code="argument.conflict",
                argument=option,
            )
        return replace(self, ref=tuple(references), src=None)


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
        raise TuningError(
            f"{output}: expected a name that ends with .jsonl (.gz, .xz, .zst) or .rwf, or -",
            code="argument.value", argument="--output", value=str(output),
        )  # fmt: skip
