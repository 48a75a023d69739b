"""Single derivations of a forest: the best, the k best, random ones, and how many there are.

A derivation is the list of its edges in pre-order, tails in slot order; an edge under a node that
is used twice may stand in it twice.
Native      core/forest/search.hpp; specification: tests/reference/search.py
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from rosewood import _core
from rosewood.arguments import check_shape
from rosewood.arrays import FloatArray, IdArray, LongArray, as_count, as_weight
from rosewood.corpus import Vocabulary
from rosewood.errors import EmptyForestError, ForestError
from rosewood.forest.forest import Forest
from rosewood.resources import check_threads
from rosewood.sequences import LazySequence


class Derivations(LazySequence["Derivation"]):
    """Derivations of one forest, in flat arrays: row i is edge[start[i]:start[i+1]]."""

    def __init__(self, forest: Forest, start: LongArray, edge: LongArray, score: FloatArray):
        self.forest = forest
        self.start = start
        self.edge = edge
        self.score = score

    def __len__(self) -> int:
        return len(self.score)

    def _item(self, number: int) -> Derivation:
        edges = self.edge[self.start[number] : self.start[number + 1]]
        return Derivation(self.forest, edges, float(self.score[number]))

    def words(self) -> list[list[str]]:
        """The words of each derivation."""
        start, symbol = _yields(self.forest, self.start, self.edge)
        return _cut(self.forest.vocabulary, start, symbol)

    def texts(self) -> list[str]:
        """The string of each derivation, words joined by spaces."""
        return [" ".join(words) for words in self.words()]

    def features(self) -> tuple[FloatArray, LongArray, IdArray, FloatArray]:
        """Φ of each derivation: dense features, and rows of sparse ones: start, id and value."""
        dense, start, ids, values = _core.feature_sums(
            self.forest.feature_view, self.start, self.edge
        )
        return dense.reshape(len(self), self.forest.dense.shape[1]), start, ids, values

    def as_list(self) -> Forest:
        """These derivations alone, as an n-best list: a forest with an edge for each of them."""
        forest, count = self.forest, len(self)
        dense, feat_start, feat_id, feat_value = self.features()
        yield_start, yield_symbol = _yields(forest, self.start, self.edge)
        return Forest(
            [0, count],
            np.zeros(count + 1, dtype=np.int64),
            [],
            features=forest.features,
            dense=dense,
            feat_start=feat_start,
            feat_id=feat_id,
            feat_value=feat_value,
            vocabulary=forest.vocabulary,
            yield_start=yield_start,
            yield_symbol=yield_symbol,
        )

    def __repr__(self) -> str:
        return f"Derivations({len(self)} of {self.forest!r})"


class Derivation:
    """One derivation: its edges in pre-order and its log score."""

    __slots__ = ("edges", "forest", "score")

    def __init__(self, forest: Forest, edges: LongArray, score: float) -> None:
        self.forest = forest
        self.edges = edges
        self.score = score

    @property
    def words(self) -> list[str]:
        start = np.array([0, len(self.edges)], dtype=np.int64)
        _, symbol = _yields(self.forest, start, np.ascontiguousarray(self.edges))
        return [self.forest.word(s) for s in symbol.tolist()]

    @property
    def text(self) -> str:
        """The words joined by spaces."""
        return " ".join(self.words)

    def features(self) -> FloatArray:
        """Φ(d): the sum of the features of its edges."""
        uses = np.bincount(self.edges, minlength=self.forest.num_edges).astype(np.float64)
        return self.forest.combine_features(uses)

    def __repr__(self) -> str:
        return f"Derivation({self.score:.6g}, {self.text!r})"


def _yields(forest: Forest, start: LongArray, edge: LongArray) -> tuple[LongArray, IdArray]:
    return _core.derivation_yields(
        forest.view, forest.yield_start, forest.yield_symbol, start, edge
    )


def best(forest: Forest, weight: ArrayLike) -> Derivation:
    """The best derivation; among equals, the one with the first edges."""
    scores = np.empty(forest.num_nodes)
    back = np.empty(forest.num_nodes, dtype=np.int64)
    _core.viterbi(forest.view, as_weight("weight", weight, forest.num_edges), scores, back)
    if back[-1] < 0:
        reason = "best: no derivation of the forest has a weight above zero"
        raise EmptyForestError(reason, code="forest.empty")
    return Derivation(forest, _core.follow(forest.view, back), float(scores[-1]))


def k_best(forest: Forest, weight: ArrayLike, k: int, *, distinct: bool = False) -> Derivations:
    """The k best derivations, best first; fewer where there are fewer.

    With `distinct`, the best derivation of each of the k best strings.  Derivations of weight zero
    (log weight -inf) are left out.
    """
    found = _core.k_best(
        forest.view,
        as_weight("weight", weight, forest.num_edges),
        as_count("k", k),
        (forest.yield_start, forest.yield_symbol) if distinct else None,
    )
    return Derivations(forest, *found)


def iterate_best(
    forest: Forest, weight: ArrayLike, *, distinct: bool = False
) -> Iterator[Derivation]:
    """All derivations, best first, each found when it is asked for; `k_best` for an unknown k."""
    weights = as_weight("weight", weight, forest.num_edges).copy()
    yields = (forest.yield_start, forest.yield_symbol) if distinct else None
    search = _core.start_k_best(forest.view, weights, yields)
    while (found := search.next()) is not None:
        yield Derivation(forest, *found)


def sample(
    forest: Forest, weight: ArrayLike, draws: int, *, seed: int = 0, threads: int = 1
) -> Derivations:
    """Independent draws from p(d) ∝ exp(weight of d); the same at any number of threads."""
    draws, threads = as_count("draws", draws, high=2**31), check_threads(threads, ForestError)
    weights = as_weight("weight", weight, forest.num_edges)
    q = np.empty(forest.num_edges)
    _core.edge_conditionals(forest.view, weights, q)
    stream = as_count("seed", seed, -(2**64), 2**64) & (2**64 - 1)
    drawn = _core.sample(forest.view, weights, q, draws, stream, threads)
    return Derivations(forest, *drawn)


def num_derivations(forest: Forest, keep: ArrayLike | None = None) -> int:
    """How many derivations the root has, exactly; over the edges with `keep` only, if given."""
    count = count_saturating(forest, keep)
    if count[-1] != np.iinfo(np.uint64).max:
        return int(count[-1])
    return _count_exactly(forest, np.ones(forest.num_edges) if keep is None else np.asarray(keep))


def count_saturating(
    forest: Forest, keep: ArrayLike | None = None
) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """The number of derivations of each node; 2^64-1 is that many or more."""
    mask = np.ones(forest.num_edges, np.uint8) if keep is None else np.asarray(keep) != 0
    check_shape("keep", mask, (forest.num_edges,), error=ForestError)
    count = np.empty(forest.num_nodes, dtype=np.uint64)
    _core.count_derivations(forest.view, mask.astype(np.uint8), count)
    return count


def _count_exactly(forest: Forest, mask: ArrayLike) -> int:
    """In Python's own whole numbers, for counts beyond 64 bits."""
    tails, starts = forest.tail.tolist(), forest.tail_start.tolist()
    ends, keep = forest.edge_start.tolist(), np.asarray(mask).tolist()
    # A count is as long as its number: it is dropped behind its last use.
    last_use = np.zeros(forest.num_nodes, dtype=np.int64)
    np.maximum.at(last_use, forest.tail, np.repeat(forest.head, forest.arity()))
    last = last_use.tolist()
    counts: list[int] = []
    for node in range(forest.num_nodes):
        total = 0
        for edge in range(ends[node], ends[node + 1]):
            if keep[edge]:
                product = 1
                for tail in tails[starts[edge] : starts[edge + 1]]:
                    product *= counts[tail]
                total += product
        counts.append(total)
        for tail in tails[starts[ends[node]] : starts[ends[node + 1]]]:
            if last[tail] == node:
                counts[tail] = 0
    return counts[-1]


def nbest_texts(forest: Forest) -> list[str]:
    """The string of each candidate of an n-best list, a forest of one node; words are joined by
    spaces."""
    if forest.num_nodes != 1:
        reason = f"the forest is not an n-best list: it has {forest.num_nodes} nodes"
        raise ForestError(reason, code="forest.not-flat", value=forest.num_nodes)
    said = _cut(forest.vocabulary, forest.yield_start, forest.yield_symbol)
    return [" ".join(words) for words in said]


def _cut(table: Vocabulary | None, start: LongArray, symbol: IdArray) -> list[list[str]]:
    """Rows of symbols as words."""
    symbols = symbol.tolist()
    words = list(map(str, symbols)) if table is None else table.words(symbols)
    return [words[a:b] for a, b in pairwise(start.tolist())]
