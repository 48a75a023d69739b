"""Choose settings of a learner on candidates it was not tuned on."""

from __future__ import annotations

import json as json_text
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.cli.candidates import ListFile, read_beside, read_both
from rosewood.cli.common import needs, print_row, print_table
from rosewood.cli.options import FILES, LEARNING, check_files, goes_on, merged
from rosewood.cli.run_options import Json, MemoryRun
from rosewood.errors import TuningError
from rosewood.rerank.settings import SweepSettings
from rosewood.settings import setting
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.learn import Sweep


_file = partial(setting, group=FILES)


@dataclass(frozen=True)
class SweepOptions(SweepSettings):
    """What is written."""

    output: PathName | None = _file(None, "Best settings, as tune --config reads them.", short="o")
    trials: PathName | None = _file(
        None, "Every trial as a line of JSON, to resume from; it stays.",
        default_text="OUTPUT.journal, removed at the end",
    )  # fmt: skip


def sweep(
    file: ListFile,
    options: SweepOptions,
    run: MemoryRun,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid",
            metavar="NAME=VALUES",
            callback=merged,
            rich_help_panel=LEARNING,
            help="Setting and values to try: step=0.001,0.01; with --random also a range, "
            "step=1e-4..1e-1 or step=1e-4..1e-1:log. Repeatable.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Try settings of a learner, and show which are best on lists it was not tuned on.

    rosewood sweep dev.jsonl --select devtest.jsonl --method mira --grid step=0.001,0.01 -o s.json
    """
    from rosewood.output import whole_file
    from rosewood.progress import progress_of_parts
    from rosewood.rerank import sweep
    from rosewood.rerank.candidate_sweep import parse_choices

    if not grid:
        reason = "there are no settings to try: give --grid NAME=VALUE,VALUE"
        raise TuningError(reason, code="argument.missing", argument="--grid")
    if options.select is None and options.select_ref:
        raise needs(TuningError, "--select-ref", "--select")
    output = options.output
    inputs = [
        file,
        run.config,
        options.select,
        options.start,
        options.dev,
        *options.dev_ref,
        *options.select_ref,
        *options.files(),
    ]
    check_files({"-o": output, "--trials": options.trials}, inputs)
    candidates, training = read_both(options, file, quiet=run.quiet)
    with (
        goes_on(options.trials, output, quiet=run.quiet) as known,
        progress_of_parts(quiet=run.quiet) as told,
    ):
        found = sweep(
            candidates,
            parse_choices(grid),
            training=training,
            select=read_beside(options, "--select", quiet=run.quiet),
            threads=run.cores,
            max_memory=run.max_memory,
            journal=known,
            told=told,
            **options.keywords(),
        )
        best = {"method": found.method, "metric": options.metric, "set": found.best.settings}
        text = json_text.dumps(best, ensure_ascii=False, indent=1)
        if output not in (None, "-"):
            with whole_file(output) as stream:
                stream.write(text.encode() + b"\n")
    if output == "-":
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
    from rosewood.rerank.summary_text import places

    return "-" if value is None else f"{value:.{places(value)}f}"


def _value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


PLUGIN = sweep
