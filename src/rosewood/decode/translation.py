"""A translation as a derivation tree: the rules it was made with, their source spans and links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rosewood.decode.source import Source
from rosewood.errors import DamagedFileError
from rosewood.rules.rule import Gap, Rule
from rosewood.rules.table import RuleTable

Span = tuple[int, int]  # words begin .. end-1


@dataclass(frozen=True)
class SearchReport:
    """How a search went."""

    pops: int  # hypotheses that were made
    narrowed: bool = False  # max_pops cut some stacks short
    timed_out: bool = False  # time_limit ended the search: another run may find something else
    reachable: bool = True  # a translation was found


@dataclass(frozen=True)
class RuleUse:
    """One rule of a derivation: the source and target words that are its own.

    Words of its sub-derivations lie in the gaps between its spans; a phrase has one span on each
    side.  A rule that produces no words has one empty target span, where they would be.
    """

    source_spans: tuple[Span, ...]
    target_spans: tuple[Span, ...]
    rule: int | None = None  # id in the table
    is_unknown: bool = False
    is_forced: bool = False
    children: tuple[int, ...] = ()  # places in `Translation.rules`
    label: str | None = None  # the non-terminal that it makes; None: phrases have none

    @property
    def begin(self) -> int:
        """The first of its source words."""
        return self.source_spans[0][0]

    @property
    def end(self) -> int:
        """One past the last of its source words."""
        return self.source_spans[-1][1]

    @property
    def target_begin(self) -> int:
        """The first of its target words."""
        return self.target_spans[0][0]

    @property
    def target_end(self) -> int:
        """One past the last of its target words."""
        return self.target_spans[-1][1]

    @property
    def source_places(self) -> list[int]:
        """The places of its source words."""
        return [place for span in self.source_spans for place in range(*span)]

    @property
    def target_places(self) -> list[int]:
        """The places of its target words."""
        return [place for span in self.target_spans for place in range(*span)]

    @property
    def kind(self) -> str:
        """Where it comes from: "rule", "unknown" or "forced"."""
        return "unknown" if self.is_unknown else "forced" if self.is_forced else "rule"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "begin": self.begin,
            "end": self.end,
            "target_begin": self.target_begin,
            "target_end": self.target_end,
            "source_spans": [list(span) for span in self.source_spans],
            "target_spans": [list(span) for span in self.target_spans],
            "children": list(self.children),
            "kind": self.kind,
            "rule": self.rule,
        }


@dataclass(frozen=True, eq=False)
class Translation:
    """Words, and the tree of rules that made them.

    `rules` is in post-order, children first, so the root is last.  A phrase-based translation is
    the simple case: a chain, in the order of the target.
    """

    source: Source
    words: tuple[str, ...]
    score: float
    features: Mapping[str, float]  # those that are not 0
    rules: tuple[RuleUse, ...]
    report: SearchReport
    table: RuleTable | None = None  # where ids of rules are looked up

    @property
    def text(self) -> str:
        """The words joined by spaces."""
        return " ".join(self.words)

    @cached_property
    def links(self) -> tuple[tuple[int, int], ...]:
        """Word links, source place and target place, from the links of the rules.

        All words of a rule that is not in the table, a copied or forced one, are linked.
        """
        found: list[tuple[int, int]] = []
        for use in self.rules:
            source, target = use.source_places, use.target_places
            if use.rule is None or self.table is None:
                found += [(i, j) for i in source for j in target]
            else:
                links = word_links(self.table.by_id(use.rule))
                try:
                    found += [(source[i], target[j]) for i, j in links]
                except IndexError:
                    raise DamagedFileError(
                        f"the links of rule {use.rule} are not among its words",
                        file=self.table.folder,
                        code="file.damaged",
                        argument="links",
                        value=use.rule,
                    ) from None
        return tuple(sorted(found))

    def to_text(self) -> str:
        """Its rules as lines for a terminal; rules with gaps are drawn as a tree."""
        from rosewood.decode.explanation import derivation_text

        return derivation_text(self)

    def to_svg(self) -> str:
        """A picture: see `rosewood.decode.draw`."""
        from rosewood.decode.draw import to_svg

        return to_svg(self)

    def __repr__(self) -> str:
        return f"Translation({self.text!r}, score {self.score:.4f})"


def word_links(rule: Rule) -> list[tuple[int, int]]:
    """The links of a rule, counted among its words: gaps are symbols, but not words."""
    if not any(isinstance(symbol, Gap) for symbol in rule.source):
        return list(rule.links)
    source, target = _word_numbers(rule.source), _word_numbers(rule.target)
    return [(source[i], target[j]) for i, j in rule.links]


def _word_numbers(symbols: tuple[Any, ...]) -> list[int]:
    count, numbers = 0, []
    for symbol in symbols:
        numbers.append(count)
        count += not isinstance(symbol, Gap)
    return numbers
