"""Laws of the phrase-based decoder that hold for sentences of any length and at any number of
threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.phrase_checks import check_best, known_options, told
from tests.phrase_models import (
    COLUMNS,
    SOURCE,
    TARGET,
    UNKNOWN,
    UNLIMITED,
    Case,
    cases,
    decoder_of,
    feature_names,
    language_model,
)
from tests.reference.phrase_search import LOG_OF_TEN, Reordering, features

from rosewood.decode import SearchSettings
from rosewood.rules import Rule

FEWER = settings(max_examples=15, deadline=None)
KINDS = ["word", "phrase", "hierarchy"]


def large_case(kind="hierarchy", seed=0):
    """Rules for all pairs of words, by which sentences of any length can be translated."""
    random = np.random.default_rng(seed)
    model = Reordering("reorder", kind, "mslr")
    case = Case((), (), {"lm": language_model(3)}, {}, model, (), 6)
    rules = {}
    for source in [(a,) for a in SOURCE] + [(a, b) for a in SOURCE for b in SOURCE]:
        for _ in range(5):
            target = tuple(random.choice(TARGET, random.integers(1, 4)).tolist())
            values = np.log(random.uniform(0.05, 0.95, len(case.columns))).astype(np.float32)
            rules[source, target] = Rule(
                source,
                target,
                links=((0, 0), (len(source) - 1, len(target) - 1)),
                features=dict(zip(case.columns, values.tolist(), strict=True)),
            )
    weights = dict.fromkeys(
        [*COLUMNS, "lm", "distortion", "unknown_penalty", *feature_names(model)], 0.3
    )
    weights |= {"word_penalty": -0.5, "phrase_penalty": 0.1}
    return replace(case, rules=tuple(rules.values()), weights=weights)


def sentences(count, longest, seed=1):
    random = np.random.default_rng(seed)
    return [
        random.choice([*SOURCE, UNKNOWN], random.integers(0, longest + 1)).tolist()
        for _ in range(count)
    ]


LIMITED = SearchSettings(pop_limit=50, stack_size=30)


# -- any number of threads -------------------------------------------------------------------------


def everything(found):
    forest = found.forest
    arrays = [forest.edge_start, forest.tail, forest.dense, forest.yield_symbol, found.edge_option]
    return (
        [array.tobytes() for array in arrays],
        [forest.word(symbol) for symbol in forest.yield_symbol.tolist() if symbol >= 0],
        told(found.best),
    )


@pytest.mark.parametrize("search", ["cube", "full"])
def test_any_number_of_threads_finds_the_same(search):
    case, texts = large_case(), sentences(24, 14)
    how = replace(LIMITED, search=search)
    with decoder_of(case, how) as decoder:
        once = [told(one) for one in decoder.translate(texts)]
        assert once == [told(decoder.search(text).best) for text in texts]
    for threads in (1, 2, 5):
        with decoder_of(case, how) as decoder:
            assert [told(one) for one in decoder.translate(texts, threads=threads)] == once
            searched = [everything(one) for one in decoder.search_all(texts, threads=threads)]
            assert [best for *_, best in searched] == once
            if threads == 1:
                want = searched
            assert searched == want


def test_python_threads_may_share_a_decoder():
    case, texts = large_case(), sentences(40, 10, seed=2)
    with decoder_of(case, LIMITED) as decoder:
        want = [one.words for one in decoder.translate(texts)]

    def best(text):
        found = decoder.search(text)
        one = found.forest.best(found.forest.score(decoder.theta()))
        return found.best.words, tuple(one.words)

    with decoder_of(case, LIMITED) as decoder, ThreadPoolExecutor(4) as pool:
        assert list(pool.map(best, texts)) == [(words, words) for words in want]


# -- sentences of any length -----------------------------------------------------------------------


def check_consistent(decoder, found, text):
    """Scores, features, phrases and words of the best translation belong together."""
    best = found.best
    weights = decoder.weights
    total = sum(weights.get(name, 0.0) * value for name, value in best.features.items())
    assert best.score == pytest.approx(total, abs=1e-6 * max(1, len(text)))
    weight = found.forest.score(decoder.theta())
    assert found.forest.best(weight).score == pytest.approx(
        best.score, abs=1e-6 * max(1, len(text))
    )
    assert tuple(found.forest.best(weight).words) == best.words
    assert sorted(n for use in best.rules for n in range(use.begin, use.end)) == list(
        range(len(text))
    )
    ends = [0, *(use.target_end for use in best.rules)]
    assert [use.target_begin for use in best.rules] == ends[:-1]
    assert ends[-1] == len(best.words)
    assert best.features["lm"] == pytest.approx(
        LOG_OF_TEN * decoder.language_models["lm"].score(best.words), abs=1e-6 * max(1, len(text))
    )
    assert all(0 <= i < len(text) and 0 <= j < len(best.words) for i, j in best.links)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("length", [0, 1, 2, 31, 32, 33, 63, 64, 65, 130])
def test_sentences_of_many_lengths(kind, length):
    text = np.random.default_rng(length).choice([*SOURCE, UNKNOWN], length).tolist()
    with decoder_of(large_case(kind), LIMITED) as decoder:
        check_consistent(decoder, decoder.search(text), text)


def test_a_sentence_without_words():
    for empty in ("", [], "  "):
        with decoder_of(large_case()) as decoder:
            found = decoder.search(empty)
            assert (found.best.words, found.best.rules, found.best.links) == ((), (), ())
            assert found.best.features == {
                "lm": pytest.approx(LOG_OF_TEN * language_model(3).score(""))
            }
            assert found.forest.num_derivations() == 1
            assert found.report.reachable


@pytest.mark.parametrize("kind", KINDS)
def test_paths_through_a_large_forest_have_the_features_they_should(kind):
    case = replace(large_case(kind), words=SOURCE * 18)  # more than 64
    problem = case.problem(option_limit=LIMITED.option_limit)
    known = known_options(problem)
    with decoder_of(case, LIMITED) as decoder:
        found = decoder.search(case.words)
        check_best(problem, found.best)
        forest, options = found.forest, found.options
        weight = forest.score(decoder.theta())
        for one in forest.sample(0.1 * weight, 5, seed=1):  # nearly any of them
            used = [n for n in found.edge_option[one.edges[::-1]].tolist() if n >= 0]
            derivation = tuple(
                known[options.begin[n], options.end[n], options.target_words(n), False]
                for n in used
            )
            want = features(problem, derivation)
            assert forest.features.mapping(one.features()) == pytest.approx(want, abs=1e-6)


def test_a_sentence_of_500_words():
    text = np.random.default_rng(0).choice([*SOURCE, UNKNOWN], 500).tolist()
    with decoder_of(large_case(), LIMITED) as decoder:
        found = decoder.search(text)
        check_consistent(decoder, found, text)
        assert not found.report.narrowed


# -- weights ---------------------------------------------------------------------------------------


@pytest.mark.slow
@FEWER
@given(cases(max_words=5), st.integers(0, 1000))
def test_other_weights_are_another_decoder(case, seed):
    random = np.random.default_rng(seed)
    weights = {name: float(random.normal()) for name in case.weights}
    with decoder_of(case) as decoder, decoder_of(replace(case, weights=weights)) as fresh:
        before = told(decoder.search(case.words).best)
        other = decoder.with_weights(weights)
        assert other.weights == weights
        assert told(other.search(case.words).best) == told(fresh.search(case.words).best)
        assert told(decoder.search(case.words).best) == before


@FEWER
@given(cases(max_words=5))
def test_without_weights_everything_is_worth_the_same(case):
    case = replace(case, weights=dict.fromkeys(case.weights, 0.0))
    with decoder_of(case) as decoder:
        found = decoder.search(case.words)
        assert found.best.score == 0.0
        weight = found.forest.score(decoder.theta())
        assert found.forest.inside(weight)[-1] == pytest.approx(log(found.forest.num_derivations()))


# -- limits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("search", ["cube", "full"])
def test_larger_beams_are_not_worse_on_the_whole(search):
    texts = sentences(30, 14, seed=5)
    with decoder_of(large_case()) as decoder:
        totals = []
        for size in (1, 2, 5, 50):
            how = replace(LIMITED, search=search, pop_limit=4 * size, stack_size=size)
            narrow = decoder.with_settings(how)
            totals.append(sum(one.score for one in narrow.translate(texts)))
    assert totals == sorted(totals)
    assert totals[0] < totals[1] < totals[2]


def test_a_limit_for_the_sentence_is_told():
    text = sentences(1, 40, seed=3)[0] + list(SOURCE) * 5
    with decoder_of(large_case(), replace(LIMITED, max_pops=200)) as decoder:
        found = decoder.search(text)
        assert found.report.narrowed
        assert not found.report.timed_out
        check_consistent(decoder, found, text)
        assert found.best.report.narrowed
    with decoder_of(large_case(), LIMITED) as decoder:
        wide = decoder.search(text)
        assert not wide.report.narrowed
        assert wide.best.score >= found.best.score
        assert wide.report.pops > found.report.pops


def test_a_limit_of_time_is_told():
    text = list(SOURCE) * 30
    with decoder_of(large_case(), replace(UNLIMITED, pop_limit=2000, time_limit=1e-4)) as decoder:
        found = decoder.search(text)
        assert found.report.timed_out
        check_consistent(decoder, found, text)
