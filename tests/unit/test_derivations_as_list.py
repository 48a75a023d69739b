"""Derivations as an n-best list: a forest whose edges are whole derivations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import zoo
from tests.reference.forest import words_of
from tests.reference.search import feature_sums
from tests.strategies import finite_log_weights, weighted_forests

from rosewood.forest import FeatureSpace, ForestBuilder
from rosewood.forest.search import Derivations

examples = settings(max_examples=100, deadline=None)


def assert_sums(found: Derivations) -> None:
    """Edge i has the words and the features of derivation i, added up edge by edge."""
    forest, flat = found.forest, found.as_list()
    assert flat.num_edges == len(found)
    assert flat.num_nodes == 1
    assert flat.features is forest.features
    assert flat.vocabulary is forest.vocabulary
    assert len(flat.tail) == 0
    wanted = feature_sums(forest, [each.edges.tolist() for each in found])
    for place, (derivation, (dense, sparse)) in enumerate(zip(found, wanted, strict=True)):
        assert flat.dense[place].tolist() == dense
        begin, end = flat.feat_start[place : place + 2]
        ids = flat.feat_id[begin:end].tolist()
        assert ids == sorted(set(ids))
        kept = dict(zip(ids, flat.feat_value[begin:end].tolist(), strict=True))
        assert kept == sparse
        begin, end = flat.yield_start[place : place + 2]
        words = [flat.word(symbol) for symbol in flat.yield_symbol[begin:end].tolist()]
        assert words == words_of(forest, tuple(derivation.edges.tolist()))


@pytest.mark.slow
@examples
@given(weighted_forests(finite_log_weights), st.integers(1, 12), st.booleans())
def test_against_plain_sums(case, k, distinct):
    forest, weight = case
    assert_sums(forest.k_best(weight, k, distinct=distinct))


@pytest.mark.slow
@examples
@given(weighted_forests(finite_log_weights), st.integers(0, 12), st.integers(0, 99))
def test_derivations_that_were_drawn(case, count, seed):
    """The same one may come several times: each time it is an edge."""
    forest, weight = case
    assert_sums(forest.sample(weight, count, seed=seed))


@pytest.mark.slow
@examples
@given(weighted_forests(finite_log_weights), st.lists(finite_log_weights, min_size=6, max_size=6))
def test_scores_stay(case, values):
    """What weights of features say of a derivation, they say of its edge."""
    forest, weight = case
    theta = np.zeros(len(forest.features.names))
    theta[: len(values)] = values[: len(theta)]
    found = forest.k_best(weight, 20)
    scores = forest.score(theta)
    wanted = [scores[each.edges].sum() for each in found]
    np.testing.assert_allclose(found.as_list().score(theta), wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "name", ["one_word", "silent", "repeated_tail", "thrice", "unary_chain", "n_best", "lattice",
             "unreachable", "high_arity"],
)  # fmt: skip
def test_the_zoo(name):
    forest = getattr(zoo, name)().forest
    assert_sums(forest.k_best(np.zeros(forest.num_edges), 50))


def test_a_node_that_is_used_twice():
    builder = ForestBuilder(FeatureSpace(["lm"]))
    leaf, root = builder.node(), builder.node()
    builder.edge(leaf, says=["a"], features={"lm": 1.5, "rule:1": 2.0})
    builder.edge(root, [leaf, leaf], [0, "and", 1], features={"lm": 0.25, "rule:2": 1.0})
    forest = builder.build(root)
    flat = forest.k_best(np.zeros(forest.num_edges), 5).as_list()
    values = flat.combine_features(np.ones(1))
    named = dict(zip(forest.features.names, values.tolist(), strict=True))
    assert named == {"lm": 3.25, "rule:1": 4.0, "rule:2": 1.0}
    assert flat.best(np.zeros(1)).words == ["a", "and", "a"]


def test_an_empty_list():
    forest = zoo.n_best().forest
    none = forest.k_best(np.full(forest.num_edges, -np.inf), 5)
    assert len(none) == 0
    flat = none.as_list()
    assert (flat.num_edges, flat.num_nodes) == (0, 1)
    assert flat.is_empty
    assert flat.dense.shape == (0, forest.dense.shape[1])


def test_a_list_of_a_list_is_the_same():
    forest = zoo.lattice().forest
    once = forest.k_best(np.zeros(forest.num_edges), 50).as_list()
    twice = once.k_best(np.zeros(once.num_edges), 50).as_list()
    np.testing.assert_array_equal(once.dense, twice.dense)
    np.testing.assert_array_equal(once.feat_value, twice.feat_value)
    np.testing.assert_array_equal(once.yield_symbol, twice.yield_symbol)
