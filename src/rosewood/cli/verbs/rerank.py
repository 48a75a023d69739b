"""Choose the best candidate of each list with given weights."""

from __future__ import annotations

import json as json_text
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rosewood.cli.candidates import ListFile, read_lists
from rosewood.cli.common import lines_to, needs, warn
from rosewood.cli.options import check_files
from rosewood.cli.run_options import Json, RunOptions
from rosewood.errors import TuningError
from rosewood.rerank.settings import CandidateSettings
from rosewood.settings import setting
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.rerank import Reranked


@dataclass(frozen=True, kw_only=True)
class RerankOptions(CandidateSettings):
    """What is written of the new order."""

    group = ""

    weights: PathName = setting(help='Weights as JSON, {"feature": weight, …}, from tune.')
    trees: PathName | None = setting(
        None, "Trees that add the feature boost, from tune --method boost.",
        default_text="WEIGHTS with the ending .trees.json, if there is such a file",
    )  # fmt: skip
    output: PathName = setting(
        "-",
        "Output; compressed if the name ends with .gz, .xz or .zst; - is standard output.",
        short="o",
    )
    nbest: bool = setting(
        False, "Write all candidates in their new order as JSON lines, with scores.rosewood."
    )
    k: int | None = setting(None, "With --nbest: at most N candidates.", low=1, option="k")


def rerank(
    file: ListFile,
    options: RerankOptions,
    run: RunOptions,
    json: Json = False,
) -> None:
    """Choose the best candidate of each list: its text, one a line.

    With --json a line is an object: id, text, score, and the rank that the candidate had before.

    rosewood rerank nbest.test.jsonl --weights weights.json -o best.txt
    """
    if options.nbest and json:
        reason = "--nbest writes JSON already: drop --json"
        raise TuningError(reason, code="argument.conflict", argument="--json")
    if options.k is not None and not options.nbest:
        raise needs(TuningError, "-k", "--nbest")
    from rosewood.rerank import rerank

    inputs = [file, options.weights, options.trees, run.config, *options.files()]
    check_files({"-o": options.output}, inputs)
    lists = changed = 0
    with _naming(file, options.weights), lines_to(options.output) as write:
        read = read_lists(options, file, quiet=run.quiet)
        for each in rerank(read, options.weights, trees=options.trees):
            write(_line(each, options, json))
            lists += 1
            changed += int(each.order[0]) != 0
    if not run.quiet:
        warn(f"{changed} of {lists} lists choose another candidate than their first")


@contextmanager
def _naming(file: PathName, weights: PathName) -> Iterator[None]:
    """Errors about lists and weights name both files."""
    try:
        yield
    except TuningError as error:
        raise error.restated(f"{file} with {weights}: {error}") from error


def _line(found: Reranked, options: RerankOptions, as_json: bool) -> str:
    from rosewood.rerank import format_candidates

    if options.nbest:
        return format_candidates(found.reordered(options.k))
    place = int(found.order[0])
    if as_json:
        row = {"id": found.candidates.id, "text": found.best, "score": float(found.scores[place]),
               "rank": place}  # fmt: skip
        return json_text.dumps(row, ensure_ascii=False)
    if "\n" in found.best or "\r" in found.best:
        reason = (
            f"list {found.candidates.id!r}: the best candidate contains a line break: use --json "
            "or --nbest"
        )
        raise TuningError(reason, code="tuning.line-break", value=found.candidates.id)
    return found.best


PLUGIN = rerank
