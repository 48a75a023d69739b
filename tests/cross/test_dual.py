"""MaxEnt in the dual against plain NumPy, L-BFGS and scikit-learn; runs that are stopped go on."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests.classifier_data import data
from tests.reference import classifiers as reference

from rosewood.reorder import DualMaxEnt, Examples


@given(st.integers(0, 10**6), st.integers(2, 8), st.sampled_from([0.01, 0.3, 2.0, 30.0]))
@settings(max_examples=25, deadline=None)
def test_a_halving_pass_is_the_papers(seed, classes, sigma2):
    X, y = data(30, 12, classes, seed)
    y[:classes] = np.arange(classes)
    alpha, _active, counts = reference.dual_passes(
        X, y, classes, sigma2=sigma2, shrink=0.2, passes=4, trials=20, epsilon=1e-3, seed=seed
    )
    model = DualMaxEnt(
        sigma2=sigma2, shrink=0.2, passes=4, start=1e-3, seed=seed, step="halving", tolerance=None
    ).fit(X, y)
    expected = reference.weights(alpha, X, y, sigma2)
    assert model.coef_ == pytest.approx(expected, abs=1e-9 * (1 + abs(expected).max()))
    assert model.active_share_ * 30 == pytest.approx(counts)
    assert model.objective_ == pytest.approx(reference.primal(expected, X, y, sigma2))
    total = reference.primal(expected, X, y, sigma2) + reference.dual(alpha, X, y, sigma2)
    assert model.gap_ == pytest.approx(total, rel=1e-6, abs=1e-9)


@given(st.integers(0, 10**6), st.integers(2, 5), st.sampled_from([0.01, 1.0, 100.0]))
@settings(max_examples=8, deadline=None)
def test_an_exact_step_makes_the_dual_smallest(seed, classes, sigma2):
    """With one example, the first step is the solution."""
    random = np.random.default_rng(seed)
    X, y = random.integers(0, 3, (1, 6)).astype(float), random.integers(0, classes, 1)
    examples = Examples.of(X, y, num_classes=classes)
    model = DualMaxEnt(sigma2=sigma2, tolerance=1e-10, passes=500).fit(examples)
    start = reference.start(y, classes, 1e-6)
    best = reference.exact_step(start[0], reference.weights(start, X, y, sigma2), X[0], sigma2)
    expected = reference.weights(best[None], X, y, sigma2)
    assert model.coef_ == pytest.approx(expected, abs=1e-3 * (1 + abs(expected).max()))


def test_the_references_gradients_are_right():
    X, y = data(10, 6, 3)
    random = np.random.default_rng(1)
    w = random.normal(size=(3, 6))
    gradient = reference.primal_gradient(w, X, y, 0.7)
    alpha = random.dirichlet(np.ones(3), 10)
    for k in range(3):
        step = np.zeros((3, 6))
        step[k, 2] = 1e-5
        change = reference.primal(w + step, X, y, 0.7) - reference.primal(w - step, X, y, 0.7)
        assert change / 2e-5 == pytest.approx(gradient[k, 2], rel=1e-5, abs=1e-6)
        step = np.zeros((10, 3))
        step[4, k] = 1e-6
        change = reference.dual(alpha + step, X, y, 0.7) - reference.dual(alpha - step, X, y, 0.7)
        # Terms that all classes share are of no effect on the simplex.
        shared = (reference.weights(alpha, X, y, 0.7) @ X[4])[y[4]]
        found = reference.dual_gradient(alpha, X, y, 0.7, 4)[k] - shared
        assert change / 2e-6 == pytest.approx(found, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize(("sigma2", "shards"), [(30.0, 1), (100.0, 1), (30.0, 3)])
def test_weak_priors_converge_as_well(sigma2, shards):
    """Strong curvature: Newton's method alone leaves examples active that never move."""
    random = np.random.default_rng(5)
    present = random.random((400, 60)) < 0.15
    X = np.where(present, random.integers(1, 4, (400, 60)), 0).astype(float)
    y = (X @ random.normal(size=(60, 3)) + random.gumbel(size=(400, 3))).argmax(axis=1)
    model = DualMaxEnt(sigma2=sigma2, passes=3000, shards=shards).fit(X, y)
    assert model.is_converged_
    best = reference.primal(model.coef_, X, y, sigma2) - model.gap_
    assert model.objective_ <= 1.011 * best


