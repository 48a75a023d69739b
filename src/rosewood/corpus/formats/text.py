"""Two text files: line i of one translates line i of the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from rosewood.corpus.checks import Tally
from rosewood.corpus.formats import CorpusFormat, Languages, Layout, Parsed
from rosewood.corpus.inputs import Input, Line, ParserSettings, strict_lines
from rosewood.errors import FormatError


def parse_text(
    source_side: Input, target_side: Input, settings: ParserSettings, tally: Tally
) -> Parsed:
    """A pair of each two lines; a bad line makes its pair bad, and never shifts the others."""
    limit = settings.checks.max_bytes
    sources = strict_lines(source_side, limit)
    targets = strict_lines(target_side, limit)
    gate = settings.gate(tally, source_side.name, target_side.name)
    for source, target in zip_longest(sources, targets):
        if source is None:
            raise _uneven(source_side, target_side, target, targets)
        if target is None:
            raise _uneven(target_side, source_side, source, sources)
        yield source.bad or target.bad or gate.pair(source.text, target.text, source.number)


def _uneven(short: Input, long: Input, beyond: Line, rest: Iterator[Line]) -> FormatError:
    last = deque(rest, maxlen=1)
    total = last[0].number if last else beyond.number
    have = beyond.number - 1
    reason = f"it has {have:,} lines, but {long.name} has {total:,}: they do not belong together"
    return FormatError(
        reason, code="file.mismatch",
        value=have, expected=total, file=short.name, line=have or None,
    )  # fmt: skip


def write_text(languages: Languages, tags: Sequence[str]) -> Layout:
    """A line of each file for each pair."""
    return Layout(lambda pair: (f"{pair.source}\n", f"{pair.target}\n"))


PLUGIN = CorpusFormat(parse_text, write=write_text, files=2)
