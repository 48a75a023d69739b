"""Cycles of unary edges: against an exact linear solve, power series, and languages."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.semirings import Languages, Matrices
from tests.refusals import refuses
from tests.strategies import rationals

from rosewood.errors import CycleError, ForestError, SemiringError
from rosewood.forest.cycles import inside_cyclic, unroll
from rosewood.forest.generic import exclusive, inside
from rosewood.forest.modules import Expectation, SecondOrderExpectation
from rosewood.forest.semirings import (
    BOOLEAN,
    COUNTING,
    LOG,
    RATIONAL,
    REAL,
    SIGNED_LOG,
    TROPICAL,
    VITERBI,
)

EXAMPLES = settings(max_examples=60, deadline=None)
small = st.integers(0, 3).map(lambda n: Fraction(n, 24))


@st.composite
def cyclic(draw, elements=small):
    """(nodes, head, tails, weights): layers with any unary edges within, any edges from below."""
    layers, nodes = [], 0
    for _ in range(draw(st.integers(1, 3))):
        size = draw(st.integers(1, 3))
        layers.append(range(nodes, nodes + size))
        nodes += size
    edges = []
    for layer in layers:
        anyone = st.sampled_from(layer)
        for _ in range(draw(st.integers(0, 5))):
            edges.append((draw(anyone), [draw(anyone)]))
        below = st.lists(st.sampled_from(range(layer[0])), max_size=3) if layer[0] else st.just([])
        for _ in range(draw(st.integers(1, 3))):
            edges.append((draw(anyone), draw(below)))
    number = draw(st.permutations(range(nodes)))
    edges = draw(st.permutations(edges))
    weights = [draw(elements) for _ in edges]
    return (
        nodes,
        [number[head] for head, _ in edges],
        [[number[t] for t in tails] for _, tails in edges],
        weights,
    )


def iterate(nodes, head, tails, weights, semiring, rounds):
    """Values by going round: all derivations of at most `rounds` storeys."""
    values = [semiring.zero] * nodes
    for _ in range(rounds):
        new = [semiring.zero] * nodes
        for h, names, weight in zip(head, tails, weights, strict=True):
            product = weight
            for t in names:
                product = semiring.times(product, values[t])
            new[h] = semiring.plus(new[h], product)
        values = new
    return values


def holds(nodes, head, tails, weights, semiring, values):
    """Whether the values solve the equations they are defined by."""
    again = [semiring.zero] * nodes
    for h, names, weight in zip(head, tails, weights, strict=True):
        product = weight
        for t in names:
            product = semiring.times(product, values[t])
        again[h] = semiring.plus(again[h], product)
    return again == values


def solve(matrix, right):
    """x with matrix x = right, by elimination in fractions."""
    size = len(right)
    rows = [[*row, b] for row, b in zip(matrix, right, strict=True)]
    for k in range(size):
        pivot = next(i for i in range(k, size) if rows[i][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(size):
            if i != k:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


@given(cyclic())
@EXAMPLES
def test_against_a_power_series(graph):
    """Every row of a layer's matrix adds up to at most 5/8: 160 rounds leave nothing over."""
    values = inside_cyclic(*graph, RATIONAL)
    assert holds(*graph, RATIONAL, values)
    numbers = [float(w) for w in graph[3]]
    series = iterate(*graph[:3], numbers, REAL, 160)
    assert [float(x) for x in values] == pytest.approx(series, rel=1e-9, abs=1e-30)
    assert inside_cyclic(*graph[:3], numbers, REAL) == pytest.approx(series, rel=1e-9, abs=1e-30)
    logs = [math.log(w) if w else -math.inf for w in numbers]
    assert np.exp(inside_cyclic(*graph[:3], logs, LOG)).tolist() == pytest.approx(series, rel=1e-9)
    signed = inside_cyclic(*graph[:3], [SIGNED_LOG.from_float(w) for w in numbers], SIGNED_LOG)
    assert [SIGNED_LOG.to_float(x) for x in signed] == pytest.approx(series, rel=1e-9)


@given(st.integers(1, 5), st.data())
@EXAMPLES
def test_against_an_exact_linear_solve(size, data):
    """One component of signed weights: values = (1 - A)^-1 base."""
    signed = st.integers(-3, 3).map(lambda n: Fraction(n, 20))
    matrix = [[data.draw(signed) for _ in range(size)] for _ in range(size)]
    base = [data.draw(rationals) for _ in range(size)]
    head = [i for i in range(size) for _ in range(size + 1)]
    tails = [names for _ in range(size) for names in ([], *([j] for j in range(size)))]
    weights = [w for i in range(size) for w in (base[i], *matrix[i])]
    system = [[(i == j) - matrix[i][j] for j in range(size)] for i in range(size)]
    assert inside_cyclic(size, head, tails, weights, RATIONAL) == solve(system, base)


