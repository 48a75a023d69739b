"""The part of a large forest that a picture shows: whole derivations, the best ones first.

A derivation is followed by back-pointers, each node once, so the cost depends on what is shown, and
not on how often a derivation repeats a node; what is done for all edges is done by NumPy or native.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rosewood import _core
from rosewood.arrays import FloatArray, LongArray
from rosewood.forest.forest import Forest

_TRIES = 100  # derivations in a row that do not fit, before the excerpt is taken to be full


@dataclass(slots=True)
class Excerpt:
    """The edges and nodes of a picture, in order, and how they were come by."""

    edges: list[int]
    nodes: list[int]
    whole: bool = True  # every edge is there
    cut: bool = False  # not even one derivation fits, its top part is there


def choose(
    forest: Forest, weight: FloatArray | None, wanted: LongArray | None, limit: int
) -> Excerpt:
    """All edges if there are at most `limit`; else those of the best derivations, `wanted` first.

    The best derivation through an edge goes down by best edges, and up by the edge of the best
    max marginal at each node.  Without weights all are equal: earlier edges count as better.
    """
    if forest.num_edges <= limit:
        nodes = range(forest.num_nodes)
        if forest.num_nodes > 3 * limit + 10:  # almost all of them without edges
            nodes = range(forest.root, forest.num_nodes)
        edges = list(range(forest.num_edges))
        return Excerpt(edges, _touched(forest, edges, nodes))
    back, marginal = _search(forest, weight)
    if back[-1] < 0 and weight is not None:
        back, marginal = _search(forest, None)
    first = _below(forest, [forest.root], back, set(), limit)
    if wanted is not None:
        first = _part(forest, wanted, limit)
    kept, cut = set(first[:limit]), len(first) > limit
    if not cut and back[-1] >= 0:
        _fill(forest, weight is None, back, marginal, kept, limit)
    if not kept:  # no derivation at all
        kept.update(range(forest.num_edges - limit, forest.num_edges))
    edges = sorted(kept)
    return Excerpt(edges, _touched(forest, edges, [forest.root]), whole=False, cut=cut)


def _search(forest: Forest, weight: FloatArray | None) -> tuple[LongArray, FloatArray]:
    """The best edge of each node, the max marginal of each edge."""
    weights = np.zeros(forest.num_edges) if weight is None else weight
    back = np.empty(forest.num_nodes, dtype=np.int64)
    _core.viterbi(forest.view, weights, np.empty(forest.num_nodes), back)
    return back, forest.max_marginals(weights)


def _touched(forest: Forest, edges: Iterable[int], nodes: Iterable[int]) -> list[int]:
    found = set(nodes)
    for edge in edges:
        found.add(int(forest.head[edge]))
        found.update(forest.tails(edge).tolist())
    return sorted(found)


def _below(
    forest: Forest, tops: list[int], back: LongArray, kept: set[int], room: int
) -> list[int]:
    """The best edges under some nodes that are not kept yet, breadth first, hardly over `room`."""
    found: list[int] = []
    todo = list(dict.fromkeys(tops))
    seen = set(todo)
    for top in todo:
        edge = int(back[top])
        if edge < 0 or edge in kept:
            continue
        found.append(edge)
        if len(found) > room:
            break
        for tail in forest.tails(edge).tolist():
            if tail not in seen:
                seen.add(tail)
                todo.append(tail)
    return found


def _part(forest: Forest, wanted: LongArray, room: int) -> list[int]:
    """The edges of a derivation once each, breadth first from the root, hardly over `room`."""
    edges = np.unique(wanted)
    heads = forest.head[edges]
    found: list[int] = []
    seen, todo = {forest.root}, [forest.root]
    for top in todo:
        low, high = np.searchsorted(heads, [top, top + 1]).tolist()
        for edge in edges[low:high].tolist():
            found.append(edge)
            for tail in forest.tails(edge).tolist():
                if tail not in seen:
                    seen.add(tail)
                    todo.append(tail)
        if len(found) > room:
            break
    return found


def _fill(
    forest: Forest,
    by_order: bool,
    back: LongArray,
    marginal: FloatArray,
    kept: set[int],
    limit: int,
) -> None:
    """Add the best derivation through one edge after the other while they fit."""
    rising = forest.num_edges - 1 - np.argsort(marginal[::-1], kind="stable")  # ties: last first
    lengths = forest.arity()[rising]
    slots = np.repeat(forest.tail_start[rising] + lengths - np.cumsum(lengths), lengths)
    parent = np.full(forest.num_nodes, -1, dtype=np.int64)
    parent[forest.tail[slots + np.arange(slots.size)]] = np.repeat(rising, lengths)  # best is last
    queue = rising[::-1]
    reached = set(forest.head[sorted(kept)].tolist()) | {forest.root}
    if by_order:  # second edges of the nodes in the picture, then their third edges, then the rest
        near = np.flatnonzero(np.isin(forest.head, sorted(reached)))
        rank = near - forest.edge_start[forest.head[near]]
        queue = np.concatenate([near[np.lexsort((near, rank))], queue])
    failed = 0
    for edge in queue.tolist():
        if edge in kept:
            continue
        if marginal[edge] == -np.inf or failed == _TRIES or len(kept) == limit:
            break
        added = _through(forest, edge, back, parent, kept, reached, limit - len(kept))
        failed = 0 if added else failed + 1
        kept.update(added)
        reached.update(forest.head[list(added)].tolist())


def _through(
    forest: Forest,
    edge: int,
    back: LongArray,
    parent: LongArray,
    kept: set[int],
    reached: set[int],
    room: int,
) -> set[int]:
    """What the best derivation through an edge adds; nothing if that does not fit."""
    added: set[int] = set()
    while True:
        added.add(edge)
        added.update(_below(forest, forest.tails(edge).tolist(), back, kept, room))
        if len(added) > room:
            return set()
        node = int(forest.head[edge])
        if node in reached:
            return added
        edge = int(parent[node])
