"""Candidates one a line, N for each source or as many as a file tells, and files of features.

A line of a feature file is for the candidate on the same line: numbers, named after the file
(`lm.txt` gives `lm`, or `lm_0`, `lm_1`… where there are several on a line), or `name=value` pairs,
where `score:NAME=value` is a score.  Lists are numbered from 0, which is their id.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, repeat
from os import fspath

from rosewood.corpus.compression import plain_name
from rosewood.corpus.lines import (
    TextLine,
    add_feature,
    at,
    number,
    numbers,
    read_lines,
    split,
    whole,
)
from rosewood.errors import FormatError, RosewoodError, TuningError
from rosewood.rerank.formats.beside import Lockstep
from rosewood.rerank.formats.draft import BadList, CandidateDraft, Drafts
from rosewood.rerank.formats.rows import SCORE, Row
from rosewood.shared_types import PathName

PerSource = int | PathName  # candidates of each list, or a file with a number a line


def parse_lines(
    lines: Iterator[TextLine],
    file: str | None,
    features: Sequence[PathName],
    per_source: PerSource,
) -> Drafts:
    """A draft of each list; files that do not have as many lines as they must always stop."""
    tables = [_FeatureFile(path) for path in features]
    stems = [table.stem for table in tables]
    for stem in stems:
        if stems.count(stem) > 1:
            reason = f"two files of features are called {stem!r}"
            raise TuningError(reason, code="argument.duplicate", argument="features", value=stem)
    together = Lockstep([(file, lines), *((table.file, table.file) for table in tables)])
    rows = (_row(found, tables, file) for found in together)
    counts = repeat(per_source) if isinstance(per_source, int) else _counts(str(per_source))
    wanted = 0  # candidates of all lists so far
    for index, count in enumerate(counts):
        found = list(islice(rows, count))
        if isinstance(per_source, int) and not found:
            return
        wanted += count
        if len(found) < count:
            if isinstance(per_source, int):
                told = f"which is not a multiple of {per_source}"
            else:
                told = f"but {per_source} asks for {wanted + sum(counts)}"
            have = together.count
            reason = f"it has {have} lines, {told}"
            raise FormatError(reason, code="file.mismatch", value=have, file=file, line=have)
        yield _draft(index, found, str(per_source))
    if sum(1 for _ in rows):
        told = f"it has {together.count} lines, but {per_source} asks for {wanted}"
        raise FormatError(
            told, code="file.mismatch", value=together.count, expected=wanted,
            file=file, line=wanted + 1,
        )  # fmt: skip


def _counts(file: str) -> Iterator[int]:
    for line, text in read_lines(file, file):
        with at(file, line):
            yield whole("the number of candidates", text.strip(" \t"))


def _draft(index: int, rows: list[Row], counts: str) -> CandidateDraft | BadList:
    if not rows:
        reason = f"list '{index}' has no candidates"
        return BadList(
            index,
            FormatError(
                reason, file=counts, line=index + 1, code="tuning.no-candidates", value=index
            ),
        )
    error = next((row.error for row in rows if row.error is not None), None)
    if error is not None:
        return BadList(index, error, str(index), rows[0].line)
    return CandidateDraft(
        index,
        rows[0].line,
        str(index),
        [row.text for row in rows],
        [row.features for row in rows],
        [row.scores for row in rows],
        lines=[row.line for row in rows],
    )


def _row(found: list[TextLine], tables: list[_FeatureFile], file: str | None) -> Row:
    """A candidate and what the files of features say of it."""
    line, *beside = found
    row = Row(line.number, None, line.text, error=line.error)
    for table, told in zip(tables, beside, strict=True):
        tokens = split(told.text)
        table.decide(tokens, told.number)
        try:
            if told.error is not None:
                raise told.error
            with at(table.file, told.number):
                for name, value in table.values(tokens):
                    into = row.scores if name.startswith(SCORE) else row.features
                    add_feature(into, name.removeprefix(SCORE), value)
        except FormatError as error:
            row.error = row.error or error
    return row


class _FeatureFile:
    """One file of features; its first line with something on it decides how it is read."""

    def __init__(self, path: PathName) -> None:
        self.file = fspath(path)
        self.stem = plain_name(path).stem
        self._names: list[str] | None = None  # of the numbers on a line
        self._pairs = False
        self._blank: int | None = None  # a line before the first with something on it

    def decide(self, tokens: list[str], line: int) -> None:
        if self._names is not None or self._pairs:
            return
        if not tokens:
            self._blank = self._blank or line
        elif "=" in tokens[0]:
            self._pairs = True
        elif self._blank is not None:
            reason = "there is no number on the line"
            raise FormatError(reason, code="line.fields", value=0, file=self.file, line=self._blank)
        else:
            count = len(tokens)
            self._names = [self.stem] if count == 1 else [f"{self.stem}_{k}" for k in range(count)]

    def values(self, tokens: list[str]) -> Iterable[tuple[str, float]]:
        if self._names is None:
            return [_pair(token) for token in tokens]
        if len(tokens) != len(self._names):
            told = f"there are {len(tokens)} numbers on the line, expected {len(self._names)}"
            raise RosewoodError(
                told, code="line.fields", value=len(tokens), expected=len(self._names)
            )
        return zip(self._names, numbers(f"feature {self.stem!r}", tokens), strict=True)


def _pair(token: str) -> tuple[str, float]:
    name, mark, value = token.rpartition("=")
    if not mark:
        reason = f"a feature is name=value, not {token[:40]!r}"
        raise RosewoodError(reason, code="line.value", argument="feature", value=token)
    return name, number(f"feature {name[:40]!r}", value)
