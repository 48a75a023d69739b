"""Forests from forests.

Every transform returns a `Transformed`: the new forest, and the maps from its edges and nodes to
the old ones, so that weights, features and gradients follow: `weight[result.edge_map]`.
Native      core/forest/transform.hpp; specification: tests/reference/transform.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rosewood import _core
from rosewood.arguments import check_shape
from rosewood.arrays import FloatArray, IdArray, LongArray, as_array, as_count, as_weight
from rosewood.errors import ForestError
from rosewood.forest.automaton import Automaton
from rosewood.forest.features import FeatureSpace
from rosewood.forest.forest import Forest

MAX_EDGES = 20_000_000  # what a transform that multiplies edges may make unless told otherwise


class Transformed(NamedTuple):
    """A new forest; old edge of each new edge, old node of each new node."""

    forest: Forest
    edge_map: LongArray
    node_map: IdArray


class Merged(NamedTuple):
    """One forest from several; each edge with the forest and the edge there that it came from."""

    forest: Forest
    edge_map: LongArray
    source: LongArray


class Intersected(NamedTuple):
    """A forest restricted to an automaton, and the automaton's log weight on each edge."""

    forest: Forest
    edge_map: LongArray
    node_map: IdArray
    weight: FloatArray


def rearranged(forest: Forest, structure: tuple[Any, ...], *, bare: bool = False) -> Transformed:
    """The forest that a native transform describes, with features, yields and columns gathered;
    `bare`: with yields alone."""
    edge_start, head, tail_start, tail, edge_map, node_map = structure
    yield_start, yield_symbol = _core.gather_ids(forest.yield_start, forest.yield_symbol, edge_map)
    if bare:
        features = _no_features(len(edge_map))
    else:
        feat_start, feat_id = _core.gather_ids(forest.feat_start, forest.feat_id, edge_map)
        _, feat_value = _core.gather_values(forest.feat_start, forest.feat_value, edge_map)
        features = {
            "dense": forest.dense[edge_map],
            "feat_start": feat_start,
            "feat_id": feat_id,
            "feat_value": feat_value,
            "rule": None if forest.rule is None else forest.rule[edge_map],
            "span": None if forest.span is None else forest.span[node_map],
            "state": None if forest.state is None else forest.state[node_map],
        }
    made = forest.derive(
        edge_start=edge_start,
        head=head,
        tail_start=tail_start,
        tail=tail,
        yield_start=yield_start,
        yield_symbol=yield_symbol,
        **features,
    )
    return Transformed(made, edge_map, node_map)


def _no_features(edges: int) -> dict[str, Any]:
    """Features and columns of a forest that has none."""
    return {
        "features": FeatureSpace(),
        "dense": np.empty((edges, 0)),
        "feat_start": np.zeros(edges + 1, dtype=np.int64),
        "feat_id": np.empty(0, dtype=np.int32),
        "feat_value": np.empty(0),
        "rule": None,
        "span": None,
        "state": None,
    }


def without_features(forest: Forest) -> Forest:
    """Structure and words alone: transforms of it have less to gather."""
    return forest.derive(**_no_features(forest.num_edges))


def select_edges(forest: Forest, keep: ArrayLike) -> Transformed:
    """Only the edges with a true `keep`, and of those only what a derivation of the root uses."""
    mask = np.asarray(keep)
    check_shape("keep", mask, (forest.num_edges,), error=ForestError)
    return rearranged(forest, _core.select_edges(forest.view, (mask != 0).astype(np.uint8)))


def drop_unreachable(forest: Forest) -> Transformed:
    """Only what some derivation of the root uses."""
    return select_edges(forest, np.ones(forest.num_edges, dtype=bool))


