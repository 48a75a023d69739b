"""Score translations against references; test differences for significance."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from io import BufferedIOBase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from rosewood.cli.candidates import Quiet
from rosewood.cli.common import Json, print_row, print_table
from rosewood.cli.options import Config, Threads, check_files, cores, named_values
from rosewood.errors import FormatError, MetricError, RosewoodError

if TYPE_CHECKING:
    from rosewood.metrics import Comparison, Metric, Score

__all__ = ["PLUGIN"]

_SIGNIFICANT = 0.05


def evaluate(
    files: Annotated[
        list[Path],
        typer.Argument(help="Translations, one a line; .gz, .xz, .zst; - is standard input."),
    ],
    references: Annotated[
        list[Path] | None,
        typer.Option("--ref", help="References, a line for each translation; once for each."),
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="Translations to compare with.")
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            show_default="bleu",
            help="One or more: bleu,chrf,ter; settings as in bleu:tokenize=none; column:NAME is "
            "the mean of --scores NAME.",
        ),
    ] = None,
    test: Annotated[
        str,
        typer.Option("--test", metavar="bootstrap|randomisation", help="Of significance, paired."),
    ] = "bootstrap",
    samples: Annotated[
        int | None,
        typer.Option("--samples", min=1, show_default="1000; 10000 of randomisation"),
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option("--scores", metavar="NAME=FILE", help="A number for each translation."),
    ] = None,
    baseline_scores: Annotated[
        list[str] | None,
        typer.Option("--baseline-scores", metavar="NAME=FILE", help="And for the baseline's."),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Seed of the test; sacreBLEU's by default.")
    ] = 12345,
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

    check_files({}, [*files, baseline, *(references or ())])
    metrics = parse_metrics(",".join(metric or ["bleu"]))
    if len(files) > 1 and scores:
        raise MetricError("--scores belong to one file of translations")
    if baseline_scores and baseline is None:
        raise MetricError("--baseline-scores belong to --baseline")
    references = references or []
    if not references and any(each.needs_references for each in metrics):
        raise MetricError("there must be references: --ref FILE")
    documents = [_lines(path) for path in references]
    other = None if baseline is None else _lines(baseline)
    columns = _columns(baseline_scores, "--baseline-scores")
    for number, file in enumerate(files):
        said = _lines(file)
        beside = [*references, *([] if baseline is None else [baseline])]
        _check_counts(file, said, beside, [*documents, *([] if other is None else [other])])
        own = _columns(scores, "--scores")
        found: list[Score | Comparison] = []
        with progress(f"scoring {file.name}", len(metrics), quiet=quiet) as step:
            for each in metrics:
                if other is None:
                    found += score(said, documents, each, scores=own, threads=cores(threads))
                else:
                    found += compare(
                        said, other, documents, each, test=test, samples=samples, seed=seed,
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
        raise FormatError("there are no lines in it", file=path)
    return lines


def _check_counts(
    file: Path, said: list[str], others: Sequence[Path], documents: Sequence[list[str]]
) -> None:
    for path, lines in zip(others, documents, strict=True):
        if len(lines) != len(said):
            raise MetricError(
                f"{file} has {len(said)} lines, but {path} has {len(lines)}: lines of one number "
                "belong together"
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
                raise FormatError(str(error), file=file, line=place) from error
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
    from rosewood.rerank.words import places

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
