"""Candidate files of every format, a list at a time.

`read_candidates` tells formats apart, puts references and sources to their lists, holds every list
against the first one, and either stops at the first bad list or drops it and counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from os import PathLike
from pathlib import Path

from rosewood.arguments import check_choice, check_type, check_whole
from rosewood.corpus.compression import plain_name
from rosewood.corpus.lines import Source, TextLine, each_line, file_name
from rosewood.errors import FormatError, TuningError
from rosewood.rerank.candidates import CandidateList
from rosewood.rerank.formats.beside import with_companions
from rosewood.rerank.formats.draft import BadList, Drafts, Schema
from rosewood.rerank.formats.jsonl import looks_like_jsonl, parse_jsonl
from rosewood.rerank.formats.lines import PerSource, parse_lines
from rosewood.rerank.formats.moses import looks_like_moses, parse_moses
from rosewood.rerank.formats.sets import parse_set
from rosewood.rerank.formats.tsv import looks_like_tsv, parse_tsv
from rosewood.rerank.settings import FORMATS
from rosewood.shared_types import PathName, StopOrSkip

_PARSERS = {"jsonl": parse_jsonl, "moses": parse_moses, "tsv": parse_tsv}
_LOOKS = {"jsonl": looks_like_jsonl, "moses": looks_like_moses, "tsv": looks_like_tsv}
_ENDINGS = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".nbest": "moses", ".moses": "moses", ".tsv": "tsv",
    ".rwf": "set",
}  # fmt: skip
_SHOWN = 5  # reasons that are kept


@dataclass(slots=True)
class Dropped:
    """How many lists were dropped, and the reason for the first."""

    count: int = 0
    reasons: list[FormatError] = field(default_factory=list)

    def add(self, reason: FormatError) -> None:
        self.count += 1
        if len(self.reasons) < _SHOWN:
            self.reasons.append(reason)

    def told(self, file: PathName) -> Iterator[str]:
        """Lines about the lists of a file that were dropped; none if all are good."""
        if self.count:
            yield f"{file}: {self.count} malformed lists were skipped"
            yield from (f"  {reason}" for reason in self.reasons)
        if self.count > len(self.reasons):
            yield f"  and {self.count - len(self.reasons)} more"


def read_candidates(
    candidates: Source,
    *,
    format: str | None = None,
    references: Sequence[PathName] = (),
    source: PathName | None = None,
    features: Sequence[PathName] = (),
    per_source: PerSource | None = None,
    on_bad_line: StopOrSkip = "stop",
    report: Dropped | None = None,
    file: PathName | None = None,
    needs_references: bool = False,
) -> Iterator[CandidateList]:
    """The lists of a file, one after the other; `candidates` is its path, its lines or a stream.

    `format` is one of `FORMATS`; without it, the ending and the first line tell.  `references` and
    `source` are files with a line for each list.  `per_source` is for candidates one a line: how
    many each list has, or a file with that number for each; `features` are files with a line for
    each of those candidates.  `on_bad_line="skip"` drops lists that are bad and counts them in
    `report`; files that do not fit together always stop.  Errors call the lines `file`.  With
    `needs_references`, a list without any is bad.
    """
    paths = (str, PathLike)
    kinds = (*paths, Iterable)
    check_type("candidates", candidates, kinds, "a path, lines or a stream", error=TuningError)
    check_choice("on_bad_line", on_bad_line, ("stop", "skip"), error=TuningError)
    if format is not None:
        check_choice("format", format, FORMATS, error=TuningError)
    for what, files in (("references", references), ("features", features)):
        listed = None if isinstance(files, paths) else files
        check_type(what, listed, Sequence, "a list of files", error=TuningError)
        for path in files:
            check_type(what, path, paths, "paths of files", error=TuningError)
    for what, one in (("source", source), ("file", file)):
        check_type(what, one, (*paths, type(None)), "the path of a file", error=TuningError)
    check_type("report", report, (Dropped, type(None)), "a Dropped", error=TuningError)
    if (per_source is not None or features) and format not in (None, "lines"):
        reason = f"per_source and features are for candidates one a line, not {format}"
        raise TuningError(reason, code="argument.conflict", argument="per_source")
    if per_source is None and (features or format == "lines"):
        reason = "per_source is missing: how many candidates each list has"
        raise TuningError(reason, code="argument.missing", argument="per_source")
    if per_source is not None and not isinstance(per_source, paths):
        check_whole("per_source", per_source, low=1, error=TuningError)
    name = file_name(candidates, file)
    drafts = _unrepeated(_drafts(candidates, name, format, features, per_source), name)
    beside = with_companions(drafts, name, references, source)
    dropped = Dropped() if report is None else report
    return _good_lists(beside, name, on_bad_line, dropped, needs_references)


def _drafts(
    candidates: Source,
    file: str | None,
    format: str | None,
    features: Sequence[PathName],
    per_source: PerSource | None,
) -> Drafts:
    by_ending = None if file is None else _ENDINGS.get(plain_name(file).suffix)
    if format == "set" or (format is None and by_ending == "set" and per_source is None):
        if not isinstance(candidates, str | PathLike):
            reason = "a forest set is read from a file"
            raise TuningError(reason, code="argument.type", argument="candidates")
        yield from parse_set(Path(candidates))
        return
    lines = each_line(candidates, file)
    if per_source is not None:
        yield from parse_lines(lines, file, features, per_source)
        return
    first = next(lines, None)
    if first is None:
        return
    kind = format or _recognised(first, by_ending, file)
    yield from _PARSERS[kind](chain([first], lines), file)


def _recognised(first: TextLine, by_ending: str | None, file: str | None) -> str:
    by_look = [kind for kind, looks in _LOOKS.items() if looks(first.text)]
    if by_ending is not None and by_look in ([], [by_ending]):
        return by_ending
    if by_ending is None and len(by_look) == 1:
        return by_look[0]
    if not by_look:
        told = "neither its ending nor its first line tells which format it is"
    else:
        told = f"its first line looks like {' and like '.join(by_look)}"
        told += "" if by_ending is None else f", but its ending says {by_ending}"
    told += f": say which ({', '.join(FORMATS)}; one candidate a line needs their number, too)"
    raise FormatError(told, file=file, line=first.number, code="file.kind", argument="format")


def _unrepeated(drafts: Drafts, file: str | None) -> Drafts:
    """Drafts; those with a repeated id are marked as bad."""
    seen: dict[str, int | None] = {}  # the line of each id
    for draft in drafts:
        if draft.id is not None and draft.id in seen:
            told = f"id {draft.id[:40]!r} stands twice, the first time on line {seen[draft.id]}"
            if isinstance(draft, BadList) or draft.lines:
                told += "; the candidates of a list stand together"
            yield BadList(
                draft.index,
                FormatError(
                    told,
                    file=file,
                    line=draft.line,
                    code="line.duplicate",
                    argument="id",
                    value=draft.id,
                ),
            )
            continue
        if draft.id is not None:
            seen[draft.id] = draft.line
        yield draft


def _good_lists(
    drafts: Drafts,
    file: str | None,
    on_bad_line: StopOrSkip,
    report: Dropped,
    needs_references: bool,
) -> Iterator[CandidateList]:
    schema = Schema(file, needs_references=needs_references)
    good, bad, first = 0, 0, None
    for draft in drafts:
        try:
            if isinstance(draft, BadList):
                raise draft.error
            made = schema.build(draft)
        except FormatError as error:
            if on_bad_line == "stop":
                raise
            report.add(error)
            bad, first = bad + 1, first or error
        else:
            good += 1
            yield made
    if not good:
        told = "there are no lists of candidates in it"
        if bad:
            told += f": all {bad} are bad, the first: {first}"
        raise FormatError(told, file=file, code="tuning.no-lists", value=bad)
