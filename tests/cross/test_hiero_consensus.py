"""Consensus, posteriors, confidence and lists of hierarchical searches against all derivations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.hiero_models import decoder_of, hiero_cases
from tests.reference.chart_search import yield_of
from tests.reference.consensus import Sayings

from rosewood.decode import (
    TextTranslator,
    WordPosteriors,
    alternatives,
    forest_mbr,
    mbr,
    moses_line,
    ngram_posteriors,
    string_posteriors,
    translation_of,
    variational,
)
from rosewood.forest import refine
from rosewood.metrics import Bleu
from rosewood.model.confidence import Confidence
from rosewood.pipeline.confidence import confidences, fit_confidence
from rosewood.pipeline.reply import reply_of

FEW = settings(max_examples=20, deadline=None)
scales = st.sampled_from([0.1, 0.5, 1.0])
close = pytest.approx


def sayings(problem, scale: float) -> Sayings:
    """Every derivation of a sentence, with its probability."""
    every = list(problem.derivations())
    scores = scale * np.array([problem.score(problem.features(one)) for one in every])
    shares = np.exp(scores - scores.max())
    return Sayings([yield_of(one) for one in every], (shares / shares.sum()).tolist())


@pytest.mark.slow
@FEW
@given(hiero_cases(max_words=4, most=150), scales)
def test_posteriors_are_sums_over_derivations(case, scale):
    told = sayings(case.problem(), scale)
    with decoder_of(case) as decoder:
        found = decoder.search(case.words)
        weight = found.forest.score(decoder.theta())
        strings = [*told.strings, ("nobody", "says", "this")]
        assert string_posteriors(found.forest, weight, strings, scale=scale) == close(
            [told.strings[words] for words in strings], abs=1e-6
        )
        occurring = told.occurrence(2)
        assert ngram_posteriors(found.forest, weight, 2, scale=scale) == close(occurring, abs=1e-6)
        words = WordPosteriors(found.forest, weight, [gram[0] for gram in occurring])
        assert words(scale) == close([occurring[(word,)] for word in words.words], abs=1e-6)
        how = Confidence(scale, 1.0, 0.0, -1.0)
        (sure,) = confidences(found, decoder.theta(), how, [found.best])
        assert sure.posterior == close(told.strings[found.best.words], abs=1e-6)
        unknown = {
            place
            for use in found.best.rules
            if use.is_unknown
            for place in use.target_places
        }  # fmt: skip
        shares = [occurring[(word,)] for word in found.best.words]
        flags = [place in unknown for place in range(len(shares))]
        assert sure.words == close(tuple(how(shares, flags).tolist()), abs=1e-6)
        assert fit_confidence([found], decoder.theta(), [[found.best.words]]).scale > 0


@pytest.mark.slow
@FEW
@given(hiero_cases(max_words=4, most=150), scales)
def test_consensus_is_the_best_of_all_strings(case, scale):
    told = sayings(case.problem(), scale)
    with decoder_of(case) as decoder:
        found = decoder.search(case.words)
        weight = found.forest.score(decoder.theta())
        agreed = forest_mbr(found.forest, weight, order=3, scale=scale)
        gains = told.linear_gains(3, 0.8, 0.6, told.occurrence(3))
        assert agreed.gain == close(max(gains), abs=1e-6)
        assert gains[told.said.index(tuple(agreed.words))] == close(max(gains), abs=1e-6)
        near = variational(found.forest, weight, order=2, scale=scale)
        models = told.model_scores(2)
        assert near.value == close(max(models), abs=1e-6)
        assert models[told.said.index(tuple(near.words))] == close(max(models), abs=1e-6)
        listed = mbr(found.forest, weight, 1000, scale=scale)
        assert {tuple(each.words): each.posterior for each in listed} == close(
            dict(told.strings), abs=1e-6
        )
        best = tuple(listed[0].words)
        assert expected_bleu(told, best) == close(
            max(expected_bleu(told, words) for words in told.strings), abs=1e-6
        )
        for chosen in (agreed, near, listed[0]):
            translation = translation_of(found, chosen.derivation)
            assert list(translation.words) == chosen.words
            places = sorted(p for use in translation.rules for p in use.source_places)
            assert places == list(range(len(case.words)))


def expected_bleu(told: Sayings, words: tuple[str, ...]) -> float:
    """The expected metric of a string against all strings."""
    metric = Bleu(tokenize="none")
    others = [[" ".join(other)] for other in told.strings]
    rows = metric.statistics_many([[" ".join(words)]] * len(others), others)
    return float(metric.sentence_gains(rows) @ list(told.strings.values()))


@pytest.mark.slow
@FEW
@given(hiero_cases(max_words=4, most=150))
def test_lists_and_replies_have_the_best_strings(case):
    problem = case.problem()
    best: dict[tuple[str, ...], float] = {}
    for one in problem.derivations():
        score = problem.score(problem.features(one))
        best[yield_of(one)] = max(score, best.get(yield_of(one), -np.inf))
    with decoder_of(case) as decoder:
        found = decoder.search(case.words)
        theta = decoder.theta()
        listed = alternatives(found, theta, 5, distinct=True)
        assert [each.score for each in listed] == close(
            sorted(best.values(), reverse=True)[:5], abs=1e-6
        )
        for number, each in enumerate(listed):
            assert best[each.words] == close(each.score, abs=1e-6)
            assert problem.score(each.features) == close(each.score, abs=1e-6)
            line = moses_line(number, each, decoder.features.dense).split(" ||| ")
            values = dict(item.split("=") for item in line[2].split())
            assert {name: float(value) for name, value in values.items() if float(value)} == close(
                dict(each.features), abs=1e-9
            )
        text = TextTranslator(decoder)
        prepared = text.prepare(" ".join(case.words))
        how = Confidence(1.0, 1.0, 0.0, -1.0)
        row = reply_of(text, prepared, found, how, nbest=3).to_dict()
        assert row["alignment"] == [list(link) for link in found.best.links]
        assert [each["score"] for each in row["alternatives"]] == [e.score for e in listed[:3]]
        assert [each["children"] for each in row["phrases"]] == [
            list(use.children) for use in found.best.rules
        ]


@pytest.mark.slow
@FEW
@given(hiero_cases(max_words=4, most=150))
def test_refined_forests_have_the_same_strings(case):
    with decoder_of(case) as decoder:
        found = decoder.search(case.words)
        refined = refine(found.forest, 3)
        weight = found.forest.score(decoder.theta())
        assert refined.forest.num_derivations() == found.forest.num_derivations()
        assert refined.forest.best(weight[refined.edge_map]).score == close(
            found.forest.best(weight).score
        )
