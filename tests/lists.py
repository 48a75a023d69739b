"""What tests of learners learn from: lists with planted weights, small texts, forests."""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import strategies as st

from rosewood import _core
from rosewood.corpus import Vocabulary
from rosewood.forest import FeatureSpace, Forest, ForestBuilder
from rosewood.learn import TuningSet
from rosewood.metrics import Column, parse_metric
from tests.reference.forest import enumerate_derivations, features_of, words_of
from tests.strategies import forests, many, quarters

WORDS = ("a", "b", "c", "d")
SMALL = {"max_derivations": 12, "max_nodes": 4}  # forests that can be enumerated


def planted(
    weights: np.ndarray,
    *,
    lists: int = 200,
    candidates: int = 20,
    noise: float = 0.0,
    sparse: int = 0,
    scale: np.ndarray | None = None,
    seed: int = 0,
    threads: int = 1,
) -> TuningSet:
    """Candidates whose score is the weighted sum of their features, and some noise.

    `scale` stretches features; the last `sparse` of them are sparse ones.
    """
    stretch = np.ones(len(weights)) if scale is None else scale
    forests, scores = _planted(
        tuple(weights.tolist()), lists, candidates, noise, sparse, tuple(stretch.tolist()), seed
    )
    empty = [()] * lists
    return TuningSet(forests, Column("good"), empty, scores=scores, threads=threads)


@cache
def _planted(
    weights: tuple[float, ...],
    lists: int,
    candidates: int,
    noise: float,
    sparse: int,
    stretch: tuple[float, ...],
    seed: int,
) -> tuple[list[Forest], list[dict[str, np.ndarray]]]:
    """Those lists and scores, which many tests share."""
    random = np.random.default_rng(seed)
    width = len(weights) - sparse
    names = [f"f{i}" for i in range(width)]
    space = FeatureSpace(names, [f"s:{i}" for i in range(sparse)])
    forests, scores = [], []
    for _ in range(lists):
        rows = random.standard_normal((candidates, len(weights))) * stretch
        scores.append({"good": rows @ weights + noise * random.standard_normal(candidates)})
        tables = [{f"s:{i}": value for i, value in enumerate(row[width:].tolist())} for row in rows]
        forests.append(
            Forest.from_nbest([["w"]] * candidates, rows[:, :width], sparse=tables, features=space)
        )
    return forests, scores


def small_texts(seed: int, *, lists: int = 6, candidates: int = 5, width: int = 3) -> TuningSet:
    """Lists of short strings with random features, and BLEU."""
    random = np.random.default_rng(seed)
    space = FeatureSpace([f"f{i}" for i in range(width)])

    def text() -> str:
        return " ".join(random.choice(WORDS, size=random.integers(1, 9)))

    forests = [
        Forest.from_nbest(
            [text() for _ in range(candidates)],
            random.standard_normal((candidates, width)),
            features=space,
        )
        for _ in range(lists)
    ]
    references = [[text()] for _ in range(lists)]
    return TuningSet(forests, parse_metric("bleu:tokenize=none"), references)


def lattice(
    number: int, space: FeatureSpace, words: Vocabulary, *, length: int = 6, choices: int = 3
) -> tuple[Forest, str]:
    """A lattice of `choices` words at each of some positions, and its reference, by number.

    Dense features tell right words from wrong ones, with noise; sparse ones are at random.
    """
    random = np.random.default_rng([7, number])
    steps = int(random.integers(2, length + 1))
    edges = 1 + steps * choices
    right = random.integers(0, len(words), steps)
    said = np.concatenate(
        [[w, *random.integers(0, len(words), choices - 1)] for w in right]
    )  # the right one first
    dense = random.standard_normal((edges, len(space.dense)))
    dense[0] = 0.0
    dense[1::choices, 0] += 1.5
    ids, start = [], [0]
    for _ in range(edges):
        own = random.integers(0, max(1, len(space.sparse)), 2 if len(space.sparse) else 0)
        ids += np.unique(own).tolist()
        start.append(len(ids))
    symbols = np.column_stack([np.full(len(said), -1), said]).reshape(-1)
    forest = Forest(
        np.concatenate([[0], 1 + choices * np.arange(steps + 1)]),
        np.arange(-1, edges).clip(0),
        np.repeat(np.arange(steps), choices),
        features=space,
        dense=dense,
        feat_start=start,
        feat_id=ids,
        feat_value=random.choice([-1.0, 0.5, 1.0], len(ids)),
        vocabulary=words,
        yield_start=np.concatenate([[0], 2 * np.arange(edges)]),
        yield_symbol=symbols,
    )
    return forest, " ".join(words[int(w)] for w in right)


def counting(number: int, *, length: int = 7) -> tuple[Forest, str]:
    """A lattice whose reference counts on: w3 w4 w5 …  The feature `good` tells right words from
    wrong ones, with much noise; pairs of words tell more."""
    random = np.random.default_rng([11, number])
    steps = int(random.integers(3, length + 1))
    begin = int(random.integers(0, 8))
    right = [f"w{(begin + step) % 8}" for step in range(steps)]
    builder = ForestBuilder(FeatureSpace(["good"]))
    before = builder.node()
    builder.edge(before)
    for word in right:
        node = builder.node()
        for said in dict.fromkeys([word, *(f"w{n}" for n in random.integers(0, 8, 2))]):
            value = float(random.standard_normal()) + 0.7 * (said == word)
            builder.edge(node, [before], [0, said], {"good": value})
        before = node
    return builder.build(before), " ".join(right)


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def as_list(forest: Forest) -> Forest:
    """The derivations of a forest as an n-best list."""
    derivations = enumerate_derivations(forest)
    rows = [features_of(forest, d) for d in derivations]
    dense, sparse = forest.features.dense, forest.features.sparse
    return Forest.from_nbest(
        [words_of(forest, d) for d in derivations],
        np.array([[row.get(name, 0.0) for name in dense] for row in rows]),
        sparse=[{name: x for name, x in row.items() if name in sparse} for row in rows],
        features=FeatureSpace(dense, list(sparse)),
    )


def batch_of(several: list[Forest]):
    return _core.make_batch([f.view for f in several], [f.feature_view for f in several])


@st.composite
def batches(draw, elements=quarters, columns: int = 1):
    """A few forests, and arrays of one number an edge."""
    several = draw(st.lists(forests(**SMALL), min_size=1, max_size=3))
    edges = sum(f.num_edges for f in several)
    numbers = many(elements, edges)
    return several, *(np.array(draw(numbers), dtype=float) for _ in range(columns))
