"""Random forests with far too many derivations to enumerate, and weights for them, by seed.

Shapes      30 to 300 nodes of 1 to 6 edges, 0 to 3 tails, nodes that fill several slots, unary
            chains; derivations of at most `max_size` edges.  With `broken`, some nodes have no
            edges, or are in no derivation of the root.
Weights     `WEIGHTS` has ways to draw one log weight an edge, by name: close together, 4000 nats
            apart, with zeros (-inf), with many ties.
"""

from __future__ import annotations

import numpy as np

from rosewood.corpus import Vocabulary
from rosewood.forest import FeatureSpace, Forest

WORDS = ("a", "b", "c", "d")
SPARSE = tuple(f"rule:{i}" for i in range(12))


def large_forest(
    seed: int, *, nodes: int | None = None, max_size: int = 120, broken: bool = False
) -> Forest:
    """A forest of that many nodes (drawn, if left out), the same for the same seed."""
    random = np.random.default_rng(seed)
    count = int(random.integers(30, 300)) if nodes is None else nodes
    rows: list[list[list[int]]] = []  # the tails of each edge of each node
    sizes: list[int] = []  # edges of the largest derivation of each node
    for node in range(count - 1):
        edges = [_tails(random, sizes, max_size // 2) for _ in range(random.integers(1, 7))]
        if node and random.random() < 0.2:
            edges = [[node - 1]] if sizes[-1] < max_size // 2 else edges  # a link of a unary chain
        if broken and random.random() < 0.05:
            edges = []
        rows.append(edges)
        sizes.append(max((1 + sum(sizes[t] for t in tails) for tails in edges), default=0))
    used = {t for row in rows for tails in row for t in tails}
    loose = [node for node in range(count - 1) if node not in used]
    tops = [loose[i : i + 2] for i in range(0, len(loose), 2)]
    rows.append((tops[: len(tops) // 2] if broken else tops) or [[]])
    return _dressed(random, rows)


def _tails(random: np.random.Generator, sizes: list[int], max_size: int) -> list[int]:
    """Tails of an edge, mostly near; one in five repeats the one before it."""
    tails: list[int] = []
    for _ in range(random.choice([0, 1, 2, 3, 3]) if sizes else 0):
        near = max(0, len(sizes) - int(random.geometric(0.15)))
        tail = tails[-1] if tails and random.random() < 0.2 else near
        if 1 + sum(sizes[t] for t in (*tails, tail)) <= max_size:
            tails.append(tail)
    return tails


def _dressed(random: np.random.Generator, rows: list[list[list[int]]]) -> Forest:
    """A forest of this shape with features and words; some edges have no features, some agree."""
    edges = [tails for row in rows for tails in row]
    plain = random.random(len(edges)) < 0.4
    says = [
        random.permutation([*random.integers(0, len(WORDS), random.integers(0, 3)),
                            *(-1 - slot for slot in range(len(tails)))])
        for tails in edges
    ]  # fmt: skip
    sparse = [np.flatnonzero(random.random(len(SPARSE)) < (0.0 if p else 0.15)) for p in plain]
    ids = np.concatenate([[], *sparse]).astype(np.int32)
    return Forest(
        starts(rows),
        starts(edges),
        np.array([t for tails in edges for t in tails], dtype=np.int32),
        features=FeatureSpace(["lm", "length"], SPARSE),
        dense=np.where(plain[:, None], 0.0, random.choice([-1.0, -0.0, 0.5], (len(edges), 2))),
        feat_start=starts(sparse),
        feat_id=ids,
        feat_value=random.choice([-0.5, 1.0, 2.0], len(ids)),
        vocabulary=Vocabulary(WORDS),
        yield_start=starts(says),
        yield_symbol=np.concatenate([[], *says]).astype(np.int32),
        allow_unreachable=True,
    )


def starts(rows: list) -> np.ndarray:
    """Offsets of rows that stand one after the other."""
    return np.cumsum([0, *map(len, rows)])


def _mild(random: np.random.Generator, size: int) -> np.ndarray:
    return random.normal(size=size)


def _wide(random: np.random.Generator, size: int) -> np.ndarray:
    return random.uniform(-2000, 2000, size)


def _zeros(random: np.random.Generator, size: int) -> np.ndarray:
    return np.where(random.random(size) < 0.2, -np.inf, _mild(random, size))


def _wide_and_zeros(random: np.random.Generator, size: int) -> np.ndarray:
    return np.where(random.random(size) < 0.2, -np.inf, _wide(random, size))


def _some_far(random: np.random.Generator, size: int) -> np.ndarray:
    """Mostly close together, now and then far below."""
    return _mild(random, size) - np.where(random.random(size) < 0.1, 1500.0, 0.0)


def _ties(random: np.random.Generator, size: int) -> np.ndarray:
    return random.choice([0.0, 0.5, 1.0, -np.inf], size, p=[0.4, 0.3, 0.2, 0.1])


WEIGHTS = {
    "mild": _mild,
    "wide": _wide,
    "zeros": _zeros,
    "wide and zeros": _wide_and_zeros,
    "some far": _some_far,
    "ties": _ties,
}


def large_weight(forest: Forest, kind: str, seed: int) -> np.ndarray:
    """One log weight an edge, drawn in the way that `WEIGHTS` has under this name."""
    return WEIGHTS[kind](np.random.default_rng([seed, len(kind)]), forest.num_edges)
