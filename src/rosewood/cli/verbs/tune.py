"""Tune feature weights on candidate lists or forests; report whether they help."""

from __future__ import annotations

import json as json_text
import shlex
import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from rosewood.cli.candidates import (
    Features,
    Format,
    ListFileOrNone,
    OnBadLine,
    PerSource,
    Quiet,
    Reading,
    References,
    Source,
)
from rosewood.cli.common import Json, print_row, print_table
from rosewood.cli.options import (
    FILES,
    JUDGING,
    LEARNING,
    Config,
    JournalFile,
    Method,
    Metric,
    Seed,
    Settings,
    Start,
    Threads,
    check_files,
    cores,
    goes_on,
    named_values,
)
from rosewood.cli.working import MaxMemory
from rosewood.errors import TuningError

if TYPE_CHECKING:
    from rosewood.learn.learner import Normalization

__all__ = ["PLUGIN"]


def tune(
    file: ListFileOrNone = None,
    method: Method = None,
    metric: Metric = "bleu",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            rich_help_panel=FILES,
            metavar="FILE",
            help="Where the weights go, as JSON; - is standard output.",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            rich_help_panel=FILES,
            metavar="FILE",
            help="All of it with pictures, on one HTML page.",
        ),
    ] = None,
    heldout: Annotated[
        Path | None,
        typer.Option(
            "--heldout",
            rich_help_panel=JUDGING,
            metavar="FILE",
            help="Candidates to judge on, instead of cross-validation.",
        ),
    ] = None,
    heldout_references: Annotated[
        list[Path] | None,
        typer.Option(
            "--heldout-ref",
            rich_help_panel=JUDGING,
            metavar="FILE",
            help="References of --heldout, as --ref.",
        ),
    ] = None,
    folds: Annotated[
        int,
        typer.Option(
            "--folds", rich_help_panel=JUDGING, metavar="N", help="Parts of the cross-validation."
        ),
    ] = 5,
    replicates: Annotated[
        int,
        typer.Option(
            "--replicates",
            rich_help_panel=JUDGING,
            metavar="N",
            help="Fits with different seeds; the best is kept.",
        ),
    ] = 3,
    settings: Settings = None,
    list_settings: Annotated[
        bool,
        typer.Option(
            "--list-settings",
            rich_help_panel=LEARNING,
            help="Show the settings of --method (or of all); no more.",
        ),
    ] = False,
    start: Start = None,
    normalize: Annotated[
        str,
        typer.Option(
            "--normalize",
            rich_help_panel=LEARNING,
            metavar="l1|l2|none",
            help="The length that weights get.",
        ),
    ] = "l1",
    samples: Annotated[
        int,
        typer.Option(
            "--samples",
            rich_help_panel=JUDGING,
            metavar="N",
            help="Samples of the test of significance.",
        ),
    ] = 1000,
    journal: JournalFile = None,
    format: Format = None,
    references: References = None,
    source: Source = None,
    features: Features = None,
    per_source: PerSource = None,
    on_bad_line: OnBadLine = "error",
    seed: Seed = 0,
    threads: Threads = None,
    max_memory: MaxMemory = 2 << 30,
    quiet: Quiet = False,
    json: Json = False,
    config: Config = None,
) -> None:
    """Find weights for the features of candidates, and tell whether reranking with them helps.

    Sentences that were not tuned on judge; then the weights are fitted on all of them. A command
    that was stopped goes on where it was when it is run again.

    rosewood tune nbest.dev.jsonl --method mert --metric bleu -o weights.json --report report.html
    """
    if list_settings:
        _list_settings(method, json)
        return
    if file is None:
        raise typer.BadParameter("there must be a file of candidates", param_hint="FILE")
    if json and output is not None and str(output) == "-":
        raise TuningError("--json prints the weights already: they cannot go to -o - as well")
    if str(report) == "-":
        raise TuningError("--report: it is a page, which goes to a file")
    inputs = [file, heldout, start, config, source, *(references or ()), *(features or ()),
              *(heldout_references or ())]  # fmt: skip
    check_files({"-o": output, "--report": report, "--journal": journal}, inputs)
    reading = Reading(format, references, source, features, per_source, on_bad_line, quiet, metric)
    other = None
    if heldout is not None:
        other = reading.beside("--heldout", heldout_references)
    elif heldout_references:
        raise TuningError("--heldout-ref belongs to --heldout")
    from rosewood.model import read_weights
    from rosewood.progress import progress_of_parts
    from rosewood.rerank import tune
    from rosewood.rerank.tuning import ONE_LIST

    with goes_on(journal, output, quiet=quiet) as known, progress_of_parts(quiet=quiet) as told:
        tuned = tune(
            reading.lists(file),
            method=method or "mert",
            metric=metric,
            settings=named_values(settings),
            heldout=None if other is None or heldout is None else other.lists(heldout),
            folds=folds,
            replicates=replicates,
            start=None if start is None else read_weights(start),
            normalization=cast("Normalization", normalize),
            seed=seed,
            threads=cores(threads),
            max_memory=max_memory,
            samples=samples,
            journal=known,
            told=told,
        )
        if tuned.verdict == "unknown":
            raise TuningError(f"{file}: {ONE_LIST}: judge with --heldout")
        if report is not None:
            tuned.write_report(report, command=shlex.join(["rosewood", *sys.argv[1:]]))
        if output is not None and str(output) != "-":
            tuned.write_weights(output)
    if json:
        print_row(tuned.to_dict(), as_json=True)
    elif output is not None and str(output) == "-":
        print(json_text.dumps(tuned.weights, ensure_ascii=False, indent=1))
        print(tuned.summary(), file=sys.stderr)
    else:
        print(tuned.summary())


def _list_settings(method: str | None, as_json: bool) -> None:
    """The settings of a learner, or of all."""
    from rosewood.learn import LEARNERS, make_learner

    if method is not None:
        make_learner(method)
    for number, (name, kind) in enumerate(LEARNERS.items()):
        if method not in (None, name):
            continue
        rows: list[dict[str, Any]] = [
            {"name": each.name, "default": each.default, **each.metadata} for each in fields(kind)
        ]
        if as_json:
            print_row({"method": name, "settings": rows}, as_json=True)
            continue
        if number and method is None:
            print()
        print(f"{name}: {(kind.__doc__ or '').splitlines()[0]}")
        print_table([[f"  {r['name']}", str(r["default"]), _explained(r)] for r in rows])


def _explained(row: dict[str, Any]) -> str:
    choices = row.get("choices")
    return str(row["help"]) + (f" ({', '.join(choices)})" if choices else "")


PLUGIN = tune
