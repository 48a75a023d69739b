"""Hypergraphs of a search as packed forests, by definition."""

from __future__ import annotations

from typing import NamedTuple


class Packed(NamedTuple):
    """A packed forest: the old number, tails and yield of each edge."""

    edges_of_node: list[int]  # how many each node has
    edge: list[int]
    tails: list[list[int]]
    yields: list[list[int]]
    best: list[int]  # edges of the best derivation in pre-order, as rows


def pack_forest(
    nodes: int,
    heads: list[int],
    tails: list[list[int]],
    yields: list[list[int]],
    best: list[int],
) -> Packed:
    """The nodes that the last one reaches, in their order, with their edges in order."""
    kept = _reached(nodes, heads, tails)
    number = {node: n for n, node in enumerate(kept)}
    order = [edge for node in kept for edge, head in enumerate(heads) if head == node]
    return Packed(
        [heads.count(node) for node in kept],
        order,
        [[number[node] for node in tails[edge]] for edge in order],
        [yields[edge] for edge in order],
        [order.index(edge) for edge in _pre_order(nodes - 1, tails, best)],
    )


def _reached(nodes: int, heads: list[int], tails: list[list[int]]) -> list[int]:
    found: set[int] = set()
    waiting = [nodes - 1]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            for head, tail in zip(heads, tails, strict=True):
                waiting += tail if head == node else []
    return sorted(found)


def _pre_order(node: int, tails: list[list[int]], best: list[int]) -> list[int]:
    below = [edge for tail in tails[best[node]] for edge in _pre_order(tail, tails, best)]
    return [best[node], *below]
