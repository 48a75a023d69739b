"""What tests of learners learn from: lists with planted weights, small texts, forests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rosewood import _core
from rosewood.forest import FeatureSpace, Forest
from rosewood.learn import TuningSet
from rosewood.metrics import Column, parse_metric
from tests.reference.forest import enumerate_derivations, features_of, words_of
from tests.strategies import forests, quarters

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
    random = np.random.default_rng(seed)
    width = len(weights) - sparse
    names = [f"f{i}" for i in range(width)]
    space = FeatureSpace(names, [f"s:{i}" for i in range(sparse)])
    stretch = np.ones(len(weights)) if scale is None else scale
    forests, scores = [], []
    for _ in range(lists):
        rows = random.standard_normal((candidates, len(weights))) * stretch
        scores.append({"good": rows @ weights + noise * random.standard_normal(candidates)})
        tables = [{f"s:{i}": value for i, value in enumerate(row[width:].tolist())} for row in rows]
        forests.append(
            Forest.from_nbest([["w"]] * candidates, rows[:, :width], sparse=tables, features=space)
        )
    empty = [()] * lists
    return TuningSet(forests, Column("good"), empty, scores=scores, threads=threads)


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
    numbers = st.lists(elements, min_size=edges, max_size=edges)
    return several, *(np.array(draw(numbers), dtype=float) for _ in range(columns))
