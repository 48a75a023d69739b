"""`rosewood forest second-stage`: n-gram weights for forests of any decoder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from rosewood.cli.common import bad_value, needs, print_row, warn
from rosewood.cli.forests import ForestOptions
from rosewood.cli.options import check_files
from rosewood.cli.run_options import Json, MemoryRun
from rosewood.errors import TuningError
from rosewood.rerank.settings import LearningSettings
from rosewood.settings import Settings, setting, setting_of
from rosewood.shared_types import PathName


@dataclass(frozen=True, kw_only=True)
class SecondStageOptions(Settings):
    """What is learnt from, and what is written."""

    error = TuningError

    format: str | None = setting_of(ForestOptions, "format")
    weights: PathName = setting(
        help='Weights of the features of the forests as JSON, {"feature": weight, …}.'
    )
    ref: tuple[PathName, ...] = setting(
        (), "References of TRAIN, one line per forest. Repeatable.",
        default_text="refs in the forests",
    )  # fmt: skip
    dev: PathName | None = setting(
        None, "Forests that choose how much n-grams count; not those that weights were tuned on.",
        default_text="every fifth of TRAIN",
    )  # fmt: skip
    dev_ref: tuple[PathName, ...] = setting(
        (), "References of --dev. Repeatable.", default_text="refs in the forests"
    )
    metric: str = setting_of(
        LearningSettings, "metric", group="",
        help="Metric that adds up over n-grams: bleu, bleu-sbp or chrf; settings as in "
        "bleu:tokenize=none.",
    )  # fmt: skip
    set: dict[str, Any] = setting(
        {},
        "Setting: order, min_count, most, edges_per_word, l2, iterations, scale or max_edges. "
        "Repeatable.",
    )
    output: PathName = setting(
        help="Second stage as JSON, for rosewood rerank --second-stage.", short="o"
    )

    def check(self, train: Path, config: PathName | None) -> None:
        """Before any work: files that cannot be read twice, or cannot be written."""
        from rosewood.rerank.second_stage import kept_forests

        for what, file in (("TRAIN", train), ("--dev", self.dev), ("-o", self.output)):
            if str(file) == "-":
                raise bad_value(TuningError, what, "-", "a file")
        if self.dev_ref and self.dev is None:
            raise needs(TuningError, "--dev-ref", "--dev")
        inputs = [train, self.dev, self.weights, *self.ref, *self.dev_ref, config]
        forests = kept_forests(self.output)
        check_files({"-o": self.output}, [*inputs, forests])
        check_files({"-o (its forests)": forests}, inputs)


def second_stage(
    train: Annotated[
        Path, typer.Argument(metavar="TRAIN", help="Training forests, in any format.")
    ],
    options: SecondStageOptions,
    run: MemoryRun,
    json: Json = False,
) -> None:
    """Learn weights of n-grams of whole strings, on top of given weights of features.

    They are used where they make held-out forests better. A command that was stopped resumes when
    it is run again.

    rosewood forest second-stage train.rwf --weights weights.json --ref train.en -o second.json
    """
    options.check(train, run.config)
    from rosewood.progress import progress_of_parts
    from rosewood.rerank import train_second_stage

    with _resumes(options.output, quiet=run.quiet), progress_of_parts(quiet=run.quiet) as told:
        made = train_second_stage(
            train,
            options.weights,
            dev=options.dev,
            references=options.ref,
            dev_references=options.dev_ref,
            metric=options.metric,
            settings=options.set,
            output=options.output,
            format=options.format,
            threads=run.cores,
            max_memory=run.max_memory,
            told=told,
        )
    if json:
        print_row(made.to_dict(), as_json=True)
    else:
        print(made.summary())
    if made.second is None:
        what = "held-out forests" if options.dev is None else options.dev
        warn(f"{options.output} is not written: n-grams do not make {what} better")


@contextmanager
def _resumes(output: PathName, *, quiet: bool) -> Iterator[None]:
    """Says that work of a stopped command was found, or can be."""
    from rosewood.rerank.second_stage import kept_forests

    forests = kept_forests(output)
    if forests.exists() and not quiet:
        warn(f"{forests} found: what belongs to this command is not done again")
    try:
        yield
    except KeyboardInterrupt:
        if forests.exists():
            warn(f"finished forests are in {forests}: the same command goes on from there")
        raise
