"""What a decoder says, and how it came to say it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from rosewood.decode.source import Source
from rosewood.rules.table import RuleTable

__all__ = ["PhraseUse", "SearchReport", "Translation"]


@dataclass(frozen=True)
class SearchReport:
    """How a search went."""

    pops: int  # hypotheses that were made
    narrowed: bool = False  # max_pops left less than was wanted
    timed_out: bool = False  # time_limit ended it: another run may find something else
    reachable: bool = True  # something was found; a reference may be missed if it was narrowed


@dataclass(frozen=True)
class PhraseUse:
    """A phrase of a translation: source words begin .. end-1, target words target_begin .. ."""

    begin: int
    end: int
    target_begin: int
    target_end: int
    rule: int | None = None  # id in the table
    is_unknown: bool = False
    is_forced: bool = False


@dataclass(frozen=True, eq=False)
class Translation:
    """Words, with the phrases they are made of, in the order of the target."""

    source: Source
    words: tuple[str, ...]
    score: float
    features: Mapping[str, float]  # those that are not 0
    phrases: tuple[PhraseUse, ...]
    report: SearchReport
    table: RuleTable

    @property
    def text(self) -> str:
        """Its words, with spaces between."""
        return " ".join(self.words)

    @cached_property
    def links(self) -> tuple[tuple[int, int], ...]:
        """Which source word became which target word: by the links of its rules.

        All words of a phrase that has no rule, a copied or forced one, belong to each other.
        """
        found: list[tuple[int, int]] = []
        for use in self.phrases:
            if use.rule is None:
                inner = [
                    (i, j)
                    for i in range(use.end - use.begin)
                    for j in range(use.target_end - use.target_begin)
                ]
            else:
                inner = list(self.table.by_id(use.rule).links)
            found += [(use.begin + i, use.target_begin + j) for i, j in inner]
        return tuple(sorted(found))

    def __repr__(self) -> str:
        return f"Translation({self.text!r}, score {self.score:.4f})"