@pytest.mark.slow
@given(cyclic(st.frozensets(st.text("ab", max_size=2), max_size=2)))
@EXAMPLES
def test_order_is_kept(graph):
    """Languages of words up to five letters: products do not commute, and rounds reach an end."""
    semiring = Languages(5)
    values = inside_cyclic(*graph, semiring)
    assert values == iterate(*graph, semiring, 40)
    root = 0
    made = unroll(*graph, semiring, root)
    assert inside(made.forest, made.weights, semiring)[-1] == values[root]


@pytest.mark.parametrize("size", [2, 3])
def test_every_path_reads_its_own_letters(size):
    """An edge between any two nodes of a component, each with a letter of its own."""
    semiring = Languages(5)
    head = [i for i in range(size) for _ in range(size + 1)]
    tails = [names for _ in range(size) for names in ([], *([j] for j in range(size)))]
    weights = [frozenset([chr(ord("a") + e)]) for e in range(len(head))]
    graph = (size, head, tails, weights)
    values = inside_cyclic(*graph, semiring)
    assert values == iterate(*graph, semiring, 6)
    for root in range(size):
        made = unroll(*graph, semiring, root)
        assert inside(made.forest, made.weights, semiring)[-1] == values[root]


@given(cyclic(st.tuples(small, rationals)))
@EXAMPLES
def test_expectations(graph):
    """The gradient of the sum, through the star of the expectation semiring."""
    semiring = Expectation(RATIONAL)
    values = inside_cyclic(*graph, semiring)
    assert holds(*graph, semiring, values)
    assert [p for p, _ in values] == inside_cyclic(*graph[:3], [p for p, _ in graph[3]], RATIONAL)


@given(cyclic(st.tuples(small, rationals, rationals, rationals)))
@settings(max_examples=25, deadline=None)
def test_second_order(graph):
    semiring = SecondOrderExpectation(RATIONAL)
    assert holds(*graph, semiring, inside_cyclic(*graph, semiring))


@given(cyclic(st.integers(-8, 0).map(float)))
@EXAMPLES
def test_best_without_going_round(graph):
    values = inside_cyclic(*graph, TROPICAL)
    assert values == iterate(*graph, TROPICAL, 40)
    for value, (score, edges) in zip(
        values, inside_cyclic(*graph[:3], VITERBI.weights(graph[3]), VITERBI), strict=True
    ):
        assert score == value
        assert value == -math.inf or sum(graph[3][e] for e in edges) == value


# -- unrolling ------------------------------------------------------------------------------------


@given(cyclic(), st.data())
@EXAMPLES
def test_unrolled(graph, data):
    nodes, head, tails, weights = graph
    root = data.draw(st.integers(0, nodes - 1))
    values = inside_cyclic(*graph, RATIONAL)
    made = unroll(*graph, RATIONAL, root)
    forest, found = made.forest, inside(made.forest, made.weights, RATIONAL)
    assert made.node_map[-1] == root
    assert len(made.weights) == len(made.edge_map) == forest.num_edges
    for node, old in enumerate(made.node_map.tolist()):
        if old >= 0:
            assert found[node] == values[old]
    old_edges = [e for e in made.edge_map.tolist() if e >= 0]
    assert len(old_edges) == len(set(old_edges))
    for edge, old in enumerate(made.edge_map.tolist()):
        new_tails = made.node_map[forest.tails(edge)].tolist()
        if old >= 0:
            assert made.weights[edge] == weights[old]
            assert new_tails == tails[old]
            assert made.node_map[forest.head[edge]] in (-1, head[old])
        else:
            assert new_tails == [-1]


@given(cyclic(), st.data())
@EXAMPLES
def test_other_quantities_work_on_what_is_unrolled(graph, data):
    """The derivative of the total by a kept edge, against <p, 1> on that edge of the graph."""
    nodes, head, tails, weights = graph
    root = data.draw(st.integers(0, nodes - 1))
    made = unroll(*graph, RATIONAL, root)
    slopes = exclusive(made.forest, made.weights, RATIONAL)
    for edge, old in enumerate(made.edge_map.tolist()):
        if old >= 0:
            marked = [(w, Fraction(e == old)) for e, w in enumerate(weights)]
            values = inside_cyclic(nodes, head, tails, marked, Expectation(RATIONAL))
            assert slopes[edge] == values[root][1]


def test_a_loop():
    """a <- a with 1/2 and a <- with 1: 1 + 1/2 + 1/4 + … = 2."""
    graph = (1, [0, 0], [[], [0]], [Fraction(1), Fraction(1, 2)])
    assert inside_cyclic(*graph, RATIONAL) == [2]
    made = unroll(*graph, RATIONAL, 0)
    assert made.forest.num_nodes == 2
    assert made.edge_map.tolist() == [0, -1]
    assert made.node_map.tolist() == [-1, 0]
    assert made.weights == [1, 2]