@pytest.mark.parametrize("classes", range(2, 9))
@pytest.mark.parametrize("step", ["exact", "halving"])
def test_the_optimum_is_that_of_lbfgs(classes, step):
    X, y = data(150, 30, classes, seed=classes)
    names, y = np.unique(y, return_inverse=True)
    model = DualMaxEnt(sigma2=0.5, tolerance=1e-7, passes=5000, step=step).fit(X, y)
    shape = (len(names), 30)
    best = minimize(
        lambda w: reference.primal(w.reshape(shape), X, y, 0.5),
        np.zeros(shape).reshape(-1),
        jac=lambda w: reference.primal_gradient(w.reshape(shape), X, y, 0.5).reshape(-1),
        options={"maxiter": 1000, "gtol": 1e-6},
    )
    assert model.is_converged_
    assert model.objective_ == pytest.approx(best.fun, rel=1e-6)
    assert 0 <= model.gap_ <= 1e-7 * model.objective_
    assert all(check["gap"] >= 0 for check in model.checks_)
    assert model.objective_ - model.gap_ <= best.fun + 1e-9


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_optimum_is_that_of_scikit_learn(classes):
    linear = pytest.importorskip("sklearn.linear_model")
    X, y = data(400, 50, classes, seed=7)
    model = DualMaxEnt(sigma2=2.0, tolerance=1e-6, passes=3000).fit(sp.csr_array(X), y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = linear.LogisticRegression(C=2.0, fit_intercept=False, tol=1e-8, max_iter=5000)
        if classes == 2:  # its binary model has one weight vector: the difference of ours
            peer.set_params(C=4.0).fit(X, y)
            coef = np.concatenate([-peer.coef_, peer.coef_]) / 2
        else:
            coef = peer.fit(X, y).coef_
    theirs = reference.primal(coef, X, y, 2.0)
    assert model.objective_ == pytest.approx(theirs, rel=1e-4)
    proba = np.exp(reference.log_softmax(X @ coef.T))
    assert model.predict_proba(X) == pytest.approx(proba, abs=0.05)


def test_the_gap_falls_to_nothing():
    X, y = data(300, 20, 3)
    gaps = [
        DualMaxEnt(tolerance=tolerance, passes=3000).fit(X, y).gap_
        for tolerance in (1e-1, 1e-3, 1e-6, 1e-9)
    ]
    assert gaps == sorted(gaps, reverse=True)
    assert 0 <= gaps[-1] <= 1e-6


def test_examples_become_inactive_and_come_back():
    X, y = data(500, 20, 3)
    model = DualMaxEnt(shrink=1.0, tolerance=1e-5, passes=3000).fit(X, y)
    share = model.active_share_
    assert share[0] == 1.0
    assert share.min() < 0.5
    assert (np.diff(share) > 0).any()
    assert [check["shrink"] for check in model.checks_] == sorted(
        (check["shrink"] for check in model.checks_), reverse=True
    )


@pytest.mark.parametrize("sigma2", [1e-12, 1e-4, 1e4, 1e12])
@pytest.mark.parametrize("step", ["exact", "halving"])
def test_extreme_penalties_give_finite_weights(sigma2, step):
    X, y = data(60, 10, 3)
    X[0] *= 1e6
    model = DualMaxEnt(sigma2=sigma2, passes=30, step=step).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite([model.objective_, model.gap_]).all()
    assert np.isfinite(model.predict_proba(X)).all()


def test_shards_reach_the_same_optimum():
    X, y = data(400, 30, 3)
    one = DualMaxEnt(tolerance=1e-7, passes=5000).fit(X, y)
    many = DualMaxEnt(tolerance=1e-7, passes=5000, shards=4).fit(X, y)
    assert many.objective_ == pytest.approx(one.objective_, rel=1e-6)


# -- stop and go on --------------------------------------------------------------------------------


class Stop(Exception):
    pass


@pytest.mark.parametrize("shards", [1, 3])
def test_a_run_that_was_stopped_goes_on(tmp_path, shards):
    # Blocks are of 65,536 examples: rows are copied together only when there are more.
    random = np.random.default_rng(2)
    start = np.arange(0, 2 * 80_001, 2)
    feature = np.stack([random.integers(0, 50, 80_000), random.integers(50, 99, 80_000)], 1)
    y = (feature[:, 0] % 3 == random.integers(0, 4, 80_000)).astype(np.uint8)
    examples = Examples(start, feature.astype(np.int32).reshape(-1), {"label": y}, num_features=99)
    make = lambda: DualMaxEnt(tolerance=1e-5, passes=25, shards=shards)  # noqa: E731
    whole = make().fit(examples)
    for last in (3, 8, 14):

        def stop(what, done, total, last=last):
            if what == f"pass {last}":
                raise Stop

        with pytest.raises(Stop):
            make().fit(examples, folder=tmp_path / "work", save_seconds=0, progress=stop)
    heard = []
    model = make().fit(
        examples, folder=tmp_path / "work", progress=lambda *told: heard.append(told[0])
    )
    assert "pass 1" not in heard
    assert model.coef_.tobytes() == whole.coef_.tobytes()
    assert model.active_share_.tolist() == whole.active_share_.tolist()
    assert min(whole.active_share_) < 0.5
    assert not (tmp_path / "work").exists()


def test_other_work_in_the_folder_begins_anew(tmp_path):
    X, y = data(50, 10, 3)

    def stop(what, done, total):
        if what == "pass 3":
            raise Stop

    with pytest.raises(Stop):
        DualMaxEnt(tolerance=1e-9).fit(X, y, folder=tmp_path / "w", save_seconds=0, progress=stop)
    other = DualMaxEnt(tolerance=1e-9, sigma2=3.0).fit(X, y, folder=tmp_path / "w")
    plain = DualMaxEnt(tolerance=1e-9, sigma2=3.0).fit(X, y)
    assert other.coef_.tobytes() == plain.coef_.tobytes()
