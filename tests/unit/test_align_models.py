"""Models of word alignment by name, their settings, and where training starts."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from math import inf, nan

import numpy as np
import pytest

from rosewood.align import MODELS, Aligner, Best, Diagonal, Hmm, Model1, make_model
from rosewood.align.positions import Positions
from rosewood.errors import AlignmentError

PAIRS = [("das haus", "the house"), ("das buch", "the book"), ("ein buch", "a book")]
LONG = ("a b c d e f g h i j", "x")
each_model = pytest.mark.parametrize("name", MODELS)


def test_models_by_name():
    assert [type(make_model(name)) for name in MODELS] == [Model1, Diagonal, Hmm, Best]
    assert make_model() == Best()
    assert make_model("hmm", {"null": 0.1, "reach": 5}) == Hmm(null=0.1, reach=5)
    assert make_model("diag", {"tension": "2.5", "learn_tension": "false", "iterations": "3"}) == (
        Diagonal(tension=2.5, learn_tension=False, iterations=3)
    )
    assert (Hmm().warm_up, Best(model1=3).warm_up, Model1().warm_up, Diagonal().warm_up) == (
        5, 3, 0, 0,
    )  # fmt: skip


@each_model
def test_settings_make_the_model_again(name):
    model = make_model(name, {"iterations": 7, "null": 0.3})
    assert make_model(name, model.settings()) == model
    texts = {key: str(value).lower() for key, value in model.settings().items()}
    assert make_model(name, texts) == model
    with pytest.raises(FrozenInstanceError):
        model.null = 0.5


@pytest.mark.parametrize(
    ("name", "settings", "reason"),
    [
        ("hmmm", {}, "there is no model 'hmmm'; there are model1, diag, hmm, best"),
        ("hmm", {"tension": 1.0}, "hmm has no setting 'tension'; it has iterations, null, prior"),
        ("hmm", {"null": 0.0}, r"null is 0.0, want 1e-06 to 0.999"),
        ("hmm", {"null": 1.0}, "null is 1.0"),
        ("hmm", {"null": nan}, "null is nan"),
        ("hmm", {"null": "much"}, "null is 'much', want a number"),
        ("hmm", {"null": None}, "null is None, want a number"),
        ("hmm", {"null": True}, "null is True, want a number"),
        ("hmm", {"iterations": 2.5}, "iterations is 2.5, want a number"),
        ("hmm", {"iterations": "2.5"}, "iterations is '2.5', want a number"),
        ("hmm", {"iterations": -1}, "iterations is -1, want 0 to 1000"),
        ("hmm", {"iterations": 0, "agreement": True}, "need iterations of their own"),
        ("hmm", {"reach": 0}, "reach is 0, want 1 to 1000"),
        ("hmm", {"model1": 0}, "model1 is 0, want 1 to 1000"),
        ("hmm", {"prior": -0.1}, "prior is -0.1, want 0 to 100"),
        ("hmm", {"prior": inf}, "prior is inf"),
        ("hmm", {"least": 1.5}, "least is 1.5, want 0 to 1"),
        ("hmm", {"agreement": 1}, "agreement is 1, want True or False"),
        ("hmm", {"agreement": "yes"}, "agreement is 'yes', want true or false"),
        ("diag", {"tension": 1e4}, "tension is 10000.0, want 0 to 1000"),
        ("best", {"agreement": False}, "best: its directions always agree"),
        ("best", {"iterations": 0}, "need iterations of their own"),
        ("best", {"stem_weight": -1}, "stem_weight is -1"),
        ("best", {"pair_prior": 0}, "pair_prior is 0"),
        ("best", {"stem": 1.5}, "stem is 1.5, want a number"),
    ],
)
def test_settings_that_are_refused(name, settings, reason):
    with pytest.raises(AlignmentError, match=reason):
        make_model(name, settings)


@each_model
def test_every_number_is_bounded(name):
    """No setting is forgotten: each takes no number that is none, and none beyond all bounds."""
    for each in fields(MODELS[name]):
        if each.type != "bool":
            for value in (nan, inf, -inf, -(10**30), 10**30):
                with pytest.raises(AlignmentError, match=each.name):
                    make_model(name, {each.name: value})


def test_a_model_without_rounds():
    assert len(Aligner.fit(PAIRS, Hmm(iterations=0)).history) == 5  # those of Model 1
    with pytest.raises(AlignmentError, match="it needs at least one iteration"):
        Aligner.fit(PAIRS, Model1(iterations=0))


def test_where_training_starts():
    start = Positions.of(Hmm(reach=3))
    assert start.jump[0].tolist() == start.jump[1].tolist()
    assert np.isclose(start.jump[0].sum(), 1.0)
    assert start.jump[0].argmax() == 3 + 1  # to the next word
    assert Positions.of(Diagonal(tension=2)).tension == (2.0, 2.0)


@pytest.mark.parametrize(
    "model",
    [
        *(
            MODELS[name](null=null, prior=prior)
            for name in MODELS
            for null in (1e-6, 0.999)
            for prior in (0.0, 1e-300, 1e-12, 100.0)
        ),
        *(Diagonal(tension=t, learn_tension=False) for t in (0.0, 1e-9, 700.0, 1000.0)),
        Hmm(reach=1000),
        Best(pair_prior=1e-9, null_prior=1e-9, stem_prior=1e-9),
        Best(pair_prior=100, null_prior=100, stem_prior=100),
        Best(stem_weight=1e6, spelling=1000),
        Best(least=0.0),
        Best(least=1.0),
        Best(stem=100),
    ],
    ids=repr,
)
def test_extreme_settings_give_probabilities(model):
    corpus = [*PAIRS, LONG, LONG[::-1], ("", "x"), ("das", "")]
    aligner, aligned = Aligner.fit_align(corpus, model)
    for row in aligner.history:
        assert np.isfinite([row["forward"], row["backward"]]).all()
    assert np.isfinite(aligned.log_probability).all()
    for found in aligner.posteriors(corpus):
        for posterior, axis in ((found.forward, 0), (found.backward, 1)):
            assert (posterior >= 0).all()
            assert (posterior.sum(axis=axis) <= 1 + 1e-5).all()
