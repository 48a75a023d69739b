"""Train a translation model from parallel text."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosewood.cli.common import Quiet, print_row, print_table, warn
from rosewood.cli.memory_options import MaxMemory
from rosewood.cli.options import FILES, Config, Threads, cores
from rosewood.errors import TrainingError
from rosewood.pipeline.settings import TrainingFiles, TrainingSettings

if TYPE_CHECKING:
    from rosewood.pipeline import Trained

__all__ = ["PLUGIN"]

_CHANGES = {"replaced": "the existing model was replaced", "none": "it has not changed"}


def train(
    files: TrainingFiles,
    settings: TrainingSettings,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="MODEL", rich_help_panel=FILES, help="Folder of the model."
        ),
    ],
    work: Annotated[
        Path | None,
        typer.Option(
            "--work",
            metavar="FOLDER",
            rich_help_panel=FILES,
            show_default="MODEL.work",
            help="Folder of finished stages: a run that was stopped resumes from it, and a run "
            "with other settings repeats only what depends on them.",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE.html",
            rich_help_panel=FILES,
            show_default="MODEL.html",
            help="Report on the corpus, the training and the model.",
        ),
    ] = None,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite",
            rich_help_panel=FILES,
            help="Replace a model that was not made from this work folder.",
        ),
    ] = False,
    threads: Threads = None,
    max_memory: MaxMemory = 2 << 30,
    json: Annotated[bool, typer.Option("--json", help="Print results as one JSON object.")] = False,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Train a translation model: parallel text in, a folder out, and a report beside it.

    rosewood train --source train.de --target train.en --dev dev.de dev.en -o model

    rosewood train --corpus memory.tmx -l de:en -o model
    """
    from rosewood import pipeline
    from rosewood.progress import progress_of_parts

    for option, path in (("--output", output), ("--report", report)):
        if str(path) == "-":
            raise TrainingError(
                f"{option} - is not possible: a model is a folder, and its report a file",
                code="argument.value",
                argument=option,
                value="-",
            )
    try:
        with progress_of_parts(quiet=quiet) as told:
            made = pipeline.train(
                pipeline.TrainingInputs(**vars(files)),
                output,
                settings,
                work=work,
                report=report,
                overwrite=overwrite,
                threads=cores(threads),
                max_memory=max_memory,
                told=told,
                command=shlex.join(["rosewood", *sys.argv[1:]]),
            )
    except KeyboardInterrupt:
        place = work or output.with_name(f"{output.name}.work")
        warn(f"finished stages are kept: the same command resumes from {place}")
        raise
    _print_results(made, as_json=json, quiet=quiet)


def _print_results(made: Trained, *, as_json: bool, quiet: bool) -> None:
    """What was found, where it is, and what to do next."""
    facts = {stage.name: stage.facts for stage in made.stages}
    clean = facts["clean"]
    pairs = {"seen": clean["seen"], "train": facts["tokenise"]["kept"]}
    pairs |= {name: clean[name] for name in ("dev", "test")}
    sizes = {"model": _size(made.folder), "report": _size(made.report), "work": _size(made.work)}
    if as_json:
        print_row(
            {
                "model": str(made.folder),
                "change": made.change,
                "report": str(made.report),
                "work": str(made.work),
                "bytes": sizes,
                "pairs": pairs,
                "rules": facts["extract"]["rules"],
                "scores": made.scores,
                "notes": made.notes,
                "stages": [
                    {
                        "name": stage.name,
                        "key": stage.key,
                        "was_done": stage.was_done,
                        "seconds": stage.seconds,
                        "memory": stage.memory,
                    }
                    for stage in made.stages
                ],
            },
            as_json=True,
        )
        return
    for note in made.notes:
        warn(note)
    done = [stage.name for stage in made.stages if stage.was_done]
    if done and not quiet:
        warn(f"done before, in {made.work}: {', '.join(done)}")
    if made.change in _CHANGES:
        warn(f"{made.folder}: {_CHANGES[made.change]}")
    rows = [
        ["pairs", f"{pairs['train']:,} to train on, {pairs['dev']:,} for development, "
                  f"{pairs['test']:,} to test on, of {pairs['seen']:,}"],
        ["rules", f"{facts['extract']['rules']:,}"],
    ]  # fmt: skip
    for each in made.scores:
        rows.append([f"{each['name']}, {each['on']}", f"{each['value']:.2f}  {each['signature']}"])
    for name, path in (("model", made.folder), ("report", made.report), ("work", made.work)):
        rows.append([name, f"{path}  ({sizes[name] / 1e6:,.1f} MB)"])
    print_table(rows)
    if not quiet:
        warn(f"next: rosewood translate {shlex.quote(str(made.folder))} < input > output")


def _size(path: Path) -> int:
    """Bytes of a file, or of all files of a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(each.stat().st_size for each in path.rglob("*") if each.is_file())


PLUGIN = train
