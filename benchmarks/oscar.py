"""OSCAR: one exact step beside sort-and-pool from scratch, and a whole run over many pairs.

    python -m benchmarks.oscar [--pairs 1000000] [--passes 20] [--dimension 500000]

Sort-and-pool is the native kernel of `oscar_prox`, which sorts all weights that are not zero, by
radix, in every step.  Goals: a step at least 20 times as fast; a million pairs 20 times in less
than two minutes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from rosewood import _core
from rosewood.arrays import FloatArray, LongArray
from rosewood.learn import GroupingSettings, group_features
from rosewood.learn.candidates import Candidates

LAMBDA1, LAMBDA2 = 1e-10, 3e-8
STEPS = 200  # in a measurement


def least(work: Callable[[], object], times: int = 15) -> float:
    """The least of several times of processor time, in seconds."""
    best = float("inf")
    for _ in range(times):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


def one_step(dimension: int, active: int, touched: int) -> None:
    """A step after some of the weights were changed, for three kinds of changes."""
    random = np.random.default_rng(1)
    penalty = (LAMBDA1, LAMBDA2, float(dimension))
    ids = np.sort(random.choice(dimension, size=active, replace=False))
    weights = np.zeros(dimension)
    weights[ids] = random.uniform(-0.5, 0.5, size=active)
    print(f"one exact step: {touched} of {active:,} weights changed, dimension {dimension:,}")
    print(f"{'changes':36} {'blocks':>9} {'scratch':>11} {'ratio':>7}")
    for _ in range(50):  # the first calls ask the system for memory
        _core.oscar_prox(2 * weights[ids], 1e5, penalty, np.empty(active))
    changes: list[tuple[str, float]] = [
        ("as in step 100,000: up to ±1e-5", 1e-5),
        ("up to ±0.001, past 20 weights", 1e-3),
        ("up to ±0.01, past 200 weights", 1e-2),
        ("new values anywhere", 0.0),
    ]
    for name, size in changes:
        own = _core.OscarWeights(penalty, weights)
        found, sums = weights.copy(), np.empty(dimension)
        t = 100_000

        def steps() -> None:
            nonlocal t
            for some, change in plan:  # noqa: B023
                t += 1
                own.step(some, change, 1.0 / t)  # noqa: B023

        best = scratch = float("inf")
        for _ in range(12):  # side by side: other programs slow both down
            plan: list[tuple[LongArray, FloatArray]] = []
            current = found.copy()
            for _ in range(STEPS):
                some = random.choice(ids, size=touched, replace=False)
                new = random.uniform(-0.5, 0.5, size=touched)
                change = random.uniform(-size, size, size=touched) if size else new - current[some]
                current[some] += change
                plan.append((some, change))
            best = min(best, least(steps, 1) / STEPS)
            own.write(found, sums)
            a = 2 * found[found != 0]
            out = np.empty(len(a))
            again = least(lambda: _core.oscar_prox(a, 1e5, penalty, out), 8)  # noqa: B023
            scratch = min(scratch, again)
        print(f"{name:36} {1e6 * best:6.1f} µs {1e6 * scratch:8.1f} µs {scratch / best:6.1f}x")


def pairs_of(count: int, dimension: int, sparse: int, dense: int) -> Candidates:
    """Pairs that differ in rules of a Zipf distribution, most of them in favour of good ones."""
    random = np.random.default_rng(2)
    good = random.choice([-1.0, -0.2, 0.0, 0.2, 1.0], size=dimension)
    parts_id, parts_value, counts = [], [], []
    for first in range(0, count, 50_000):
        rows = min(50_000, count - first)
        size = random.poisson(sparse, size=rows)
        row = np.repeat(np.arange(rows), size)
        rank = np.minimum(dimension ** random.random(len(row)), dimension - 1).astype(np.int64)
        key = np.unique(row * dimension + rank)
        row, ids = np.divmod(key, dimension)
        value = random.choice([-1.0, 1.0], size=len(ids))
        score = np.bincount(row, value * good[ids], minlength=rows) + random.normal(size=rows)
        value *= np.where(score < 0, -1.0, 1.0)[row]
        parts_id.append(ids.astype(np.int32))
        parts_value.append(value)
        counts.append(np.bincount(row, minlength=rows))
    start = np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int64)
    return Candidates(
        start=np.arange(count + 1, dtype=np.int64),
        dense=random.normal(0.1, 1.0, size=(count, dense)),
        feat_start=start,
        feat_id=np.concatenate(parts_id),
        feat_value=np.concatenate(parts_value),
        num_sparse=dimension,
        statistics=np.empty((count, 0)),
    )


def whole_run(pairs: int, passes: int, dimension: int, sparse: int) -> None:
    """A whole run, with the weights that are not zero and the groups after each pass."""
    table = pairs_of(pairs, dimension, sparse, 8)
    mean = len(table.feat_id) / pairs
    print(f"\n{pairs:,} pairs, {passes} passes, dimension {dimension:,}, 8 dense features and "
          f"{mean:.1f} sparse ones a pair")  # fmt: skip
    begin, last = time.process_time(), time.process_time()

    def report(row: dict[str, float]) -> None:
        nonlocal last
        now = time.process_time()
        print(f"pass {row['round']:3}: {now - last:6.2f} s, loss {row['loss']:.4f}, "
              f"{row['active']:,} active, {row['groups']:,} groups")  # fmt: skip
        last = now

    settings = GroupingSettings(lambda1=LAMBDA1, lambda2=LAMBDA2, passes=passes)
    group_features(table, settings, seed=1, report=report)
    took = time.process_time() - begin
    print(f"whole run: {took:.1f} s of one core, {1e9 * took / pairs / passes:.0f} ns a pair")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--passes", type=int, default=20)
    parser.add_argument("--dimension", type=int, default=500_000)
    parser.add_argument("--active", type=int, default=10_000)
    parser.add_argument("--touched", type=int, default=50)
    parser.add_argument("--sparse", type=int, default=20, help="sparse features of a pair")
    options = parser.parse_args()
    one_step(options.dimension, options.active, options.touched)
    whole_run(options.pairs, options.passes, options.dimension, options.sparse)


if __name__ == "__main__":
    main()
