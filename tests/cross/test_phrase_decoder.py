"""The phrase-based decoder against all derivations there are (tests/reference/phrase_search.py)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import cycle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.phrase_checks import (
    check_best,
    check_boundary_words,
    check_valid,
    derivations_of,
    summary,
    wanted,
)
from tests.phrase_models import UNLIMITED, cases, decoder_of, feature_names, reordering_models
from tests.reference import phrase_search as reference
from tests.reference.phrase_graph import SearchGraph
from tests.reference.phrase_search import Reordering

from rosewood.decode import SearchReport, Source
from rosewood.rules.settings import KINDS

EXAMPLES = settings(max_examples=40, deadline=None)
FEWER = settings(max_examples=25, deadline=None)
modes = st.sampled_from(["cube", "full"])


# -- without limits --------------------------------------------------------------------------------


@pytest.mark.slow
@FEWER
@given(cases(), st.integers(2, 4))
def test_boundary_words_leave_nothing_to_refine(case, n):
    with decoder_of(case) as decoder:
        settings = replace(decoder.settings, boundary_words=n - 1)
        fine = decoder.with_settings(settings).decode(case.words)
        check_boundary_words(decoder.decode(case.words), fine, n, decoder.theta())


@pytest.mark.slow
@EXAMPLES
@given(cases(), modes)
def test_the_forest_holds_all_derivations_and_no_others(case, search):
    problem = case.problem()
    with decoder_of(case, replace(UNLIMITED, search=search)) as decoder:
        found = decoder.search(case.words)
        theta = decoder.theta()
        forest = found.forest
        graph = SearchGraph(problem)
        assert forest.num_derivations() == graph.num_derivations
        assert summary(derivations_of(forest, theta), case.language_models) == wanted(problem)
        check_valid(forest)
        assert forest.num_nodes == len(graph.nodes) + 1
        assert forest.num_edges == len(graph.edges) + 1
        assert found.report == SearchReport(found.report.pops)  # nothing else to tell


@pytest.mark.slow
@EXAMPLES
@given(cases(), modes)
def test_the_best_is_the_best_there_is(case, search):
    problem = case.problem()
    with decoder_of(case, replace(UNLIMITED, search=search)) as decoder:
        found = decoder.search(case.words)
        score, _ = reference.best(problem)
        assert found.best.score == pytest.approx(score, abs=1e-6)
        check_best(problem, found.best)
        (alone,) = decoder.translate([case.words])
        assert alone.score == found.best.score
        check_best(problem, alone)
        weight = found.forest.score(decoder.theta())
        assert found.forest.best(weight).score == pytest.approx(score, abs=1e-6)


@pytest.mark.slow
@FEWER
@given(cases(max_words=5, lexicalized=reordering_models(), most=600), modes)
def test_recombination_changes_nothing(case, search):
    """Every derivation of the reference is in the forest, the best of them included, although most
    hypotheses of it have been merged; so is the sum over all of them."""
    problem = case.problem()
    with decoder_of(case, replace(UNLIMITED, search=search)) as decoder:
        forest = decoder.decode(case.words)
        weight = forest.score(decoder.theta())
        graph = SearchGraph(problem)
        assert forest.inside(weight)[-1] == pytest.approx(np.log(graph.total), abs=1e-6)
        assert forest.best(weight).score == pytest.approx(graph.best_score, abs=1e-6)


@settings(max_examples=5, deadline=None)
@given(
    cases(max_words=4, most=100, lexicalized=st.none(), max_others=0),
    st.sampled_from(["backward", "forward"]),
)
def test_very_many_reordering_models(case, way):
    """Classes of a step are one number while searching: 27 of them fit into it."""
    others = tuple(
        Reordering(f"many{n}", kind, "mslr", (way,))
        for n, kind in zip(range(27), cycle(KINDS), strict=False)
    )
    names = [name for model in others for name in feature_names(model)]
    weights = {**case.weights, **dict.fromkeys(names, 0.25)}
    case = replace(case, others=others, weights=weights)
    with decoder_of(case) as decoder:
        forest = decoder.decode(case.words)
        found = summary(derivations_of(forest, decoder.theta()), case.language_models)
        assert found == wanted(case.problem())


@pytest.mark.slow
@FEWER
@given(cases(max_words=5, most=300))
def test_edges_know_their_options(case):
    problem = case.problem()
    with decoder_of(case) as decoder:
        found = decoder.search(case.words)
        forest, options = found.forest, found.options
        listed = Counter(
            (int(options.begin[n]), int(options.end[n]), tuple(options.target_words(n)))
            for n in range(len(options))
        )
        assert listed == Counter((*one.span, one.target) for one in problem.options)
        for edge in range(forest.num_edges):
            option = int(found.edge_option[edge])
            said = [symbol for symbol in forest.says(edge) if isinstance(symbol, str)]
            if edge == 0 or forest.head[edge] == forest.root:
                assert (option, said) == (-1, [])
            else:
                assert said == list(options.target_words(option))


# -- with limits -----------------------------------------------------------------------------------


limited = st.builds(
    lambda **some: replace(UNLIMITED, **some),
    search=modes,
    pop_limit=st.sampled_from([None, 1, 2, 5]),
    stack_size=st.sampled_from([None, 1, 2, 5]),
    beam=st.sampled_from([None, 0.0, 0.5, 3.0]),
    max_pops=st.sampled_from([None, None, 1, 10]),
)


@pytest.mark.slow
@EXAMPLES
@given(cases(most=500), limited)
def test_with_limits_what_is_found_is_right(case, how):
    problem = case.problem()
    with decoder_of(case, how) as decoder:
        found = decoder.search(case.words)
        check_best(problem, found.best)
        check_valid(found.forest)
        assert found.best.score <= SearchGraph(problem).best_score + 1e-6
        some = summary(derivations_of(found.forest, decoder.theta()), case.language_models)
        assert some <= wanted(problem)
        assert some.total() >= 1
        (alone,) = decoder.translate([case.words])
        assert alone.score == found.best.score


@pytest.mark.slow
@FEWER
@given(cases(most=500), st.integers(1, 3), st.integers(1, 3))
def test_only_the_best_options_and_only_short_phrases(case, option_limit, max_phrase):
    limits = {"option_limit": option_limit, "max_phrase": max_phrase}
    maker = case.maker()
    for source in {rule.source for rule in case.rules}:
        worth = sorted(maker.estimate(rule) for rule in case.rules if rule.source == source)
        gaps = np.diff(worth)
        if len(gaps) and 0 < gaps[gaps > 0].min(initial=1.0) < 1e-6:
            return  # which of them is better is a matter of rounding
    problem = case.problem(**limits)
    with decoder_of(case, replace(UNLIMITED, **limits)) as decoder:
        forest = decoder.decode(case.words)
        found = summary(derivations_of(forest, decoder.theta()), case.language_models)
        assert found == wanted(problem)


# -- a reference -----------------------------------------------------------------------------------


@pytest.mark.slow
@EXAMPLES
@given(cases(most=300), limited.filter(lambda how: how.max_pops is None), st.data())
def test_only_what_says_the_reference_and_all_of_it(case, how, data):
    every = sorted({reference.yield_of(one) for one in reference.derivations(case.problem())})
    said = data.draw(st.sampled_from(every))
    problem = case.problem(reference=said)
    with decoder_of(case, how) as decoder:
        found = decoder.search(Source(case.words, reference=said))
        assert found.report.reachable
        assert found.best.words == said
        check_best(problem, found.best)
        assert found.best.score == pytest.approx(reference.best(problem)[0], abs=1e-6)
        some = summary(derivations_of(found.forest, decoder.theta()), case.language_models)
        assert some == wanted(problem)


@pytest.mark.slow
@FEWER
@given(cases(most=100), modes, st.lists(st.sampled_from("ABX"), max_size=4))
def test_what_cannot_be_said_is_told(case, search, said):
    problem = case.problem(reference=tuple(said))
    count = sum(1 for _ in reference.derivations(problem))
    with decoder_of(case, replace(UNLIMITED, search=search)) as decoder:
        found = decoder.search(Source(case.words, reference=tuple(said)))
        assert found.report.reachable == (count > 0)
        assert found.forest.num_derivations() == count
        assert found.forest.is_empty == (count == 0)
