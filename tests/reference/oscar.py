"""OSCAR in plain Python: the proximal step in four independent ways, and the online algorithm.

`prox` follows algorithm 3 line by line, in exact fractions where it is given fractions.
`pooled_prox` is an isotonic regression, `objective` is equation 3, `brute_force` minimises it over
all ways to split the sorted vector into blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple


class Penalty(NamedTuple):
    """λ1, λ2 and the full dimension d."""

    lambda1: float
    lambda2: float
    dimension: int


def prox(a: Sequence[float], step, penalty: Penalty) -> list:
    """Algorithm 3: the minimum of equation 3 for a = 2W and the step t."""
    order = _order(a)
    blocks: list[list[int]] = []  # of ranks, from 0

    def v(block):
        shrunk = [abs(a[order[k]]) - 2 * _shrinkage(k + 1, penalty) / step for k in block]
        return sum(shrunk) / (2 * len(block))

    for k in range(len(order)):
        block = [k]
        while blocks and v(block) >= v(blocks[-1]):
            block = blocks.pop() + block
        blocks.append(block)
    weights = [0 * x for x in a]
    for block in blocks:
        size = max(v(block), 0)
        for k in block:
            weights[order[k]] = size if a[order[k]] > 0 else -size
    return weights


def pooled_prox(a: Sequence[float], step, penalty: Penalty) -> list:
    """The same by isotonic regression: max over i <= k of min over j >= k of means, clipped."""
    order = _order(a)
    y = [abs(a[i]) / 2 - _shrinkage(k + 1, penalty) / step for k, i in enumerate(order)]
    weights = [0 * x for x in a]
    for k, i in enumerate(order):
        # Downwards: the least, over where a mean begins, of the largest mean from there past k.
        size = min(max(_mean(y[b:e]) for e in range(k + 1, len(y) + 1)) for b in range(k + 1))
        size = max(size, 0)
        weights[i] = size if a[i] > 0 else -size
    return weights


def pool_adjacent(y: Sequence[float]) -> list:
    """The nearest sequence that does not ascend (least squares)."""
    blocks: list[tuple] = []
    for value in y:
        total, count = value, 1
        while blocks and total * blocks[-1][1] >= blocks[-1][0] * count:
            total, count = total + blocks[-1][0], count + blocks[-1][1]
            blocks.pop()
        blocks.append((total, count))
    return [total / count for total, count in blocks for _ in range(count)]


def objective(weights: Sequence[float], a: Sequence[float], step, penalty: Penalty):
    """Equation 3, pair by pair; the d - len(a) weights that are not given are zero."""
    size = [abs(w) for w in weights]
    fit = sum(w * w - x * w for w, x in zip(weights, a, strict=True))
    pairs = sum(max(x, y) for x, y in combinations(size, 2))
    pairs += (penalty.dimension - len(a)) * sum(size)
    return fit + 2 * (penalty.lambda1 * sum(size) + penalty.lambda2 * pairs) / step


def brute_force(a: Sequence[float], step, penalty: Penalty) -> list:
    """The best of all vectors whose sizes are block means of the sorted vector, in any split."""
    order = _order(a)
    count = len(order)
    shrunk = [abs(a[i]) / 2 - _shrinkage(k + 1, penalty) / step for k, i in enumerate(order)]
    best = None
    for cuts in range(1 << max(0, count - 1)):
        ends = [k for k in range(1, count) if cuts >> (k - 1) & 1] + [count] * (count > 0)
        weights, begin = [0 * x for x in a], 0
        for end in ends:
            size = max(_mean(shrunk[begin:end]), 0)
            for i in order[begin:end]:
                weights[i] = size if a[i] > 0 else -size
            begin = end
        found = objective(weights, a, step, penalty)
        if best is None or found < best[0]:
            best = (found, weights)
    return best[1] if best else []


def partition(weights: Sequence[float]) -> list[list[int]]:
    """The features of each group of equal weights other than zero, groups by their first one."""
    groups: dict = {}
    for i, w in enumerate(weights):
        if w:
            groups.setdefault(w, []).append(i)
    return sorted(groups.values())


class Online(NamedTuple):
    """What algorithm 2 has after a step."""

    dense: list
    weights: list
    loss: float


def online(rows, start, penalty: Penalty, *, one=1.0, batch=1, steps=0):
    """Algorithm 2: after each proximal step, the weights and the sum of losses so far.

    A row is a pair of dense values and a table of sparse ones, better less worse candidate.  Dense
    features carry no penalty.  `one` is 1 in the numbers to compute with.
    """
    dense, weights = list(start[0]), list(start[1])
    loss, pending, count = 0 * one, 0 * one, 0
    for number, (values, sparse) in enumerate(rows, start=steps + 1):
        rate = one / number
        margin = sum(w * x for w, x in zip(dense, values, strict=True))
        margin += sum(weights[i] * x for i, x in sparse.items())
        if margin < 1:
            loss += 1 - margin
            dense = [w + rate * x for w, x in zip(dense, values, strict=True)]
            for i, x in sparse.items():
                weights[i] += rate * x
        pending, count = pending + rate, count + 1
        if count == batch or number - steps == len(rows):
            weights = prox([2 * w for w in weights], one / pending, penalty)
            pending, count = 0 * one, 0
            yield Online(dense, list(weights), loss)


def _order(a) -> list[int]:
    """Places of the numbers other than zero, from the largest to the smallest."""
    return sorted((i for i, x in enumerate(a) if x), key=lambda i: -abs(a[i]))


def _shrinkage(rank: int, penalty: Penalty):
    return penalty.lambda1 + penalty.lambda2 * (penalty.dimension - rank)


def _mean(values):
    return sum(values) / len(values)
