"""Best, k-best, sampling and counting against enumeration."""

from __future__ import annotations

from collections import Counter
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.expectation import Table
from tests.reference.forest import enumerate_derivations, features_of, score, words_of
from tests.refusals import refuses
from tests.strategies import finite_log_weights, log_weights, quarters, weighted_forests

from rosewood.errors import EmptyForestError, ForestError
from rosewood.forest import Forest, ForestBuilder, num_derivations

examples = settings(max_examples=100, deadline=None)
ties = st.sampled_from([0.0, 0.5, 1.0, -inf])  # few values: many equal scores


@pytest.mark.slow
@examples
@given(weighted_forests(log_weights | ties))
def test_best_is_the_first_of_the_best(case):
    forest, weight = case
    every = enumerate_derivations(forest)
    top = max(score(d, weight) for d in every)
    if top == -inf:
        with refuses(EmptyForestError, "forest.empty"):
            forest.best(weight)
        return
    best = forest.best(weight)
    assert tuple(best.edges.tolist()) in every
    assert best.score == pytest.approx(top)
    assert score(best.edges.tolist(), weight) == pytest.approx(top)
    assert best.words == words_of(forest, tuple(best.edges.tolist()))


@pytest.mark.slow
@examples
@given(weighted_forests(ties))
def test_ties_go_to_the_first_edges(case):
    forest, weight = case
    scores = [(-score(d, weight), d) for d in enumerate_derivations(forest)]
    want = min(scores)
    if want[0] < inf:
        assert tuple(forest.best(weight).edges.tolist()) == want[1]


@pytest.mark.slow
@examples
@given(weighted_forests(log_weights | quarters), st.integers(0, 50))
def test_k_best(case, k):
    forest, weight = case
    every = {d: score(d, weight) for d in enumerate_derivations(forest)}
    want = sorted((s for s in every.values() if s > -inf), reverse=True)[:k]
    found = forest.k_best(weight, k)
    assert len(found) == len(want)
    np.testing.assert_allclose(found.score, want, atol=1e-9)
    listed = [tuple(d.edges.tolist()) for d in found]
    assert len(set(listed)) == len(listed)
    for derivation, value in zip(listed, found.score, strict=True):
        assert every[derivation] == pytest.approx(value)
    assert found.words() == [words_of(forest, d) for d in listed]
    if found:
        assert listed[0] == tuple(forest.best(weight).edges.tolist())


@pytest.mark.slow
@examples
@given(weighted_forests(log_weights | quarters), st.booleans())
def test_one_after_the_other(case, distinct):
    forest, weight = case
    want = forest.k_best(weight, 1000, distinct=distinct)
    have = list(forest.iterate_best(weight, distinct=distinct))
    assert [d.score for d in have] == want.score.tolist()
    assert [d.edges.tolist() for d in have] == [d.edges.tolist() for d in want]


@pytest.mark.slow
@examples
@given(weighted_forests(log_weights | quarters), st.integers(0, 20))
def test_k_best_distinct_strings(case, k):
    forest, weight = case
    best: dict[tuple[str, ...], float] = {}
    for d in enumerate_derivations(forest):
        words = tuple(words_of(forest, d))
        if score(d, weight) > -inf:
            best[words] = max(best.get(words, -inf), score(d, weight))
    want = sorted(best.values(), reverse=True)[:k]
    found = forest.k_best(weight, k, distinct=True)
    np.testing.assert_allclose(found.score, want, atol=1e-9)
    strings = [tuple(w) for w in found.words()]
    assert len(set(strings)) == len(strings) == len(want)
    for words, value in zip(strings, found.score, strict=True):
        assert best[words] == pytest.approx(value)


@pytest.mark.slow
@examples
@given(weighted_forests(finite_log_weights))
def test_features_of_a_derivation(case):
    forest, weight = case
    for derivation in forest.k_best(weight, 5):
        have = forest.features.mapping(derivation.features())
        assert have == pytest.approx(features_of(forest, derivation.edges.tolist()))


