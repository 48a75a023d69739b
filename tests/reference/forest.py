"""What a forest means: the specification that algorithms and kernels are tested by.

A derivation of a node is one of its edges, followed by a derivation of each of that edge's tails,
slot by slot: a tuple of edges in pre-order.  A node that fills two slots is derived twice, each
time anew.  The first part goes over all derivations, so it is for small forests only; the second
has a loop for each native kernel, under the kernel's name, for forests of any size.
"""

from __future__ import annotations

from itertools import pairwise, product
from math import inf

from rosewood.forest import Forest
from rosewood.forest.semirings import COUNTING, LOG, REAL, TROPICAL

HOLE = -1
MANY = 2**64 - 1  # the largest number of derivations that kernels tell apart

# -- by enumeration --------------------------------------------------------------------------------


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


# -- by loops --------------------------------------------------------------------------------------


def tails_of(forest: Forest) -> list[list[int]]:
    """The tails of each edge, in slot order."""
    tail = forest.tail.tolist()
    return [tail[first:last] for first, last in pairwise(forest.tail_start.tolist())]


def inside_outside(forest: Forest, weights, semiring) -> tuple[list, list]:
    """The value of each node, and the derivative of the root's value by it.

    Bottom-up, a sum over edges of products over slots; top-down, for each slot of each edge, the
    product of all that is around the slot.
    """
    plus, times = semiring.plus, semiring.times
    tails = tails_of(forest)
    value = [semiring.zero] * forest.num_nodes
    for node in range(forest.num_nodes):
        for edge in forest.edges_into(node):
            term = weights[edge]
            for tail in tails[edge]:
                term = times(term, value[tail])
            value[node] = plus(value[node], term)
    above = [semiring.zero] * forest.num_nodes
    above[forest.root] = semiring.one
    for node in reversed(range(forest.num_nodes)):
        for edge in forest.edges_into(node):
            for slot, tail in enumerate(tails[edge]):
                around = times(above[node], weights[edge])
                for other in tails[edge][:slot] + tails[edge][slot + 1 :]:
                    around = times(around, value[other])
                above[tail] = plus(above[tail], around)
    return value, above


def inside_log(forest: Forest, weight) -> list[float]:
    """log of the sum over each node's derivations of exp of their log weights."""
    return inside_outside(forest, weight, LOG)[0]


def inside_outside_log(forest: Forest, weight) -> tuple[list[float], list[float]]:
    """Inside and outside of exp(weight), both as logarithms."""
    return inside_outside(forest, weight, LOG)


def inside_outside_real(forest: Forest, weight) -> tuple[list[float], list[float]]:
    """Sums and products of plain numbers of either sign."""
    return inside_outside(forest, weight, REAL)


def inside_outside_tropical(forest: Forest, weight) -> tuple[list[float], list[float]]:
    """The best log weight of a derivation of each node, and of what may surround it."""
    return inside_outside(forest, weight, TROPICAL)


def viterbi(forest: Forest, weight) -> tuple[list[float], list[int]]:
    """The best log weight of each node and the edge that attains it: the first, or -1 for none."""
    tails = tails_of(forest)
    best, back = [-inf] * forest.num_nodes, [-1] * forest.num_nodes
    for node in range(forest.num_nodes):
        for edge in forest.edges_into(node):
            total = weight[edge]
            for tail in tails[edge]:
                total += best[tail]
            if total > best[node]:
                best[node], back[node] = total, edge
    return best, back


def max_marginals(forest: Forest, weight) -> list[float]:
    """The best log weight of a derivation with each edge: the edge, above it, and its tails."""
    value, above = inside_outside_tropical(forest, weight)
    return [
        above[head] + weight[edge] + sum(value[tail] for tail in tails)
        for edge, (head, tails) in enumerate(
            zip(forest.head.tolist(), tails_of(forest), strict=True)
        )
    ]


def count_derivations(forest: Forest, keep) -> list[int]:
    """How many derivations each node has over the edges to keep; 2^64-1 for that and more."""
    counts, _ = inside_outside(forest, [int(bool(k)) for k in keep], COUNTING)
    return [min(number, MANY) for number in counts]


# -- features --------------------------------------------------------------------------------------


def feature_rows(forest: Forest) -> list[list[tuple[int, float]]]:
    """φ of each edge as pairs of a place in θ and a value: dense features, then sparse ones."""
    width = len(forest.features.dense)
    rows = []
    for edge in range(forest.num_edges):
        first, last = int(forest.feat_start[edge]), int(forest.feat_start[edge + 1])
        rows.append([
            *enumerate(forest.dense[edge].tolist()),
            *((width + int(forest.feat_id[i]), float(forest.feat_value[i]))
              for i in range(first, last)),
        ])  # fmt: skip
    return rows


def edge_scores(forest: Forest, theta) -> list[float]:
    """θ·φ of each edge."""
    return [sum(theta[i] * x for i, x in row) for row in feature_rows(forest)]


def add_features(forest: Forest, coefficient, total) -> list[float]:
    """`total`, and to it the sum over edges of coefficient times φ."""
    result = list(total)
    for c, row in zip(coefficient, feature_rows(forest), strict=True):
        for i, x in row:
            result[i] += c * x
    return result


def dot(a, b) -> float:
    """The sum of a[i]·b[i]; where a[i] is zero, b[i] may be anything."""
    return sum(x * y for x, y in zip(a, b, strict=True) if x != 0.0)
