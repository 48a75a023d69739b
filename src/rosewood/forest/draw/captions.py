"""What is written in a picture of a forest, and how wide it will be."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rosewood import _core
from rosewood.arrays import FloatArray, LongArray, as_weight
from rosewood.errors import EmptyForestError, ForestError
from rosewood.forest.forest import Forest

if TYPE_CHECKING:
    from rosewood.forest.search import Derivation

__all__ = [
    "SIZE",
    "Marks",
    "Token",
    "clean",
    "decimal",
    "dot_string",
    "edge_text",
    "edge_tokens",
    "from_right",
    "line_width",
    "percent",
    "plural",
    "shorten",
    "source_span",
    "text_width",
    "wrap",
    "xml_text",
]

SIZE = 13.0  # of letters
_FEATURES_TOLD = 40  # in a tooltip

_UNPRINTABLE = {
    **dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), *range(0xD800, 0xE000)), "\ufffd"),
    **dict.fromkeys((0xFFFE, 0xFFFF, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd"),
    ord("\t"): "␉",
    ord("\n"): "␊",
    ord("\r"): "␍",
}
_ESCAPES = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;"}

Token = tuple[str, bool]  # what is written, and whether it is the mark of a slot


def clean(text: str) -> str:
    """Without characters that XML forbids or that would upset the line."""
    return text.translate(_UNPRINTABLE)


def xml_text(text: str) -> str:
    return text.translate(_ESCAPES)


def dot_string(text: str) -> str:
    """As the inside of a quoted Graphviz string, which knows backslashes and XML entities."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;").replace("\n", "\\n")


def decimal(value: float) -> str:
    """With one digit after the point at most."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def plural(count: int, thing: str) -> str:
    return f"{count:,} {thing}" + ("" if count == 1 else "s")


def percent(share: float) -> str:
    if share > 1.0005:  # a node that is used more than once
        return f"{share:.3g}×"
    if share == 0 or share >= 0.0995:
        return f"{100 * share:.0f}%"
    return f"{100 * share:.1f}%" if share >= 0.0005 else "<0.1%"


def text_width(text: str, size: float = SIZE) -> float:
    """An estimate, rather too wide than too narrow."""
    total = 0.0
    for c in text:
        if unicodedata.category(c) in ("Mn", "Me", "Cf"):
            continue
        if ord(c) > 0x1F000 or c == "\ufffd":
            total += 1.25
        elif unicodedata.east_asian_width(c) in "WF":
            total += 1.02
        elif c in " .,:;'|!()[]{}ijltfr/\\-":
            total += 0.4
        elif c in "mwMW@%…—":
            total += 0.98
        else:
            total += 0.63 if c.islower() or c.isdigit() else 0.72 if c.isalpha() else 0.84
    return total * size


def line_width(line: list[Token]) -> float:
    """Of words and marks in a row; marks are bold."""
    words = " ".join(text for text, _ in line)
    return text_width(words) + 0.22 * SIZE * sum(1 for _, mark in line if mark)


def from_right(text: str) -> bool:
    """Whether the first letter that has a direction is written from the right."""
    for c in text:
        kind = unicodedata.bidirectional(c)
        if kind in ("L", "R", "AL"):
            return kind != "L"
    return False


def shorten(word: str, limit: float) -> str:
    if text_width(word) <= limit:
        return word
    while word and text_width(word) > limit - SIZE:
        word = word[: min(len(word) - 1, 200)]
    return word + "…"


def source_span(forest: Forest, node: int) -> str:
    if forest.span is None or forest.span[node, 0] == forest.span[node, 1]:
        return ""
    return f"{forest.span[node, 0]}:{forest.span[node, 1]}"


def edge_tokens(forest: Forest, edge: int) -> list[Token]:
    says = forest.says(edge)
    return [(f"[{s}]", True) if isinstance(s, int) else (clean(s), False) for s in says]


def edge_text(forest: Forest, edge: int) -> str:
    return " ".join(text for text, _ in edge_tokens(forest, edge)) or "ε"


def wrap(tokens: list[Token], limit: float, rows: int) -> list[list[Token]]:
    """Lines no wider than `limit`; what is too much ends in an ellipsis."""
    lines: list[list[Token]] = [[]]
    used = 0.0
    for text, mark in tokens:
        text = shorten(text, limit)
        width = text_width(text + " ")
        if lines[-1] and used + width > limit:
            if len(lines) == rows:
                lines[-1].append(("…", False))
                break
            lines.append([])
            used = 0.0
        lines[-1].append((text, mark))
        used += width
    return lines


class Marks:
    """Posteriors, best edges and the highlighted edges; what tooltips say."""

    def __init__(
        self, forest: Forest, weight: ArrayLike | None, highlight: Derivation | None
    ) -> None:
        self.forest = forest
        self.weight: FloatArray | None = None
        self.posterior = np.ones(forest.num_edges)
        self.back: LongArray | None = None
        self.wanted: LongArray | None = None
        self.accent: frozenset[int] = frozenset()
        if weight is not None:
            self.weight = as_weight("weight", weight, forest.num_edges)
            self.back = np.empty(forest.num_nodes, dtype=np.int64)
            _core.viterbi(forest.view, self.weight, np.empty(forest.num_nodes), self.back)
            conditional = np.empty(forest.num_edges)
            try:
                _core.edge_conditionals(forest.view, self.weight, conditional)
                _core.edge_counts(forest.view, conditional, self.posterior)
            except EmptyForestError:
                self.posterior[:] = 0.0
        if highlight is not None:
            if highlight.forest.num_edges != forest.num_edges:
                raise ForestError("highlight is a derivation of another forest")
            self.wanted = np.asarray(highlight.edges, dtype=np.int64)
            self.accent = frozenset(self.wanted.tolist())

    def about_edge(self, edge: int) -> str:
        forest = self.forest
        tails = ", ".join(str(t) for t in forest.tails(edge).tolist())
        lines = [f"edge {edge}: node {forest.head[edge]} ← {tails or 'no tails'}"]
        lines.append(f"says {edge_text(forest, edge)}")
        if forest.rule is not None:
            lines.append(f"rule {forest.rule[edge]}")
        named = [(n, v) for n, v in forest.edge_features(edge).items() if v != 0]
        lines += [f"{clean(name)} = {value:.6g}" for name, value in named[:_FEATURES_TOLD]]
        if len(named) > _FEATURES_TOLD:
            lines.append(f"and {plural(len(named) - _FEATURES_TOLD, 'more feature')}")
        if self.weight is not None:
            lines.append(f"log weight {self.weight[edge]:.6g}")
            lines.append(f"posterior {self.posterior[edge]:.4g}")
        return "\n".join(lines)

    def best_text(self, node: int, words: int = 12) -> str:
        """The best string of a node, or nothing if it is long or there is none."""
        if self.back is None:
            return ""
        said: list[str] = []
        todo: list[int | str] = [node]
        for _ in range(20 * words):
            if not todo or len(said) > words:
                break
            top = todo.pop()
            if isinstance(top, str):
                said.append(top)
                continue
            edge = int(self.back[top])
            if edge < 0:
                return ""
            tails = self.forest.tails(edge).tolist()
            says = self.forest.says(edge)
            todo += [tails[s] if isinstance(s, int) else clean(s) for s in reversed(says)]
        return "" if todo or len(said) > words else " ".join(said)
