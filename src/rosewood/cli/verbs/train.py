"""Train a translation model from parallel text."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosewood.cli.common import bad_value, print_row, print_table, warn
from rosewood.cli.options import FILES
from rosewood.cli.run_options import JsonObject, MemoryRun
from rosewood.errors import TrainingError
from rosewood.pipeline.file_settings import TrainingFiles
from rosewood.pipeline.settings import TrainingSettings
from rosewood.settings import Settings, setting
from rosewood.shared_types import PathName
from rosewood.svg_text import plural

if TYPE_CHECKING:
    from rosewood.pipeline import Trained
    from rosewood.pipeline.findings import Finding

_CHANGES = {"replaced": "the existing model was replaced", "none": "it has not changed"}


@dataclass(frozen=True, kw_only=True)
class TrainOptions(Settings):
    """Where the model, its report and finished stages are written."""

    error = TrainingError
    group = FILES

    output: PathName = setting(help="Folder of the model.", short="o", metavar="MODEL")
    work: PathName | None = setting(
        None,
        "Folder of finished stages: a run that was stopped resumes from it, and a run with other "
        "settings repeats only what depends on them.",
        metavar="FOLDER", default_text="MODEL.work",
    )  # fmt: skip
    report: PathName | None = setting(
        None, "Report on the corpus, the training and the model.",
        metavar="FILE.html", default_text="MODEL.html",
    )  # fmt: skip
    overwrite: bool = setting(False, "Replace a model that was not made from this work folder.")
    strict: bool = setting(
        False,
        "Stop if something looks wrong with the corpora or the scores, such as swapped or shuffled "
        "sides, instead of warning of it.",
        group="Corpus",
    )


def train(
    files: TrainingFiles,
    settings: TrainingSettings,
    options: TrainOptions,
    run: MemoryRun,
    json: JsonObject = False,
) -> None:
    """Train a translation model: parallel text in, a folder out, and a report beside it.

    rosewood train --source train.de --target train.en --dev dev.de dev.en -o model

    rosewood train --corpus memory.tmx -l de:en -o model
    """
    from rosewood import pipeline
    from rosewood.progress import progress_of_parts

    for name in ("output", "report"):
        if getattr(options, name) == "-":
            raise bad_value(TrainingError, f"--{name}", "-", "a name: a model is a folder, and its "
                            "report a file")  # fmt: skip
    try:
        with progress_of_parts(quiet=run.quiet) as told:
            made = pipeline.train(
                pipeline.TrainingInputs(**vars(files)),
                settings=settings,
                threads=run.cores,
                max_memory=run.max_memory,
                told=told,
                command=shlex.join(["rosewood", *sys.argv[1:]]),
                on_finding=_show,
                **vars(options),
            )
    except KeyboardInterrupt:
        place = options.work or f"{Path(options.output)}.work"
        warn(f"finished stages are kept: the same command resumes from {place}")
        raise
    if json:
        print_row(made.to_dict(), as_json=True)
    else:
        _print_results(made, quiet=run.quiet)


def _show(finding: Finding) -> None:
    """A finding, before the long work begins."""
    warn(f"warning: {finding.message} [{finding.code}]")


def _print_results(made: Trained, *, quiet: bool) -> None:
    """What was found, where it is, and what to do next."""
    found = made.to_dict()
    pairs, sizes = found["pairs"], found["bytes"]
    shown = {each.message for each in made.findings}
    for note in made.notes:
        if note not in shown:
            warn(note)
    done = [stage.name for stage in made.stages if stage.was_done]
    if done and not quiet:
        warn(f"done before, in {made.work}: {', '.join(done)}")
    if made.change in _CHANGES:
        warn(f"{made.folder}: {_CHANGES[made.change]}")
    rows = [
        ["pairs", f"{pairs['train']:,} to train on, {pairs['dev']:,} for development, "
                  f"{pairs['test']:,} to test on, of {pairs['seen']:,}"],
        ["rules", f"{found['rules']:,}"],
    ]  # fmt: skip
    if found["unlabelled"] is not None:
        rows.append(["unlabelled", _unlabelled(found["unlabelled"])])
    if found["second_stage"] is not None:
        rows.append(["second stage", _second_stage(found["second_stage"])])
    for each in made.scores:
        rows.append([f"{each['name']}, {each['on']}", f"{each['value']:.2f}  {each['signature']}"])
    rows += [[name, f"{found[name]}  ({sizes[name] / 1e6:,.1f} MB)"] for name in sizes]
    print_table(rows)
    if not quiet:
        warn(f"next: rosewood translate {shlex.quote(str(made.folder))} < input > output")


def _unlabelled(facts: dict[str, Any]) -> str:
    """How many sentences without references were learnt from, and what that did."""
    before, after = facts["entropy_before"], facts["entropy_after"]
    told = f"{plural(facts['sentences'], 'sentence')} without references"
    if before is None or after is None:
        return told
    return f"{told}, mean entropy {before:.2f} -> {after:.2f} nats"


def _second_stage(facts: dict[str, Any]) -> str:
    """How many n-grams have weights, and what they did for held-out training sentences."""
    before, after = facts["heldout_before"], facts["heldout_after"]
    return f"{facts['features']:,} n-grams, held-out sentences {before:.2f} -> {after:.2f}"


PLUGIN = train
