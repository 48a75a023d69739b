"""Forest kernels from 10^4 to 10^7 edges, each beside its yardstick, in one run.

    python -m benchmarks.forest [--most 10000000] [--repeat 5]

The forests are like those of a hierarchical decoder: the spans of a sentence, many nodes a span,
ten edges a node, two tails an edge taken at random from the nodes of two smaller spans.  Times are
the best of several runs; what counts are the ratios, since machines differ and are shared.
Yardsticks: np.logaddexp over as many numbers as there are edges; SciPy's CSR matrix-vector product;
the same loop in plain Python.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import scipy.sparse

from rosewood.forest import (
    LOG,
    FeatureSpace,
    Forest,
    drop_unreachable,
    entropy_gradient,
    inside,
    risk_gradient,
)

EDGES_A_NODE = 10
FEATURES = 1_000_000
NON_ZEROS = 20
GOALS = {
    "inside / logaddexp": 2.5,
    "inside+outside / inside": 2.5,
    "risk gradient / (4 inside + csr)": 1.0,
    "entropy gradient / (4 inside + csr)": 1.0,
    "1000-best / inside": 3.0,
}


def chart_forest(edges: int, rng: np.random.Generator, *, sparse: bool = False) -> Forest:
    """A chart over spans with at least this many edges; `sparse`: 20 of 10^6 features an edge."""
    words = 10 if edges < 50_000 else 30
    states = edges // (EDGES_A_NODE * words * (words + 1) // 2)
    forest = chart(words, states, rng)
    while forest.num_edges < edges:  # what no derivation uses was dropped
        states = int(states * 1.02 * edges / forest.num_edges) + 1
        forest = chart(words, states, rng)
    if not sparse:
        return forest
    # One feature from each of 20 ranges: increasing, as a forest wants them.
    band = FEATURES // NON_ZEROS
    ids = rng.integers(0, band, (forest.num_edges, NON_ZEROS), dtype=np.int32)
    ids += np.arange(0, FEATURES, band, dtype=np.int32)
    return Forest(
        forest.edge_start,
        forest.tail_start,
        forest.tail,
        features=FeatureSpace([], map(str, range(FEATURES))),
        feat_start=np.arange(0, ids.size + 1, NON_ZEROS),
        feat_id=ids.ravel(),
        feat_value=rng.random(ids.size),
    )


def chart(words: int, states: int, rng: np.random.Generator) -> Forest:
    """All spans of a sentence, `states` nodes a span but one for the whole, less what is unused."""
    first: dict[tuple[int, int], int] = {}
    arities, tails = [], []
    nodes = 0
    for size in range(1, words + 1):
        for begin in range(words - size + 1):
            end = begin + size
            here = 1 if size == words else states
            first[begin, end] = nodes
            nodes += here
            arities.append(np.full(here * EDGES_A_NODE, 0 if size == 1 else 2))
            if size > 1:
                cut = rng.integers(begin + 1, end, here * EDGES_A_NODE)
                left = np.array([first[begin, k] for k in range(begin + 1, end)])[cut - begin - 1]
                right = np.array([first[k, end] for k in range(begin + 1, end)])[cut - begin - 1]
                pair = np.stack([left, right], axis=1) + rng.integers(0, states, (len(cut), 2))
                tails.append(pair.ravel())
    forest = Forest(
        np.arange(0, nodes * EDGES_A_NODE + 1, EDGES_A_NODE),
        np.concatenate([[0], np.cumsum(np.concatenate(arities))]),
        np.concatenate(tails),
        allow_unreachable=True,
    )
    return drop_unreachable(forest).forest


def seconds(function: Callable[[], object], repeat: int) -> float:
    """The best of several runs: the least disturbed one."""
    best = np.inf
    for _ in range(repeat):
        begin = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - begin)
    return best


def measure(edges: int, repeat: int) -> dict[str, float]:
    """All ratios at one size."""
    rng = np.random.default_rng(1)
    forest = chart_forest(edges, rng)
    count = forest.num_edges
    weight = rng.normal(size=count) - 1
    x, y = rng.normal(size=count), rng.normal(size=count)
    inside_time = seconds(lambda: forest.inside(weight), repeat)
    row = {
        "edges": count,
        "nodes": forest.num_nodes,
        "inside ns/edge": 1e9 * inside_time / count,
        "inside / logaddexp": inside_time / seconds(lambda: np.logaddexp(x, y), repeat),
        "inside+outside / inside": seconds(lambda: forest.inside_outside(weight), repeat)
        / inside_time,
        "1000-best / inside": seconds(lambda: forest.k_best(weight, 1000), repeat) / inside_time,
    }
    if count <= 2_000_000:  # minutes beyond that
        plain = weight.tolist()
        row["plain Python / inside"] = seconds(lambda: inside(forest, plain, LOG), 1) / inside_time
    rich = chart_forest(edges, np.random.default_rng(1), sparse=True)
    matrix = scipy.sparse.csr_array(
        (rich.feat_value, rich.feat_id, rich.feat_start.astype(np.int32)), (count, FEATURES)
    )
    theta = rng.normal(size=FEATURES)
    csr_time = seconds(lambda: matrix @ theta, repeat)
    loss = rng.random(count)
    inside_time = seconds(lambda: rich.inside(weight), repeat)
    allowed = 4 * inside_time + csr_time
    row["risk gradient / (4 inside + csr)"] = (
        seconds(lambda: risk_gradient(rich, weight, loss), repeat) / allowed
    )
    row["entropy gradient / (4 inside + csr)"] = (
        seconds(lambda: entropy_gradient(rich, weight), repeat) / allowed
    )
    row["score / csr"] = seconds(lambda: rich.score(theta), repeat) / csr_time
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--most", type=int, default=10_000_000, help="edges of the largest forest")
    parser.add_argument("--repeat", type=int, default=5, help="runs, of which the best counts")
    options = parser.parse_args()
    sizes = [10**power for power in range(4, 10) if 10**power <= options.most]
    rows = []
    for size in sizes:
        print(f"measuring {size} edges …", flush=True)
        rows.append(measure(size, options.repeat))
    names = list(dict.fromkeys(name for row in rows for name in row))
    print(f"\n{'':38}" + "".join(f"{size:>13.0e}" for size in sizes) + f"{'goal':>18}")
    for name in names:
        goal = f"≤ {GOALS[name]:g}" if name in GOALS else "≥ 200" if "Python" in name else ""
        goal += " at 1e+06" if "best" in name else ""
        cells = "".join(f"{row[name]:>13.6g}" if name in row else f"{'':>13}" for row in rows)
        print(f"{name:38}{cells}{goal:>18}")


if __name__ == "__main__":
    main()
