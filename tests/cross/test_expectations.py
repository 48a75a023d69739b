"""Every quantity against enumeration, every gradient against finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.reference.expectation import Table
from tests.refusals import refuses
from tests.strategies import (
    finite_log_weights,
    forests,
    log_weights,
    quarters,
    thetas,
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
def parametrised(draw):
    forest = draw(forests())
    return forest, draw(thetas(forest)), draw(st.sampled_from([1.0, 0.5, 2.0]))


@st.composite
def with_local(draw, columns: int | None = None, elements=log_weights):
    forest, weight = draw(weighted_forests(elements))
    assume(forest.inside(weight)[-1] > -np.inf)
    count = forest.num_edges * (columns or 1)
    local = np.array(draw(st.lists(quarters, min_size=count, max_size=count)))
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


def numerical(function, theta, step=1e-5):
    """Central differences."""
    gradient = np.empty_like(theta)
    for i in range(len(theta)):
        moved = theta.copy()
        moved[i] += step
        high = function(moved)
        moved[i] -= 2 * step
        gradient[i] = (high - function(moved)) / (2 * step)
    return gradient


@pytest.mark.slow
@examples
@given(parametrised(), st.data())
def test_risk_and_entropy_gradients(case, data):
    forest, theta, scale = case
    loss = np.array(data.draw(weights_for(forest, quarters)))
    weight = scale * forest.score(theta)
    for gradient, value in [
        (
            ex.risk_gradient(forest, weight, loss, scale=scale),
            lambda w: Table(forest, w).mean(Table(forest, w).sums(loss)),
        ),
        (
            ex.entropy_gradient(forest, weight, scale=scale),
            lambda w: Table(forest, w).entropy(),
        ),
    ]:
        np.testing.assert_allclose(gradient.value, value(weight), **close)
        np.testing.assert_allclose(
            gradient.theta,
            numerical(lambda t, value=value: value(scale * forest.score(t)), theta),
            atol=1e-6,
        )
        by_scale = numerical(
            lambda s, value=value: value(s[0] * forest.score(theta)), np.array([scale])
        )
        np.testing.assert_allclose(gradient.scale, by_scale[0], atol=1e-6)
        # footnote 16: ∂/∂γ = (1/γ) Σ θ_i ∂/∂θ_i
        np.testing.assert_allclose(gradient.scale, theta @ gradient.theta / scale, **close)


@pytest.mark.slow
@examples
@given(parametrised(), st.data())
def test_cross_entropy_gradient(case, data):
    forest, theta, scale = case
    target = np.array(data.draw(weights_for(forest, finite_log_weights)))
    gradient = ex.cross_entropy_gradient(forest, target, scale * forest.score(theta), scale=scale)
    p = Table(forest, target)
    want = numerical(lambda t: p.cross_entropy(Table(forest, scale * forest.score(t))), theta)
    np.testing.assert_allclose(gradient.theta, want, atol=1e-6)


@pytest.mark.slow
@examples
@given(parametrised(), st.data())
def test_partition_derivatives(case, data):
    forest, theta, scale = case
    weight = scale * forest.score(theta)
    table = Table(forest, weight)
    features = table.features()
    mean = table.mean(features)
    second = table.mean([np.outer(f, f) for f in features])
    gradient = scale * mean
    hessian = scale**2 * (second - np.outer(mean, mean))
    z = np.exp(table.log_z)
    vector = data.draw(thetas(forest))
    np.testing.assert_allclose(
        dv.log_partition_gradient(forest, weight, scale=scale), gradient, **close
    )
    np.testing.assert_allclose(
        dv.log_partition_hessian(forest, weight, scale=scale), hessian, rtol=1e-8, atol=1e-8
    )
    np.testing.assert_allclose(
        dv.log_partition_hessian_product(forest, weight, vector, scale=scale),
        hessian @ vector, rtol=1e-8, atol=1e-8,
    )  # fmt: skip
    some = [2, 0]
    np.testing.assert_allclose(
        dv.log_partition_hessian(forest, weight, features=some, scale=scale),
        hessian[np.ix_(some, some)], rtol=1e-8, atol=1e-8,
    )  # fmt: skip
    full = z * scale**2 * second
    tolerance = {"rtol": 1e-8, "atol": 1e-8 * z}
    np.testing.assert_allclose(
        dv.partition_gradient(forest, weight, scale=scale).to_array(), z * gradient, **tolerance
    )
    np.testing.assert_allclose(
        dv.partition_hessian(forest, weight, scale=scale).to_array(), full, **tolerance
    )
    np.testing.assert_allclose(
        dv.partition_hessian_product(forest, weight, vector, scale=scale).to_array(),
        full @ vector, **tolerance,
    )  # fmt: skip
    numeric = numerical(lambda t: Table(forest, scale * forest.score(t)).log_z, theta)
    np.testing.assert_allclose(gradient, numeric, atol=1e-6)


@pytest.mark.slow
@examples
@given(parametrised(), st.integers(1, 4), st.data())
def test_expectation_jacobian(case, columns, data):
    forest, theta, scale = case
    count = forest.num_edges * columns
    base = np.array(
        data.draw(st.lists(quarters, min_size=count, max_size=count)), dtype=float
    ).reshape(-1, columns)
    m = len(forest.features)
    # Local values that depend on θ: r_e(θ) = base_e + slope_e·θ.
    slopes = [np.zeros((forest.num_edges, m)) for _ in range(columns)]
    slopes[0][:, 1] = base[:, 0] + 1

    def values(t):
        return base + np.stack([s @ t for s in slopes], axis=1)

    def mean(t):
        table = Table(forest, scale * forest.score(t))
        return table.mean(table.sums(values(t)))

    weight = scale * forest.score(theta)
    jacobian = dv.expectation_jacobian(
        forest, weight, values(theta), local_jacobian=slopes, scale=scale
    )
    for row in range(columns):
        want = numerical(lambda t, row=row: mean(t)[row], theta)
        np.testing.assert_allclose(jacobian[row], want, atol=1e-6)
    some = dv.expectation_jacobian(forest, weight, base, features=[1], scale=scale)
    every = dv.expectation_jacobian(forest, weight, base, scale=scale)
    np.testing.assert_allclose(some, every[:, [1]], **close)


@pytest.mark.parametrize("shift", [5000.0, -5000.0, 1e6, -1e6])
def test_partition_beyond_doubles(shift):
    """A shift of the leaves moves log Z and nothing else."""
    forest = Forest(
        [0, 2, 4, 7], [0, 0, 0, 1, 2, 4, 5, 5], [0, 0, 0, 1, 1], features=FeatureSpace(["x"]),
        dense=np.arange(7.0)[:, None],
    )  # fmt: skip
    weight = np.array([0.5, -1.0, 0.25, -0.5, 1.0, 0.0, -2.0])
    loss = np.arange(7.0) ** 2
    # Edges of the root: every derivation has exactly one of them.
    moved = weight + shift * (np.arange(7) >= 4)
    np.testing.assert_allclose(
        ex.log_partition(forest, moved), ex.log_partition(forest, weight) + shift, rtol=1e-14
    )
    tight = {"rtol": 1e-9 if abs(shift) < 1e5 else 1e-7}
    for function in (ex.entropy, ex.edge_posteriors, ex.expected_length):
        np.testing.assert_allclose(function(forest, moved), function(forest, weight), **tight)
    have, want = ex.risk_gradient(forest, moved, loss), ex.risk_gradient(forest, weight, loss)
    np.testing.assert_allclose(have.value, want.value, **tight)
    np.testing.assert_allclose(have.theta, want.theta, **tight)
    gradient = dv.partition_gradient(forest, moved)
    np.testing.assert_allclose(gradient.value, ex.feature_expectations(forest, weight), **tight)
    np.testing.assert_allclose(gradient.log_factor, ex.log_partition(forest, moved), **tight)


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
