"""How sure translations are: against all derivations, one by one; and scales that are fitted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.decoders import small_decoder
from tests.phrase_models import cases, decoder_of
from tests.reference.consensus import Strings

from rosewood.decode import Source, WordPosteriors, ngram_posteriors, string_posteriors
from rosewood.errors import EmptyForestError
from rosewood.forest import Forest
from rosewood.pipeline.confidence import _correlation, confidence, default_scale, fit_scale


@pytest.fixture(scope="module")
def decoder(tmp_path_factory):
    return small_decoder(tmp_path_factory.mktemp("model"))


@settings(max_examples=40, deadline=None)
@given(cases(max_others=0, most=200), st.sampled_from([0.01, 0.3, 1.0, 7.0]))
def test_it_is_what_all_derivations_say(case, scale):
    with decoder_of(case) as decoder:
        found = decoder.search(case.words)
        theta = decoder.theta()
        weight = found.forest.score(theta)
        table = Strings(found.forest, scale * weight)
        strings = list(table.strings)
        for said in [found.best.words, *strings[:5]]:
            sure, whole = confidence(found, theta, scale, said)
            occurs = table.occurrence(1)
            assert sure == pytest.approx([occurs[word,] for word in said], abs=1e-9)
            assert whole == pytest.approx(table.strings[said], abs=1e-9)
            assert all(0 <= each <= 1 for each in [*sure, whole])
        every = string_posteriors(found.forest, weight, strings, scale=scale)
        assert every.sum() == pytest.approx(1, abs=1e-9)


def test_single_words_are_those_of_ngrams(decoder):
    found = decoder.search("das haus ist nicht klein .")
    weight = found.forest.score(decoder.theta())
    want = ngram_posteriors(found.forest, weight, 1, scale=2.0)
    some = ["small", "the", "small", "nowhere"]
    posteriors = WordPosteriors(found.forest, weight, some)
    assert posteriors.words == ("small", "the", "nowhere")
    assert posteriors(2.0) == pytest.approx([want["small",], want["the",], 0.0], abs=1e-12)


def test_nothing_at_all(decoder):
    theta = decoder.theta()
    assert confidence(decoder.search(""), theta, 1.0, ()) == ([], 1.0)
    missed = decoder.search(Source("das haus", reference="no such thing"))
    assert confidence(missed, theta, 1.0, ()) == ([], 0.0)
    assert confidence(missed, theta, 1.0, ("a",)) == ([0.0], 0.0)
    with pytest.raises(EmptyForestError):
        string_posteriors(Forest.empty(), [], [["a"]])


def test_one_word_that_nothing_translates(decoder):
    found = decoder.search("xyz")
    assert confidence(found, decoder.theta(), 3.0, ("xyz",)) == ([1.0], pytest.approx(1.0))
    assert confidence(found, decoder.theta(), 3.0, ("abc",)) == ([0.0], 0.0)
    assert confidence(found, decoder.theta(), 3.0, ()) == ([], 0.0)


def test_the_more_the_scale_the_surer_the_best(decoder):
    found = decoder.search("das haus ist klein .")
    whole = [
        confidence(found, decoder.theta(), scale, found.best.words)[1]
        for scale in (0.01, 1.0, 5.0, 25.0, 1000.0)
    ]
    assert whole == sorted(whole)
    assert whole[-1] == pytest.approx(1.0)


# -- scales ----------------------------------------------------------------------------------------

TEXTS = ["das haus ist klein .", "das ist nicht klein", "wir gehen nach hause .", "hallo !"]


def correlation(searches, theta, scale, rights):
    """Of the probability of each word with whether it is right, word by word."""
    sure = [each for s in searches for each in confidence(s, theta, scale, s.best.words)[0]]
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
    scale = fit_scale(searches, theta, words, references)
    found = correlation(searches, theta, scale, rights)
    for other in np.geomspace(1, 50, 60) / size:
        assert correlation(searches, theta, other, rights) <= found + 1e-4
    assert scale == fit_scale(iter(searches), theta, iter(words), iter(references))


def test_what_is_said_twice_is_right_once():
    count, right = np.array([2.0, 1.0]), np.array([1.0, 1.0])
    want = np.corrcoef([0.5, 0.5, 0.8], [1.0, 0.0, 1.0])[0, 1]
    assert _correlation(np.array([0.5, 0.8]), count, right) == pytest.approx(want)
    assert _correlation(np.array([0.5, 0.5]), count, right) == 0.0


def test_scales_go_with_weights_and_have_bounds(decoder):
    theta = decoder.theta()
    size = np.abs(theta).sum()
    searches = list(decoder.search_all(TEXTS))
    words = [s.best.words for s in searches]
    references = [[("the", "is")]] * len(TEXTS)
    one = fit_scale(searches, theta, words, references)
    assert one * size >= 0.99
    assert one * size <= 50.5
    half = decoder.with_weights({name: value / 2 for name, value in decoder.weights.items()})
    again = fit_scale(half.search_all(TEXTS), half.theta(), words, references)
    assert again == pytest.approx(2 * one, rel=1e-6)


def test_nothing_to_fit(decoder):
    theta = decoder.theta()
    want = 5 / np.abs(theta).sum()
    assert default_scale(theta) == want
    assert default_scale(np.zeros(2)) == 5
    missed = decoder.search(Source("das haus", reference="no such thing"))
    empty = decoder.search("")
    assert fit_scale([], theta, [], []) == want
    assert fit_scale([missed, empty], theta, [(), ()], [[("a",)], [("a",)]]) == want
    hello = decoder.search("hallo")
    for reference in ((), ("hello",), ("goodbye",)):
        assert fit_scale([hello], theta, [("hello",)], [[reference]]) == want
    # Nothing else was ever said: all words are certain, the right and the wrong.
    assert fit_scale([hello, hello], theta, [("hello",)] * 2, [[("hello",)], [("no",)]]) == want