def test_a_node_that_is_used_twice_above_a_cycle():
    """r <- a a, a on a loop: the square of its sum."""
    graph = (2, [1, 0, 0], [[0, 0], [], [0]], [Fraction(3), Fraction(1), Fraction(1, 2)])
    assert inside_cyclic(*graph, RATIONAL) == [2, 12]
    made = unroll(*graph, RATIONAL, 1)
    assert inside(made.forest, made.weights, RATIONAL)[-1] == 12


def test_without_cycles_nothing_changes():
    graph = (3, [2, 1, 0, 2], [[1, 0], [0], [], [0]], [2, 3, 5, 7])
    assert inside_cyclic(*graph, COUNTING) == [5, 15, 185]
    made = unroll(*graph, COUNTING, 2)
    assert made.edge_map.tolist() == [2, 1, 0, 3]
    assert made.node_map.tolist() == [0, 1, 2]
    assert made.weights == [5, 3, 2, 7]


def test_cycles_that_no_derivation_uses_do_no_harm():
    """a <- b, b <- a, each of weight 1 and neither ever grounded; c <- a c2 likewise."""
    graph = (4, [0, 1, 2, 3, 2], [[1], [0], [0, 2], [], [3]], [1.0, 1.0, 1.0, 0.25, 2.0])
    assert inside_cyclic(*graph, REAL) == [0.0, 0.0, 0.5, 0.25]
    made = unroll(*graph, REAL, 2)
    assert inside(made.forest, made.weights, REAL) == [0.25, 0.5]
    empty = unroll(*graph, REAL, 0)
    assert empty.forest.num_edges == 0
    assert inside(empty.forest, [], REAL) == [0.0]


def test_only_what_the_root_uses_is_kept():
    graph = (3, [0, 1, 2, 1], [[], [0], [1], [2]], [1.0, 0.5, 0.5, 0.5])
    assert unroll(*graph, REAL, 0).node_map.tolist() == [0]


@pytest.mark.slow
def test_a_long_chain_and_a_wide_ring():
    """Nothing recurses: a chain of 100,000 nodes into a ring of 60."""
    chain, ring = 100_000, 60
    nodes = chain + ring
    head = [*range(nodes), chain]
    tails = [[], *([v - 1] for v in range(1, nodes)), [nodes - 1]]
    weights = [1.0] * nodes + [0.5]
    values = inside_cyclic(nodes, head, tails, weights, REAL)
    assert values[:chain] == [1.0] * chain
    assert values[chain:] == pytest.approx([2.0] * ring)
    made = unroll(nodes, head, tails, weights, REAL, nodes - 1)
    assert inside(made.forest, made.weights, REAL)[-1] == pytest.approx(2.0)


# -- refusals -------------------------------------------------------------------------------------


def test_a_cycle_through_a_branching_edge_is_refused():
    graph = (3, [0, 1, 2, 1], [[], [0, 2], [1], []], [1, 1, 1, 1])
    with refuses(CycleError, "forest.cycle", value=1):
        inside_cyclic(*graph, COUNTING)
    with refuses(CycleError, "forest.cycle", value=1):
        unroll(*graph, COUNTING, 2)
    with refuses(CycleError, "forest.cycle", value=0):
        inside_cyclic(1, [0, 0], [[0, 0], []], [1.0, 1.0], REAL)


@pytest.mark.parametrize(
    ("semiring", "weight"),
    [
        (REAL, 1.0),
        (LOG, 0.5),
        (COUNTING, 1),
        (TROPICAL, 0.5),
        (Expectation(REAL), (2.0, 1.0)),
    ],
)
def test_a_cycle_that_cannot_be_summed_is_refused(semiring, weight):
    graph = (2, [0, 1, 0], [[], [0], [1]], [semiring.one, semiring.one, weight])
    for call in (
        lambda: inside_cyclic(*graph, semiring),
        lambda: unroll(*graph, semiring, 1),
    ):
        with refuses(CycleError, "semiring.star", argument="node"):
            call()


def test_a_semiring_without_star_is_refused_on_a_cycle_only():
    one = Matrices.one
    with refuses(SemiringError, "semiring.star", argument="semiring", value=0):
        inside_cyclic(1, [0, 0], [[], [0]], [one, one], Matrices())
    assert inside_cyclic(2, [0, 1], [[], [0]], [one, one], Matrices()) == [one, one]


def test_cycles_in_the_boolean_semiring_always_close():
    graph = (2, [0, 1, 0], [[], [0], [1]], [True, True, True])
    assert inside_cyclic(*graph, BOOLEAN) == [True, True]


def test_bad_input_is_refused():
    with refuses(ForestError, "argument.shape", argument="tails", value=1):
        inside_cyclic(1, [0, 0], [[]], [1, 1], COUNTING)
    with refuses(ForestError, "argument.range", argument="node", value=1):
        inside_cyclic(1, [0], [[1]], [1], COUNTING)
    with refuses(ForestError, "argument.range", argument="node", value=-1):
        inside_cyclic(1, [-1], [[]], [1], COUNTING)
    with refuses(ForestError, "argument.range", argument="node", value=3):
        unroll(1, [0], [[]], [1], COUNTING, 3)
