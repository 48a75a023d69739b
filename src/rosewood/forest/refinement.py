"""Forests whose nodes know their boundary words, and the n-grams that edges complete.

Decoders recombine on minimised language model states and drop boundary words; n-gram statistics
(expected counts, linear BLEU) need them back.  `refine` splits nodes until they are known, exactly:
derivations correspond one to one, and every n-gram of a derivation's string is completed at exactly
one of its edges.
Native      core/forest/refine.cpp; specification: tests/reference/transform.py
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rosewood import _core
from rosewood.arrays import FloatArray, IdArray, LongArray, as_count
from rosewood.errors import ForestError
from rosewood.forest.forest import Forest
from rosewood.forest.transform import MAX_EDGES, rearranged


@dataclass(frozen=True, slots=True)
class Ngrams:
    """Distinct n-grams of 1 to n words, numbered: gram g is word[word_start[g]:word_start[g+1]].

    Edge e completes the grams gram[start[e]:start[e+1]]; one it completes twice is there twice.
    """

    start: LongArray
    gram: LongArray
    word_start: LongArray
    word: IdArray

    def __len__(self) -> int:
        """The number of distinct n-grams."""
        return len(self.word_start) - 1

    def order(self) -> LongArray:
        """The number of words of each n-gram."""
        return np.diff(self.word_start)

    def words(self, gram: int) -> tuple[int, ...]:
        """The word numbers of an n-gram."""
        return tuple(self.word[self.word_start[gram] : self.word_start[gram + 1]].tolist())

    def edge_totals(self, value: FloatArray) -> FloatArray:
        """For each edge, the sum of `value` over the n-grams it completes."""
        edges = len(self.start) - 1
        edge = np.repeat(np.arange(edges), np.diff(self.start))
        return np.bincount(edge, weights=value[self.gram], minlength=edges).astype(np.float64)

    def gram_totals(self, count: FloatArray) -> FloatArray:
        """For each n-gram, the sum of `count` over the edges, as often as each completes it."""
        per_gram = np.repeat(count, np.diff(self.start))
        return np.bincount(self.gram, weights=per_gram, minlength=len(self)).astype(np.float64)


class Refined(NamedTuple):
    """The refined forest, its maps, the n-grams, and each node's boundary words.

    Node v's words are boundary[boundary_start[v]:boundary_start[v+1]]: all of its string where
    whole[v], else the first n-1 and then the last n-1 (all, where there are fewer).  Those on a
    side where no derivation puts anything are left out: nodes of a lattice know their last words.
    """

    forest: Forest
    edge_map: LongArray
    node_map: IdArray
    ngrams: Ngrams
    boundary_start: LongArray
    boundary: IdArray
    whole: np.ndarray[tuple[int], np.dtype[np.bool_]]


def refine(
    forest: Forest,
    n: int,
    *,
    begin: str | None = None,
    end: str | None = None,
    max_edges: int = MAX_EDGES,
) -> Refined:
    """Split nodes by their first and last n-1 words, on the sides where n-grams go on.

    `begin` and `end` are words put around the whole string (added to the vocabulary); `begin` by
    itself does not count as an n-gram, and stands in the string of nodes that surely come first.
    More than `max_edges` edges is an error, not a long wait.
    """
    n, max_edges = as_count("n", n, 1, 2**31 - 1), as_count("max_edges", max_edges)
    if (begin is not None or end is not None) and forest.vocabulary is None:
        reason = "refine: the forest has no vocabulary for the words around the string"
        raise ForestError(reason, code="argument.missing", argument="vocabulary")
    numbers = [
        -1 if word is None or forest.vocabulary is None else forest.vocabulary.add(word)
        for word in (begin, end)
    ]
    structure, boundary_start, boundary, whole, start, gram, word_start, word = _core.refine(
        forest.view, forest.yield_start, forest.yield_symbol, n, numbers[0], numbers[1], max_edges
    )
    made = rearranged(forest, structure)
    ngrams = Ngrams(start, gram, word_start, word)
    return Refined(*made, ngrams, boundary_start, boundary, whole.astype(np.bool_))
