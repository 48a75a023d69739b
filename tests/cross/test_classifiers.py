"""Classifiers of orientations against plain NumPy and scikit-learn."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests.reference import classifiers as reference
from tests.refusals import refuses

from rosewood.errors import ReorderingError
from rosewood.reorder import (
    DualMaxEnt,
    Examples,
    MultinomialBayes,
    PrimalMaxEnt,
    mutual_information,
    presence_counts,
    select_features,
)


def data(examples=120, features=25, classes=3, seed=0, counts=4):
    """Sparse counts and labels that depend on them."""
    random = np.random.default_rng(seed)
    X = random.integers(1, counts, (examples, features)) * (
        random.random((examples, features)) < 0.15
    )
    planted = random.normal(size=(features, classes))
    y = (X @ planted + random.gumbel(size=(examples, classes))).argmax(axis=1)
    return X.astype(float), y


# -- the dual --------------------------------------------------------------------------------------


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


def test_zeros_that_are_stored_are_not_there():
    X = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]])
    stored = sp.csr_matrix((X.reshape(-1), [0, 1] * 4, [0, 2, 4, 6, 8]), shape=(4, 2))
    y = [0, 0, 1, 1]
    assert len(Examples.of(stored, y).feature) == 4
    assert select_features(stored, y).scores.tolist() == select_features(X, y).scores.tolist()


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


def test_threads_change_no_byte():
    X, y = data(3000, 40, 3)
    models = [
        DualMaxEnt(shards=4, threads=threads, passes=20, tolerance=1e-6).fit(X, y)
        for threads in (1, 2, 5)
    ]
    assert len({model.coef_.tobytes() for model in models}) == 1
    assert len({(model.objective_, model.gap_) for model in models}) == 1
    for make in (lambda t: PrimalMaxEnt(threads=t), lambda t: MultinomialBayes(threads=t)):
        found = {make(t).fit(X, y).predict_log_proba(X).tobytes() for t in (1, 2, 5)}
        assert len(found) == 1


# -- awkward data ----------------------------------------------------------------------------------


MODELS = {
    "dual": lambda **more: DualMaxEnt(passes=20, **more),
    "halving": lambda **more: DualMaxEnt(passes=20, step="halving", **more),
    "shards": lambda **more: DualMaxEnt(passes=20, shards=3, **more),
    "primal": PrimalMaxEnt,
    "map": MultinomialBayes,
    "full": lambda **more: MultinomialBayes(inference="full", **more),
}


@pytest.fixture(params=MODELS)
def make(request):
    return MODELS[request.param]


def test_one_example(make):
    model = make().fit(np.array([[1.0, 0.0, 2.0]]), np.array(["swap"]))
    assert model.predict(np.zeros((2, 3))).tolist() == ["swap", "swap"]
    assert model.predict_proba(np.zeros((1, 3))).tolist() == [[1.0]]
    model = make().fit(Examples.of(np.array([[1.0, 0.0, 2.0]]), [1], num_classes=3))
    assert model.predict(np.array([[1.0, 0.0, 2.0]])).tolist() == [1]


def test_classes_and_features_that_were_never_seen(make):
    X, y = data(50, 10, 2)
    X[:, 9] = 0
    model = make().fit(Examples.of(X, y, num_classes=4))
    probability = model.predict_proba(np.eye(10) * 3)
    assert probability.shape == (10, 4)
    assert probability.sum(axis=1) == pytest.approx(1)
    assert (probability[:, 2:] < 0.5).all()


def test_empty_rows_and_labels_of_any_kind(make):
    X, y = data(60, 10, 3)
    X[::4] = 0
    names = np.array(["monotone", "other", "swap"])[y]
    model = make().fit(sp.csr_matrix(X), names)
    assert set(model.predict(X)) <= set(names)
    assert model.score(X, names) == pytest.approx(1 - model.error(X, names))
    assert model.score(X, names) > 0.4
    assert np.isfinite(model.predict_log_proba(np.zeros((3, 10)))).all()


def test_data_without_features(make):
    model = make().fit(np.zeros((5, 0)), [0, 1, 1, 1, 0])
    assert np.isfinite(model.predict_proba(np.zeros((2, 0)))).all()


def test_a_million_examples_of_one_feature():
    y = (np.arange(1_000_000) % 10 == 0).astype(np.uint8)
    start, feature = np.arange(1_000_001), np.zeros(1_000_000, np.int32)
    examples = Examples(start, feature, {"label": y}, num_features=1)
    for model in (DualMaxEnt(passes=20), PrimalMaxEnt(passes=2), MultinomialBayes()):
        found = model.fit(examples).predict_proba(np.ones((1, 1)))
        assert found[0, 1] == pytest.approx(0.1, abs=0.01)


def test_duplicated_features_share_their_weight():
    X, y = data(100, 8, 3)
    alone = DualMaxEnt(sigma2=2.0, tolerance=1e-8, passes=3000).fit(X, y)
    twice = DualMaxEnt(sigma2=1.0, tolerance=1e-8, passes=3000).fit(np.hstack([X, X]), y)
    assert twice.coef_[:, :8] == pytest.approx(twice.coef_[:, 8:], abs=1e-9)
    assert twice.objective_ == pytest.approx(alone.objective_, rel=1e-6)


def test_bad_input_is_refused(make):
    X, y = data(10, 5, 2)
    with refuses(ReorderingError, "argument.shape", argument="y"):
        make().fit(X, y[:-1])
    with refuses(ReorderingError, "argument.type", argument="y"):
        make().fit(X)
    with refuses(ReorderingError, "argument.shape", argument="X"):
        make().fit(X[:0], y[:0])
    with refuses(ReorderingError, "argument.value", argument="count", value=1):
        make().fit(np.array([[0, 1], [np.nan, 2]]), [0, 1])
    with refuses(ReorderingError, "reordering.not-fitted"):
        make().predict(X)
    with refuses(ReorderingError, "argument.shape", argument="X", value=4):
        make().fit(X, y).predict(X[:, :4])
    with refuses(ReorderingError, "argument.range", argument="threads"):
        make(threads=0)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (DualMaxEnt, "sigma2", 0.0), (DualMaxEnt, "sigma2", float("nan")),
        (DualMaxEnt, "shrink", -1), (DualMaxEnt, "passes", 0), (DualMaxEnt, "shards", 0),
        (DualMaxEnt, "start", 0.0), (PrimalMaxEnt, "rate", 0.0), (MultinomialBayes, "alpha", 1.0),
    ],
)  # fmt: skip
def test_bad_settings_are_refused(kind, name, value):
    with refuses(ReorderingError, "argument.range", argument=name):
        kind(**{name: value})


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


# -- the primal ------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3, 6])
def test_descent_reaches_the_optimum_of_the_dual(classes):
    X, y = data(500, 20, classes, seed=3)
    dual = DualMaxEnt(sigma2=0.2, tolerance=1e-7, passes=3000).fit(X, y)
    primal = PrimalMaxEnt(sigma2=0.2, passes=200).fit(X, y)
    assert primal.objective_ == pytest.approx(dual.objective_, rel=2e-3)
    assert primal.objective_ >= dual.objective_ - dual.gap_
    assert primal.objective_ == pytest.approx(reference.primal(primal.coef_, X, y, 0.2))


def test_averages_and_scales_are_exact():
    """A pass of plain descent, each step written out."""
    X, y = data(40, 8, 3)
    sigma2, rate, passes = 0.01, 0.7, 3
    lambda_ = 1 / (sigma2 * 40)
    w, average, t = np.zeros((3, 8)), np.zeros((3, 8)), 0
    for number in range(passes):
        for i in reference.shuffled(range(40), 1, number, 0):
            eta = rate * (1 + lambda_ * rate * t) ** -0.75
            p = np.exp(reference.log_softmax(w @ X[i]))
            if t == 40:
                average = w.copy()
            w = w / (1 + eta * lambda_) + eta * np.outer(np.eye(3)[y[i]] - p, X[i])
            t += 1
            if t > 40:
                average += (w - average) / (t - 40 + 1)
    model = PrimalMaxEnt(sigma2=sigma2, rate=rate, passes=passes).fit(X, y)
    assert model.coef_ == pytest.approx(average, rel=1e-9, abs=1e-12)


# -- naive Bayes -----------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.integers(2, 6), st.sampled_from([1.01, 1.5, 2.0, 7.0]))
@settings(max_examples=25, deadline=None)
def test_bayes_is_that_of_the_formulas(seed, classes, alpha):
    X, y = data(30, 8, classes, seed)
    y[:classes] = np.arange(classes)
    rows = data(10, 8, classes, seed + 1, counts=9)[0]
    for inference, expected in (("map", reference.bayes_map), ("full", reference.bayes_full)):
        model = MultinomialBayes(alpha=alpha, inference=inference).fit(X, y)
        found = model.predict_log_proba(rows)
        assert found == pytest.approx(expected(X, y, classes, alpha, rows), abs=1e-9)


def test_bayes_is_that_of_scikit_learn():
    bayes = pytest.importorskip("sklearn.naive_bayes")
    X, y = data(200, 30, 4)
    peer = bayes.MultinomialNB(alpha=0.5).fit(X, y)
    model = MultinomialBayes(alpha=1.5).fit(sp.csr_matrix(X), y)
    assert model.predict_proba(X) == pytest.approx(peer.predict_proba(X), abs=1e-9)
    assert model.coef_ == pytest.approx(peer.feature_log_prob_)


def test_bayes_learns_from_a_stream():
    X, y = data(200, 30, 4)
    for inference in ("map", "full"):
        whole = MultinomialBayes(inference=inference).fit(X, y)
        parts = MultinomialBayes(inference=inference)
        for begin in range(0, 200, 7):
            parts.partial_fit(X[begin : begin + 7], y[begin : begin + 7], classes=range(4))
        assert parts.predict_log_proba(X).tobytes() == whole.predict_log_proba(X).tobytes()
    with refuses(ReorderingError, "argument.unknown", argument="y"):
        parts.partial_fit(X[:1], [9])
    with refuses(ReorderingError, "argument.range", argument="X"):
        parts.fit(-X, y)
    with refuses(ReorderingError, "argument.value", argument="X", value=0):
        parts.fit(X, y).predict(np.full((1, 30), 0.5))


# -- feature selection -----------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.integers(2, 5))
@settings(max_examples=25, deadline=None)
def test_mutual_information_is_that_of_the_formulas(seed, classes):
    X, y = data(40, 8, classes, seed)
    X[:, 0], X[:, 1] = 0, 1
    for normalised in (False, True):
        found = mutual_information(
            presence_counts(Examples.of(X, y, num_classes=classes)), normalised=normalised
        )
        expected = [
            reference.mutual_information((X[:, f] > 0).astype(int), y, classes,
                                         normalised=normalised) for f in range(8)
        ]  # fmt: skip
        assert found == pytest.approx(expected, abs=1e-12)
        assert ((found >= 0) & (found <= 1 + 1e-9)).all()


def test_mutual_information_is_that_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    X, y = data(300, 20, 3)
    scores = select_features(X, y, normalised=False).scores
    expected = [metrics.mutual_info_score(X[:, f] > 0, y) for f in range(20)]
    assert scores == pytest.approx(expected, abs=1e-9)


def test_selected_features_are_those_that_tell_of_the_class():
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 500)
    X = (random.random((500, 30)) < 0.3).astype(float)
    X[:, 4], X[:, 17] = y == 1, y == 2
    counts = presence_counts(X[:200], y[:200]) + presence_counts(X[200:], y[200:])
    scores, mask = select_features(counts, threshold=0.1)
    assert np.flatnonzero(mask).tolist() == [4, 17]
    assert scores[17] == pytest.approx(1, abs=0.05)
    kept = Examples.of(X, y).with_features(mask)
    assert kept.num_features == 2
    assert DualMaxEnt(sigma2=100.0).fit(kept).error(kept) == 0
    with refuses(ReorderingError, "argument.range", argument="threshold"):
        select_features(X, y, threshold=-1)
