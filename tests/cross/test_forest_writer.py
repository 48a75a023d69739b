"""The forest writer of native decoders: any number of tails, mixed yields, only what is reached."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosewood import _core
from rosewood.errors import ForestError
from rosewood.forest import Derivation, Forest


@st.composite
def hypergraphs(draw):
    """Nodes with an edge each and more, in any order of edges; tails may repeat."""
    nodes = draw(st.integers(1, 7))
    heads = [*range(nodes), *draw(st.lists(st.integers(0, nodes - 1), max_size=10))]
    heads = draw(st.permutations(heads))
    tails, yields = [], []
    for head in heads:
        tail = draw(st.lists(st.integers(0, head - 1), max_size=3)) if head else []
        symbols = [*range(-len(tail), 0), *draw(st.lists(st.integers(0, 5), max_size=3))]
        tails.append(tail)
        yields.append(draw(st.permutations(symbols)))
    best = [
        draw(st.sampled_from([e for e, head in enumerate(heads) if head == node]))
        for node in range(nodes)
    ]
    return nodes, heads, tails, yields, best


def reached(nodes, heads, tails):
    found, open_nodes = set(), [nodes - 1]
    while open_nodes:
        node = open_nodes.pop()
        if node not in found:
            found.add(node)
            for head, tail in zip(heads, tails, strict=True):
                open_nodes += tail if head == node else []
    return sorted(found)


def pre_order(node, tails, best):
    return [best[node], *(e for tail in tails[best[node]] for e in pre_order(tail, tails, best))]


@given(hypergraphs())
def test_packed_forests(graph):
    nodes, heads, tails, yields, best = graph
    edge_start, tail_start, tail, yield_start, symbols, label, best_edges = _core.pack_forest(
        *graph
    )
    kept = reached(nodes, heads, tails)
    number = {node: n for n, node in enumerate(kept)}
    want = [edge for node in kept for edge, head in enumerate(heads) if head == node]
    assert label.tolist() == want
    assert np.diff(edge_start).tolist() == [heads.count(node) for node in kept]
    for row, edge in enumerate(want):
        part = slice(*tail_start[row : row + 2])
        assert tail[part].tolist() == [number[node] for node in tails[edge]]
        assert symbols[slice(*yield_start[row : row + 2])].tolist() == yields[edge]
    assert [want[row] for row in best_edges] == pre_order(nodes - 1, tails, best)
    forest = Forest(edge_start, tail_start, tail, yield_start=yield_start, yield_symbol=symbols)
    assert len(Derivation(forest, best_edges, 0.0).edges) == len(best_edges)


def test_bad_hypergraphs_are_refused():
    with pytest.raises(ForestError, match="expected a smaller tail"):
        _core.pack_forest(2, [0, 1], [[], [1]], [[], [-1]], [0, 1])
    with pytest.raises(ForestError, match="one entry per edge"):
        _core.pack_forest(1, [0], [], [[]], [0])
    with pytest.raises(ForestError, match="is not a node"):
        _core.pack_forest(1, [3], [[]], [[]], [0])
    with pytest.raises(ForestError, match="leads to another node"):
        _core.pack_forest(2, [0, 1], [[], [0]], [[], [-1]], [1, 1])
