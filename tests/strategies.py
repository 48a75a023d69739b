"""Hypothesis strategies: random forests that are small enough to enumerate, and weights for them.

Forests have edges of 0 to 3 tails, nodes that fill several slots, unary chains, dense and sparse
features, and words around and between their tails in any order.
"""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import numpy as np
from hypothesis import strategies as st

from rosewood.corpus import Vocabulary
from rosewood.forest import FeatureSpace, Forest

DENSE = ("lm", "length")
SPARSE = ("rule:1", "rule:2", "bigram:a b", "bigram:b a")
WORDS = ("a", "b", "c")

# Numbers that doubles hold and add exactly.
quarters = st.integers(-12, 12).map(lambda n: n / 4)
rationals = st.integers(-18, 18).map(lambda n: Fraction(n, 6))
small_rationals = st.integers(-9, 9).map(lambda n: Fraction(n, 10))
log_weights = st.floats(-8, 8) | st.just(-math.inf)
finite_log_weights = st.floats(-8, 8)
_weights = st.floats(-2, 2)
_seeds = st.integers(0, 2**32 - 1)
_FEW = 6  # different elements of a list


@st.composite
def forests(
    draw,
    *,
    max_nodes: int = 6,
    max_edges: int = 3,
    max_arity: int = 3,
    max_derivations: int = 40,
    max_size: int = 40,
) -> Forest:
    """A forest with at most so many nodes, edges a node, tails an edge, and derivations a node.

    No derivation has more than `max_size` edges.  The number of nodes and a seed are drawn, and the
    rest by a generator of Python's, which is much faster than Hypothesis; examples are made smaller
    by nodes, and by the seed 0: edges without tails, features and words.
    """
    nodes, seed = draw(st.integers(1, max_nodes)), draw(_seeds)
    random = Random(seed)
    rows: list[list[list[int]]] = []  # the tails of each edge of each node
    counts: list[int] = []  # derivations of each node
    sizes: list[int] = []  # edges of the largest derivation of each node
    for node in range(nodes):
        edges, count, size = [], 0, 0
        for _ in range(random.randint(1, max_edges) if seed else 1):
            arity = random.randint(0, max_arity) if node and seed else 0
            tails = [random.randrange(node) for _ in range(arity)]
            while tails and (
                math.prod(counts[t] for t in tails) + count + max_edges > max_derivations
                or sum(sizes[t] for t in tails) >= max_size
            ):
                tails.pop()
            edges.append(tails)
            count += math.prod(counts[t] for t in tails)
            size = max(size, 1 + sum(sizes[t] for t in tails))
        rows.append(edges)
        counts.append(count)
        sizes.append(size)
    return dressed(_used(rows), random, is_plain=not seed)


def _used(rows: list[list[list[int]]]) -> list[list[list[int]]]:
    """Only the nodes that derivations of the last one use."""
    used, todo = {len(rows) - 1}, [len(rows) - 1]
    while todo:
        for tails in rows[todo.pop()]:
            todo.extend(t for t in tails if t not in used)
            used.update(tails)
    number = {node: i for i, node in enumerate(sorted(used))}
    return [[[number[t] for t in tails] for tails in rows[node]] for node in sorted(used)]


def dressed(rows: list[list[list[int]]], random: Random, *, is_plain: bool = False) -> Forest:
    """A forest of this shape with features and words of a generator; none if it is plain."""
    edges = [tails for row in rows for tails in row]
    flat, says = [], []
    for tails in edges:
        ids = sorted([] if is_plain else random.sample(range(len(SPARSE)), random.randint(0, 2)))
        flat.append([(key, random.randint(-12, 12) / 4) for key in ids])
        words = [] if is_plain else random.choices(range(len(WORDS)), k=random.randint(0, 2))
        symbols = [*words, *(-1 - slot for slot in range(len(tails)))]
        says.append(symbols if is_plain else random.sample(symbols, len(symbols)))
    count = len(edges) * len(DENSE)
    dense = [0.0 if is_plain else random.randint(-12, 12) / 4 for _ in range(count)]
    return Forest(
        _starts(rows),
        _starts(edges),
        [t for tails in edges for t in tails],
        features=FeatureSpace(DENSE, SPARSE),
        dense=np.array(dense).reshape(len(edges), len(DENSE)),
        feat_start=_starts(flat),
        feat_id=np.array([key for row in flat for key, _ in row], dtype=np.int32),
        feat_value=np.array([x for row in flat for _, x in row], dtype=np.float64),
        vocabulary=Vocabulary(WORDS),
        yield_start=_starts(says),
        yield_symbol=np.array([s for row in says for s in row], dtype=np.int32),
    )


def _starts(rows: list) -> np.ndarray:
    return np.cumsum([0, *map(len, rows)])


def weights_for(forest: Forest, elements: st.SearchStrategy) -> st.SearchStrategy[list]:
    """A list of one element an edge."""
    return many(elements, forest.num_edges)


@st.composite
def many(draw, elements: st.SearchStrategy, count: int) -> list:
    """A list of so many elements, of which a few different ones are drawn: that is much faster."""
    known = draw(st.lists(elements, min_size=min(count, _FEW), max_size=min(count, _FEW)))
    if count <= _FEW:
        return known
    random = Random(draw(_seeds))
    values = [*known, *random.choices(known, k=count - _FEW)]
    return random.sample(values, count)


@st.composite
def weighted_forests(draw, elements: st.SearchStrategy = log_weights, **limits):
    """A forest, and a list of one element an edge."""
    forest = draw(forests(**limits))
    return forest, draw(weights_for(forest, elements))


@st.composite
def thetas(draw, forest: Forest) -> np.ndarray:
    """A parameter vector for the forest's features."""
    return np.array(draw(many(_weights, len(forest.features))))


@st.composite
def parametrised(draw):
    forest = draw(forests())
    return forest, draw(thetas(forest)), draw(st.sampled_from([1.0, 0.5, 2.0]))
