"""How probable strings are in a forest, and that words occur in them at all.

p(d) ∝ exp(scale · weight of d) over the derivations; a string has those of all that say it.
Both are exact.  Single words need no nodes that know their neighbours, and only those asked for are
looked at, so this is quicker than `ngram_posteriors`.
Native      core/forest/occurrence.hpp; specification: tests/reference/consensus.py
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from rosewood import _core
from rosewood.arrays import FloatArray, as_scale, as_weight
from rosewood.errors import EmptyForestError
from rosewood.forest import Automaton, Distribution, Forest, intersect
from rosewood.forest.transform import MAX_EDGES


class WordPosteriors:
    """The probability that each of these words occurs in a string of the forest; at any scale."""

    def __init__(self, forest: Forest, weight: ArrayLike, words: Iterable[str]) -> None:
        self.words = tuple(dict.fromkeys(words))
        self._forest = forest
        self._weight = as_weight("weight", weight, forest.num_edges)
        numbers = _numbers(forest, self.words)
        # The place of each word by its number; -1 of those not asked for, and the last of tails.
        size = 0 if forest.vocabulary is None else len(forest.vocabulary)
        place = np.full(size + 1, -1, np.int64)
        for n, number in enumerate(numbers):
            if number is not None:
                place[number] = n
        mark = place[np.maximum(forest.yield_symbol, -1)]
        wanted = mark >= 0
        before = np.zeros(len(mark) + 1, np.int64)
        np.cumsum(wanted, out=before[1:])
        self._start = before[forest.yield_start]
        self._mark = mark[wanted]

    def __call__(self, scale: float = 1.0) -> FloatArray:
        """In the order of `words`; a word that the forest does not have has 0."""
        p = Distribution(self._forest, as_scale(scale) * self._weight)
        found = np.empty(len(self.words))
        _core.occurrence_probabilities(
            self._forest.view, p.conditional, self._start, self._mark, found, self._forest.span
        )
        return np.clip(found, 0.0, 1.0)


def string_posteriors(
    forest: Forest,
    weight: ArrayLike,
    strings: Sequence[Sequence[str]],
    *,
    scale: float = 1.0,
    max_edges: int = MAX_EDGES,
) -> FloatArray:
    """The probability of each string, given by its words; 0 of those that the forest does not say.

    Strings must differ from each other.
    """
    scaled: FloatArray = as_scale(scale) * as_weight("weight", weight, forest.num_edges)
    numbered = [_numbers(forest, words) for words in strings]
    known = [n for n, numbers in enumerate(numbered) if None not in numbers]
    found = np.zeros(len(strings))
    said = [[number for number in numbered[n] if number is not None] for n in known]
    found[known] = number_posteriors(forest, scaled, said, max_edges)
    return found


def number_posteriors(
    forest: Forest, weight: FloatArray, strings: Sequence[Sequence[int]], max_edges: int
) -> FloatArray:
    """The same of strings that are numbers of words, in the forest's own vocabulary.

    One intersection serves all strings: they are a tree whose arcs weigh nothing, and the weight of
    an end is the number of the string, so that edges into the root tell which one they end.
    """
    next_of: dict[tuple[int, int], int] = {}
    final: dict[int, float] = {}
    for number, string in enumerate(strings):
        state = 0
        for word in string:
            state = next_of.setdefault((state, word), len(next_of) + 1)
        final[state] = float(number)
    arcs = [(source, word, to, 0.0) for (source, word), to in next_of.items()]
    total = float(forest.inside(weight)[-1]) if not forest.is_empty else -np.inf
    if total == -np.inf:
        reason = "consensus: no derivation of the forest has a weight above zero"
        raise EmptyForestError(reason, code="forest.empty")
    posterior: FloatArray = np.zeros(len(strings))
    both = intersect(forest, Automaton(arcs, final, states=len(next_of) + 1), max_edges=max_edges)
    if both.forest.is_empty:
        return posterior
    weights = weight[both.edge_map]
    inside = both.forest.inside(weights)
    for edge in both.forest.edges_into(both.forest.root):
        log_weight = weights[edge] + inside[both.forest.tails(edge)].sum()
        posterior[int(both.weight[edge])] += np.exp(log_weight - total)
    return np.minimum(posterior, 1.0)


def _numbers(forest: Forest, words: Iterable[str]) -> list[int | None]:
    if forest.vocabulary is None:
        return [None for _ in words]
    return [forest.vocabulary.get(word) for word in words]
