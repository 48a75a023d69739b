"""Formats with a candidate on each line: rows of one id become a list."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from rosewood.errors import FormatError
from rosewood.rerank.formats.draft import BadList, CandidateDraft, Drafts

SCORE = "score:"  # names of scores begin with it where they stand among features


@dataclass(slots=True)
class Row:
    """A candidate; its id names its list."""

    line: int
    id: str | None
    text: str = ""
    features: dict[str, float] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)
    source: str | None = None
    references: tuple[str, ...] | None = None
    error: FormatError | None = None


def group_rows(
    rows: Iterable[Row], file: str | None, index_of: Callable[[str], int] | None = None
) -> Drafts:
    """Lists of the rows that stand together; `index_of` an id is its list's number from 0.

    A list with a bad row is bad.  A row without an id may be of the list before it or of the one
    behind it: both are bad, unless they are the same.
    """
    lists = 0
    draft: CandidateDraft | None = None
    error: FormatError | None = None  # what is wrong with the draft
    stray: FormatError | None = None  # the row just before had no id
    for row in rows:
        if row.id is None:
            stray = row.error
            error = error or stray
            continue
        if draft is None or row.id != draft.id:
            if draft is not None:
                yield draft if error is None else BadList(draft.index, error, draft.id, draft.line)
            index = lists if index_of is None else index_of(row.id)
            draft = CandidateDraft(index, row.line, row.id, [], [], [], row.source, row.references)
            error = stray
            lists += 1
        stray = None
        if row.error is None and (row.source, row.references) != (draft.source, draft.references):
            told = f"the source or a reference differs from those on line {draft.line}, of this id"
            row.error = FormatError(
                told, file=file, line=row.line, code="line.value", argument="references"
            )
        error = error or row.error
        draft.texts.append(row.text)
        draft.features.append(row.features)
        draft.scores.append(row.scores)
        draft.lines.append(row.line)
    if draft is not None:
        yield draft if error is None else BadList(draft.index, error, draft.id, draft.line)
    elif error is not None:
        yield BadList(None, error)
