"""Forests made edge by edge, in any order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rosewood import _core
from rosewood.arguments import check_length, check_list
from rosewood.arrays import IdArray, LongArray, not_below
from rosewood.corpus import Vocabulary
from rosewood.errors import ForestError
from rosewood.forest.features import FeatureSpace
from rosewood.forest.forest import Forest


class ForestBuilder:
    """Collects nodes and edges, then sorts and checks them.

    >>> b = ForestBuilder()
    >>> cat, top = b.node(), b.node()
    >>> _ = b.edge(cat, says=["a", "cat"], features={"lm": -2.0})
    >>> _ = b.edge(top, [cat], ["see", 0], {"lm": -1.0})
    >>> b.build(top).num_derivations()
    1
    """

    def __init__(
        self, features: FeatureSpace | None = None, vocabulary: Vocabulary | None = None
    ) -> None:
        self.features = FeatureSpace() if features is None else features
        self.vocabulary = Vocabulary() if vocabulary is None else vocabulary
        self._nodes = 0
        self._head: list[int] = []
        self._tail_start: list[int] = [0]
        self._tail: list[int] = []
        self._yield_start: list[int] = [0]
        self._yield: list[int] = []
        self._dense: list[float] = []
        self._feat_start: list[int] = [0]
        self._feat_id: list[int] = []
        self._feat_value: list[float] = []
        self._rule: list[int | None] = []
        self._span: list[tuple[int, int] | None] = []
        self._state: list[int | None] = []

    @property
    def num_nodes(self) -> int:
        return self._nodes

    @property
    def num_edges(self) -> int:
        return len(self._head)

    def node(self, span: tuple[int, int] | None = None, *, state: int | None = None) -> int:
        """A new node; `span` is the source words it covers, first and one past the last."""
        self._span.append(span)
        self._state.append(state)
        self._nodes += 1
        return self._nodes - 1

    def edge(
        self,
        head: int,
        tails: Iterable[int] = (),
        says: Iterable[str | int] | None = None,
        features: Mapping[str, float] | None = None,
        *,
        rule: int | None = None,
    ) -> int:
        """A new edge.  `says` has words, and k for the k-th tail; by default its tails in order."""
        # Everything is looked at before anything is kept: a refused edge leaves no trace.
        number, slots = len(self._head), list(tails)
        for node in (head, *slots):
            if not 0 <= node < self._nodes:
                raise not_below("node", node, self._nodes, f"edge {number}: ")
        symbols = list(range(len(slots)) if says is None else says)
        for symbol in symbols:
            if not isinstance(symbol, str) and not 0 <= symbol < len(slots):
                raise not_below("tail", symbol, len(slots), f"edge {number}: ")
        values = {name: float(value) for name, value in (features or {}).items()}
        self._head.append(head)
        self._tail.extend(slots)
        self._tail_start.append(len(self._tail))
        self._yield.extend(
            self.vocabulary.add(s) if isinstance(s, str) else -1 - s for s in symbols
        )
        self._yield_start.append(len(self._yield))
        self._add_features(values)
        self._rule.append(rule)
        return number

    def _add_features(self, features: Mapping[str, float]) -> None:
        row = [0.0] * len(self.features.dense)
        sparse: list[tuple[int, float]] = []
        for name, value in features.items():
            column = self.features.dense_index(name)
            if column is not None:
                row[column] = value
            else:
                sparse.append((self.features.sparse.add(name), value))
        sparse.sort()
        self._dense.extend(row)
        self._feat_id.extend(number for number, _ in sparse)
        self._feat_value.extend(value for _, value in sparse)
        self._feat_start.append(len(self._feat_id))

    def build(self, root: int, *, drop_unreachable: bool = False) -> Forest:
        """The forest: nodes bottom-up, smallest number first, `root` last.

        A node that is in no derivation of the root is an error, or dropped with its edges.
        """
        if not 0 <= root < self._nodes:
            raise not_below("node", root, self._nodes, "root: ")
        used = self._used_from(root)
        if drop_unreachable:
            edges = [e for e, head in enumerate(self._head) if head in used]
        else:
            edges = list(range(len(self._head)))
            self._refuse_idle_nodes(root, used)
        kept = sorted(used)
        number = {node: i for i, node in enumerate(kept)}
        old_edges = np.array(edges, dtype=np.int64)
        tail_start, tail = _core.gather_ids(
            np.array(self._tail_start, dtype=np.int64),
            np.array(self._tail, dtype=np.int32),
            old_edges,
        )
        edge_start, _, tail_start, tail, edge_map, node_map = _core.topological_sort(
            len(number),
            np.array([number[self._head[e]] for e in edges], dtype=np.int32),
            tail_start,
            np.array([number[t] for t in tail.tolist()], dtype=np.int32),
            number[root],
        )
        forest = self._arrange(
            edge_start,
            tail_start,
            tail,
            old_edges[edge_map],
            [kept[v] for v in node_map.tolist()],
        )
        if drop_unreachable:
            from rosewood.forest.transform import drop_unreachable as drop

            return drop(forest).forest
        return forest

    def _used_from(self, root: int) -> set[int]:
        """The nodes that some edge chain from the root leads to."""
        into: list[list[int]] = [[] for _ in range(self._nodes)]
        for edge, head in enumerate(self._head):
            into[head].append(edge)
        used, todo = {root}, [root]
        while todo:
            for edge in into[todo.pop()]:
                for tail in self._tail[self._tail_start[edge] : self._tail_start[edge + 1]]:
                    if tail not in used:
                        used.add(tail)
                        todo.append(tail)
        return used

    def _refuse_idle_nodes(self, root: int, used: set[int]) -> None:
        if self._nodes == 1 and not self._head:
            return  # the empty forest
        with_edges = set(self._head)
        for node in range(self._nodes):
            if node not in used:
                reason = f"node {node} is in no derivation of the root, node {root}"
                raise ForestError(reason, code="forest.unreachable", value=node)
            if node not in with_edges:
                raise ForestError(f"node {node} has no edges", code="forest.no-edges", value=node)

    def _arrange(
        self,
        edge_start: LongArray,
        tail_start: LongArray,
        tail: IdArray,
        old_edges: LongArray,
        old_nodes: list[int],
    ) -> Forest:
        """The forest whose edges and nodes are these old ones."""
        starts = np.array(self._feat_start, dtype=np.int64)
        feat_start, feat_id = _core.gather_ids(
            starts, np.array(self._feat_id, dtype=np.int32), old_edges
        )
        _, feat_value = _core.gather_values(
            starts, np.array(self._feat_value, dtype=np.float64), old_edges
        )
        yield_start, yield_symbol = _core.gather_ids(
            np.array(self._yield_start, dtype=np.int64),
            np.array(self._yield, dtype=np.int32),
            old_edges,
        )
        width = len(self.features.dense)
        dense = np.array(self._dense, dtype=np.float64).reshape(len(self._head), width)
        return Forest(
            edge_start,
            tail_start,
            tail,
            features=self.features,
            dense=dense[old_edges],
            feat_start=feat_start,
            feat_id=feat_id,
            feat_value=feat_value,
            vocabulary=self.vocabulary,
            yield_start=yield_start,
            yield_symbol=yield_symbol,
            rule=_column([self._rule[e] for e in old_edges.tolist()], -1),
            span=_column([self._span[v] for v in old_nodes], (0, 0)),
            state=_column([self._state[v] for v in old_nodes], -1),
            allow_unreachable=True,
        )


def nbest_forest(
    candidates: Sequence[str | Sequence[str]],
    dense: ArrayLike | None,
    sparse: Sequence[Mapping[str, float]] | None,
    features: FeatureSpace | None,
    vocabulary: Vocabulary | None,
) -> Forest:
    """What `Forest.from_nbest` makes: all rows at once, an edge for each candidate."""
    check_list("candidates", candidates, "a list of candidates", error=ForestError)
    words = Vocabulary() if vocabulary is None else vocabulary
    space = FeatureSpace() if features is None else features
    rows = [words.add_all(c.split() if isinstance(c, str) else c) for c in candidates]
    tables = [{}] * len(rows) if sparse is None else sparse
    check_length("sparse", tables, len(rows), "candidate", error=ForestError)
    pairs = [sorted((space.sparse.add(n), v) for n, v in table.items()) for table in tables]
    return Forest(
        [0, len(rows)],
        np.zeros(len(rows) + 1, dtype=np.int64),
        [],
        features=space,
        dense=dense,
        feat_start=_starts(pairs),
        feat_id=[number for row in pairs for number, _ in row],
        feat_value=[value for row in pairs for _, value in row],
        vocabulary=words,
        yield_start=_starts(rows),
        yield_symbol=[word for row in rows for word in row],
    )


def _starts(rows: Sequence[Sequence[Any]]) -> LongArray:
    return np.cumsum([0, *map(len, rows)], dtype=np.int64)


def _column(values: list[Any], missing: Any) -> list[Any] | None:
    """A column of the forest, or None where no value was given."""
    if all(value is None for value in values):
        return None
    return [missing if value is None else value for value in values]