@settings(max_examples=20, deadline=None)
@given(weighted_forests(st.floats(-2, 2) | st.just(-inf), max_derivations=12), st.integers(0, 99))
def test_samples_follow_the_distribution(case, seed):
    forest, weight = case
    if forest.inside(weight)[-1] == -inf:
        return
    table = Table(forest, weight)
    draws = 4000
    drawn = Counter(tuple(d.edges.tolist()) for d in forest.sample(weight, draws, seed=seed))
    assert set(drawn) <= set(table.derivations)
    for derivation, p in zip(table.derivations, table.probability, strict=True):
        # Six standard deviations: one false alarm in a billion.
        assert abs(drawn[derivation] / draws - p) <= 6 * np.sqrt(p * (1 - p) / draws) + 1e-9


@pytest.mark.slow
@examples
@given(weighted_forests(log_weights))
def test_count(case):
    forest, weight = case
    assert forest.num_derivations() == len(enumerate_derivations(forest))
    possible = np.array(weight) > -inf
    want = sum(score(d, weight) > -inf for d in enumerate_derivations(forest))
    assert num_derivations(forest, possible) == want


def doubling(depth: int) -> Forest:
    """Each node is the one before it, twice: 2^(2^depth) derivations."""
    b = ForestBuilder()
    node = b.node()
    b.edge(node, says=["a"])
    b.edge(node, says=["b"])
    for _ in range(depth):
        above = b.node()
        b.edge(above, [node, node])
        node = above
    return b.build(node)


def test_huge_counts_are_exact():
    assert doubling(3).num_derivations() == 2**8
    assert doubling(6).num_derivations() == 2**64
    assert doubling(12).num_derivations() == 2 ** (2**12)


def test_huge_derivations_are_refused():
    forest = doubling(60)
    weight = np.zeros(forest.num_edges)
    assert np.isfinite(forest.inside(weight)).all()
    for ask in (forest.best, lambda w: forest.k_best(w, 2), lambda w: forest.sample(w, 1)):
        with refuses(ForestError, "forest.too-large", argument="edges", value=268435456):
            ask(weight)


@pytest.mark.slow
def test_k_best_of_a_wide_and_a_deep_forest():
    wide = Forest.from_nbest([f"w{i}" for i in range(5000)])
    weight = np.arange(5000.0)
    assert wide.k_best(weight, 3).texts() == ["w4999", "w4998", "w4997"]
    b = ForestBuilder()
    node = b.node()
    b.edge(node, says=["x"])
    for _ in range(20000):
        above = b.node()
        b.edge(above, [node], [0, "x"])
        b.edge(above, [node], [0])
        node = above
    deep = b.build(node)
    weights = np.where(np.arange(deep.num_edges) % 2 == 1, -1.0, -1.25)
    found = deep.k_best(weights, 30)
    assert found.score[0] - found.score[1] == pytest.approx(0.25)
    assert len({tuple(d.edges.tolist()) for d in found}) == 30
    strings = deep.k_best(weights, 5, distinct=True)
    assert [len(w) for w in strings.words()] == [20001, 20000, 19999, 19998, 19997]


def test_arguments():
    forest = Forest.from_nbest(["a", "b"])
    with refuses(ForestError, "argument.range", argument="k", value=-1):
        forest.k_best([0, 0], -1)
    with refuses(ForestError, "argument.range", argument="draws", value=-1):
        forest.sample([0, 0], -1)
    assert len(forest.k_best([0, 0], 0)) == 0
    found = forest.k_best([0, 1], 9)
    assert [d.text for d in found[0:2]] == ["b", "a"]
    assert found[-1].text == "a"
    assert "1" in repr(found[0])
    assert "2 of" in repr(found)
    assert len(Forest.empty().k_best([], 3)) == 0
