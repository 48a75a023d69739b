"""Every gradient and second derivative against finite differences or enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.expectation import Table
from tests.strategies import (
    finite_log_weights,
    many,
    parametrised,
    quarters,
    thetas,
    weights_for,
)

from rosewood.forest import FeatureSpace, Forest
from rosewood.forest import derivatives as dv
from rosewood.forest import expectations as ex

close = {"rtol": 1e-9, "atol": 1e-9}
examples = settings(max_examples=60, deadline=None)


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
    base = np.array(data.draw(many(quarters, count)), dtype=float).reshape(-1, columns)
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
