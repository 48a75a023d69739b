"""Choose settings of a learner on candidates it was not tuned on."""

from __future__ import annotations

import json as json_text
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
)
from rosewood.cli.common import Json, print_row, print_table
from rosewood.cli.options import (
    FILES,
    JUDGING,
    LEARNING,
    Config,
    Method,
    Metric,
    Seed,
    Start,
    Threads,
    check_files,
    cores,
    goes_on,
    merged,
)
from rosewood.cli.working import MaxMemory
from rosewood.errors import TuningError

if TYPE_CHECKING:
    from rosewood.learn import Sweep

__all__ = ["PLUGIN"]


def sweep(
    file: ListFile,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid",
            metavar="NAME=VALUES",
            callback=merged,
            rich_help_panel=LEARNING,
            help="A setting and what to try: step=0.001,0.01; with --random also a range, "
            "step=1e-4..1e-1 or step=1e-4..1e-1:log; once for each setting.",
        ),
    ] = None,
    method: Method = None,
    metric: Metric = "bleu",
    select: Annotated[
        Path | None,
        typer.Option(
            "--select",
            rich_help_panel=JUDGING,
            metavar="FILE",
            help="Candidates on which trials are compared.",
        ),
    ] = None,
    select_references: Annotated[
        list[Path] | None,
        typer.Option(
            "--select-ref",
            rich_help_panel=JUDGING,
            metavar="FILE",
            help="References of --select, as --ref.",
        ),
    ] = None,
    split: Annotated[
        float,
        typer.Option(
            "--split",
            rich_help_panel=JUDGING,
            metavar="PART",
            help="Without --select: the part of the lists that is held out.",
        ),
    ] = 0.2,
    random: Annotated[
        int | None,
        typer.Option(
            "--random",
            rich_help_panel=LEARNING,
            metavar="N",
            help="Try N random settings instead of all.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            rich_help_panel=FILES,
            metavar="FILE",
            help="The best settings, as tune --config reads them.",
        ),
    ] = None,
    trials: Annotated[
        Path | None,
        typer.Option(
            "--trials",
            rich_help_panel=FILES,
            metavar="FILE",
            help="Every trial as a line of JSON, as soon as it is done; trials that are there "
            "are not done again. Without it OUTPUT.journal, which goes when all is done.",
        ),
    ] = None,
    start: Start = None,
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
    """Try settings of a learner, and show which choose best on lists it was not tuned on.

    rosewood sweep dev.jsonl --select devtest.jsonl --method mira --grid step=0.001,0.01 -o s.json
    """
    from rosewood.model import read_weights
    from rosewood.output import whole_file
    from rosewood.progress import progress_of_parts
    from rosewood.rerank import sweep
    from rosewood.rerank.choosing import parse_choices

    if not grid:
        raise TuningError("there must be settings to try: --grid NAME=VALUE,VALUE")
    inputs = [file, select, start, config, source, *(references or ()), *(features or ()),
              *(select_references or ())]  # fmt: skip
    check_files({"-o": output, "--trials": trials}, inputs)
    reading = Reading(format, references, source, features, per_source, on_bad_line, quiet, metric)
    other = None if select is None else reading.beside("--select", select_references)
    if select is None and select_references:
        raise TuningError("--select-ref belongs to --select")
    with goes_on(trials, output, quiet=quiet) as known, progress_of_parts(quiet=quiet) as told:
        found = sweep(
            reading.lists(file),
            parse_choices(grid),
            method=method or "mert",
            metric=metric,
            select=None if other is None or select is None else other.lists(select),
            split=split,
            trials=random,
            start=None if start is None else read_weights(start),
            seed=seed,
            threads=cores(threads),
            max_memory=max_memory,
            journal=known,
            told=told,
        )
        best = {"method": found.method, "metric": metric, "set": found.best.settings}
        text = json_text.dumps(best, ensure_ascii=False, indent=1)
        if output is not None and str(output) != "-":
            with whole_file(output) as stream:
                stream.write(text.encode() + b"\n")
    if output is not None and str(output) == "-":
        print(text)
    elif json:
        for trial in found.ranked:
            print_row(asdict(trial), as_json=True)
    else:
        _print(found)


def _print(found: Sweep) -> None:
    """The trials, the best first."""
    names = list(found.best.settings)
    rows = [["score", "tuned", *names, ""]]
    for trial in found.ranked:
        values = [_value(trial.settings[name]) for name in names]
        rows.append([_score(trial.score), _score(trial.tuned), *values, trial.error or ""])
    print(f"{len(found.trials)} trials of {found.method}, the best first: {found.metric} of the "
          "lists that choose, and of those it was tuned on")  # fmt: skip
    print_table(rows, right=range(2 + len(names)))
    print("\nThe best score was chosen among many, so it is too good: judge with tune or evaluate, "
          "on other lists.")  # fmt: skip


def _score(value: float | None) -> str:
    from rosewood.rerank.words import places

    return "-" if value is None else f"{value:.{places(value)}f}"


def _value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


PLUGIN = sweep
