"""Single derivations, by loops: what the kernels of core/forest/search.hpp compute, by their names.

A derivation is a tuple of its edges in pre-order.
"""

from __future__ import annotations

from itertools import product
from math import inf

from rosewood.forest import Forest
from tests.reference.forest import tails_of
from tests.reference.transform import says_of


def follow(forest: Forest, back) -> tuple[int, ...]:
    """The derivation of the root that takes the edge back[v] at each node v; () where it is -1."""
    tails = tails_of(forest)
    if back[forest.root] < 0:
        return ()
    edges, todo = [], [forest.root]
    while todo:
        edge = back[todo.pop()]
        edges.append(edge)
        todo.extend(reversed(tails[edge]))
    return tuple(edges)


def k_best(
    forest: Forest, weight, k: int, *, distinct: bool = False
) -> list[tuple[float, tuple[int, ...]]]:
    """The k best derivations of the root with their log weights; weights of zero are left out.

    Bottom-up: the k best of a node are among its edges over the k best of their tails.  Equals come
    in order of edges, then of the ranks of their tails.  With `distinct`, a derivation that says
    what a better one of its node says is left out, at every node.
    """
    tails, says = tails_of(forest), says_of(forest)
    found: list[list[tuple[float, tuple[int, ...], tuple[int, ...]]]] = []  # score, edges, words
    for node in range(forest.num_nodes):
        candidates = []
        for edge in forest.edges_into(node):
            for ranks in product(*(range(len(found[tail])) for tail in tails[edge])):
                total = weight[edge]
                for tail, rank in zip(tails[edge], ranks, strict=True):
                    total += found[tail][rank][0]
                if total > -inf:
                    candidates.append((-total, edge, ranks))
        own, said = [], set()
        for total, edge, ranks in sorted(candidates):
            if len(own) == k:
                break
            below = [found[tail][rank] for tail, rank in zip(tails[edge], ranks, strict=True)]
            words: tuple[int, ...] = ()
            if distinct:
                words = _words(says[edge], [w for _, _, w in below])
                if words in said:
                    continue
                said.add(words)
            own.append((-total, (edge, *(e for _, edges, _ in below for e in edges)), words))
        found.append(own)
    return [(score, edges) for score, edges, _ in found[forest.root]]


def sample(forest: Forest, conditional, random) -> tuple[int, ...]:
    """A derivation drawn top-down: at each node an edge, with its probability given the node.

    `random` is one of Python's own; kernels draw other numbers, from the same distribution.
    """
    edges, todo = [], [forest.root]
    while todo:
        own = forest.edges_into(todo.pop())
        (edge,) = random.choices(own, [conditional[e] for e in own])
        edges.append(edge)
        todo.extend(forest.tails(edge)[::-1].tolist())
    return tuple(edges)


def derivation_yields(forest: Forest, rows) -> list[tuple[int, ...]]:
    """The numbers of the words that each derivation says; () for a derivation without edges."""
    tails, says = tails_of(forest), says_of(forest)
    result = []
    for derivation in rows:
        done: list[tuple[int, ...]] = []  # read backwards: strings of subtrees, first slot on top
        for edge in reversed(derivation):
            below = [done.pop() for _ in tails[edge]]
            done.append(_words(says[edge], below))
        assert len(done) <= 1, f"{derivation} goes on behind its end"
        result.append(done[0] if done else ())
    return result


def _words(symbols: list[int], below: list[tuple[int, ...]]) -> tuple[int, ...]:
    words: list[int] = []
    for symbol in symbols:
        words.extend([symbol] if symbol >= 0 else below[-1 - symbol])
    return tuple(words)


def feature_sums(forest: Forest, rows) -> list[tuple[list[float], dict[int, float]]]:
    """Dense and sparse features of rows of edges, each a sum over its edges."""
    found = []
    for edges in rows:
        dense = [0.0] * forest.dense.shape[1]
        sparse: dict[int, float] = {}
        for edge in edges:
            for place, value in enumerate(forest.dense[edge].tolist()):
                dense[place] += value
            for at in range(forest.feat_start[edge], forest.feat_start[edge + 1]):
                key = int(forest.feat_id[at])
                sparse[key] = sparse.get(key, 0.0) + float(forest.feat_value[at])
        found.append((dense, sparse))
    return found
