"""A translation rule, as people read it: words, gaps, links, numbers.

rule = Rule(("das", Gap("X", 1)), ("the", Gap("X", 1)), links=((0, 0),))
str(rule)        das [X,1] ||| the [X,1] ||| 0-0
rule.name        rule:das_[X,1]|||the_[X,1], the name of its sparse feature
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, NamedTuple

from rosewood.arguments import check_list
from rosewood.errors import RuleError


class Gap(NamedTuple):
    """Where another rule goes: its label, and which one it is, counted from 1 in the source."""

    label: str
    number: int

    def __str__(self) -> str:
        return f"[{self.label},{self.number}]"


Symbol = str | Gap


@dataclass(frozen=True)
class Rule:
    """A phrase pair, or a rule with gaps; two rules are equal if all of it is the same.

    Features that are probabilities are natural logarithms.  Links lead from places in the source
    to places in the target, counted from 0 among all symbols.
    """

    source: tuple[Symbol, ...]
    target: tuple[Symbol, ...]
    left: str = "X"
    links: tuple[tuple[int, int], ...] = ()
    features: Mapping[str, float] = field(default_factory=dict, hash=False)
    count: float = 0.0
    source_count: float = 0.0
    target_count: float = 0.0
    sentence: int | None = None  # of the training corpus, from 0, where it was seen
    id: int | None = None  # in the table it is from, and in those made of that

    def __post_init__(self) -> None:
        check_list("the words of a source", self.source, error=RuleError)
        check_list("the words of a target", self.target, error=RuleError)

    @property
    def name(self) -> str:
        """The name of its sparse feature, the same in all tables."""
        sides = "|||".join("_".join(map(_escaped, side)) for side in (self.source, self.target))
        return f"rule:{sides}" if self.left == "X" else f"rule:[{self.left}]|||{sides}"

    @property
    def is_phrase(self) -> bool:
        """Whether it has no gaps."""
        return not any(isinstance(symbol, Gap) for symbol in self.source)

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {
            "id": self.id,
            "left": self.left,
            "source": [str(symbol) for symbol in self.source],
            "target": [str(symbol) for symbol in self.target],
            "links": [list(link) for link in self.links],
            "counts": {
                "rule": self.count, "source": self.source_count, "target": self.target_count,
            },
            "features": dict(self.features),
            "sentence": self.sentence,
        }  # fmt: skip

    def __str__(self) -> str:
        left = "" if self.left == "X" else f"[{self.left}] ||| "
        links = " ".join(f"{i}-{j}" for i, j in self.links)
        return f"{left}{_joined(self.source)} ||| {_joined(self.target)} ||| {links}".rstrip()

    def _repr_html_(self) -> str:
        cells = [_joined(self.source), _joined(self.target)]
        cells += [f"{name} {value:.4g}" for name, value in self.features.items()]
        cells += [f"{self.count:g} of {self.source_count:g} and {self.target_count:g}"]
        return f"<table><tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr></table>"


def _joined(symbols: tuple[Symbol, ...]) -> str:
    return " ".join(map(str, symbols))


def _escaped(symbol: Symbol) -> str:
    """A symbol in a name, in which no word is taken for a gap or for more than one word."""
    if isinstance(symbol, Gap):
        return str(symbol)
    for mark in ("\\", "_", "|", "["):
        symbol = symbol.replace(mark, f"\\{mark}")
    return symbol
