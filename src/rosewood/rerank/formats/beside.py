"""Files beside a file of candidates: line i of each belongs to list i."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from os import fspath

from rosewood.corpus.lines import TextLine, each_line
from rosewood.errors import FormatError
from rosewood.rerank.formats.draft import BadList, CandidateDraft, Drafts
from rosewood.shared_types import PathName


class Lockstep:
    """Files whose lines belong together; one that ends before the others is an error.

    A file is its name in errors, and its path or its lines.
    """

    def __init__(self, files: Sequence[tuple[str | None, str | Iterator[TextLine]]]) -> None:
        self._names = [name for name, _ in files]
        self._lines = [
            each_line(lines, name) if isinstance(lines, str) else lines for name, lines in files
        ]
        self.count = 0  # lines that have been read of each

    def __iter__(self) -> Iterator[list[TextLine]]:
        while True:
            found = [next(lines, None) for lines in self._lines]
            there = [line for line in found if line is not None]
            if not there:
                return
            if len(there) < len(found):
                raise self._uneven(found)
            self.count += 1
            yield there

    def _uneven(self, found: list[TextLine | None]) -> FormatError:
        short = found.index(None)
        longer = next(i for i, line in enumerate(found) if line is not None)
        total = self.count + 1 + _length(self._lines[longer])
        reason = f"it has {self.count} lines, but {self._names[longer] or '<text>'} has {total}"
        return FormatError(
            reason, code="file.mismatch", value=self.count, expected=total,
            file=self._names[short], line=self.count,
        )  # fmt: skip


def _length(lines: Iterable[object]) -> int:
    return sum(1 for _ in lines)


def with_companions(
    drafts: Drafts,
    file: str | None,
    references: Sequence[PathName],
    source: PathName | None,
) -> Drafts:
    """Drafts with their references and sources from files of one line for each list."""
    if not references and source is None:
        yield from drafts
        return
    names = [fspath(path) for path in references]
    names += [] if source is None else [fspath(source)]
    together = Lockstep([(name, name) for name in names])
    rows = iter(together)
    for draft in drafts:
        behind = draft.index is not None and draft.index < together.count
        if draft.index is None or (behind and isinstance(draft, BadList)):
            yield draft
            continue
        if behind:
            reason = f"id {draft.index} stands behind {together.count - 1}: {names[0]} is in order"
            error = FormatError(
                reason, code="line.order", argument="id", value=draft.index,
                file=file, line=draft.line,
            )  # fmt: skip
            yield BadList(draft.index, error, draft.id, draft.line)
            continue
        for row in rows:
            index = together.count - 1
            if index == draft.index:
                yield _joined(draft, row, len(references), file)
                break
            reason = f"there are no candidates for line {index + 1} of {names[0]}, id {index}"
            yield BadList(
                index,
                FormatError(
                    reason, file=file, line=draft.line, code="tuning.no-candidates", value=index
                ),
            )
        else:
            last = max([draft.index, *(d.index for d in drafts if d.index is not None)])
            have = together.count
            reason = f"it has {have} lines, but {file or '<text>'} has {last + 1} lists"
            raise FormatError(
                reason, code="file.mismatch", value=have, expected=last + 1,
                file=names[0], line=have,
            )  # fmt: skip
    lists = together.count
    left = _length(rows)
    if left:
        reason = f"it has {lists + left} lines, but {file or '<text>'} has {lists} lists"
        raise FormatError(
            reason, code="file.mismatch", value=lists + left, expected=lists,
            file=names[0], line=lists + 1,
        )  # fmt: skip


def _joined(
    draft: CandidateDraft | BadList, row: list[TextLine], references: int, file: str | None
) -> CandidateDraft | BadList:
    if isinstance(draft, BadList):
        return draft
    for line in row:
        if line.error is not None:
            return BadList(draft.index, line.error, draft.id, draft.line)
    if references:
        if draft.references:
            told = "the list has references of its own, and there are files of references"
            raise FormatError(
                told, file=file, line=draft.line, code="argument.conflict", argument="references"
            )
        draft.references = tuple(line.text for line in row[:references])
    if len(row) > references:
        if draft.source is not None:
            told = "the list has a source of its own, and there is a file of sources"
            raise FormatError(
                told, file=file, line=draft.line, code="argument.conflict", argument="source"
            )
        draft.source = row[references].text
    return draft