def prune(
    forest: Forest,
    weight: ArrayLike,
    *,
    beam: float | None = None,
    density: float | None = None,
    bare: bool = False,
) -> Transformed:
    """Only edges that stand in a good derivation; the best derivation always stays.

    beam        keep an edge if its best derivation is at most this far, in log score, from the best
    density     keep the best edges (by the same measure), at most this many for each word of the
                best derivation's string; ties beyond that many are dropped in order of number
    bare        leave out features, rules, spans and states
    """
    if beam is None and density is None:
        reason = "prune: give beam, density, or both"
        raise ForestError(reason, code="argument.missing", argument="beam")
    if beam is not None and not beam >= 0:
        reason = f"beam is {beam}, expected a number from 0"
        raise ForestError(reason, code="argument.range", argument="beam", value=beam)
    if density is not None and not 0 < density < np.inf:
        reason = f"density is {density}, expected a finite number above 0"
        raise ForestError(reason, code="argument.range", argument="density", value=density)
    weights = as_weight("weight", weight, forest.num_edges)
    best = forest.best(weights)
    least = -np.inf if beam is None else best.score - beam
    most = forest.num_edges
    if density is not None:
        most = max(int(density * max(1, len(best.words))), 1)
    keep = np.empty(forest.num_edges, np.uint8)
    _core.keep_best(forest.view, weights, best.edges, least, most, keep)
    return rearranged(forest, _core.select_edges(forest.view, keep), bare=bare)


def topological_sort(
    head: ArrayLike, tail_start: ArrayLike, tail: ArrayLike, *, nodes: int, root: int
) -> tuple[LongArray, LongArray, IdArray, LongArray, IdArray]:
    """Edges in any order become `edge_start, tail_start, tail` of a forest, `edge_map, node_map`.

    Nodes come bottom-up, the smallest possible number first, the root last.  A cycle is a
    CycleError with its nodes.
    """
    edge_start, _, tails_start, tails, edge_map, node_map = _core.topological_sort(
        nodes,
        as_array("head", head, np.int32),
        as_array("tail_start", tail_start, np.int64),
        as_array("tail", tail, np.int32),
        root,
    )
    return edge_start, tails_start, tails, edge_map, node_map


def merge(forests: Sequence[Forest], *, share: bool = True) -> Merged:
    """One forest with the derivations of all of them; they must be of one feature space.

    With `share`, equal parts become one: an edge with the tails, string, features and rule of
    another edge of its node is dropped, nodes with equal edges, span and state become one.  So a
    candidate that is in several n-best lists is there once.  (Two derivations that differ in
    structure stay two.)
    """
    if not forests:
        raise ForestError("merge: forests is empty", code="argument.missing", argument="forests")
    first = forests[0]
    for number, other in enumerate(forests[1:], start=1):
        if other.features is not first.features and other.features != first.features:
            reason = f"merge: forest {number} has other features than forest 0"
            raise ForestError(reason, code="file.mismatch", argument="features", value=number)
        if other.vocabulary is not first.vocabulary and other.vocabulary != first.vocabulary:
            reason = f"merge: forest {number} has another vocabulary than forest 0"
            raise ForestError(reason, code="file.mismatch", argument="vocabulary", value=number)
    # All inner nodes one forest after the other, then one root with the edges of all roots.
    inner = np.cumsum([0, *(f.num_nodes - 1 for f in forests)])
    root = int(inner[-1])
    heads = [
        np.where(f.head == f.root, root, f.head + shift)
        for f, shift in zip(forests, inner[:-1], strict=True)
    ]
    source = np.repeat(np.arange(len(forests)), [f.num_edges for f in forests])
    local = np.concatenate([np.arange(f.num_edges) for f in forests])
    is_list = root == 0  # all edges are of one node, and stay in order
    tail_starts = _joined_starts([f.tail_start for f in forests])
    tails = np.concatenate([f.tail + shift for f, shift in zip(forests, inner[:-1], strict=True)])
    if is_list:
        edge_start, tail_start, tail = (
            np.array([0, len(local)]),
            tail_starts,
            tails.astype(np.int32),
        )
        order, node_map = np.arange(len(local)), np.zeros(1, np.int32)
    else:
        edge_start, tail_start, tail, order, node_map = topological_sort(
            np.concatenate(heads), tail_starts, tails, nodes=root + 1, root=root
        )

    def rows(start: str, item: str) -> tuple[Any, Any]:
        starts = _joined_starts([getattr(f, start) for f in forests])
        items = np.concatenate([getattr(f, item) for f in forests])
        if is_list:
            return starts, items
        gather = _core.gather_values if items.dtype == np.float64 else _core.gather_ids
        return gather(starts, items, order)

    def nodes(name: str) -> Any:
        columns = [getattr(f, name) for f in forests]
        if any(c is None for c in columns):
            return None
        return np.concatenate([*(c[:-1] for c in columns), columns[0][-1:]])[node_map]

    feat_start, feat_id = rows("feat_start", "feat_id")
    yield_start, yield_symbol = rows("yield_start", "yield_symbol")
    dense = np.concatenate([f.dense for f in forests])
    rules = [f.rule for f in forests if f.rule is not None]
    together = first.derive(
        edge_start=edge_start,
        head=np.repeat(np.arange(root + 1, dtype=np.int32), np.diff(edge_start)),
        tail_start=tail_start,
        tail=tail,
        dense=dense if is_list else dense[order],
        feat_start=feat_start,
        feat_id=feat_id,
        feat_value=rows("feat_start", "feat_value")[1],
        yield_start=yield_start,
        yield_symbol=yield_symbol,
        rule=np.concatenate(rules)[order] if len(rules) == len(forests) else None,
        span=nodes("span"),
        state=nodes("state"),
    )
    if share:
        together, kept, _ = rearranged(
            together,
            _core.share_equal_parts(
                together.view,
                together.yield_start,
                together.yield_symbol,
                together.feature_view,
                np.empty(0, np.int64) if together.rule is None else together.rule,
                _labels(together),
            ),
        )
        order = order[kept]
    return Merged(together, local[order], source[order])


