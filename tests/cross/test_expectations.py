"""Every expectation against enumeration; offsets, threads and zero weights have no say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.reference.expectation import Table
from tests.refusals import refuses
from tests.strategies import (
    finite_log_weights,
    log_weights,
    many,
    parametrised,
    quarters,
    weighted_forests,
    weights_for,
)

from rosewood.errors import EmptyForestError, ForestError
from rosewood.forest import SIGNED_LOG, Automaton, Distribution, FeatureSpace, Forest
from rosewood.forest import derivatives as dv
from rosewood.forest import expectations as ex
from rosewood.forest import inside as inside_of

close = {"rtol": 1e-9, "atol": 1e-9}
examples = settings(max_examples=60, deadline=None)


@st.composite
def with_local(draw, columns: int | None = None, elements=log_weights):
    forest, weight = draw(weighted_forests(elements))
    assume(forest.inside(weight)[-1] > -np.inf)
    count = forest.num_edges * (columns or 1)
    local = np.array(draw(many(quarters, count)))
    return forest, np.array(weight), local if columns is None else local.reshape(-1, columns)


@pytest.mark.slow
@examples
@given(with_local(columns=2))
def test_first_order(case):
    forest, weight, local = case
    table = Table(forest, weight)
    np.testing.assert_allclose(ex.log_partition(forest, weight), table.log_z, **close)
    np.testing.assert_allclose(ex.edge_posteriors(forest, weight), table.edge_counts(), **close)
    np.testing.assert_allclose(
        ex.expectation(forest, weight, local), table.mean(table.sums(local)), **close
    )
    np.testing.assert_allclose(
        ex.bayes_risk(forest, weight, local[:, 0]), table.mean(table.sums(local[:, 0])), **close
    )
    np.testing.assert_allclose(
        ex.feature_expectations(forest, weight), table.mean(table.features()), **close
    )
    np.testing.assert_allclose(
        ex.expected_length(forest, weight), table.mean([len(w) for w in table.words()]), **close
    )
    np.testing.assert_allclose(ex.entropy(forest, weight), table.entropy(), **close)


@pytest.mark.slow
@examples
@given(with_local(columns=3), st.data())
def test_second_order(case, data):
    forest, weight, local = case
    table = Table(forest, weight)
    np.testing.assert_allclose(
        ex.covariance(forest, weight, local), table.covariance(local, local), **close
    )
    one = local[:, 0].copy()
    np.testing.assert_allclose(
        ex.covariance(forest, weight, one, local), table.covariance(one, local), **close
    )
    np.testing.assert_allclose(
        ex.covariance(forest, weight, local, one), table.covariance(local, one), **close
    )
    two = local[:, :2].copy()
    np.testing.assert_allclose(
        ex.covariance(forest, weight, two, local), table.covariance(two, local), **close
    )
    np.testing.assert_allclose(
        ex.covariance(forest, weight, local, two), table.covariance(local, two), **close
    )
    np.testing.assert_allclose(
        ex.variance(forest, weight, local), np.diag(table.covariance(local, local)), **close
    )
    np.testing.assert_allclose(
        ex.variance(forest, weight, one), table.covariance(one, one), **close
    )


@pytest.mark.slow
@examples
@given(weighted_forests(log_weights), st.data())
def test_cross_entropy_and_divergence(case, data):
    forest, weight = case
    other = np.array(data.draw(weights_for(forest, log_weights)))
    assume(forest.inside(weight)[-1] > -np.inf and forest.inside(other)[-1] > -np.inf)
    p, q = Table(forest, weight), Table(forest, other)
    want = p.cross_entropy(q)
    np.testing.assert_allclose(ex.cross_entropy(forest, weight, other), want, **close)
    np.testing.assert_allclose(
        ex.kl_divergence(forest, weight, other), want - p.entropy(), rtol=1e-8, atol=1e-8
    )
    assert ex.kl_divergence(forest, weight, weight) == 0.0


@examples
@given(
    weighted_forests(finite_log_weights, max_derivations=15),
    st.integers(1, 4),
    st.sampled_from([(None, None), ("<s>", "</s>"), ("a", "b"), (None, "</s>")]),
)
def test_expected_ngram_counts(case, n, around):
    forest, weight = case
    begin, end = around
    want = Table(forest, weight).ngram_counts(n, begin, end)
    have = ex.expected_ngram_counts(forest, weight, n, begin=begin, end=end)
    assert set(have) == set(want)
    for gram, count in want.items():
        np.testing.assert_allclose(have[gram], count, **close)


@pytest.mark.slow
@examples
@given(weighted_forests(finite_log_weights), st.data())
def test_cross_entropy_to_automaton(case, data):
    forest, weight = case
    # A complete deterministic automaton over the three words and any other.
    states = data.draw(st.integers(1, 3))
    pick = st.integers(0, states - 1)
    arcs = [
        (state, symbol, data.draw(pick), data.draw(quarters))
        for state in range(states)
        for symbol in data.draw(st.sets(st.integers(-1, 2), min_size=1))
    ]
    final = {s: data.draw(quarters) for s in range(states) if data.draw(st.booleans())}
    automaton = Automaton(arcs, final, states=states)
    assert automaton.is_deterministic
    from tests.reference.transform import accepting_weights

    table = Table(forest, weight)
    want = 0.0
    for p, words in zip(table.probability, table.words(), strict=True):
        paths = accepting_weights(automaton, [forest.vocabulary.get(w) for w in words])
        want = np.inf if not paths else want - p * paths[0]
    np.testing.assert_allclose(
        ex.cross_entropy_to_automaton(forest, weight, automaton), want, **close
    )
    np.testing.assert_allclose(
        ex.kl_divergence_to_automaton(forest, weight, automaton), want - table.entropy(), **close
    )


def test_zero_weight_edges_have_no_say():
    forest = Forest([0, 3], [0, 0, 0, 0], [])
    weight = [0.0, -np.inf, 0.0]
    assert ex.entropy(forest, weight) == pytest.approx(np.log(2))
    assert ex.expectation(forest, weight, [1.0, np.inf, 3.0]) == pytest.approx(2.0)
    assert ex.risk_gradient(forest, weight, [1.0, np.nan, 3.0]).value == pytest.approx(2.0)


def test_what_cannot_be_asked():
    forest = Forest([0, 2], [0, 0, 0], [])
    with refuses(EmptyForestError, "forest.empty"):
        Distribution(Forest.empty(), [])
    with refuses(EmptyForestError, "forest.empty"):
        ex.entropy(forest, [-np.inf, -np.inf])
    with refuses(ForestError, "forest.weight", argument=None, value=1):
        ex.entropy(forest, [0.0, np.nan])
    with refuses(ForestError, "forest.weight", argument=None, value=0):
        ex.entropy(forest, [np.inf, 0.0])
    with refuses(ForestError, "argument.shape", argument="weight", value=(3,)):
        ex.entropy(forest, [0.0, 0.0, 0.0])
    with refuses(ForestError, "forest.weight", argument="local", value=1):
        ex.risk_gradient(forest, [0.0, 0.0], [0.0, np.inf])
    with refuses(ForestError, "forest.overflow", value=1):
        ex.expectation(forest, [0.0, 0.0], [0.0, np.nan])
    with refuses(ForestError, "argument.range", argument="scale", value=0):
        ex.entropy_gradient(forest, [0.0, 0.0], scale=0)
    two_paths = Automaton([(0, 0, 0, 0.0), (0, 0, 0, -1.0)], {0: 0.0}, states=1)
    with refuses(ForestError, "argument.value", argument="automaton"):
        ex.cross_entropy_to_automaton(forest, [0.0, 0.0], two_paths)
    with refuses(ForestError, "argument.range", argument="features"):
        dv.log_partition_hessian(forest, [0.0, 0.0], features=[0])


@examples
@given(parametrised(), st.data())
def test_threads_do_not_matter(case, data):
    forest, theta, scale = case
    loss = np.array(data.draw(weights_for(forest, quarters)))
    assert np.array_equal(forest.score(theta), forest.score(theta, threads=2))
    weight = scale * forest.score(theta)
    one = ex.risk_gradient(forest, weight, loss, threads=1)
    two = ex.risk_gradient(forest, weight, loss, threads=2)
    assert np.array_equal(one.theta, two.theta)
    draws = forest.sample(weight, 50, seed=3), forest.sample(weight, 50, seed=3, threads=2)
    assert np.array_equal(draws[0].edge, draws[1].edge)


@pytest.mark.slow
def test_threads_do_not_matter_where_they_are_used():
    """Large enough that every kernel with threads splits its work."""
    rng = np.random.default_rng(5)
    edges, half, features, each = 30_000, 15_000, 300_000, 5
    ids = np.sort(rng.integers(0, features // each, (edges, each)), axis=1)
    ids += np.arange(0, features, features // each)
    forest = Forest(
        [0, half, edges], np.maximum(np.arange(edges + 1) - half, 0), np.zeros(half, int),
        features=FeatureSpace(["x"], map(str, range(features))), dense=rng.normal(size=(edges, 1)),
        feat_start=np.arange(0, edges * each + 1, each), feat_id=ids.ravel(),
        feat_value=rng.normal(size=edges * each),
    )  # fmt: skip
    theta, loss = rng.normal(size=features + 1), rng.normal(size=edges)
    weight = forest.score(theta)
    want = ex.risk_gradient(forest, weight, loss)
    by_hand = forest.dense[:, 0] * theta[0] + (
        forest.feat_value.reshape(edges, each) * theta[1:][ids]
    ).sum(axis=1)
    np.testing.assert_allclose(weight, by_hand, rtol=1e-9, atol=1e-9)
    for threads in (2, 3, 8):
        assert np.array_equal(weight, forest.score(theta, threads=threads))
        have = ex.risk_gradient(forest, weight, loss, threads=threads)
        assert np.array_equal(have.theta, want.theta)
        drawn = forest.sample(weight, 500, seed=1, threads=threads)
        assert np.array_equal(drawn.edge, forest.sample(weight, 500, seed=1).edge)


@pytest.mark.parametrize("offset", [0.0, 5000.0, -5000.0, 1e6, -1e6])
def test_common_offsets_have_no_say(offset):
    """Weights and values may be large: what counts are their differences."""
    forest = Forest.from_nbest(["a", "b", "c"], [[1.0], [0.0], [4.0]], features=FeatureSpace(["x"]))
    weight, loss = np.array([1.0, 0.0, -0.5]), np.array([0.0, 2.0, 1.0])
    exact = {"rtol": 1e-12 if abs(offset) < 1e5 else 1e-9}
    for function in (
        lambda w: ex.risk_gradient(forest, w, loss),
        lambda w: ex.entropy_gradient(forest, w),
    ):
        have, want = function(weight + offset), function(weight)
        np.testing.assert_allclose(have.theta, want.theta, **exact)
        np.testing.assert_allclose(have.scale, want.scale, **exact)
        np.testing.assert_allclose(have.value, want.value, **exact)
    np.testing.assert_allclose(
        ex.variance(forest, weight, loss + offset), ex.variance(forest, weight, loss), **exact
    )
    np.testing.assert_allclose(
        ex.covariance(forest, weight, loss + offset, weight + offset),
        ex.covariance(forest, weight, loss, weight), **exact,
    )  # fmt: skip
    np.testing.assert_allclose(
        ex.edge_posteriors(forest, weight + offset), ex.edge_posteriors(forest, weight), **exact
    )


def test_outside_of_a_leaf_does_not_depend_on_the_leaf():
    """Both ways: with and without an edge that cannot be used."""
    for extra in ([], [-np.inf]):
        forest = Forest([0, 1, 2 + len(extra)], [0, 0, 1, *[1] * len(extra)], [0])
        outside = forest.inside_outside([1e9, 0.1, *extra])[1]
        assert outside[0] == pytest.approx(0.1, abs=1e-12)


def test_outside_counts_slots_the_long_way_too():
    forest = Forest([0, 1, 2, 3, 6], [0, 0, 0, 0, 2, 3, 4], [0, 0, 1, 2], allow_unreachable=True)
    outside = forest.inside_outside([0.3, 0.0, 0.0, 0.0, -np.inf, 0.0])[1]
    assert outside[0] == pytest.approx(np.log(2) + 0.3)


def test_edges_of_thousands_of_tails():
    """Mantissas are brought back into range between factors."""
    arity = 5000
    forest = Forest([0, 1, 2], [0, 0, arity], np.zeros(arity, int))
    for weight in (0.7, -0.7, 300.0, -300.0):
        inside, outside = forest.inside_outside([weight, 1.0])
        assert inside[-1] == pytest.approx(arity * weight + 1, rel=1e-12)
        want = np.log(arity) + (arity - 1) * weight + 1
        assert outside[0] == pytest.approx(want, rel=1e-12)
        posterior = ex.edge_posteriors(forest, [weight, 1.0])
        np.testing.assert_allclose(posterior, [arity, 1.0], rtol=1e-12)
        pair = np.array([[1.0, weight], [1.0, 1.0]])
        total = inside_of(forest, pair, SIGNED_LOG)[-1]
        np.testing.assert_allclose(total, [1.0, arity * weight + 1], rtol=1e-12)


def test_divergence_where_probabilities_underflow():
    forest = Forest.from_nbest(["a", "b"])
    assert ex.kl_divergence(forest, [0.0, 0.0], [0.0, -800.0]) == pytest.approx(400 - np.log(2))
    for function in (ex.kl_divergence, ex.cross_entropy):
        assert function(forest, [0.0, -800.0], [0.0, -np.inf]) == np.inf
        assert np.isfinite(function(forest, [0.0, -np.inf], [0.0, -np.inf]))


@pytest.mark.parametrize("weight", [-200.0, -300.0, -365.0, -370.0, -372.0, -400.0, -800.0])
def test_outside_of_nodes_that_are_hardly_used(weight):
    """Expected uses lose their digits before they underflow: the short way must not be taken."""
    # Two choices in a row, each of exp(weight): node 1 is used exp(2 weight) times.
    forest = Forest([0, 1, 2, 4, 5, 7], [0, 0, 0, 1, 2, 2, 3, 4], [0, 1, 3, 2])
    outside = forest.inside_outside([0.0, 0.0, 0.0, weight, 0.0, 0.0, weight])[1]
    want = [weight, 2 * weight, weight, 0.0, 0.0]
    np.testing.assert_allclose(outside, want, rtol=1e-14, atol=1e-14)
