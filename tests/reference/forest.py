"""What a forest means, by enumeration: the specification that algorithms and kernels are tested by.

A derivation of a node is one of its edges, followed by a derivation of each of that edge's tails,
slot by slot: a tuple of edges in pre-order.  A node that fills two slots is derived twice, each
time anew.  Everything below goes over all derivations: it is for small forests only.
"""

from __future__ import annotations

from itertools import product

from rosewood.forest import Forest

HOLE = -1


def derivations_of_nodes(forest: Forest, hole: int | None = None) -> list[list[tuple[int, ...]]]:
    """All derivations of each node, first edges first.

    With `hole`, that node may also be left underived: HOLE stands for it as if it were an edge.
    """
    found: list[list[tuple[int, ...]]] = []
    for node in range(forest.num_nodes):
        own = [(HOLE,)] if node == hole else []
        for edge in forest.edges_into(node):
            for below in product(*(found[tail] for tail in forest.tails(edge).tolist())):
                own.append((edge, *(e for part in below for e in part)))
        found.append(own)
    return found


def enumerate_derivations(forest: Forest) -> list[tuple[int, ...]]:
    """All derivations of the root."""
    return derivations_of_nodes(forest)[forest.root]


def weight_of(derivation, weights, semiring):
    """The product of the weights of a derivation's edges, in pre-order; holes weigh one."""
    total = semiring.one
    for edge in derivation:
        if edge != HOLE:
            total = semiring.times(total, weights[edge])
    return total


def total_weight(derivations, weights, semiring):
    """The sum of the weights of derivations."""
    total = semiring.zero
    for derivation in derivations:
        total = semiring.plus(total, weight_of(derivation, weights, semiring))
    return total


def inside(forest: Forest, weights, semiring) -> list:
    """The total weight of each node's derivations."""
    return [total_weight(own, weights, semiring) for own in derivations_of_nodes(forest)]


def outside(forest: Forest, weights, semiring) -> list:
    """The total weight of what may surround each node: derivations of the root with a hole."""
    return [
        total_weight(
            [d for d in derivations_of_nodes(forest, hole=node)[-1] if d.count(HOLE) == 1],
            weights,
            semiring,
        )
        for node in range(forest.num_nodes)
    ]


def uses(forest: Forest, weights, semiring) -> list:
    """For each edge, the total weight of derivations with it, counted as often as they use it."""
    every = enumerate_derivations(forest)
    return [
        total_weight([d for d in every for _ in range(d.count(edge))], weights, semiring)
        for edge in range(forest.num_edges)
    ]


def best_with_edge(forest: Forest, weight) -> list[float]:
    """For each edge, the best sum of log weights of a derivation with it."""
    every = enumerate_derivations(forest)
    return [
        max((score(d, weight) for d in every if edge in d), default=float("-inf"))
        for edge in range(forest.num_edges)
    ]


def score(derivation, weight) -> float:
    """The sum of the log weights of a derivation's edges."""
    return sum(float(weight[edge]) for edge in derivation)


def count(forest: Forest) -> int:
    """How many derivations the root has."""
    return len(enumerate_derivations(forest))


def words_of(forest: Forest, derivation: tuple[int, ...]) -> list[str]:
    """What a derivation says."""
    words, rest = _say(forest, derivation)
    assert not rest, f"{derivation} goes on behind its end: {rest}"
    return words


def _say(forest: Forest, derivation: tuple[int, ...]) -> tuple[list[str], tuple[int, ...]]:
    """What the derivation at the front of a list of edges says, and the edges behind it."""
    edge, *rest_list = derivation
    rest = tuple(rest_list)
    below = []
    for _ in forest.tails(edge):
        said, rest = _say(forest, rest)
        below.append(said)
    words: list[str] = []
    for symbol in forest.says(edge):
        words.extend(below[symbol] if isinstance(symbol, int) else [symbol])
    return words, rest


def yields(forest: Forest) -> list[list[str]]:
    """What each derivation of the root says."""
    return [words_of(forest, d) for d in enumerate_derivations(forest)]


def features_of(forest: Forest, derivation) -> dict[str, float]:
    """Φ(d): the features of its edges added up, zeros left out."""
    total: dict[str, float] = {}
    for edge in derivation:
        for name, value in forest.edge_features(edge).items():
            total[name] = total.get(name, 0.0) + value
    return {name: value for name, value in total.items() if value != 0.0}
