"""Probabilities that things occur in forests whose nodes cover spans, against the plain loop."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from tests.reference.consensus import occurrence_probabilities
from tests.refusals import refuses

from rosewood import _core
from rosewood.errors import ForestError
from rosewood.forest import Distribution, Forest, ForestBuilder

THINGS = 40


def chart(random: Random, words: int) -> Forest:
    """Nodes of several kinds over each span: leaves, pairs, unary edges; glue from the left."""
    builder = ForestBuilder()
    cells: dict[tuple[int, int], list[int]] = {}
    for size in range(1, words + 1):
        for begin in range(words - size + 1):
            end = begin + size
            made = cells[begin, end] = []
            for _ in range(random.randint(1, 3) if size < 4 else 0):
                node = builder.node((begin, end))
                for _ in range(random.randint(1, 3)):
                    tails = _tails(random, cells, begin, end, made)
                    builder.edge(node, tails, [*range(len(tails)), random.choice("xyz")])
                made.append(node)
    start = builder.node((0, 0))
    builder.edge(start)
    glue = {0: [start]}
    for end in range(1, words + 1):
        node = builder.node((0, end))
        glue[end] = [node]
        for begin in range(end):
            for part in cells[begin, end]:
                builder.edge(node, [glue[begin][0], part])
    root = builder.node((0, words))
    builder.edge(root, glue[words])
    return builder.build(root)


def _tails(random, cells, begin, end, made) -> list[int]:
    if made and random.random() < 0.2:
        return [random.choice(made)]
    middle = random.randint(begin, end)
    pairs = [cells.get((begin, middle)), cells.get((middle, end))]
    if all(pairs) and random.random() < 0.8:
        return [random.choice(each) for each in pairs]
    return []


def marks_of(random: Random, forest: Forest) -> list[list[int]]:
    """Some things are at many edges, most at a few that are close to each other."""
    rows: list[list[int]] = [[] for _ in range(forest.num_edges)]
    for thing in range(THINGS):
        middle = random.randrange(forest.num_edges)
        near = range(max(0, middle - 9), min(forest.num_edges, middle + 9))
        places = range(forest.num_edges) if thing % 9 == 0 else near
        for edge in random.choices(places, k=random.randint(1, 6)):
            rows[edge].append(thing)
    return rows


def found(forest: Forest, q, rows, span) -> np.ndarray:
    out = np.empty(THINGS)
    start = np.cumsum([0, *map(len, rows)])
    mark = np.array([thing for row in rows for thing in row], np.int64)
    _core.occurrence_probabilities(forest.view, q, start, mark, out, span)
    return out


@pytest.mark.parametrize("seed", range(12))
def test_spans_make_no_difference(seed):
    random = Random(seed)
    forest = chart(random, words=4 + seed)
    weight = np.random.default_rng(seed).normal(size=forest.num_edges)
    q = Distribution(forest, weight).conditional
    rows = marks_of(random, forest)
    want = occurrence_probabilities(forest, q, [set(row) for row in rows], THINGS)
    assert found(forest, q, rows, None) == pytest.approx(want, abs=1e-12)
    assert found(forest, q, rows, forest.span) == pytest.approx(want, abs=1e-12)
    others = np.random.default_rng(seed).permutation(forest.span)  # which are not nested
    assert found(forest, q, rows, others) == pytest.approx(want, abs=1e-12)


def test_a_node_in_two_gaps():
    builder = ForestBuilder()
    leaf, root = builder.node((0, 1)), builder.node((0, 1))
    builder.edge(leaf, says=["a"])
    builder.edge(leaf, says=["b"])
    builder.edge(root, [leaf, leaf])
    forest = builder.build(root)
    q = Distribution(forest, np.zeros(3)).conditional
    rows = [[0], [1], []]
    assert found(forest, q, rows, forest.span)[:2] == pytest.approx([0.75, 0.75])


def test_spans_of_all_nodes_are_needed():
    forest = chart(Random(1), 3)
    q = Distribution(forest, np.zeros(forest.num_edges)).conditional
    with refuses(ForestError, "argument.shape", argument="span"):
        found(forest, q, [[] for _ in range(forest.num_edges)], forest.span[1:])