def _labels(forest: Forest) -> LongArray:
    """A number for each node: the same where span and state are the same."""
    if forest.span is None and forest.state is None:
        return np.zeros(forest.num_nodes, np.int64)
    columns = [np.zeros((forest.num_nodes, 1), dtype=np.int64)]
    columns += [] if forest.span is None else [forest.span.astype(np.int64)]
    columns += [] if forest.state is None else [forest.state[:, None]]
    _, labels = np.unique(np.hstack(columns), axis=0, return_inverse=True)
    return labels.reshape(-1).astype(np.int64)


def _joined_starts(starts: Sequence[LongArray]) -> LongArray:
    lengths = np.concatenate([np.diff(s) for s in starts])
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def intersect(forest: Forest, automaton: Automaton, *, max_edges: int = MAX_EDGES) -> Intersected:
    """Derivations whose strings the automaton accepts, one for each accepting path.

    `weight` is the log weight of the arcs each new edge passes; at the root's edges the final
    weight is with them.  So a derivation's weights sum to the path's.  Where nothing is accepted
    the result is the empty forest.
    """
    structure, weight = _core.intersect(
        forest.view,
        forest.yield_start,
        forest.yield_symbol,
        automaton.arc_start,
        automaton.symbol,
        automaton.next_state,
        automaton.weight,
        automaton.final_weight,
        automaton.initial,
        as_count("max_edges", max_edges),
    )
    return Intersected(*rearranged(forest, structure), weight)


def reweight(
    forest: Forest, dense: ArrayLike, *, names: Sequence[str] | None = None
) -> Transformed:
    """The same derivations with other features: `dense` is [E] (named "weight") or [E, D].

    Sparse features go.  So a forest can be kept with its scores alone.
    """
    block = np.asarray(dense, dtype=np.float64)
    if block.ndim == 1:
        block = block[:, None]
    space = FeatureSpace(["weight"] if names is None else names)
    check_shape("weights", block, (forest.num_edges, len(space)), error=ForestError)
    if not np.isfinite(block).all():
        edge = int(np.flatnonzero(~np.isfinite(block).all(axis=1))[0])
        reason = f"reweight: edge {edge} has {block[edge].tolist()}, expected finite numbers"
        raise ForestError(reason, code="argument.value", argument="weights", value=edge)
    made = forest.derive(
        features=space,
        dense=np.ascontiguousarray(block.copy()),
        feat_start=np.zeros(forest.num_edges + 1, dtype=np.int64),
        feat_id=np.empty(0, dtype=np.int32),
        feat_value=np.empty(0),
    )
    every = np.arange(forest.num_edges), np.arange(forest.num_nodes, dtype=np.int32)
    return Transformed(made, *every)
