"""What is written in a picture of a forest, and how wide it will be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rosewood import _core
from rosewood.arrays import FloatArray, LongArray, as_weight
from rosewood.errors import EmptyForestError, ForestError
from rosewood.forest.forest import Forest
from rosewood.svg_text import SIZE, clean, plural, shorten, text_width

if TYPE_CHECKING:
    from rosewood.forest.search import Derivation

_FEATURES_TOLD = 40  # in a tooltip
_WIDEST_LABEL = 110.0

Token = tuple[str, bool]  # what is written, and whether it is the mark of a slot


def dot_string(text: str) -> str:
    """As the inside of a quoted Graphviz string, which knows backslashes and XML entities."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;").replace("\n", "\\n")


def percent(share: float) -> str:
    if share > 1.0005:  # a node that is used more than once
        return f"{share:.3g}×"
    if share == 0 or share >= 0.0995:
        return f"{100 * share:.0f}%"
    return f"{100 * share:.1f}%" if share >= 0.0005 else "<0.1%"


def line_width(line: list[Token]) -> float:
    """Of words and marks in a row; marks are bold."""
    words = " ".join(text for text, _ in line)
    return text_width(words) + 0.22 * SIZE * sum(1 for _, mark in line if mark)


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
    """Lines no wider than `limit`; longer text ends in an ellipsis."""
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
        self,
        forest: Forest,
        weight: ArrayLike | None,
        highlight: Derivation | None,
        labels: Sequence[str] | None = None,
    ) -> None:
        self.forest = forest
        if labels is not None and len(labels) != forest.num_nodes:
            raise ForestError(
                f"labels has {len(labels)} labels for {forest.num_nodes} nodes",
                code="argument.shape",
                argument="labels",
                value=(len(labels),),
                expected=(forest.num_nodes,),
            )
        self.labels = labels
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
                reason = "highlight is a derivation of another forest"
                raise ForestError(reason, code="argument.value", argument="highlight")
            self.wanted = np.asarray(highlight.edges, dtype=np.int64)
            self.accent = frozenset(self.wanted.tolist())

    def node_text(self, node: int) -> str:
        """The label and the source words of a node, where they are known."""
        label = "" if self.labels is None else shorten(clean(self.labels[node]), _WIDEST_LABEL)
        return " ".join(part for part in (label, source_span(self.forest, node)) if part)

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
