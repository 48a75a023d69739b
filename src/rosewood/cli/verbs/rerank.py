"""Choose the best candidate of each list with given weights."""

from __future__ import annotations

import json as json_text
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosewood.cli.candidates import (
    Features,
    Format,
    ListFile,
    OnBadLine,
    PerSource,
    Quiet,
    Reading,
    Source,
)
from rosewood.cli.common import Json, lines_to, warn
from rosewood.cli.options import Config, check_files
from rosewood.errors import TuningError

if TYPE_CHECKING:
    from rosewood.rerank import Reranked

__all__ = ["PLUGIN"]


def rerank(
    file: ListFile,
    weights: Annotated[
        Path, typer.Option("--weights", help='JSON file {"feature": weight, …}: from tune.')
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="Where to write, compressed as the ending says; - is standard output.",
        ),
    ] = Path("-"),
    nbest: Annotated[
        bool,
        typer.Option(
            "--nbest",
            help="All candidates in their new order as JSON lines, their scores under "
            "scores.rosewood.",
        ),
    ] = False,
    k: Annotated[
        int | None, typer.Option("-k", min=1, help="With --nbest: this many at most.")
    ] = None,
    format: Format = None,
    source: Source = None,
    features: Features = None,
    per_source: PerSource = None,
    on_bad_line: OnBadLine = "error",
    quiet: Quiet = False,
    json: Json = False,
    config: Config = None,
) -> None:
    """Choose the best candidate of each list: its text, one a line.

    With --json a line is an object: id, text, score, and the rank that the candidate had before.

    rosewood rerank nbest.test.jsonl --weights weights.json -o best.txt
    """
    if nbest and json:
        raise TuningError("--nbest is JSON already: leave out --json")
    if k is not None and not nbest:
        raise TuningError("-k belongs to --nbest: without it the best candidate is written")
    check_files({"-o": output}, [file, weights, source, config, *(features or ())])
    from rosewood.model import read_weights
    from rosewood.rerank import rerank

    reading = Reading(format, None, source, features, per_source, on_bad_line, quiet)
    lists = changed = 0
    named = read_weights(weights)
    with _naming(file, weights), lines_to(output) as write:
        for each in rerank(reading.lists(file), named):
            write(_line(each, nbest, k, json))
            lists += 1
            changed += int(each.order[0]) != 0
    if not quiet:
        warn(f"{changed} of {lists} lists choose another candidate than their first")


@contextmanager
def _naming(file: Path, weights: Path) -> Iterator[None]:
    """Errors about lists and weights name both files."""
    try:
        yield
    except TuningError as error:
        raise TuningError(f"{file} with {weights}: {error}") from error


def _line(found: Reranked, nbest: bool, k: int | None, as_json: bool) -> str:
    from rosewood.rerank import format_candidates

    if nbest:
        return format_candidates(found.reordered(k))
    place = int(found.order[0])
    if as_json:
        row = {"id": found.candidates.id, "text": found.best, "score": float(found.scores[place]),
               "rank": place}  # fmt: skip
        return json_text.dumps(row, ensure_ascii=False)
    if "\n" in found.best or "\r" in found.best:
        raise TuningError(
            f"list {found.candidates.id!r}: the best candidate has an end of line in it, and goes "
            "on one line: use --json or --nbest"
        )
    return found.best


PLUGIN = rerank
