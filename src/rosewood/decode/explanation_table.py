"""Tables of explanations: a row for each rule, a column for what each feature adds to the score.

Rows of phrases are in the order of the target; those of a tree from the root on, each rule above
what fills its gaps, and glue first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import floor, log10
from typing import TYPE_CHECKING

from rosewood import svg_text as say
from rosewood.decode.derivation_tree import in_order, is_tree, tree_of
from rosewood.decode.results import GLUE_LABEL

if TYPE_CHECKING:
    from rosewood.decode.explanation import ExplainedGlue, ExplainedRule, Explanation

HEADS = ("words", "source", "target", "rule")


@dataclass(frozen=True)
class TableRow:
    """A rule, all glue, or the end of the sentence."""

    words: str = ""  # which source words it is of; in a tree with its label
    source: str = ""
    target: str = ""
    origin: str = ""
    depth: int | None = None  # in a tree: 0 is the root
    features: Mapping[str, float] = field(default_factory=dict)
    contributions: Mapping[str, float] = field(default_factory=dict)

    @property
    def score(self) -> float:
        return sum(self.contributions.values())


class Table:
    """What features add to the score: columns are features, or templates of sparse ones.

    Features without any effect have no column.
    """

    def __init__(self, explained: Explanation) -> None:
        weights = explained.weights
        column = {name: _column(name) for name in weights}
        ending = {name: value * weights[name] for name, value in explained.ending.items()}
        rows = table_rows(explained.rules, len(explained.source.words), explained.glue)
        self.parts = [*rows, TableRow(target="end", contributions=ending)]
        effective = {
            name for part in self.parts for name, value in part.contributions.items() if value
        }
        self.columns = list(dict.fromkeys(column[name] for name in weights if name in effective))
        self.rows: list[list[float]] = []  # of each part
        for part in self.parts:
            total = dict.fromkeys(self.columns, 0.0)
            for name in effective & part.contributions.keys():
                total[column[name]] += part.contributions[name]
            self.rows.append(list(total.values()))
        self.sums = [sum(each) for each in zip(*self.rows, strict=True)]
        self.weights = [weights.get(name) for name in self.columns]
        # Weights are small where there are thousands of sparse ones: their sizes add up to 1.
        largest = max((abs(value) for row in self.rows for value in row), default=0.0)
        self._digits = 3 if largest >= 0.1 or not largest else min(9, 2 - floor(log10(largest)))

    def number(self, value: float) -> str:
        """A contribution or a score, with as many decimals as this table needs."""
        return f"{value:.{self._digits}f}"

    def cell(self, value: float) -> str:
        """A contribution; a dot where there is none."""
        return self.number(value) if value else "·"

    def to_text(self, score: float) -> str:
        """Lines for a terminal, with lines that show the tree; `score` is that of all rows."""
        rows = [[*HEADS, *self.columns, "score"]]
        for part, cells, values in zip(self.parts, row_cells(self.parts), self.rows, strict=True):
            rows.append([*cells, *map(self.cell, values), self.number(part.score)])
        rows.append(["", "", "sum", "", *map(self.cell, self.sums), self.number(score)])
        weights = ["" if weight is None else f"{weight:.4g}" for weight in self.weights]
        rows.append(["", "", "weight", "", *weights, ""])
        return aligned(rows, right=range(3, len(rows[0])))


def table_rows(
    rules: Sequence[ExplainedRule], words: int, glue: Sequence[ExplainedGlue] = ()
) -> list[TableRow]:
    """The rows of rules; those of a tree in pre-order, below a row for all glue."""
    if not is_tree(rules):
        return [_row(rule, rule.span_text) for rule in rules]
    tree = tree_of(rules)
    rows = []
    for place, depth in in_order(tree):
        begin, end = tree[place].span
        rows.append(_row(rules[place], f"{rules[place].label} {begin}:{end}", depth + 1))
    features: dict[str, float] = {}
    contributions: dict[str, float] = {}
    for each in glue:
        for total, own in ((features, each.features), (contributions, each.contributions)):
            for name, value in own.items():
                total[name] = total.get(name, 0.0) + value
    parts = say.plural(sum(node.parent is None for node in tree), "part")
    span = f"{GLUE_LABEL} 0:{words}"
    return [TableRow(span, parts, "", "glue", 0, features, contributions), *rows]


def _row(rule: ExplainedRule, words: str, depth: int | None = None) -> TableRow:
    sides = (rule.source_text, rule.target_text)
    return TableRow(words, *sides, rule.origin, depth, rule.features, rule.contributions)


def row_cells(rows: Sequence[TableRow]) -> Iterator[list[str]]:
    """The cells of rows under `HEADS`, with lines that show the tree."""
    for row, drawn in zip(rows, tree_art([row.depth for row in rows]), strict=True):
        yield [drawn + row.words, row.source, row.target or "–", row.origin]


def _column(name: str) -> str:
    template, colon, _ = name.partition(":")
    return f"{template}:…" if colon else name


def signed(value: float) -> str:
    """What something adds: three places, or where that would be 0.000, two digits that tell."""
    return f"{value:+.3f}" if abs(value) >= 0.0005 or not value else f"{value:+.2g}"


def tree_art(depths: Sequence[int | None]) -> list[str]:
    """Lines before the rows of a tree, given by their depths in pre-order; None: no row of it."""
    out = []
    for place, depth in enumerate(depths):
        drawn = ""
        for level in range(1, (depth or 0) + 1):
            goes_on = _goes_on(depths[place + 1 :], level)
            if level == depth:
                drawn += "├─" if goes_on else "└─"
            else:
                drawn += "│ " if goes_on else "  "
        out.append(drawn)
    return out


def _goes_on(following: Sequence[int | None], level: int) -> bool:
    """Whether another row of this level follows below the same parent."""
    for depth in following:
        if depth is None or depth < level:
            return False
        if depth == level:
            return True
    return False


def aligned(rows: Sequence[Sequence[str]], right: Sequence[int]) -> str:
    """Rows of a terminal, columns in line whatever the script; those of `right` are flush right."""
    wide = [max(map(say.columns, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            " " * (width - say.columns(cell)) + cell
            if place in right
            else cell + " " * (width - say.columns(cell))
            for place, (cell, width) in enumerate(zip(row, wide, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
