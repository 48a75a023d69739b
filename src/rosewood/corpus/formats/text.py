"""Two text files: line i of one translates line i of the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import zip_longest

from rosewood.corpus.checks import Tally
from rosewood.corpus.formats.strict import Found, Input, Line, Settings, strict_lines
from rosewood.errors import FormatError

__all__ = ["parse_text"]


def parse_text(sides: tuple[Input, Input], settings: Settings, tally: Tally) -> Found:
    """A pair of each two lines; a bad line makes its pair bad, and never shifts the others."""
    source_side, target_side = sides
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
    return FormatError(reason, file=short.name, line=have or None)
