"""Expectations by enumeration: a table of derivations with probabilities, plain sums over it."""

from __future__ import annotations

from collections import Counter
from math import exp, inf, log

import numpy as np

from rosewood.forest import Forest
from tests.reference.forest import enumerate_derivations, score, words_of


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
