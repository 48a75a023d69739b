"""Candidate files of every format, a list at a time.

`read_candidates` tells formats apart, holds every list against the first one, and either stops at
the first bad list or drops it and counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike
from typing import Literal

from rosewood.corpus.lines import Source, each_line, file_name
from rosewood.errors import FormatError, TuningError
from rosewood.rerank.candidates import CandidateList
from rosewood.rerank.formats.draft import Bad, Drafts, Schema
from rosewood.rerank.formats.jsonl import parse_jsonl

__all__ = ["Dropped", "OnBadLine", "read_candidates"]

OnBadLine = Literal["error", "skip"]
_SHOWN = 5  # reasons that are kept


@dataclass(slots=True)
class Dropped:
    """How many lists were dropped, and what was wrong with the first of them."""

    count: int = 0
    reasons: list[FormatError] = field(default_factory=list)

    def add(self, reason: FormatError) -> None:
        self.count += 1
        if len(self.reasons) < _SHOWN:
            self.reasons.append(reason)


def read_candidates(
    candidates: Source,
    *,
    on_bad_line: OnBadLine = "error",
    report: Dropped | None = None,
    file: str | PathLike[str] | None = None,
) -> Iterator[CandidateList]:
    """The lists of a file, one after the other.

    `on_bad_line="skip"` drops a list that is bad, all of it, and counts it in `report`.
    """
    if on_bad_line not in ("error", "skip"):
        raise TuningError(f"on_bad_line is {on_bad_line!r}, want error or skip")
    name = file_name(candidates, file)
    drafts = parse_jsonl(each_line(candidates, name), name)
    return _good_lists(drafts, name, on_bad_line, Dropped() if report is None else report)


def _good_lists(
    drafts: Drafts, file: str | None, on_bad_line: OnBadLine, report: Dropped
) -> Iterator[CandidateList]:
    good = 0
    for item in _checked(drafts, file):
        if isinstance(item, CandidateList):
            good += 1
            yield item
        elif on_bad_line == "error":
            raise item
        else:
            report.add(item)
    if not good:
        first = f": all {report.count} are bad, the first: {report.reasons[0]}"
        told = "there are no lists of candidates in it"
        raise FormatError(told + (first if report.count else ""), file=file)


def _checked(drafts: Drafts, file: str | None) -> Iterator[CandidateList | FormatError]:
    """Each list, or what is wrong with it."""
    schema = Schema(file)
    seen: dict[str, int] = {}  # the line of each id
    for draft in drafts:
        if isinstance(draft, Bad):
            yield draft.error
            continue
        if draft.id in seen:
            reason = f"id {draft.id[:40]!r} stands twice, the first time on line {seen[draft.id]}"
            yield FormatError(reason, file=file, line=draft.line)
            continue
        seen[draft.id] = draft.line
        try:
            made: CandidateList | FormatError = schema.build(draft)
        except FormatError as error:
            made = error
        yield made
