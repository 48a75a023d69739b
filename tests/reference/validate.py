"""Is this a forest?  Plain predicates: kernels raise ForestError exactly where these are false."""

from __future__ import annotations

from itertools import pairwise
from math import inf, isfinite

from rosewood.forest import Forest
from tests.reference.forest import tails_of


def good_offsets(start, rows: int, items: int) -> bool:
    """Offsets of so many rows over so many items: from 0 to the last, never decreasing."""
    return (
        len(start) == rows + 1
        and start[0] == 0
        and start[rows] == items
        and all(start[i] <= start[i + 1] for i in range(rows))
    )


def good_structure(edge_start, head, tail_start, tail) -> bool:
    """A node at least, edges grouped by head, and every tail before the head of its edge."""
    return (
        len(edge_start) >= 2
        and good_offsets(edge_start, len(edge_start) - 1, len(head))
        and good_offsets(tail_start, len(head), len(tail))
        and all(
            head[edge] == node
            and all(0 <= t < node for t in tail[tail_start[edge] : tail_start[edge + 1]])
            for node in range(len(edge_start) - 1)
            for edge in range(edge_start[node], edge_start[node + 1])
        )
    )


def good_yield(forest: Forest, start, symbol, words: int) -> bool:
    """Words below `words` (any, if that is negative), and each tail of an edge exactly once."""
    if not good_offsets(start, forest.num_edges, len(symbol)):
        return False
    for edge, tails in enumerate(tails_of(forest)):
        says = symbol[start[edge] : start[edge + 1]]
        if words >= 0 and any(s >= words for s in says):
            return False
        if sorted(-1 - s for s in says if s < 0) != list(range(len(tails))):
            return False
    return True


def good_features(dense, start, ids, values, sparse_features: int) -> bool:
    """Finite numbers; sparse features that there are, increasing within an edge."""
    if len(ids) != len(values) or not good_offsets(start, len(dense), len(ids)):
        return False
    rows = [ids[start[edge] : start[edge + 1]] for edge in range(len(dense))]
    return (
        all(isfinite(x) for row in dense for x in row)
        and all(isfinite(x) for x in values)
        and all(0 <= i < sparse_features for i in ids)
        and all(a < b for row in rows for a, b in pairwise(row))
    )


def good_automaton(arc_start, symbol, next_state, weight, final_weight, initial: int) -> bool:
    """States that there are, arcs sorted by symbol within a state, finite weights of arcs."""
    states = len(final_weight)
    return (
        0 <= initial < states
        and good_offsets(arc_start, states, len(symbol))
        and len(next_state) == len(weight) == len(symbol)
        and all(w < inf for w in final_weight)
        and all(0 <= to < states for to in next_state)
        and all(isfinite(w) for w in weight)
        and all(s >= -1 for s in symbol)
        and all(
            symbol[arc] <= symbol[arc + 1]
            for state in range(states)
            for arc in range(arc_start[state], arc_start[state + 1] - 1)
        )
    )


def find_reachable(forest: Forest, keep) -> list[bool]:
    """Whether each node stands in some derivation of the root that has only edges to keep."""
    tails = tails_of(forest)
    derivable: list[bool] = []
    for node in range(forest.num_nodes):
        derivable.append(
            any(
                keep[edge] and all(derivable[tail] for tail in tails[edge])
                for edge in forest.edges_into(node)
            )
        )
    reachable = [False] * forest.num_nodes
    reachable[forest.root] = derivable[forest.root]
    for node in reversed(range(forest.num_nodes)):
        for edge in forest.edges_into(node):
            if reachable[node] and keep[edge] and all(derivable[tail] for tail in tails[edge]):
                for tail in tails[edge]:
                    reachable[tail] = True
    return reachable


def all_reachable(forest: Forest) -> bool:
    """Whether every node stands in a derivation of the root, or the root stands alone."""
    alone = forest.num_nodes == 1 and forest.num_edges == 0
    return alone or all(find_reachable(forest, [True] * forest.num_edges))
