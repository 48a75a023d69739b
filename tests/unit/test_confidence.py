"""How sure translations are: against all derivations, one by one; and how that is fitted."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests.bundles import CONFIDENCE, small_bundle
from tests.decoders import small_decoder
from tests.phrase_models import cases, decoder_of
from tests.reference.consensus import Strings
from tests.refusals import refuses

from rosewood.corpus.phrasebook import Phrasebook
from rosewood.decode import (
    RuleIds,
    Source,
    WordPosteriors,
    alternatives,
    ngram_posteriors,
    string_posteriors,
)
from rosewood.errors import DamagedFileError, DecodingError, EmptyForestError
from rosewood.forest import Forest
from rosewood.model import Bundle
from rosewood.model.confidence import Confidence
from rosewood.model.manifest import MANIFEST
from rosewood.pipeline import TrainingInputs, TrainingSettings, Translator, train
from rosewood.pipeline.confidence import confidences, fit_confidence, right_words

CERTAIN = math.log(0.99 / 0.01)


@pytest.fixture(scope="module")
def decoder(tmp_path_factory):
    return small_decoder(tmp_path_factory.mktemp("model"))


def logit(p):
    p = min(max(p, 0.01), 0.99)
    return math.log(p / (1 - p))


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


# -- of translations -------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(cases(max_others=0, most=200), st.sampled_from([0.01, 0.3, 1.0, 7.0]))
def test_it_is_what_all_derivations_say(case, scale):
    how = Confidence(scale, slope=0.5, offset=0.3, unknown=-1.0)
    with decoder_of(case) as decoder:
        found = decoder.search(case.words)
        theta = decoder.theta()
        weight = found.forest.score(theta)
        table = Strings(found.forest, scale * weight)
        occurs = table.occurrence(1)
        every = [found.best, *alternatives(found, theta, 5)]
        for said, sure in zip(every, confidences(found, theta, how, every), strict=True):
            want = [0.3 + 0.5 * logit(occurs[word,]) for word in said.words]
            for use in said.rules:
                for j in range(use.target_begin, use.target_end):
                    want[j] -= 1.3 * use.is_unknown
            assert sure.words == pytest.approx([sigmoid(each) for each in want], abs=1e-6)
            assert sure.posterior == pytest.approx(table.strings[said.words], abs=1e-9)
            assert all(0 <= each <= 1 for each in [*sure.words, sure.posterior, sure.mean])
        strings = list(table.strings)
        whole = string_posteriors(found.forest, weight, strings, scale=scale)
        assert whole.sum() == pytest.approx(1, abs=1e-9)


def test_single_words_are_those_of_ngrams(decoder):
    found = decoder.search("das haus ist nicht klein .")
    weight = found.forest.score(decoder.theta())
    want = ngram_posteriors(found.forest, weight, 1, scale=2.0)
    some = ["small", "the", "small", "nowhere"]
    posteriors = WordPosteriors(found.forest, weight, some)
    assert posteriors.words == ("small", "the", "nowhere")
    assert posteriors(2.0) == pytest.approx([want["small",], want["the",], 0.0], abs=1e-12)


def test_nothing_at_all(decoder):
    theta, how = decoder.theta(), Confidence(1.0)
    empty = decoder.search("")
    [sure] = confidences(empty, theta, how, [empty.best])
    assert (sure.words, sure.posterior, sure.mean) == ((), 1.0, 1.0)
    missed = decoder.search(Source("das haus", reference="no such thing"))
    [sure] = confidences(missed, theta, how, [missed.best])
    assert (sure.words, sure.posterior, sure.mean) == ((), 0.0, 0.0)
    [sure] = confidences(missed, theta, how, [replace(missed.best, words=("a",))])
    assert (sure.words, sure.posterior, sure.mean) == ((0.0,), 0.0, 0.0)
    assert confidences(empty, theta, how, []) == []
    with pytest.raises(EmptyForestError):
        string_posteriors(Forest.empty(), [], [["a"]])


def test_words_that_nothing_translates_have_even_odds_at_best(decoder):
    found = decoder.search("das xyz")
    [sure] = confidences(found, decoder.theta(), Confidence(3.0), [found.best])
    assert found.best.words == ("the", "xyz")
    assert sure.words[1] == pytest.approx(0.5)
    assert sure.words[0] > 0.5
    [other] = confidences(found, decoder.theta(), Confidence(3.0, unknown=0.0), [found.best])
    assert other.words == pytest.approx((sure.words[0], 0.99))
    assert other.posterior == sure.posterior


def test_the_more_the_scale_the_surer_the_best(decoder):
    found = decoder.search("das haus ist klein .")
    whole = [
        confidences(found, decoder.theta(), Confidence(scale), [found.best])[0].posterior
        for scale in (0.01, 1.0, 5.0, 25.0, 1000.0)
    ]
    assert whole == sorted(whole)
    assert whole[-1] == pytest.approx(1.0)


# -- the numbers -----------------------------------------------------------------------------------


def test_lines_are_plain_formulas():
    how = Confidence(2.0, slope=0.5, offset=0.25, unknown=-1.5)
    found = how([0.3, 0.3, 1.0, 0.0], [False, True, False, True])
    want = [
        0.25 + 0.5 * logit(0.3),
        -1.5 + 0.5 * logit(0.3),
        0.25 + 0.5 * CERTAIN,
        -1.5 - 0.5 * CERTAIN,
    ]
    assert found == pytest.approx([sigmoid(each) for each in want])
    assert how([], []).shape == (0,)
    plain = Confidence(2.0)
    assert plain([0.0, 0.3, 1.0], [False] * 3) == pytest.approx([0.01, 0.3, 0.99])
    assert Confidence(1.0, 0.0, 800.0, -800.0)([0.5, 0.5], [False, True]).tolist() == [1.0, 0.0]


def test_tables_of_them(decoder):
    how = Confidence(2.0, slope=0.5, offset=0.25, unknown=-1.5)
    table = {"scale": 2.0, "slope": 0.5, "offset": 0.25, "unknown": -1.5}
    old = Confidence.from_dict(table)  # of a model that does not tell guesses from copies
    assert old == replace(how, guessed=-1.5, guess_slope=0.0)
    assert old([0.5], [True], [0.9]) == old([0.5], [True])
    table = {**table, "guessed": -0.5, "guess_slope": 2.0}
    how = replace(how, guessed=-0.5, guess_slope=2.0)
    assert how.to_dict() == table
    assert Confidence.from_dict(table) == how
    for wrong, code, name in (
        ({}, "argument.missing", "offset"),
        ({**table, "more": 1.0}, "argument.unknown", "more"),
        ({**table, "slope": "1"}, "argument.type", "slope"),
        ({**table, "scale": True}, "argument.type", "scale"),
        ({key: table[key] for key in table if key != "unknown"}, "argument.missing", "unknown"),
    ):
        with refuses(DecodingError, code, argument=name):
            Confidence.from_dict(wrong)
    for name, value in (
        ("scale", 0.0), ("scale", math.inf), ("slope", -0.1), ("slope", math.nan),
        ("offset", math.nan), ("unknown", -math.inf),
    ):  # fmt: skip
        with refuses(DecodingError, "argument.range", argument=name, value=value):
            Confidence.from_dict({**table, name: value})
    with pytest.raises(FrozenInstanceError):
        how.scale = 1.0
    size = np.abs(decoder.theta()).sum()
    assert Confidence.default(decoder.theta()) == Confidence(5 / size, 1.0, 0.0, -CERTAIN)
    assert Confidence.default(np.zeros(2)).scale == 5


@pytest.mark.parametrize(
    ("wrong", "argument"),
    [
        (None, "confidence"),
        ({"scale": 2.0}, "confidence.offset"),
        ({"scale": 2.0, "slope": -1.0, "offset": 0.0, "unknown": 0.0}, "confidence.slope"),
    ],
)
def test_models_with_other_numbers_are_refused(tmp_path, wrong, argument):
    bundle = small_bundle(tmp_path / "model", corpus=False)
    assert bundle.confidence == CONFIDENCE
    manifest = {**bundle.manifest, "confidence": wrong}
    (tmp_path / "model" / MANIFEST).write_text(json.dumps(manifest))
    file = str(tmp_path / "model" / MANIFEST)
    with refuses(DamagedFileError, "file.damaged", argument=argument, file=file):
        Bundle.open(tmp_path / "model")


def cost(numbers, posterior, is_unknown, is_right):
    """What `calibrated` makes least, word by word."""
    slope, offset, unknown = numbers
    total = ((slope - 1) ** 2 + offset**2 + (unknown + slope * CERTAIN) ** 2) / 2
    for p, strange, right in zip(posterior, is_unknown, is_right, strict=True):
        odds = (unknown if strange else offset) + slope * logit(p)
        total += math.log1p(math.exp(-odds if right else odds))
    return total


judged = st.lists(
    st.tuples(st.sampled_from([0.0, 0.02, 0.3, 0.5, 0.9, 1.0]), st.booleans(), st.booleans()),
    max_size=30,
)


@settings(max_examples=50, deadline=None)
@given(judged)
def test_the_likeliest_lines(rows):
    columns = [[row[k] for row in rows] for k in range(3)]
    how = Confidence.calibrated(2.0, *columns)
    assert how.scale == 2.0
    assert how.slope >= 0
    at = np.array([how.slope, how.offset, how.unknown])
    least = cost(at, *columns)
    for k, step in enumerate(1e-5 * np.eye(3)):
        up, down = cost(at + step, *columns), cost(at - step, *columns)
        if k == 0 and how.slope == 0:
            assert up >= least - 1e-9  # below 0 it would be likelier still
        else:
            assert (up - down) / 2e-5 == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("likelier", [True, False])
def test_scipy_finds_the_same_lines(likelier):
    posterior = [0.1, 0.2, 0.4, 0.7, 0.8, 0.9, 1.0, 0.3, 1.0]
    right = [(p > 0.5) == likelier for p in posterior]
    columns = posterior, [False] * 7 + [True] * 2, right
    how = Confidence.calibrated(2.0, *columns)
    bounds = [(0, None), (None, None), (None, None)]
    found = minimize(cost, [1.0, 0.0, -CERTAIN], args=columns, bounds=bounds, tol=1e-12)
    assert [how.slope, how.offset, how.unknown] == pytest.approx(found.x, abs=1e-3)
    assert (how.slope == 0) == (not likelier)


def test_what_was_never_seen_is_as_it_was_before():
    for right in (True, False):
        how = Confidence.calibrated(3.0, [], [], [])
        assert how == Confidence(3.0)
        how = Confidence.calibrated(3.0, [0.9] * 5, [False] * 5, [right] * 5)
        assert math.isfinite(how.slope + how.offset)
        assert how([1.0], [True]) == pytest.approx([0.5])  # no unknown word was there
        many = Confidence.calibrated(3.0, [1.0] * 10_000, [False, True] * 5_000, [right] * 10_000)
        want = 1.0 if right else 0.0
        assert many([1.0, 1.0], [False, True]) == pytest.approx([want] * 2, abs=0.01)


def test_made_up_words_are_as_sure_as_they_are_right():
    random = np.random.default_rng(7)
    posterior = random.beta(2, 0.3, 8000)
    unknown = random.random(8000) < 0.1
    truth = Confidence(1.0, slope=0.4, offset=-0.2, unknown=-1.6)
    right = random.random(8000) < truth(posterior, unknown)
    how = Confidence.calibrated(1.0, posterior[:4000], unknown[:4000], right[:4000])
    assert how.slope == pytest.approx(truth.slope, abs=0.06)
    assert how.offset == pytest.approx(truth.offset, abs=0.15)
    assert how.unknown == pytest.approx(truth.unknown, abs=0.3)
    sure = how(posterior, unknown)[4000:]
    assert sure.mean() == pytest.approx(right[4000:].mean(), abs=0.02)
    assert calibration_error(sure, right[4000:]) < 0.03
    again = Confidence.calibrated(1.0, posterior[:4000], unknown[:4000], right[:4000])
    assert again == how


def calibration_error(sure, right):
    """How far shares of right words are from confidences, in ten bins."""
    sure, right = np.asarray(sure), np.asarray(right, np.float64)
    bins = np.minimum((sure * 10).astype(int), 9)
    return sum(abs((sure - right)[bins == k].sum()) for k in range(10)) / len(sure)


# -- fitting ---------------------------------------------------------------------------------------

TEXTS = ["das haus ist klein .", "das ist nicht klein", "wir gehen nach hause .", "hallo !"]


def test_words_are_right_as_often_as_one_reference_has_them():
    references = [("a", "b", "a"), ("b", "c", "b")]
    said = ("a", "b", "a", "a", "c", "b", "d", "b")
    assert right_words(said, references) == [True, True, True, False, True, True, False, False]
    assert right_words((), references) == []
    assert right_words(("a",), [()]) == [False]


def correlation(searches, theta, scale, rights):
    """Of the probability of each word with whether it is right; 0 where all have the same one."""
    how = Confidence(scale)
    sure = [p for s in searches for p in confidences(s, theta, how, [s.best])[0].words]
    if not np.ptp(sure):
        return 0.0
    return np.corrcoef(sure, [each for row in rights for each in row])[0, 1]


def test_the_scale_tells_right_from_wrong_best(decoder):
    theta = decoder.theta()
    size = np.abs(theta).sum()
    searches = list(decoder.search_all(TEXTS))
    words = [s.best.words for s in searches]
    assert words[0] == ("the", "house", "is", "small", ".")
    references = [[said] for said in words]
    references[0] = [("the", "building", "is", "."), ("is", "small")]
    rights = [[1.0] * len(said) for said in words]
    rights[0] = [1.0, 0.0, 1.0, 1.0, 1.0]
    how = fit_confidence(searches, theta, references)
    found = correlation(searches, theta, how.scale, rights)
    for other in np.geomspace(1, 50, 60) / size:
        assert correlation(searches, theta, other, rights) <= found + 2e-3
    assert how == fit_confidence(iter(searches), theta, iter(references))
    sure = [confidences(s, theta, Confidence(how.scale), [s.best])[0].words for s in searches]
    known = [p for row in sure for p in row]
    want = Confidence.calibrated(how.scale, known, [False] * len(known), np.concatenate(rights))
    assert how.to_dict() == pytest.approx(want.to_dict())


def test_scales_go_with_weights_and_have_bounds(decoder):
    theta = decoder.theta()
    size = np.abs(theta).sum()
    references = [[("the", "is")]] * len(TEXTS)
    one = fit_confidence(decoder.search_all(TEXTS), theta, references)
    assert 0.99 <= one.scale * size <= 50.5
    half = decoder.with_weights({name: value / 2 for name, value in decoder.weights.items()})
    again = fit_confidence(half.search_all(TEXTS), half.theta(), references)
    want = {**one.to_dict(), "scale": 2 * one.scale}
    assert again.to_dict() == pytest.approx(want, rel=1e-6)


def test_it_does_not_depend_on_sparse_features_met_before(tmp_path):
    used = small_decoder(tmp_path, features=[RuleIds()])
    for found in used.search_all(TEXTS):
        rules = {f"rule:{n}": 0.01 * n for n in found.forest.rule.tolist() if n >= 0}
        used = used.with_weights({**used.weights, **rules})
    references = [[("the", "is")]] * len(TEXTS)
    dense = len(used.features.dense)
    fresh = pickle.loads(pickle.dumps(used))
    assert len(fresh.theta()) == dense < len(used.theta())
    [one, other] = [
        fit_confidence(each.search_all(TEXTS), each.theta, references, dense=dense)
        for each in (used, fresh)
    ]
    assert one == other
    assert 0.99 <= one.scale * np.abs(used.theta()[:dense]).sum() <= 50.5


def test_nothing_to_fit(decoder):
    theta = decoder.theta()
    usual = Confidence.default(theta)
    missed = decoder.search(Source("das haus", reference="no such thing"))
    empty = decoder.search("")
    assert fit_confidence([], theta, []) == usual
    assert fit_confidence([missed, empty], theta, [[("a",)], [("a",)]]) == usual
    hello = decoder.search("hallo")
    assert fit_confidence([hello], theta, [[()]]) == usual
    right = fit_confidence([hello], theta, [[("hello",)]])
    wrong = fit_confidence([hello], theta, [[("goodbye",)]])
    assert right.scale == wrong.scale == usual.scale
    assert right.offset > 0 > wrong.offset
    # Nothing else was ever said: all words are certain, the right and the wrong.
    both = fit_confidence([hello, hello], theta, [[("hello",)], [("no",)]])
    assert both.scale == usual.scale
    assert 0.5 < both([1.0], [False])[0] < 0.9


def test_unknown_words_have_odds_of_their_own(decoder):
    texts = ["das haus xyz", "xyz ist klein"] * 10
    searches = list(decoder.search_all(texts))
    references = [[tuple(w for w in s.best.words if w != "xyz")] for s in searches]
    how = fit_confidence(searches, decoder.theta(), references)
    [sure] = confidences(searches[0], decoder.theta(), how, [searches[0].best])
    assert dict(zip(searches[0].best.words, sure.words, strict=True))["xyz"] < 0.15
    assert min(sure.words[:2]) > 0.8


@pytest.mark.slow
def test_the_phrasebook_is_as_right_as_its_model_is_sure(tmp_path):
    made = Phrasebook("en-de", seed=2, reverse=True).split(train=300, dev=200, test=200)
    files = {}
    for part in ("train", "dev", "test"):
        for side in ("source", "target"):
            files[part, side] = tmp_path / f"{part}.{side}"
            lines = (" ".join(getattr(pair, side)) + "\n" for pair in getattr(made, part))
            files[part, side].write_text("".join(lines), encoding="utf-8")
    train(
        TrainingInputs(
            files["train", "source"],
            files["train", "target"],
            dev=(files["dev", "source"], files["dev", "target"]),
        ),
        tmp_path / "model",
        TrainingSettings(pretokenized=True, aligner="model1", lm_order=3, tune="none"),
    )
    translator = Translator.load(tmp_path / "model")
    theta, how = translator.decoder.theta(), translator.bundle.confidence
    probabilities = Confidence(how.scale, unknown=0.0)
    sure, rights, plain = [], [], []
    for pair in made.test:
        _, found = translator.search(" ".join(pair.source))
        rights += right_words(found.best.words, [pair.target])
        sure += confidences(found, theta, how, [found.best])[0].words
        plain += confidences(found, theta, probabilities, [found.best])[0].words
    error = calibration_error(sure, rights)
    print(f"{np.mean(rights):.3f} are right, {np.mean(sure):.3f} sure, error {error:.3f}")
    assert np.mean(sure) == pytest.approx(np.mean(rights), abs=0.05)
    assert error < min(0.06, calibration_error(plain, rights) / 2)
