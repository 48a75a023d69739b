"""The tree of a hierarchical derivation: what each rule covers, and where its gaps are.

    for place, depth in in_order(tree_of(translation.rules)): ...

Rules with labels make a tree; phrases, which have none, are a chain.  Parts of the sentence that no
rule joins are joined by glue, from left to right: they are the rules without a parent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from rosewood.decode.translation import RuleUse, Span
from rosewood.rules.rule import Gap


class FilledGap(NamedTuple):
    """A gap of a rule, numbered from 1 in the order of the source, and the rule that fills it."""

    gap: Gap
    child: int  # place in the list of rules


Item = int | FilledGap  # the place of a word, or a gap


@dataclass(frozen=True)
class TreeRule:
    """A rule of a derivation as a node of its tree."""

    span: Span  # source words of the rule and of what fills its gaps
    target_span: Span
    height: int  # 1 without gaps, else one more than what fills them
    source: tuple[Item, ...]  # words and gaps, in the order of the source
    target: tuple[Item, ...]  # the same in the order of the target
    parent: int | None = None  # None: glue
    gap: Gap | None = None  # of the parent, which it fills


def is_tree(rules: Sequence[RuleUse]) -> bool:
    """Whether a derivation is a tree of rules with labels, not a chain of phrases."""
    return any(use.label is not None for use in rules)


def tree_of(rules: Sequence[RuleUse]) -> tuple[TreeRule, ...]:
    """The nodes of a derivation, given by its rules, children first; in the same order."""
    nodes: list[TreeRule] = []
    for place, use in enumerate(rules):
        children = sorted(use.children, key=lambda child: nodes[child].span)
        filled = [
            FilledGap(Gap(rules[child].label or "X", number), child)
            for number, child in enumerate(children, 1)
        ]
        spans = [nodes[child].span for child in children]
        target_spans = [nodes[child].target_span for child in children]
        nodes.append(
            TreeRule(
                _cover([*use.source_spans, *spans]),
                _cover([*use.target_spans, *target_spans]),
                1 + max((nodes[child].height for child in children), default=0),
                _side(use.source_places, filled, spans),
                _side(use.target_places, filled, target_spans),
            )
        )
        for gap, child in filled:
            nodes[child] = replace(nodes[child], parent=place, gap=gap)
    return tuple(nodes)


def tree_facts(rules: Sequence[RuleUse]) -> list[dict[str, Any]]:
    """What JSON has of rules in a tree: label, spans with gaps, parent; of phrases, nothing."""
    if not is_tree(rules):
        return [{} for _ in rules]
    return [
        {
            "label": use.label,
            "span": list(node.span),
            "target_span": list(node.target_span),
            "parent": node.parent,
        }
        for use, node in zip(rules, tree_of(rules), strict=True)
    ]


def _cover(spans: Sequence[Span]) -> Span:
    return min(begin for begin, _ in spans), max(end for _, end in spans)


def _side(
    own: Sequence[int], filled: Sequence[FilledGap], spans: Sequence[Span]
) -> tuple[Item, ...]:
    """Words and gaps in their order; what says nothing comes before the word at its place."""
    items: list[tuple[Span, int, Item]] = [((place, place + 1), 0, place) for place in own]
    items += [(span, n, gap) for n, (gap, span) in enumerate(zip(filled, spans, strict=True), 1)]
    return tuple(item for _, _, item in sorted(items, key=lambda each: each[:2]))


def in_order(tree: Sequence[TreeRule]) -> list[tuple[int, int]]:
    """Places of rules in pre-order, those of a gap in the order of the source; and their depths."""
    found: list[tuple[int, int]] = []
    tops = sorted((t.span, place) for place, t in enumerate(tree) if t.parent is None)
    waiting = [(place, 0) for _, place in reversed(tops)]
    while waiting:
        place, depth = waiting.pop()
        found.append((place, depth))
        gaps = [item for item in tree[place].source if isinstance(item, FilledGap)]
        waiting += [(each.child, depth + 1) for each in reversed(gaps)]
    return found


def symbols(items: Sequence[Item], words: Sequence[str]) -> tuple[str | Gap, ...]:
    """The words and gaps of one side of a rule."""
    return tuple(each.gap if isinstance(each, FilledGap) else words[each] for each in items)
