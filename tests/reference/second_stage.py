"""The second stage by enumeration: n-grams of whole strings, counted in the strings themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rosewood.forest import Forest
from tests.reference.forest import enumerate_derivations, words_of


def count_ngrams(words: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    """How often a string has each n-gram of 1 to `order` words."""
    return Counter(
        tuple(words[begin : begin + n])
        for n in range(1, order + 1)
        for begin in range(len(words) - n + 1)
    )


def rescored(
    forest: Forest, score: Sequence[float], weights: Mapping[tuple[str, ...], float]
) -> dict[tuple[int, ...], float]:
    """The new score of each derivation."""
    order = max(map(len, weights), default=1)
    found = {}
    for derivation in enumerate_derivations(forest):
        counts = count_ngrams(words_of(forest, derivation), order)
        ngrams = sum(weights.get(ngram, 0.0) * count for ngram, count in counts.items())
        found[derivation] = sum(score[edge] for edge in derivation) + ngrams
    return found
