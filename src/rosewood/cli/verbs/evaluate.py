"""Score translations against references; test differences for significance."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from rosewood.cli.common import Json, Quiet, print_row, print_table
from rosewood.cli.options import Config, Threads, check_files, cores, named_values
from rosewood.errors import FormatError, MetricError, RosewoodError
from rosewood.metrics.registry import metric_names
from rosewood.settings import Settings, setting
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.metrics import Comparison, Metric, Score

__all__ = ["PLUGIN"]

_SIGNIFICANT = 0.05


@dataclass(frozen=True)
class EvaluateOptions(Settings):
    """What translations are compared with, and how."""

    error = MetricError

    ref: tuple[PathName, ...] = setting(
        (), "References, one line per translation. Repeatable for several references."
    )
    baseline: PathName | None = setting(None, "Translations to compare with.")
    metric: tuple[str, ...] = setting(
        ("bleu",),
        f"Metrics: {metric_names()}; settings as in bleu:tokenize=none; column:NAME is the mean of "
        "--scores NAME. Repeatable.",
        metavar="NAME",
    )
    test: str = setting(
        "bootstrap",
        "Paired significance test.",
        choices=("bootstrap", "randomisation"),
        metavar="bootstrap|randomisation",
    )
    samples: int | None = setting(
        None,
        "Samples of the significance test.",
        low=1,
        default_text="1000; 10000 of randomisation",
        metavar="N",
    )
    scores: tuple[str, ...] = setting(
        (), "One number per translation, for column:NAME. Repeatable.", metavar="NAME=FILE"
    )
    baseline_scores: tuple[str, ...] = setting(
        (), "The same for the baseline. Repeatable.", metavar="NAME=FILE"
    )
    seed: int = setting(12345, "Random seed of the test; sacreBLEU's by default.", low=0)


def evaluate(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Translations, one per line; .gz, .xz and .zst too; - is standard input.",
        ),
    ],
    options: EvaluateOptions,
    threads: Threads = None,
    quiet: Quiet = False,
    json: Json = False,
    config: Config = None,
) -> None:
    """Score translations against references; with --baseline also: better, worse, or chance?

    rosewood evaluate best.txt --ref ref.txt --baseline first.txt --metric bleu,chrf
    """
    from rosewood.metrics import compare, parse_metrics
    from rosewood.metrics import evaluate as score
    from rosewood.progress import progress

    references = [Path(each) for each in options.ref]
    baseline = None if options.baseline is None else Path(options.baseline)
    check_files({}, [*files, baseline, *references])
    metrics = parse_metrics(",".join(options.metric))
    if len(files) > 1 and options.scores:
        raise MetricError(
            "--scores needs a single file of translations",
            code="argument.conflict",
            argument="--scores",
        )
    if options.baseline_scores and baseline is None:
        raise MetricError(
            "--baseline-scores needs --baseline", code="argument.missing", argument="--baseline"
        )
    if not references and any(each.needs_references for each in metrics):
        raise MetricError(
            "there are no references: give --ref FILE", code="argument.missing", argument="--ref"
        )
    documents = [_lines(path) for path in references]
    other = None if baseline is None else _lines(baseline)
    columns = _columns(options.baseline_scores, "--baseline-scores")
    for number, file in enumerate(files):
        said = _lines(file)
        beside = [*references, *([] if baseline is None else [baseline])]
        _check_counts(file, said, beside, [*documents, *([] if other is None else [other])])
        own = _columns(options.scores, "--scores")
        found: list[Score | Comparison] = []
        with progress(f"scoring {file.name}", len(metrics), quiet=quiet) as step:
            for each in metrics:
                if other is None:
                    found += score(said, documents, each, scores=own, threads=cores(threads))
                else:
                    found += compare(
                        said, other, documents, each, test=options.test, samples=options.samples,
                        seed=options.seed,
                        scores=own, baseline_scores=columns, threads=cores(threads),
                    )  # fmt: skip
                step()
        if json:
            _print_json(file, baseline, metrics, found)
            continue
        if number:
            print()
        _print(file, baseline, len(said), len(documents), metrics, found)


def _lines(path: Path) -> list[str]:
    """The lines of a file, or of standard input; there must be some."""
    from rosewood.corpus.lines import read_lines

    is_input = str(path) == "-"
    source = cast(BufferedIOBase, sys.stdin.buffer) if is_input else path
    lines = [text for _, text in read_lines(source, "<stdin>" if is_input else str(path))]
    if not lines:
        raise FormatError("there are no lines in it", file=path, code="file.empty")
    return lines


def _check_counts(
    file: Path, said: list[str], others: Sequence[Path], documents: Sequence[list[str]]
) -> None:
    for path, lines in zip(others, documents, strict=True):
        if len(lines) != len(said):
            raise MetricError(
                f"{file} has {len(said)} lines, but {path} has {len(lines)}: they must correspond",
                code="file.mismatch",
                file=path,
                value=len(lines),
                expected=len(said),
            )


def _columns(texts: Sequence[str] | None, option: str) -> dict[str, list[float]]:
    """Columns of numbers by name, from files with a number a line."""
    from rosewood.corpus.lines import number

    found: dict[str, list[float]] = {}
    for name, file in named_values(texts, option).items():
        found[name] = []
        for place, text in enumerate(_lines(Path(file)), start=1):
            try:
                found[name].append(number("the score", text.strip()))
            except RosewoodError as error:
                raise error.restated(str(error), FormatError, file=file, line=place) from error
    return found


def _print_json(
    file: Path,
    baseline: Path | None,
    metrics: Sequence[Metric],
    found: Sequence[Score | Comparison],
) -> None:
    for metric, each in zip(metrics, found, strict=True):
        row: dict[str, Any] = {"file": str(file), **asdict(each)}
        if baseline is not None:
            row |= {"baseline_file": str(baseline), "title": metric.title,
                    "higher_is_better": metric.higher_is_better,
                    "verdict": _verdict(metric, each)}  # fmt: skip
        print_row(row, as_json=True)


def _verdict(metric: Metric, found: Any) -> str:
    """better, worse, or unclear.

    sacreBLEU's bootstrap calls one in ten differences of nothing significant at p < 0.05, so the
    interval of the difference must leave out zero as well.
    """
    low, high = found.interval or (found.difference, found.difference)
    if found.p_value >= _SIGNIFICANT or found.difference == 0 or low <= 0 <= high:
        return "unclear"
    return "better" if metric.sign * found.difference > 0 else "worse"


def _print(
    file: Path,
    baseline: Path | None,
    sentences: int,
    references: int,
    metrics: Sequence[Metric],
    found: Sequence[Any],
) -> None:
    from rosewood.rerank.summary_text import places

    each = "1 reference" if references == 1 else f"{references or 'no'} references"
    against = "" if baseline is None else f" against {baseline}"
    print(f"{file}{against}: {sentences} sentences, {each}{' each' if references else ''}")
    rows = [["metric", "score"]]
    if baseline is not None:
        rows[0] += ["baseline", "difference", "95 % of resamples", "p", "verdict"]
    for metric, one in zip(metrics, found, strict=True):
        if baseline is None:
            rows.append([metric.title, f"{one.value:.{places(one.value)}f}"])
            continue
        f = places(one.score, one.baseline)
        low, high = one.interval or (None, None)
        spread = "-" if low is None else f"{low:+.{f}f} to {high:+.{f}f}"
        rows.append(
            [metric.title, f"{one.score:.{f}f}", f"{one.baseline:.{f}f}",
             f"{one.difference:+.{f}f}", spread, f"{one.p_value:.4f}", _verdict(metric, one)]
        )  # fmt: skip
    print_table(rows, right=(1, 2, 3, 4, 5))
    print()
    print_table([[m.title, one.signature] for m, one in zip(metrics, found, strict=True)])


PLUGIN = evaluate
