"""Score translations against references; test differences for significance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.cli.common import name_of, needs, print_row, print_table, source_of
from rosewood.cli.options import check_files, named_values
from rosewood.cli.run_options import Json, ThreadedRun
from rosewood.errors import FormatError, MetricError, RosewoodError
from rosewood.metrics.registry import metric_names
from rosewood.metrics.settings import ComparisonSettings
from rosewood.settings import setting
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.metrics import Metric


@dataclass(frozen=True)
class EvaluateOptions(ComparisonSettings):
    """What translations are compared with, and how."""

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
    scores: tuple[str, ...] = setting(
        (), "One number per translation, for column:NAME. Repeatable.", metavar="NAME=FILE"
    )
    baseline_scores: tuple[str, ...] = setting(
        (), "The same for the baseline. Repeatable.", metavar="NAME=FILE"
    )


def evaluate(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Translations, one per line; .gz, .xz and .zst too; - is standard input.",
        ),
    ],
    options: EvaluateOptions,
    run: ThreadedRun,
    json: Json = False,
) -> None:
    """Score translations against references; with --baseline also: better, worse, or chance?

    rosewood evaluate best.txt --ref ref.txt --baseline first.txt --metric bleu,chrf
    """
    from rosewood.metrics import compare, parse_metrics
    from rosewood.metrics import evaluate as score
    from rosewood.progress import progress

    references, baseline = options.ref, options.baseline
    check_files({}, [*files, baseline, *references])
    metrics = parse_metrics(",".join(options.metric))
    if len(files) > 1 and options.scores:
        reason = "--scores needs a single file of translations"
        raise MetricError(reason, code="argument.conflict", argument="--scores")
    if options.baseline_scores and baseline is None:
        raise needs(MetricError, "--baseline-scores", "--baseline")
    if not references and any(each.needs_references for each in metrics):
        raise needs(MetricError, "the metric", "--ref FILE")
    documents = [_lines(path) for path in references]
    beside = dict(zip(references, documents, strict=True))
    comparing: dict[str, Any] = {}
    if baseline is not None:
        beside[baseline] = _lines(baseline)
        columns = _columns(options.baseline_scores, "--baseline-scores")
        comparing = {"baseline": beside[baseline], "baseline_scores": columns}
        comparing |= {name: getattr(options, name) for name in ("test", "samples", "seed")}
    for number, file in enumerate(files):
        said = _lines(file)
        _check_counts(file, said, beside)
        how: dict[str, Any] = {"scores": _columns(options.scores, "--scores"), **comparing}
        how |= {"references": documents, "threads": run.cores}
        judge: Any = compare if comparing else score
        with progress(f"scoring {file.name}", len(metrics), quiet=run.quiet) as step:
            found = []
            for each in metrics:
                found += judge(said, metrics=each, **how)
                step()
        if json:
            _print_json(file, baseline, metrics, found)
            continue
        if number:
            print()
        _print(file, baseline, len(said), len(documents), metrics, found)


def _lines(path: PathName) -> list[str]:
    """The lines of a file, or of standard input; there must be some."""
    from rosewood.corpus.lines import read_lines

    lines = [text for _, text in read_lines(source_of(path), name_of(path))]
    if not lines:
        raise FormatError("there are no lines in it", file=path, code="file.empty")
    return lines


def _check_counts(file: Path, said: list[str], beside: Mapping[PathName, list[str]]) -> None:
    for path, lines in beside.items():
        if len(lines) != len(said):
            raise MetricError(
                f"{file} has {len(said)} lines, but {path} has {len(lines)}: they must correspond",
                code="file.mismatch", file=path, value=len(lines), expected=len(said),
            )  # fmt: skip


def _columns(texts: Sequence[str], option: str) -> dict[str, list[float]]:
    """Columns of numbers by name, from files with a number a line."""
    from rosewood.corpus.lines import number

    found: dict[str, list[float]] = {}
    for name, file in named_values(texts, option).items():
        found[name] = []
        for place, text in enumerate(_lines(file), start=1):
            try:
                found[name].append(number("the score", text.strip()))
            except RosewoodError as error:
                raise error.restated(str(error), FormatError, file=file, line=place) from error
    return found


def _print_json(
    file: Path, baseline: PathName | None, metrics: Sequence[Metric], found: Sequence[Any]
) -> None:
    for metric, each in zip(metrics, found, strict=True):
        row: dict[str, Any] = {"file": str(file), **asdict(each)}
        if baseline is not None:
            row |= {"baseline_file": str(baseline), "title": metric.title,
                    "higher_is_better": metric.higher_is_better,
                    "verdict": each.verdict(metric)}  # fmt: skip
        print_row(row, as_json=True)


def _print(
    file: Path,
    baseline: PathName | None,
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
             f"{one.difference:+.{f}f}", spread, f"{one.p_value:.4f}", one.verdict(metric)]
        )  # fmt: skip
    print_table(rows, right=(1, 2, 3, 4, 5))
    print()
    print_table([[m.title, one.signature] for m, one in zip(metrics, found, strict=True)])


PLUGIN = evaluate
