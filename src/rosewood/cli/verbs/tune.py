"""Tune feature weights on candidate lists or forests; report whether they help."""

from __future__ import annotations

import json as json_text
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from rosewood.cli.common import Json, Quiet, print_row, print_table
from rosewood.cli.learning_options import JUDGING, LEARNING, LearningOptions
from rosewood.cli.memory_options import MaxMemory
from rosewood.cli.options import FILES, Config, Threads, check_files, cores, goes_on
from rosewood.errors import TuningError
from rosewood.settings import setting, settings_of
from rosewood.shared_types import PathName

__all__ = ["PLUGIN"]


@dataclass(frozen=True)
class TuneOptions(LearningOptions):
    """What is tuned, judged and written."""

    set: dict[str, Any] = setting(
        {}, "Setting of the learner: see --list-settings. Repeatable.", group=LEARNING
    )
    list_settings: bool = setting(
        False, "List the settings of --method, or of all learners, and stop.", group=LEARNING
    )
    normalize: Literal["l1", "l2", "none"] = setting(
        "l1", "Norm to which the weights are scaled.", group=LEARNING
    )
    heldout: PathName | None = setting(
        None, "Candidates to judge on, instead of cross-validation.", group=JUDGING
    )
    heldout_ref: tuple[PathName, ...] = setting(
        (), "References of --heldout. Repeatable.", group=JUDGING
    )
    folds: int = setting(5, "Folds of the cross-validation.", low=2, group=JUDGING)
    replicates: int = setting(
        3, "Fits with different seeds, of which the best is kept.", low=1, group=JUDGING
    )
    samples: int = setting(1000, "Samples of the significance test.", low=1, group=JUDGING)
    output: PathName | None = setting(
        None, "Weights as JSON; - is standard output.", group=FILES, short="o"
    )
    report: PathName | None = setting(None, "Report with pictures, as HTML.", group=FILES)
    journal: PathName | None = setting(
        None,
        "Where finished fits are kept, to resume from; it stays.",
        group=FILES,
        default_text="OUTPUT.journal, removed at the end",
    )

    def check(self, file: Path, config: Path | None, *, json: bool) -> None:
        """Before any work: options that exclude each other, files that cannot be written."""
        if json and self.output == "-":
            raise TuningError(
                "--json prints the weights already: drop -o -",
                code="argument.conflict",
                argument="--output",
            )
        if self.report == "-":
            raise TuningError(
                "--report needs a file: it is a page", code="argument.value", argument="--report"
            )
        if self.heldout_ref and self.heldout is None:
            raise TuningError(
                "--heldout-ref needs --heldout", code="argument.missing", argument="--heldout"
            )
        given = [self.heldout, self.start, *self.heldout_ref]
        inputs = [Path(each) for each in given if each is not None]
        outputs = {
            option: None if path is None else Path(path)
            for option, path in (
                ("-o", self.output),
                ("--report", self.report),
                ("--journal", self.journal),
            )
        }
        check_files(outputs, [file, config, *inputs, *self.files()])


def tune(
    options: TuneOptions,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="Candidates: JSON lines, Moses n-best list, table (TSV), one per line (with "
            "--per-source) or forest set; .gz, .xz and .zst too; - is standard input.",
        ),
    ] = None,
    threads: Threads = None,
    max_memory: MaxMemory = 2 << 30,
    quiet: Quiet = False,
    json: Json = False,
    config: Config = None,
) -> None:
    """Tune feature weights on candidates, and report whether reranking with them helps.

    Sentences that were not tuned on judge; then the weights are fitted on all of them. A command
    that was stopped resumes when it is run again.

    rosewood tune nbest.dev.jsonl --method mert --metric bleu -o weights.json --report report.html
    """
    if options.list_settings:
        _list_settings(options.method, json)
        return
    if file is None:
        raise typer.BadParameter("a file of candidates is missing", param_hint="FILE")
    options.check(file, config, json=json)
    from rosewood.progress import progress_of_parts
    from rosewood.rerank import tune
    from rosewood.rerank.tuning import ONE_LIST

    metric = options.metric
    heldout = None
    if options.heldout is not None:
        beside = options.beside("--heldout", options.heldout_ref)
        heldout = beside.lists(Path(options.heldout), metric=metric, quiet=quiet)
    output = None if options.output in (None, "-") else Path(options.output)
    journal = None if options.journal is None else Path(options.journal)
    with goes_on(journal, output, quiet=quiet) as known, progress_of_parts(quiet=quiet) as told:
        tuned = tune(
            options.lists(file, metric=metric, quiet=quiet),
            method=options.method or "mert",
            metric=metric,
            settings=options.set,
            heldout=heldout,
            folds=options.folds,
            replicates=options.replicates,
            start=options.starting_weights(),
            normalization=options.normalize,
            seed=options.seed,
            threads=cores(threads),
            max_memory=max_memory,
            samples=options.samples,
            journal=known,
            told=told,
        )
        if tuned.verdict == "unknown":
            raise TuningError(
                f"{file}: {ONE_LIST}: judge with --heldout", code="tuning.one-list", file=file
            )
        if options.report is not None:
            tuned.write_report(options.report, command=shlex.join(["rosewood", *sys.argv[1:]]))
        if output is not None:
            tuned.write_weights(output)
    if json:
        print_row(tuned.to_dict(), as_json=True)
    elif options.output == "-":
        print(json_text.dumps(tuned.weights, ensure_ascii=False, indent=1))
        print(tuned.summary(), file=sys.stderr)
    else:
        print(tuned.summary())


def _list_settings(method: str | None, as_json: bool) -> None:
    """Print the settings of a learner, or of all."""
    from rosewood.learn import LEARNERS

    chosen = LEARNERS.working() if method is None else [(method, LEARNERS[method])]
    for number, (name, kind) in enumerate(chosen):
        settings = settings_of(kind)
        if as_json:
            rows = [
                {"name": each.name, "default": each.default, "help": each.help,
                 "low": each.facts.get("low"), "high": each.facts.get("high"),
                 "choices": list(each.choices)}
                for each in settings
            ]  # fmt: skip
            print_row({"method": name, "settings": rows}, as_json=True)
            continue
        if number:
            print()
        print(f"{name}: {(kind.__doc__ or '').splitlines()[0]}")
        print_table(
            [[f"  {each.name}", str(each.default), f"{each.help} ({each.expected})"]
             for each in settings]
        )  # fmt: skip


PLUGIN = tune
