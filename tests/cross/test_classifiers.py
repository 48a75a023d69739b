"""Classifiers of orientations against plain NumPy and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.classifier_data import data
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


def test_zeros_that_are_stored_are_not_there():
    X = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]])
    stored = sp.csr_matrix((X.reshape(-1), [0, 1] * 4, [0, 2, 4, 6, 8]), shape=(4, 2))
    y = [0, 0, 1, 1]
    assert len(Examples.of(stored, y).feature) == 4
    assert select_features(stored, y).scores.tolist() == select_features(X, y).scores.tolist()
