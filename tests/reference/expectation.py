"""Expectations: a table of derivations with probabilities, and plain sums over it.

Behind the table, a loop for each native kernel, under the kernel's name, for forests of any size.
"""

from __future__ import annotations

from collections import Counter
from math import exp, inf, log

import numpy as np

from rosewood.forest import Forest
from rosewood.forest.modules import Expectation, SecondOrderExpectation
from rosewood.forest.semirings import REAL, SIGNED_LOG
from tests.reference.forest import (
    enumerate_derivations,
    inside_log,
    inside_outside,
    score,
    tails_of,
    words_of,
)

# What a signed kernel computes in, by how many numbers an element has.
SIGNED = {
    1: SIGNED_LOG,  # p
    2: Expectation(SIGNED_LOG),  # <p, r>
    4: SecondOrderExpectation(SIGNED_LOG),  # <p, r, s, t>
}

# -- by enumeration --------------------------------------------------------------------------------


class Table:
    """All derivations of positive weight, log Z, and the probability of each."""

    def __init__(self, forest: Forest, weight) -> None:
        self.forest = forest
        self.weight = np.asarray(weight, dtype=float)
        every = [(d, score(d, self.weight)) for d in enumerate_derivations(forest)]
        self.derivations = [d for d, s in every if s > -inf]
        self.scores = [s for _, s in every if s > -inf]
        best = max(self.scores)
        total = sum(exp(s - best) for s in self.scores)
        self.log_z = best + log(total)
        self.probability = [exp(s - best) / total for s in self.scores]

    def mean(self, values) -> float:
        """E of one value a derivation."""
        return sum(p * v for p, v in zip(self.probability, values, strict=True))

    def sums(self, local) -> list:
        """r(d): local values of edges added up over each derivation."""
        return [sum((local[e] for e in d), start=0.0 * local[0]) for d in self.derivations]

    def covariance(self, first, second):
        r, s = self.sums(first), self.sums(second)
        mean_r, mean_s = self.mean(r), self.mean(s)
        parts = [np.multiply.outer(a - mean_r, b - mean_s) for a, b in zip(r, s, strict=True)]
        return self.mean(parts)

    def edge_counts(self) -> list[float]:
        return [
            self.mean([d.count(edge) for d in self.derivations])
            for edge in range(self.forest.num_edges)
        ]

    def entropy(self) -> float:
        return -sum(p * log(p) for p in self.probability if p > 0)

    def cross_entropy(self, other: Table) -> float:
        """-Σ p log q over the same derivations."""
        known = dict(zip(other.derivations, other.scores, strict=True))
        total = 0.0
        for d, p in zip(self.derivations, self.probability, strict=True):
            if d not in known:
                return inf
            total -= p * (known[d] - other.log_z)
        return total

    def features(self) -> np.ndarray:
        """Φ(d), a row each."""
        names = self.forest.features.names
        rows = np.zeros((len(self.derivations), len(names)))
        for row, d in zip(rows, self.derivations, strict=True):
            for edge in d:
                for name, value in self.forest.edge_features(edge).items():
                    row[names.index(name)] += value
        return rows

    def words(self) -> list[list[str]]:
        return [words_of(self.forest, d) for d in self.derivations]

    def ngram_counts(self, n: int, begin=None, end=None) -> dict[tuple[str, ...], float]:
        total: dict[tuple[str, ...], float] = {}
        for p, words in zip(self.probability, self.words(), strict=True):
            for gram, count in ngrams(words, n, begin, end).items():
                total[gram] = total.get(gram, 0.0) + p * count
        return total


def ngrams(words, n: int, begin=None, end=None) -> Counter[tuple[str, ...]]:
    """N-grams of 1 to n words of a string; `begin` alone is none."""
    string = ([] if begin is None else [begin]) + list(words) + ([] if end is None else [end])
    found: Counter[tuple[str, ...]] = Counter()
    for i in range(len(string)):
        for j in range(i + 1, min(i + n, len(string)) + 1):
            if not (begin is not None and i == 0 and j == 1):
                found[tuple(string[i:j])] += 1
    return found


# -- by loops --------------------------------------------------------------------------------------


def inside_outside_signed(forest: Forest, numbers: int, weights) -> tuple[list, list]:
    """Inside and outside of numbers with a sign, or of pairs or quadruples of them.

    A number is (sign, log magnitude); an element is one, or a tuple of 2 or 4 (see `SIGNED`).
    """
    return inside_outside(forest, weights, SIGNED[numbers])


def edge_conditionals(forest: Forest, weight) -> tuple[float, list[float]]:
    """log Z, and p(edge | its head): the edge's part of its head's value; 0 where that is zero."""
    value = inside_log(forest, weight)
    conditional = []
    for edge, (head, tails) in enumerate(zip(forest.head.tolist(), tails_of(forest), strict=True)):
        part = weight[edge] + sum(value[tail] for tail in tails)
        conditional.append(0.0 if part == -inf else exp(part - value[head]))
    return value[forest.root], conditional


def edge_counts(forest: Forest, conditional) -> list[float]:
    """How often each edge is used, in expectation: its part of the uses of its head, top-down."""
    tails = tails_of(forest)
    uses = [0.0] * forest.num_nodes
    uses[forest.root] = 1.0
    counts = [0.0] * forest.num_edges
    for node in reversed(range(forest.num_nodes)):
        for edge in forest.edges_into(node):
            counts[edge] = uses[node] * conditional[edge]
            for tail in tails[edge]:
                uses[tail] += counts[edge]
    return counts


def centre_local(forest: Forest, conditional, local) -> tuple[float, list[float]]:
    """E[r], and local values that add up to r - E[r].

    An edge's own value, and what its tails are expected to have, less what its head is; zero where
    an edge is not used.
    """
    means: list[float] = []
    for node in range(forest.num_nodes):
        used = [e for e in forest.edges_into(node) if conditional[e] > 0.0]
        below = {e: local[e] + sum(means[t] for t in forest.tails(e).tolist()) for e in used}
        means.append(sum(conditional[e] * below[e] for e in used))
    centred = [0.0] * forest.num_edges
    for edge, head in enumerate(forest.head.tolist()):
        if conditional[edge] > 0.0:
            below = local[edge] + sum(means[t] for t in forest.tails(edge).tolist())
            centred[edge] = below - means[head]
    return means[forest.root], centred


def edge_covariances(forest: Forest, conditional, local) -> tuple[float, list[float]]:
    """E[r] and Cov(times an edge is used, r) = E[times · r] - E[times]·E[r], r summed over edges.

    Inside and outside in the expectation semiring, an edge weighing <p, p·r>: the derivative of the
    total by an edge's weight, times that weight, is <E[times], E[times · r]>.  Where p is zero, r
    may be anything.
    """
    semiring = Expectation(REAL)
    weights = [(p, p * r if p > 0.0 else 0.0) for p, r in zip(conditional, local, strict=True)]
    value, above = inside_outside(forest, weights, semiring)
    _, mean = value[forest.root]
    covariances = []
    for edge, (head, tails) in enumerate(zip(forest.head.tolist(), tails_of(forest), strict=True)):
        product = semiring.times(above[head], weights[edge])
        for tail in tails:
            product = semiring.times(product, value[tail])
        times, times_r = product
        covariances.append(times_r - times * mean)
    return mean, covariances
