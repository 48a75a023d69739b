"""From what a file says of a list to a `CandidateList`: the checks that all formats share.

A parser yields a `CandidateDraft` for each list, or a `BadList` with its error; `Schema` compares
every list with the first one.  An error that a parser raises concerns the whole file and always
stops.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np

from rosewood.arrays import FloatArray, freeze
from rosewood.corpus.json_lines import show
from rosewood.errors import FormatError, RosewoodError
from rosewood.rerank.candidates import CandidateList, is_sparse

Table = Mapping[str, Any]  # names and numbers; the numbers are checked here


@dataclass(slots=True)
class CandidateDraft:
    """A list as a file tells of it."""

    index: int  # its line in files that have a line for each list, from 0
    line: int | None  # where it begins, in a file of lines
    id: str
    texts: list[str]
    features: list[Table]
    scores: list[Table]
    source: str | None = None
    references: tuple[str, ...] | None = None
    lines: list[int] = field(default_factory=list)  # of each candidate, where each has its own


@dataclass(slots=True)
class BadList:
    """A list that cannot be read, and why."""

    index: int | None
    error: FormatError
    id: str | None = None
    line: int | None = None


Drafts = Iterator[CandidateDraft | BadList]


class Schema:
    """What all lists must have in common; the first good one decides."""

    def __init__(self, file: str | None, *, needs_references: bool = False) -> None:
        self._needs_references = needs_references
        self._file = file
        self._features: _Columns | None = None
        self._scores: _Columns | None = None
        self._references: int | None = None

    def build(self, draft: CandidateDraft) -> CandidateList:
        """The list, checked; a FormatError names fields that are missing or superfluous."""
        if not draft.texts:
            raise self._error(draft, RosewoodError("it has no candidates", code="line.empty"))
        references = draft.references or ()
        if self._needs_references and not references:
            reason = "it has no references, which the metric needs"
            raise self._error(draft, RosewoodError(reason, code="metric.no-reference"))
        if self._references not in (None, len(references)):
            count = len(references)
            reason = f"it has {count} references, the first list has {self._references}"
            fault = RosewoodError(reason, code="line.fields", argument="references", value=count)
            raise self._error(draft, fault)
        try:
            features = self._features or _Columns("feature", draft.features[0], sparse=True)
            scores = self._scores or _Columns("score", draft.scores[0], sparse=False)
            dense, sparse = features.matrix(draft.features)
            columns, _ = scores.matrix(draft.scores)
        except _CandidateError as error:
            raise self._error(draft, error, error.candidate) from error
        self._features, self._scores, self._references = features, scores, len(references)
        return CandidateList(
            id=draft.id,
            texts=tuple(draft.texts),
            names=features.names,
            dense=dense,
            source=draft.source,
            references=references,
            sparse=sparse,
            scores=dict(zip(scores.names, np.ascontiguousarray(columns.T), strict=True)),
        )

    def _error(
        self, draft: CandidateDraft, fault: RosewoodError, candidate: int | None = None
    ) -> RosewoodError:
        line, who = draft.line, f"list {draft.id[:40]!r}"
        if candidate is not None:
            who += f", candidate {candidate + 1}"
            line = draft.lines[candidate] if draft.lines else line
        return fault.restated(f"{who}: {fault}", FormatError, file=self._file, line=line)


class _CandidateError(RosewoodError):
    """What is wrong with one candidate of a list."""

    def __init__(self, candidate: int, reason: str, **fields: Any) -> None:
        super().__init__(reason, **fields)
        self.candidate = candidate


class _Columns:
    """The names that every candidate must have a number for, and the numbers of many candidates."""

    def __init__(self, what: str, first: Table, *, sparse: bool) -> None:
        if "" in first:
            raise _CandidateError(0, f"a {what} has no name", code="line.value", argument=what)
        self.what = what
        self.names = tuple(name for name in first if not (sparse and is_sparse(name)))
        self._known = frozenset(self.names)
        self._sparse = sparse
        self._row: Callable[[Table], tuple[Any, ...]]
        if len(self.names) > 1:
            self._row = itemgetter(*self.names)
        else:
            self._row = lambda table: tuple(table[name] for name in self.names)

    def matrix(self, tables: list[Table]) -> tuple[FloatArray, tuple[Table, ...]]:
        """[tables, names], and the sparse rest of each table (nothing where no table has any)."""
        width = len(self.names)
        row = self._row
        try:
            rows = [row(table) for table in tables]
        except KeyError:
            self._refuse_missing(tables)
        dense = self._numbers(rows)
        if all(len(table) == width for table in tables):
            return dense, ()
        return dense, tuple(self._rest(i, table) for i, table in enumerate(tables))

    def _numbers(self, rows: list[tuple[Any, ...]]) -> FloatArray:
        # Types first: NumPy would make numbers of strings, of None and of truth values.
        kinds = set(map(type, chain.from_iterable(rows)))
        if kinds <= {float, int}:
            try:
                block = np.array(rows, dtype=np.float64).reshape(len(rows), len(self.names))
            except OverflowError:
                pass
            else:
                if np.isfinite(block).all():
                    return freeze(block)
        return np.array(
            [
                [self._number(row, name, v) for name, v in zip(self.names, values, strict=True)]
                for row, values in enumerate(rows)
            ]
        )

    def _number(self, candidate: int, name: str, value: Any) -> float:
        """A finite number, or the reason why it is none."""
        number = math.nan
        if type(value) in (int, float):
            with suppress(OverflowError):
                number = float(value)
        if not math.isfinite(number):
            reason = f"{self.what} {name[:40]!r} is {show(value)}, expected a finite number"
            fields = {"code": "line.number", "argument": name, "value": value}
            raise _CandidateError(candidate, reason, **fields)
        return number

    def _rest(self, candidate: int, table: Table) -> Table:
        rest = {}
        for name, value in table.items():
            if name in self._known:
                continue
            if not (self._sparse and is_sparse(name)):
                reason = f"{self.what} {name[:40]!r} is missing from the first list"
                fields = {"code": "line.unknown", "argument": self.what, "value": name}
                raise _CandidateError(candidate, reason, **fields)
            rest[name] = self._number(candidate, name, value)
        return rest

    def _refuse_missing(self, tables: list[Table]) -> None:
        for candidate, table in enumerate(tables):
            for name in self.names:
                if name not in table:
                    reason = f"{self.what} {name[:40]!r} is missing"
                    if self._sparse:
                        reason += "; only a feature with a colon in its name may be left out"
                    fields = {"code": "line.fields", "argument": self.what, "value": name}
                    raise _CandidateError(candidate, reason, **fields)
