"""The second stage on both decoders: it finds the best of all derivations, by enumeration."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests import hiero_models, phrase_models
from tests.decoders import small_decoder
from tests.hiero_models import hiero_cases
from tests.phrase_models import cases
from tests.reference.second_stage import rescored
from tests.refusals import refuses

from rosewood.decode import PhraseDecoder, explain
from rosewood.decode.second_stage import SecondStageDecoder
from rosewood.errors import DecodingError
from rosewood.forest import NgramFeatures, SecondStage

EXAMPLES = settings(
    max_examples=40, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate]
)
TEXTS = ["das haus ist klein .", "zyx klein", "wir gehen nach hause und QQ .", ""]
ENOUGH = 2000  # derivations that are enumerated


def random_stage(seed: int, words=phrase_models.TARGET) -> SecondStage:
    random = np.random.default_rng(seed)
    ngrams = {
        tuple(map(str, random.choice(words, random.integers(1, 4)))): None
        for _ in range(int(random.integers(0, 8)))
    }
    weights = random.integers(-8, 9, len(ngrams)) / 4
    return SecondStage(NgramFeatures(ngrams), weights, edges_per_word=10_000)


def facts(translation):
    """All of a translation but how long the search took."""
    each = translation
    return each.words, each.score, each.features, each.rules


def check(first, second, words, weight: float) -> None:
    decoder = SecondStageDecoder(first, second, weight=weight)
    before, found = first.search(words).forest, decoder.search(words)
    forest = found.forest
    assert forest.features.dense == (*first.features.dense, "second_stage")
    if before.is_empty:
        assert forest.is_empty
        return
    assert forest.num_derivations() == before.num_derivations()
    score = forest.score(decoder.theta())
    assert score[found.derivation.edges].sum() == pytest.approx(found.best.score, abs=1e-9)
    assert forest.best(score).score == pytest.approx(found.best.score, abs=1e-9)
    # The translation is the same derivation: words, rules, features.
    assert found.derivation.text == found.best.text
    told = sum(decoder.weights[name] * value for name, value in found.best.features.items())
    assert told == pytest.approx(found.best.score, abs=1e-9)
    (alone,) = decoder.translate([words])
    assert facts(alone) == facts(found.best)
    assert explain(found, decoder.weights).score == pytest.approx(found.best.score, abs=1e-9)
    if before.num_derivations() <= ENOUGH:
        weights = dict(zip(second.features.ngrams, weight * second.weights, strict=True))
        every = rescored(before, before.score(first.theta()).tolist(), weights)
        assert max(every.values()) == pytest.approx(found.best.score, abs=1e-9)


@EXAMPLES
@given(cases(), st.integers(0, 1000), st.sampled_from([1.0, 0.25, -1.0]))
def test_phrases(case, seed, weight):
    with phrase_models.decoder_of(case) as first:
        check(first, random_stage(seed), " ".join(case.words), weight)


@EXAMPLES
@given(hiero_cases(), st.integers(0, 1000), st.sampled_from([1.0, 0.25, -1.0]))
def test_rules_with_gaps(case, seed, weight):
    with hiero_models.decoder_of(case) as first:
        check(first, random_stage(seed), " ".join(case.words), weight)


@pytest.fixture(scope="module")
def decoder(tmp_path_factory) -> SecondStageDecoder:
    first = small_decoder(tmp_path_factory.mktemp("second"))
    features = NgramFeatures([("building",), ("that", "house"), ("little", ".")])
    return SecondStageDecoder(first, SecondStage(features, np.array([0.5, 9.0, 2.0])))


def test_ngrams_change_the_translation(decoder):
    assert decoder.first.search(TEXTS[0]).best.text == "the house is small ."
    found = decoder.search(TEXTS[0])
    assert found.best.text == "that house is little ."
    assert found.best.features["second_stage"] == 11.0
    assert found.best.links == ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4))
    why = explain(found, decoder.weights)
    assert sum(each.contributions.get("second_stage", 0.0) for each in why.rules) <= 11.0
    assert "second_stage" in why.to_text() or "n-grams" in why.to_text()
    best = found.forest.k_best(found.forest.score(decoder.theta()), 5, distinct=True)
    assert best[0].text == found.best.text


def test_weights_and_copies(decoder):
    without = decoder.with_weights({**decoder.weights, "second_stage": 0.0})
    for text in TEXTS:
        assert without.search(text).best.text == decoder.first.search(text).best.text
    kept = decoder.with_weights(decoder.first.weights)
    again = pickle.loads(pickle.dumps(kept))
    want = [facts(each) for each in decoder.translate(TEXTS)]
    for other in (kept, again, decoder.with_settings(decoder.settings)):
        assert [facts(each) for each in other.translate(TEXTS, threads=2)] == want
        assert other.weights == decoder.weights
    assert [facts(each.best) for each in decoder.search_all(TEXTS, threads=2)] == want


def test_a_second_stage_is_there_once(decoder):
    with refuses(DecodingError, "feature.duplicate", argument="second_stage"):
        SecondStageDecoder(decoder, decoder.second)


def test_a_decoder_is_a_decoder(decoder):
    from rosewood.decode import Decoder

    assert isinstance(decoder, Decoder)
    assert not isinstance(decoder, PhraseDecoder)
