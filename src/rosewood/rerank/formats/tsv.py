"""Tables: fields between tabs, a candidate on each line, the names of the columns on the first.

    id  text       src       ref        lm    tm    score:comet
    17  the house  das haus  the house  -5.2  -1.5  0.83

`id` and `text` must be there; `src`, `ref`, `ref1`, `ref2`… may be; `score:NAME` is a score; every
other column is a feature.  An empty field of a sparse feature (its name has a colon) is one that
the candidate has not.  Quotes are characters like others.  Rows of one id stand together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rosewood.corpus.lines import TextLine, at, number, numbers
from rosewood.errors import FormatError, RosewoodError
from rosewood.rerank.candidates import is_sparse
from rosewood.rerank.formats.draft import Drafts
from rosewood.rerank.formats.rows import SCORE, Row, group_rows

_REFERENCE = re.compile(r"ref[0-9]*")


def looks_like_tsv(line: str) -> bool:
    """Whether a table of candidates can begin with this line."""
    return {"id", "text"} <= set(line.split("\t"))


def parse_tsv(lines: Iterable[TextLine], file: str | None) -> Drafts:
    """A draft of the list of each id."""
    return group_rows(_rows(iter(lines), file), file)


def _rows(lines: Iterator[TextLine], file: str | None) -> Iterator[Row]:
    head = next(lines, None)
    if head is None:
        return
    if head.error is not None:
        raise head.error
    with at(file, head.number):
        header = _Header.of(head.text.split("\t"))
    for line in lines:
        row = Row(line.number, None, error=line.error)
        fields = line.text.split("\t")
        try:
            with at(file, line.number):
                header.fill(row, fields)
        except FormatError as error:
            row.error = row.error or error
        yield row


class _Header(NamedTuple):
    """What each column is; a column is its name and its place."""

    width: int
    id: int
    text: int
    source: int | None
    references: list[int]
    dense: list[tuple[str, int]]
    sparse: list[tuple[str, int]]
    scores: list[tuple[str, int]]

    @staticmethod
    def of(names: list[str]) -> _Header:
        places = {name: place for place, name in enumerate(names)}
        if len(places) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            reason = f"column {twice[:40]!r} is given twice in the header"
            raise RosewoodError(reason, code="line.duplicate", argument="header", value=twice)
        for needed in ("id", "text"):
            if needed not in places:
                reason = f"the header has no column {needed!r}: it names the columns"
                raise RosewoodError(reason, code="line.fields", argument="header", value=needed)
        if "" in places or SCORE in places:
            reason = "a column of the header has no name"
            raise RosewoodError(reason, code="line.fields", argument="header", value="")
        references = [place for name, place in places.items() if _REFERENCE.fullmatch(name)]
        taken = {places["id"], places["text"], places.get("src"), *references}
        rest = [(name, place) for name, place in places.items() if place not in taken]
        features = [column for column in rest if not column[0].startswith(SCORE)]
        return _Header(
            len(names),
            places["id"],
            places["text"],
            places.get("src"),
            references,
            [column for column in features if not is_sparse(column[0])],
            [column for column in features if is_sparse(column[0])],
            [(n.removeprefix(SCORE), place) for n, place in rest if n.startswith(SCORE)],
        )

    def fill(self, row: Row, fields: list[str]) -> None:
        if fields == [""]:
            raise RosewoodError("the line is empty", code="line.empty")
        row.id = (fields[self.id] if self.id < len(fields) else "") or None
        if len(fields) != self.width:
            reason = f"there are {len(fields)} fields, the header has {self.width}"
            raise RosewoodError(reason, code="line.fields", value=len(fields), expected=self.width)
        if row.id is None:
            raise RosewoodError("the id is empty", code="line.value", argument="id")
        row.text = fields[self.text]
        row.source = None if self.source is None else fields[self.source]
        if self.references:
            row.references = tuple(fields[place] for place in self.references)
        row.features = _cells("feature", self.dense, fields)
        row.scores = _cells("score", self.scores, fields)
        for name, place in self.sparse:
            if fields[place]:
                row.features[name] = number(f"feature {name[:40]!r}", fields[place])


def _cells(what: str, columns: list[tuple[str, int]], fields: list[str]) -> dict[str, float]:
    try:
        values = numbers(what, [fields[place] for _, place in columns])
    except RosewoodError:
        for name, place in columns:
            number(f"{what} {name[:40]!r}", fields[place])
        raise
    return {name: value for (name, _), value in zip(columns, values, strict=True)}
