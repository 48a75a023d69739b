"""Source words that translations leave out: which ones, and what the forest does with them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.decoders import small_decoder
from tests.hiero_models import decoder_of as hiero_decoder_of
from tests.hiero_models import hiero_cases
from tests.monotone import MonotoneDecoder
from tests.phrase_models import cases, decoder_of

from rosewood.decode import SearchResult, Translation, alternatives
from rosewood.decode.coverage import linked_shares, unlinked_places
from rosewood.model.confidence import Confidence
from rosewood.pipeline.confidence import confidences
from rosewood.rules import Rule, RuleTable

FEW = settings(max_examples=25, deadline=None)
MOST = 3000  # derivations


def by_enumeration(found: SearchResult, theta, scale: float) -> np.ndarray:
    """The share of derivations that link each source word."""
    every: list[Translation] = alternatives(found, theta, MOST)
    scores = scale * np.array([each.score for each in every])
    shares = np.exp(scores - scores.max())
    linked = np.zeros(len(found.source.words))
    for each, share in zip(every, shares / shares.sum(), strict=True):
        for place in {i for i, _ in each.links}:
            linked[place] += share
    return linked


def check(decoder, words, scale: float) -> None:
    found = decoder.search(words)
    if found.forest.is_empty or found.forest.num_derivations() > MOST:
        return
    theta = decoder.theta()
    places = range(len(found.source.words))
    shares = linked_shares(found, scale * found.forest.score(theta), places)
    assert list(shares) == list(places)
    assert list(shares.values()) == pytest.approx(by_enumeration(found, theta, scale), abs=1e-6)
    one = linked_shares(found, scale * found.forest.score(theta), [0]) if places else {}
    assert one == ({0: shares[0]} if places else {})


@pytest.mark.slow
@FEW
@given(cases(max_others=0, most=200), st.sampled_from([0.3, 1.0]))
def test_shares_of_phrases(case, scale):
    with decoder_of(case) as decoder:
        check(decoder, case.words, scale)


@pytest.mark.slow
@FEW
@given(hiero_cases(max_words=4, most=150), st.sampled_from([0.3, 1.0]))
def test_shares_of_rules_with_gaps(case, scale):
    with hiero_decoder_of(case) as decoder:
        check(decoder, case.words, scale)


RULES = [
    Rule(("sie",), ("she",), links=((0, 0),), features={"phrase_ef": -0.1}),
    Rule(("hat",), ("has",), links=((0, 0),), features={"phrase_ef": -0.5}),
    Rule(("sie", "hat"), ("she",), links=((0, 0),), features={"phrase_ef": -0.2}),
    Rule(("brot",), ("bread",), links=((0, 0),), features={"phrase_ef": -0.1}),
    Rule(("brot", "gekauft"), ("bread",), links=((0, 0),), features={"phrase_ef": -9.0}),
    Rule(("gekauft",), ("bought",), links=((0, 0),), features={"phrase_ef": -0.1}),
    Rule(("gekauft",), ("purchased",), links=((0, 0),), features={"phrase_ef": -0.4}),
]
TEXT = "sie hat brot gekauft xyz"


@pytest.fixture(scope="module")
def decoder(tmp_path_factory):
    return made_of(tmp_path_factory.mktemp("coverage"), small_decoder)


def made_of(folder, make):
    made = make(folder)
    table = RuleTable.build(folder / "others", RULES)
    return type(made)(table, made.language_models, weights=made.weights)


def test_what_is_left_out(decoder):
    check(decoder, TEXT, 1.0)
    found, theta = decoder.search(TEXT), decoder.theta()
    shares = linked_shares(found, 2 * found.forest.score(theta), range(5))
    assert [shares[0], shares[4]] == pytest.approx([1.0, 1.0])  # a copy is not left out
    assert 0.0 < shares[1] < 0.5 < shares[3] < 1.0
    dropped = [e for e in alternatives(found, theta, 1000) if 3 in unlinked_places(e)]
    assert dropped
    assert all("bought" not in e.words and "purchased" not in e.words for e in dropped)


def test_leaving_out_a_content_word_costs(decoder):
    found, theta = decoder.search(TEXT), decoder.theta()
    how = Confidence(2.0)
    shares = linked_shares(found, 2 * found.forest.score(theta), range(5))
    every = alternatives(found, theta, 500, distinct=True)
    chosen = next(each for each in every if 3 not in unlinked_places(each))
    others = [each for each in every if 3 in unlinked_places(each)]
    own, *sure = confidences(found, theta, how, [chosen, *others])
    assert shares[3] > 0.5
    assert sure
    for each, other in zip(others, sure, strict=True):
        missing = [i for i in unlinked_places(each) if shares[i] > 0.5]
        assert other.left_out == pytest.approx(sum(2 * shares[i] - 1 for i in missing))
        assert other.mean < own.mean
    # Alone, a translation has no bound but its own words.
    (alone,) = confidences(found, theta, how, others[:1])
    assert alone.highest == 1.0
    assert alone.mean == pytest.approx(sum(alone.words) / (len(alone.words) + alone.left_out))
    assert replace(sure[0], highest=1.0) == alone


def test_decoders_without_options(decoder, tmp_path):
    numbers = dict.fromkeys(("phrase_fe", "lexical_ef", "lexical_fe"), -1.0)
    rules = [replace(each, features={**numbers, **each.features}) for each in RULES]
    plain = MonotoneDecoder(RuleTable.build(tmp_path / "all", rules))
    check(plain, "sie hat brot gekauft xyz", 1.0)
