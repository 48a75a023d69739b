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
from typing import Any

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
    """A chart over spans with about this many edges; with `sparse`, 20 of 10^6 features an edge."""
    words = 10 if edges < 50_000 else 30
    spans = [(i, i + size) for size in range(1, words + 1) for i in range(words - size + 1)]
    states = max(1, edges // (EDGES_A_NODE * len(spans)))
    first: dict[tuple[int, int], int] = {}
    counts, arities, tails = [], [], []
    nodes = 0
    for begin, end in spans:
        here = 1 if end - begin == words else states
        first[begin, end] = nodes
        nodes += here
        counts.append(np.full(here, EDGES_A_NODE))
        arities.append(np.full(here * EDGES_A_NODE, 0 if end - begin == 1 else 2))
        if end - begin > 1:
            cut = rng.integers(begin + 1, end, here * EDGES_A_NODE)
            left = np.array([first[begin, k] for k in range(begin + 1, end)])[cut - begin - 1]
            right = np.array([first[k, end] for k in range(begin + 1, end)])[cut - begin - 1]
            pair = np.stack([left, right], axis=1) + rng.integers(0, states, (len(cut), 2))
            tails.append(pair.ravel())
    edge_start = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
    tail_start = np.concatenate([[0], np.cumsum(np.concatenate(arities))])
    total = int(edge_start[-1])
    features: dict[str, Any] = {}
    if sparse:
        # One feature from each of 20 ranges: increasing, as a forest wants them.
        band = FEATURES // NON_ZEROS
        ids = rng.integers(0, band, (total, NON_ZEROS), dtype=np.int32)
        ids += np.arange(0, FEATURES, band, dtype=np.int32)
        features = {
            "features": FeatureSpace([], map(str, range(FEATURES))),
            "feat_start": np.arange(0, total * NON_ZEROS + 1, NON_ZEROS),
            "feat_id": ids.ravel(),
            "feat_value": rng.random(total * NON_ZEROS),
        }
    forest = Forest(
        edge_start, tail_start, np.concatenate(tails), allow_unreachable=True, **features
    )
    return drop_unreachable(forest).forest  # as a decoder's forest is


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
    print(f"\n{'':38}" + "".join(f"{size:>13.0e}" for size in sizes) + f"{'goal':>10}")
    for name in names:
        goal = f"≤ {GOALS[name]:g}" if name in GOALS else "≥ 200" if "Python" in name else ""
        cells = "".join(f"{row[name]:>13.6g}" if name in row else f"{'':>13}" for row in rows)
        print(f"{name:38}{cells}{goal:>10}")


if __name__ == "__main__":
    main()
