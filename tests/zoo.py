"""A small zoo of awkward forests, each with log weights of its edges.

`ZOO` has them all by name; `SMALL` are those that can be enumerated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rosewood.corpus import Vocabulary
from rosewood.forest import FeatureSpace, Forest, ForestBuilder


@dataclass(frozen=True)
class Awkward:
    """A forest and the log weight of each of its edges."""

    forest: Forest
    weight: np.ndarray


def _weighted(forest: Forest) -> Awkward:
    """Weights that differ from edge to edge, of either sign."""
    return Awkward(forest, np.sin(np.arange(forest.num_edges) + 1.0))


def empty() -> Awkward:
    return _weighted(Forest.empty())


def one_word() -> Awkward:
    return _weighted(Forest.from_nbest(["word"]))


def silent() -> Awkward:
    """A derivation that says nothing."""
    return _weighted(Forest.from_nbest([""]))


def repeated_tail() -> Awkward:
    """r <- a a: with a worth 2 and the edge 3, the derivative of the total by a is 12."""
    b = ForestBuilder()
    a, r = b.node(), b.node()
    b.edge(a, says=["x"])
    b.edge(a, says=["y"])
    b.edge(r, [a, a], [1, "and", 0])
    return Awkward(b.build(r), np.log([0.5, 1.5, 3.0]))


def thrice() -> Awkward:
    """a, b, a in three slots, and a alone."""
    b = ForestBuilder()
    one, two, root = b.node(), b.node(), b.node()
    b.edge(one, says=["x"])
    b.edge(one, says=["y"])
    b.edge(two, [one], ["z", 0])
    b.edge(two, says=["z"])
    b.edge(root, [one, two, one], [2, 1, 0])
    b.edge(root, [one])
    return _weighted(b.build(root))


def unary_chain() -> Awkward:
    return _weighted(_chain(8))


def n_best() -> Awkward:
    """Six candidates, two of them the same string, with dense features."""
    texts = ["a b", "a", "b a", "a b", "", "c"]
    dense = [[len(text) / 2, i % 3] for i, text in enumerate(texts)]
    return _weighted(Forest.from_nbest(texts, dense, features=FeatureSpace(["length", "third"])))


def lattice() -> Awkward:
    """A chain of four states with two or three arcs between neighbours and one that skips."""
    b = ForestBuilder(FeatureSpace(["lm"]))
    states = [b.node() for _ in range(4)]
    b.edge(states[0], says=[])
    for i in range(1, 4):
        for word in ("a", "b", "c")[: 2 + i % 2]:
            b.edge(states[i], [states[i - 1]], [0, word], {"lm": -i / 4, f"word:{word}": 1.0})
    b.edge(states[3], [states[1]], [0, "skip"], {"lm": -3.0})
    return _weighted(b.build(states[3]))


def unreachable() -> Awkward:
    """Node 1 is in no derivation of the root; node 2 has none, nor has the edge that uses it."""
    forest = Forest(
        [0, 1, 3, 3, 5], [0, 0, 1, 1, 2, 4], [0, 0, 0, 2],
        yield_start=[0, 1, 2, 3, 4, 6], yield_symbol=[0, -1, 1, -1, -2, -1],
        vocabulary=Vocabulary(["x", "y"]), allow_unreachable=True,
    )  # fmt: skip
    return _weighted(forest)


def zero_weights() -> Awkward:
    """Some edges weigh nothing, and with them all derivations of one node."""
    forest = lattice().forest
    weight = np.sin(np.arange(forest.num_edges) + 1.0)
    weight[[1, 4, 5]] = -math.inf
    return Awkward(forest, weight)


def no_weight_at_all() -> Awkward:
    """Derivations there are, but all of them weigh zero."""
    forest = repeated_tail().forest
    return Awkward(forest, np.array([-math.inf, -math.inf, 1.0]))


def tiny() -> Awkward:
    """log Z is about -5000, far below what a double holds."""
    return Awkward(thrice().forest, thrice().weight - 2500.0)


def huge() -> Awkward:
    """log Z is about 5000, far above what a double holds."""
    return Awkward(thrice().forest, thrice().weight + 1000.0)


def wide_apart() -> Awkward:
    """Derivations whose weights have nothing in common."""
    weight = np.array([-5000.0, 5000.0, 0.0, -5000.0, 4000.0, 1.0])
    return Awkward(thrice().forest, weight)


def deep_chain() -> Awkward:
    """A hundred thousand unary edges, one upon another: nothing may recurse."""
    forest = _chain(100_000)
    return Awkward(forest, np.sin(np.arange(forest.num_edges)))


def high_arity() -> Awkward:
    """An edge with a hundred tails, among four nodes."""
    b = ForestBuilder()
    nodes = [b.node() for _ in range(4)]
    for i, node in enumerate(nodes):
        b.edge(node, says=[f"x{i}"])
        b.edge(node, says=[f"y{i}"])
    root = b.node()
    b.edge(root, [nodes[i % 4] for i in range(100)])
    return _weighted(b.build(root))


def doubling() -> Awkward:
    """A chain of 70 nodes with two edges each: more derivations than 64 bits can count."""
    forest = Forest(
        np.arange(71) * 2,
        np.concatenate([[0, 0], np.arange(139)]),
        np.arange(138) // 2,
    )
    return _weighted(forest)


def _chain(length: int) -> Forest:
    return Forest(
        np.arange(length + 1),
        np.concatenate([[0], np.arange(length)]),
        np.arange(length - 1),
    )


_SMALL = (
    empty, one_word, silent, repeated_tail, thrice, unary_chain, n_best, lattice, unreachable,
    zero_weights, no_weight_at_all, tiny, huge, wide_apart,
)  # fmt: skip
_LARGE = (deep_chain, high_arity, doubling)

SMALL = {make.__name__: make for make in _SMALL}
ZOO = {**SMALL, **{make.__name__: make for make in _LARGE}}
