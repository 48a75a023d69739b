"""Rules that can be used somewhere: those of a source, or of all spans of a sentence.

for found in rules_of_sentence(table, "das haus ist klein", limit=5):
    found.begin, found.end, found.rule.target
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from rosewood.rules.rule import Rule
from rosewood.rules.table import RuleTable

_MAX_SPAN = 10  # words, unless the table says how many


class FoundRule(NamedTuple):
    """A rule, and the span and gaps of a sentence that it can be used for."""

    rule: Rule
    begin: int | None = None
    end: int | None = None
    gaps: tuple[tuple[int, int], ...] = ()

    def to_dict(self, origin: tuple[str, str] | None = None) -> dict[str, Any]:
        """JSON values; `origin` is the sentence pair that the rule was extracted from."""
        row: dict[str, Any] = {"id": self.rule.id}
        if self.begin is not None:
            row |= {"begin": self.begin, "end": self.end, "gaps": [list(gap) for gap in self.gaps]}
        row |= self.rule.to_dict()
        if origin is not None:
            row["origin"] = dict(zip(("source", "target"), origin, strict=True))
        return row


def rules_of_sentence(
    table: RuleTable, sentence: str, limit: int | None = None
) -> Iterator[FoundRule]:
    """All rules that match spans of a sentence, at most `limit` of each source."""
    settings = table.facts.get("settings", {})
    longest = max(settings.get("max_span", _MAX_SPAN), settings.get("max_phrase", 1))
    found = table.matches(sentence, max_span=longest)
    spans = zip(
        found.begin.tolist(), found.end.tolist(), found.first.tolist(), found.last.tolist(),
        strict=True,
    )  # fmt: skip
    for n, (begin, end, first, last) in enumerate(spans):
        here = slice(int(found.gap_start[n]), int(found.gap_start[n + 1]))
        gaps = tuple(zip(found.gap_begin[here].tolist(), found.gap_end[here].tolist(), strict=True))
        for number in range(first, last if limit is None else min(last, first + limit)):
            yield FoundRule(table[number], begin, end, gaps)
