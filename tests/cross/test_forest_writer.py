"""The forest writer of native decoders: any number of tails, mixed yields, only what is reached."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import packing
from tests.refusals import refuses

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


@pytest.mark.slow
@given(hypergraphs())
def test_packed_forests(graph):
    edge_start, tail_start, tail, yield_start, symbols, label, best_edges = _core.pack_forest(
        *graph
    )
    want = packing.pack_forest(*graph)
    assert label.tolist() == want.edge
    assert np.diff(edge_start).tolist() == want.edges_of_node
    assert [tail[a:b].tolist() for a, b in pairwise(tail_start)] == want.tails
    assert [symbols[a:b].tolist() for a, b in pairwise(yield_start)] == want.yields
    assert best_edges.tolist() == want.best
    forest = Forest(edge_start, tail_start, tail, yield_start=yield_start, yield_symbol=symbols)
    assert len(Derivation(forest, best_edges, 0.0).edges) == len(best_edges)


def test_bad_hypergraphs_are_refused():
    with refuses(ForestError, "forest.order", argument=None, value=1):
        _core.pack_forest(2, [0, 1], [[], [1]], [[], [-1]], [0, 1])
    with refuses(ForestError, "argument.shape", argument="edges"):
        _core.pack_forest(1, [0], [], [[]], [0])
    with refuses(ForestError, "argument.range", argument="head"):
        _core.pack_forest(1, [3], [[]], [[]], [0])
    with refuses(ForestError, "forest.head", argument=None, value=0):
        _core.pack_forest(2, [0, 1], [[], [0]], [[], [-1]], [1, 1])
