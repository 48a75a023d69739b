"""Models of word alignment by name, their settings, and where training starts."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from math import inf, nan

import numpy as np
import pytest
from tests.refusals import refuses

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
    assert make_model(name, model.to_dict()) == model
    texts = {key: str(value).lower() for key, value in model.to_dict().items()}
    assert make_model(name, texts) == model
    with pytest.raises(FrozenInstanceError):
        model.null = 0.5


@pytest.mark.parametrize(
    ("name", "settings", "fault"),
    [
        ("hmm", {"null": 0.0}, "range"),
        ("hmm", {"null": 1.0}, "range"),
        ("hmm", {"null": nan}, "range"),
        ("hmm", {"null": "much"}, "type"),
        ("hmm", {"null": None}, "type"),
        ("hmm", {"null": True}, "type"),
        ("hmm", {"iterations": 2.5}, "type"),
        ("hmm", {"iterations": "2.5"}, "type"),
        ("hmm", {"iterations": -1}, "range"),
        ("hmm", {"agreement": True, "iterations": 0}, "conflict"),
        ("hmm", {"reach": 0}, "range"),
        ("hmm", {"model1": 0}, "range"),
        ("hmm", {"prior": -0.1}, "range"),
        ("hmm", {"prior": inf}, "range"),
        ("hmm", {"least": 1.5}, "range"),
        ("hmm", {"agreement": 1}, "type"),
        ("hmm", {"agreement": "perhaps"}, "type"),
        ("diag", {"tension": 1e4}, "range"),
        ("best", {"agreement": False}, "conflict"),
        ("best", {"iterations": 0}, "conflict"),
        ("best", {"stem_weight": -1}, "range"),
        ("best", {"pair_prior": 0}, "range"),
        ("best", {"stem": 1.5}, "type"),
    ],
)
def test_settings_that_are_refused(name, settings, fault):
    argument, value = list(settings.items())[-1]
    with refuses(AlignmentError, f"argument.{fault}", argument=argument, value=value):
        make_model(name, settings)


def test_names_that_are_refused():
    models = ["model1", "diag", "hmm", "best"]
    with refuses(AlignmentError, "argument.unknown", value="hmmm", expected=models):
        make_model("hmmm")
    with refuses(AlignmentError, "argument.unknown", argument="hmm setting", value="tension"):
        make_model("hmm", {"tension": 1.0})


@each_model
def test_every_number_is_bounded(name):
    """No setting is forgotten: each takes no number that is none, and none beyond all bounds."""
    for each in fields(MODELS[name]):
        if each.type != "bool":
            for value in (nan, inf, -inf, -(10**30), 10**30):
                fault = "range" if each.type == "float" or isinstance(value, int) else "type"
                with refuses(AlignmentError, f"argument.{fault}", argument=each.name):
                    make_model(name, {each.name: value})


def test_a_model_without_rounds():
    assert len(Aligner.fit(PAIRS, Hmm(iterations=0)).history) == 5  # those of Model 1
    with refuses(AlignmentError, "argument.range", argument="iterations", value=0):
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
