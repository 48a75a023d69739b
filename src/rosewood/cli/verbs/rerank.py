"""Choose the best candidate of each list, or the best string of each forest, with given weights."""

from __future__ import annotations

import json as json_text
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rosewood.cli.candidates import ListFile, read_lists
from rosewood.cli.common import conflict, lines_to, name_of, needs, warn
from rosewood.cli.forests import ForestOptions
from rosewood.cli.options import check_files
from rosewood.cli.run_options import Json, ThreadedRun
from rosewood.errors import FormatError, TuningError
from rosewood.forest.formats import FORMATS as FOREST_FORMATS
from rosewood.rerank.settings import FORMATS, CandidateSettings
from rosewood.settings import setting, setting_of
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.rerank import CandidateList, Reranked, RerankedForest

_MOST = 100  # strings of a forest, unless -k says how many


@dataclass(frozen=True, kw_only=True)
class RerankOptions(CandidateSettings):
    """What is read, and what is written of the new order."""

    group = ""

    format: str | None = setting_of(
        CandidateSettings, "format", choices=tuple(dict.fromkeys([*FORMATS, *FOREST_FORMATS])),
        help=f"Format: {', '.join(FORMATS)}; with --forests {', '.join(FOREST_FORMATS)}.",
    )  # fmt: skip
    weights: PathName = setting(help='Weights as JSON, {"feature": weight, …}, from tune.')
    trees: PathName | None = setting(
        None, "Trees that add the feature boost, from tune --method boost.",
        default_text="WEIGHTS with the ending .trees.json, if there is such a file",
    )  # fmt: skip
    forests: bool = setting(
        False,
        "FILE has packed forests, in any format that rosewood forest reads: write the best "
        "translation of each.",
    )
    second_stage: PathName | None = setting(
        None,
        "With --forests: weights of n-grams, from rosewood forest second-stage, or a model that "
        "has a second stage.",
    )
    output: PathName = setting(
        "-",
        "Output; compressed if the name ends with .gz, .xz or .zst; - is standard output.",
        short="o",
    )
    nbest: bool = setting(
        False,
        "Write all candidates in their new order as JSON lines, with scores.rosewood; of forests, "
        "the best distinct strings.",
    )
    k: int | None = setting(
        None, f"With --nbest: at most N candidates; of a forest {_MOST} unless given.",
        low=1, option="k",
    )  # fmt: skip

    def check(self, *, json: bool, threads: int | None) -> None:
        """Before any work: options that exclude each other."""
        if self.nbest and json:
            reason = "--nbest writes JSON already: drop --json"
            raise TuningError(reason, code="argument.conflict", argument="--json")
        if self.k is not None and not self.nbest:
            raise needs(TuningError, "-k", "--nbest")
        if not self.forests:
            for option, value in (("--second-stage", self.second_stage), ("--threads", threads)):
                if value is not None:
                    raise needs(TuningError, option, "--forests")
            return
        of_lists: dict[str, object] = {
            "--trees": self.trees, "--src": self.src, "--features": self.features or None,
            "--per-source": self.per_source,
            "--on-bad-line skip": None if self.on_bad_line == "stop" else self.on_bad_line,
        }  # fmt: skip
        for option, given in of_lists.items():
            if given is not None:
                raise conflict(TuningError, option, "--forests", "it is for lists of candidates")


def rerank(
    file: ListFile,
    options: RerankOptions,
    run: ThreadedRun,
    json: Json = False,
) -> None:
    """Choose the best candidate of each list: its text, one a line.

    With --json a line is an object: id, text, score, and the rank that the candidate had before.
    With --forests FILE has packed forests; one without derivations gives an empty line.

    rosewood rerank nbest.test.jsonl --weights weights.json -o best.txt

    rosewood rerank test.rwf --forests --weights weights.json --second-stage second.json -o best.txt
    """
    options.check(json=json, threads=run.threads)
    inputs = [file, options.weights, options.trees, options.second_stage, run.config]
    check_files({"-o": options.output}, [*inputs, *options.files()])
    work = _forests if options.forests else _lists
    told = work(file, options, run, json)
    if not run.quiet:
        warn(told)


def _lists(file: Path, options: RerankOptions, run: ThreadedRun, as_json: bool) -> str:
    from rosewood.rerank import rerank

    lists = changed = 0
    with _naming(file, options.weights), lines_to(options.output) as write:
        read = read_lists(options, file, quiet=run.quiet)
        for each in rerank(read, options.weights, trees=options.trees):
            write(_line_of_list(each, options, as_json))
            lists += 1
            changed += int(each.order[0]) != 0
    return f"{changed} of {lists} lists choose another candidate than their first"


def _forests(file: Path, options: RerankOptions, run: ThreadedRun, as_json: bool) -> str:
    from rosewood.progress import progress
    from rosewood.rerank import rerank_forests
    from rosewood.svg_text import plural

    forests = changed = blank = 0
    is_stream = str(file) == "-"
    with (
        _naming(name_of(file), options.weights),
        lines_to(options.output) as write,
        progress(f"reranking {Path(file).name}, forests", quiet=run.quiet) as step,
    ):
        for each in rerank_forests(
            ForestOptions(format=options.format).read(file) if is_stream else file,
            options.weights,
            options.second_stage,
            k=(options.k or _MOST) if options.nbest else None,
            format=None if is_stream else options.format,
            threads=run.cores,
        ):
            write(_line_of_forest(each, as_json))
            forests += 1
            changed += each.is_changed
            blank += each.score is None
            step()
    told = plural(forests, "forest")
    if options.second_stage is not None:
        told = f"{changed:,} of {told} change their translation because of the second stage"
    return f"{told}; without derivations, with an empty translation: {blank:,}" if blank else told


@contextmanager
def _naming(file: PathName, weights: PathName) -> Iterator[None]:
    """Errors about lists and weights name both files; those of formats name --forests."""
    try:
        yield
    except TuningError as error:
        raise error.restated(f"{file} with {weights}: {error}") from error
    except FormatError as error:
        if (error.code, error.argument) != ("file.kind", "format"):
            raise
        hint = "packed forests are read with --forests"
        raise error.restated(f"{error.reason}; {hint}") from error


def _line_of_list(found: Reranked, options: RerankOptions, as_json: bool) -> str:
    if options.nbest:
        return _listed(found.reordered(options.k))
    place = int(found.order[0])
    if as_json:
        row = {"id": found.candidates.id, "text": found.best, "score": float(found.scores[place]),
               "rank": place}  # fmt: skip
        return json_text.dumps(row, ensure_ascii=False)
    return _checked_line("list", found.candidates.id, found.best)


def _line_of_forest(found: RerankedForest, as_json: bool) -> str:
    if found.nbest is not None:
        return _listed(found.nbest)
    if as_json:
        row = {"id": found.id, "text": found.text, "score": found.score}
        return json_text.dumps(row, ensure_ascii=False)
    return _checked_line("forest", found.id, found.text)


def _listed(candidates: CandidateList) -> str:
    from rosewood.rerank import format_candidates

    return format_candidates(candidates)


def _checked_line(what: str, name: str, text: str) -> str:
    if "\n" in text or "\r" in text:
        reason = f"{what} {name!r}: the best one contains a line break: use --json or --nbest"
        raise TuningError(reason, code="tuning.line-break", value=name)
    return text


PLUGIN = rerank
