"""Texts that can be cased in several ways: all readings are searched, and the best one is kept.

A word of a text whose capitals are lost may be a noun or a verb (Essen, essen).  Each reading is a
source of its own; the one whose best translation has the highest model score is taken, the earlier
one of equals, so that `translate` and `search_all` choose alike.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from rosewood.decode.decoder import Decoder
from rosewood.decode.results import SearchResult
from rosewood.decode.source import Source
from rosewood.decode.translation import Translation

if TYPE_CHECKING:
    from rosewood.decode.text import PreparedText


class FoundReading(NamedTuple):
    """The reading of a text that was chosen, and what was found of it."""

    prepared: PreparedText
    best: Translation
    search: SearchResult | None  # where forests are kept


def best_readings(
    decoder: Decoder, texts: Iterable[PreparedText], *, forests: bool = False, threads: int = 1
) -> Iterator[FoundReading]:
    """Search all readings of each text; yield the best of each, in the order of the texts."""
    waiting: deque[PreparedText] = deque()

    def sources() -> Iterator[Source]:
        for each in texts:
            waiting.append(each)
            yield each.source
            for other in each.others:
                yield other.source

    found: Iterator[tuple[Translation, SearchResult | None]]
    if forests:
        searched = decoder.search_all(sources(), threads=threads)
        found = ((each.best, each) for each in searched)
    else:
        found = ((best, None) for best in decoder.translate(sources(), threads=threads))
    for best, search in found:
        prepared = waiting.popleft()
        chosen = FoundReading(prepared, best, search)
        for other in prepared.others:
            reading = FoundReading(other, *next(found))
            if _quality(reading.best) > _quality(chosen.best):
                chosen = reading
        yield chosen


def _quality(found: Translation) -> tuple[bool, float]:
    return found.report.reachable, found.score
