"""What every decoder returns: a forest, the best translation, a report; derivations as trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rosewood.arrays import IdArray, LongArray
from rosewood.decode.source import Source
from rosewood.decode.translation import RuleUse, SearchReport, Span, Translation
from rosewood.errors import DecodingError
from rosewood.forest import Derivation, Forest

if TYPE_CHECKING:
    from rosewood.decode.options import TranslationOptions


GLUE_LABEL = "S"  # of nodes that join parts of a sentence, and of glue rules in tables


class EdgeRule(NamedTuple):
    """The rule of a hyperedge: the source words that are its own, and where it comes from."""

    source_spans: tuple[Span, ...]
    rule: int | None = None  # id in the table
    is_unknown: bool = False
    is_forced: bool = False
    label: str | None = None  # the non-terminal that it makes

    @property
    def kind(self) -> str:
        """Where it comes from: "rule", "unknown" or "forced"."""
        return "unknown" if self.is_unknown else "forced" if self.is_forced else "rule"


EdgeRules = Callable[[int], EdgeRule | None]  # by edge; None: it has no rule (start, end, glue)


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The result of a search: all translations as a forest, and the best one of them."""

    source: Source
    forest: Forest
    best: Translation
    best_edges: LongArray  # its edges in pre-order; none where nothing was found
    edge_rule: EdgeRules
    options: TranslationOptions | None = None  # of its spans, where the decoder has them
    edge_option: IdArray | None = None  # of each edge; -1 for edges without one
    describe: Callable[[str], str] = str  # what a sparse feature is, for people
    feature_help: Mapping[str, str] = field(default_factory=dict)  # by name or sparse template
    node_label: IdArray | None = None  # of each node: a place in `labels`; -1: glue
    labels: tuple[str, ...] = ()

    @property
    def report(self) -> SearchReport:
        """How the search went."""
        return self.best.report

    @property
    def node_labels(self) -> list[str] | None:
        """The non-terminal of each node, `S` for glue; None where the decoder has no labels."""
        if self.node_label is None:
            return None
        names = [*self.labels, GLUE_LABEL]
        return [names[number] for number in self.node_label.tolist()]

    @cached_property
    def derivation(self) -> Derivation | None:
        """The best translation as a derivation of the forest; None where nothing was found."""
        if not self.report.reachable:
            return None
        return Derivation(self.forest, self.best_edges, self.best.score)

    def __reduce__(self) -> tuple[object, ...]:
        reason = "a search result cannot be pickled: pickle its `forest` and its `best`"
        raise DecodingError(reason, code="decoding.pickle")


class UsedRule(NamedTuple):
    """A rule of a derivation, and the edge of the forest it belongs to."""

    edge: int
    use: RuleUse


def rules_of(forest: Forest, edges: Sequence[int], edge_rule: EdgeRules) -> list[UsedRule]:
    """The rules of a derivation, given by its edges in pre-order; children come first.

    Edges without a rule are left out, and their children become those of the edge above.
    """
    following = _children(forest, edges)
    symbols = [_symbols(forest, edge) for edge in edges]
    starts, lengths = _target_spans(symbols, following)
    found: list[UsedRule] = []
    open_children: list[list[int]] = [[]]  # of each edge that is being visited
    waiting = [(place, False) for place in _first(edges)]
    while waiting:
        place, is_done = waiting.pop()
        if not is_done:
            waiting.append((place, True))
            waiting += [(child, False) for child in reversed(following[place])]
            open_children.append([])
            continue
        children = open_children.pop()
        edge = int(edges[place])
        rule = edge_rule(edge)
        if rule is None:
            open_children[-1] += children
            continue
        inside = [lengths[child] for child in following[place]]
        spans = _own_spans(symbols[place], starts[place], inside)
        use = RuleUse(target_spans=spans, children=tuple(children), **rule._asdict())
        open_children[-1].append(len(found))
        found.append(UsedRule(edge, use))
    return found


def _first(edges: Sequence[int]) -> list[int]:
    return [0] if len(edges) else []


def _children(forest: Forest, edges: Sequence[int]) -> list[list[int]]:
    """For each edge of a derivation in pre-order, the places of its children, in slot order."""
    following: list[list[int]] = [[] for _ in edges]
    stack: list[int] = []
    chosen = np.asarray(edges, np.int64)
    tails = (forest.tail_start[chosen + 1] - forest.tail_start[chosen]).tolist()
    for place in range(len(edges) - 1, -1, -1):
        for _ in range(tails[place]):
            following[place].append(stack.pop())
        stack.append(place)
    return following


def _target_spans(
    symbols: list[list[int]], following: list[list[int]]
) -> tuple[list[int], list[int]]:
    """Where the words of each sub-derivation begin, and how many there are."""
    lengths = [0] * len(symbols)
    for place in range(len(symbols) - 1, -1, -1):
        lengths[place] = sum(
            1 if symbol >= 0 else lengths[following[place][-1 - symbol]]
            for symbol in symbols[place]
        )
    starts = [0] * len(symbols)
    for place, own in enumerate(symbols):
        at = starts[place]
        for symbol in own:
            if symbol >= 0:
                at += 1
            else:
                child = following[place][-1 - symbol]
                starts[child] = at
                at += lengths[child]
    return starts, lengths


def _symbols(forest: Forest, edge: int) -> list[int]:
    found: list[int] = forest.yield_symbol[
        forest.yield_start[edge] : forest.yield_start[edge + 1]
    ].tolist()
    return found


def _own_spans(symbols: list[int], at: int, lengths: list[int]) -> tuple[Span, ...]:
    """The target words of an edge itself, as runs between those of its tails."""
    spans: list[Span] = []
    begin = at
    for symbol in symbols:
        if symbol >= 0:
            at += 1
            continue
        if at > begin:
            spans.append((begin, at))
        at += lengths[-1 - symbol]
        begin = at
    if at > begin or not spans:
        spans.append((begin, at))
    return tuple(spans)


def translation_of(found: SearchResult, derivation: Derivation) -> Translation:
    """A derivation of a search's forest as a translation, with its rules and features."""
    if derivation.forest is not found.forest:
        reason = "the derivation belongs to another forest than this search's"
        raise DecodingError(reason, code="argument.conflict", argument="derivation")
    edges = derivation.edges
    rules = rules_of(found.forest, edges.tolist(), found.edge_rule)
    return replace(
        found.best,
        words=tuple(derivation.words),
        score=derivation.score,
        features=features_of(found.forest, edges[::-1]),
        rules=tuple(each.use for each in rules),
    )


def features_of(forest: Forest, edges: LongArray) -> dict[str, float]:
    """Features that are not 0, summed over these edges alone: a forest has many more."""
    totals = forest.dense[edges].sum(axis=0).tolist()
    named = {n: v for n, v in zip(forest.features.dense, totals, strict=True) if v}
    if not len(forest.feat_id):
        return named
    sparse: dict[int, float] = {}
    for edge in edges.tolist():
        row = slice(int(forest.feat_start[edge]), int(forest.feat_start[edge + 1]))
        for number, value in zip(
            forest.feat_id[row].tolist(), forest.feat_value[row].tolist(), strict=True
        ):
            sparse[number] = sparse.get(number, 0.0) + value
    names = forest.features.sparse
    return named | {names[number]: value for number, value in sparse.items() if value}
