"""Tune feature weights on candidate lists or forests; report whether they help."""

from __future__ import annotations

import json as json_text
import shlex
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from rosewood.cli.candidates import LIST_FILE, read_beside, read_both
from rosewood.cli.common import bad_value, conflict, needs, print_row, print_settings
from rosewood.cli.options import FILES, LEARNING, check_files, goes_on
from rosewood.cli.run_options import Json, MemoryRun
from rosewood.errors import TuningError
from rosewood.rerank.reranking import trees_file
from rosewood.rerank.settings import TuneSettings
from rosewood.settings import setting
from rosewood.shared_types import PathName

_file = partial(setting, group=FILES)


@dataclass(frozen=True)
class TuneOptions(TuneSettings):
    """What is written."""

    list_settings: bool = setting(
        False, "List the settings of --method, or of all learners, and stop.", group=LEARNING
    )
    output: PathName | None = _file(None, "Weights as JSON; - is standard output.", short="o")
    report: PathName | None = _file(None, "Report with pictures, as HTML.")
    journal: PathName | None = _file(
        None, "Where finished fits are kept, to resume from; it stays.",
        default_text="OUTPUT.journal, removed at the end",
    )  # fmt: skip

    @property
    def makes_trees(self) -> bool:
        """Whether the learner finds more than weights."""
        from rosewood.learn.registry import learner_class

        return self.method is not None and learner_class(self.method).makes_trees

    def check(self, file: Path, config: PathName | None, *, json: bool) -> None:
        """Before any work: options that exclude each other, files that cannot be written."""
        if json and self.output == "-":
            raise conflict(TuningError, "-o -", "--json", "it prints the weights already")
        if self.output == "-" and self.makes_trees:
            raise conflict(
                TuningError, "-o -", f"--method {self.method}", "trees are a second file"
            )
        if self.report == "-":
            raise bad_value(TuningError, "--report", "-", "a file: it is a page")
        if self.heldout_ref and self.heldout is None:
            raise needs(TuningError, "--heldout-ref", "--heldout")
        inputs = [file, config, self.heldout, self.start, self.dev, *self.heldout_ref]
        inputs += [*self.dev_ref, *self.files()]
        outputs = {"-o": self.output, "--report": self.report, "--journal": self.journal}
        if self.makes_trees and self.output is not None:
            outputs["-o (its trees)"] = trees_file(self.output)
        check_files(outputs, inputs)


def tune(
    options: TuneOptions,
    run: MemoryRun,
    file: Annotated[Path | None, LIST_FILE] = None,
    json: Json = False,
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
    options.check(file, run.config, json=json)
    from rosewood.progress import progress_of_parts
    from rosewood.rerank import tune
    from rosewood.rerank.tuning import ONE_LIST

    output = None if options.output == "-" else options.output
    candidates, training = read_both(options, file, quiet=run.quiet)
    with (
        goes_on(options.journal, output, quiet=run.quiet) as known,
        progress_of_parts(quiet=run.quiet) as told,
    ):
        tuned = tune(
            candidates,
            training=training,
            heldout=read_beside(options, "--heldout", quiet=run.quiet),
            threads=run.cores,
            max_memory=run.max_memory,
            journal=known,
            told=told,
            **options.keywords(),
        )
        if tuned.verdict == "unknown":
            reason = f"{file}: {ONE_LIST}: judge with --heldout"
            raise TuningError(reason, code="tuning.one-list", file=file)
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
    from rosewood.learn.registry import LEARNERS, learner_class, learner_help

    chosen = LEARNERS.working() if method is None else [(method, learner_class(method))]
    print_settings("method", ((name, learner_help(name), kind) for name, kind in chosen), as_json)


PLUGIN = tune
