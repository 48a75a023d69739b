"""The hierarchical decoder against all derivations there are (tests/reference/chart_search.py)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.hiero_models import FEATURES, UNLIMITED, decoder_of, hiero_cases
from tests.phrase_checks import check_boundary_words, check_valid, derivations_of, summary
from tests.reference.chart_cube import CubeSearch
from tests.reference.chart_search import Packed, yield_of

from rosewood.decode import Forced, RuleIds, SearchReport, Source

# Most of a case follows from a seed, which cannot be made simpler: shrinking would only take long.
EXAMPLES = settings(
    max_examples=60, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate]
)
FEWER = settings(EXAMPLES, max_examples=30)
modes = st.sampled_from(["cube", "full"])


def wanted(problem, derivations=None):
    every = problem.derivations() if derivations is None else derivations
    found = ((yield_of(one), problem.features(one)) for one in every)
    return summary(found, problem.language_models)


def check_best(problem, translation):
    """Its features and score, from its rules and words alone."""
    assert translation.score == pytest.approx(problem.score(translation.features), abs=1e-6)
    own = [place for use in translation.rules for place in use.source_places]
    assert sorted(own) == list(range(len(problem.words)))
    said = [place for use in translation.rules for place in use.target_places]
    assert sorted(said) == list(range(len(translation.words)))
    known = Counter(
        (yield_of(one), round(problem.score(problem.features(one)), 6))
        for one in problem.derivations()
    )
    assert (translation.words, round(translation.score, 6)) in known


@pytest.mark.slow
@EXAMPLES
@given(hiero_cases(), modes)
def test_the_forest_holds_all_derivations_and_no_others(case, search):
    problem = case.problem()
    with decoder_of(case, replace(UNLIMITED, search=search)) as decoder:
        found = decoder.search(case.words)
        forest = found.forest
        expected = wanted(problem)
        assert forest.num_derivations() == expected.total()
        assert summary(derivations_of(forest, decoder.theta()), case.language_models) == expected
        check_valid(forest)
        assert found.report == SearchReport(found.report.pops)


@pytest.mark.slow
@FEWER
@given(hiero_cases(most=200), modes, st.sampled_from([None, 1, 2, 3]))
def test_nodes_are_what_cannot_be_told_apart(case, search, boundary_words):
    limits = replace(UNLIMITED, search=search, boundary_words=boundary_words)
    expected = Packed(case.problem(), boundary_words or 0)
    with decoder_of(case, limits) as decoder:
        forest = decoder.decode(case.words)
        assert forest.num_nodes == len(expected.nodes)
        assert forest.num_edges == len(expected.edges)


@pytest.mark.slow
@FEWER
@given(hiero_cases(), st.integers(1, 4))
def test_boundary_words_leave_nothing_to_refine(case, n):
    with decoder_of(case) as decoder:
        coarse = decoder.decode(case.words)
        settings = replace(decoder.settings, boundary_words=max(1, n - 1))
        fine = decoder.with_settings(settings).decode(case.words)
        check_boundary_words(coarse, fine, n, decoder.theta())


@pytest.mark.slow
@EXAMPLES
@given(hiero_cases(), modes)
def test_the_best_is_the_best_there_is(case, search):
    problem = case.problem()
    with decoder_of(case, replace(UNLIMITED, search=search)) as decoder:
        found = decoder.search(case.words)
        score = problem.best_score()
        assert found.best.score == pytest.approx(score, abs=1e-6)
        check_best(problem, found.best)
        (alone,) = decoder.translate([case.words])
        assert (alone.words, alone.score) == (found.best.words, found.best.score)
        assert alone.rules == found.best.rules
        assert alone.features == pytest.approx(found.best.features, abs=1e-9)
        weight = found.forest.score(decoder.theta())
        assert found.forest.best(weight).score == pytest.approx(score, abs=1e-6)


@pytest.mark.slow
@FEWER
@given(
    hiero_cases(),
    st.integers(1, 6),
    st.sampled_from([None, 1, 3]),
    st.sampled_from([None, 0.5]),
    st.sampled_from([None, 5, 40]),
)
def test_a_pruned_search_finds_nothing_better(case, pops, cell_size, beam, max_pops):
    limits = replace(UNLIMITED, pop_limit=pops, cell_size=cell_size, beam=beam, max_pops=max_pops)
    problem = case.problem()
    with decoder_of(case, limits) as decoder:
        found = decoder.search(case.words)
        if not found.report.reachable:  # all that glue may join was pruned
            assert case.joined is not None
            assert (found.best.words, found.forest.is_empty) == ((), True)
            return
        assert found.best.score <= problem.best_score() + 1e-6
        assert not (
            summary(derivations_of(found.forest, decoder.theta()), case.language_models)
            - wanted(problem)
        )
        check_best(problem, found.best)


@pytest.mark.slow
@FEWER
@given(hiero_cases(max_labels=1), st.integers(1, 3))
def test_without_language_models_the_best_comes_first(case, pops):
    """Nothing depends on what is around a part then, so the best of each span is all it takes."""
    plain = replace(case, language_models={}, weights={n: case.weights[n] for n in FEATURES})
    with decoder_of(plain, replace(UNLIMITED, pop_limit=pops)) as decoder:
        best = decoder.search(case.words).best
        assert best.score == pytest.approx(plain.problem().best_score(), abs=1e-6)


@pytest.mark.slow
@FEWER
@given(
    hiero_cases(max_words=6),
    st.integers(1, 12),
    st.sampled_from([None, 1, 3]),
    st.sampled_from([None, 0.5]),
)
def test_cube_pruning_step_by_step(case, pops, cell_size, beam):
    limits = replace(UNLIMITED, pop_limit=pops, cell_size=cell_size, beam=beam)
    with decoder_of(case, limits) as decoder:
        found = decoder.search(case.words)
        expected = CubeSearch(decoder, found.options, case.joined)
        assert found.report.pops == expected.pops
        assert (found.forest.num_nodes, found.forest.num_edges) == expected.size()
        assert found.best.score == pytest.approx(expected.best_score(), abs=1e-6)


class OwnGaps:
    """The gaps of a rule."""

    names = ("own_gaps",)

    def __call__(self, options):
        return options.gaps.astype(float)


@pytest.mark.slow
@FEWER
@given(hiero_cases())
def test_features_written_in_python(case):
    weights = {**case.weights, "own_gaps": 0.5, "rule:0": -0.75, "rule:1": 1.5}
    problem = replace(case, weights=weights).problem()
    with decoder_of(replace(case, weights=weights), features=[OwnGaps(), RuleIds()]) as decoder:
        sides = {
            (rule.left, rule.source, rule.target): number
            for number in range(len(decoder.table))
            for rule in [decoder.table.by_id(number)]
        }

        def features(derivation):
            values = Counter(problem.features(derivation))
            for tree in (tree for top in derivation for tree in top):
                values["own_gaps"] += len(tree.children)
                if not tree.is_unknown:
                    rule = tree.rule
                    values[f"rule:{sides[rule.left, rule.source, rule.target]}"] += 1
            return {name: float(value) for name, value in values.items() if value}

        found = decoder.search(case.words)
        every = [(yield_of(one), features(one)) for one in problem.derivations()]
        best = max(sum(weights.get(n, 0.0) * v for n, v in row.items()) for _, row in every)
        assert found.best.score == pytest.approx(best, abs=1e-6)
        assert summary(
            derivations_of(found.forest, decoder.theta()), case.language_models
        ) == summary(iter(every), case.language_models)


@pytest.mark.slow
@FEWER
@given(hiero_cases(), st.data())
def test_a_reference_is_reached_by_what_says_it(case, data):
    problem = case.problem()
    sayings = sorted({yield_of(one) for one in problem.derivations()})
    reference = data.draw(st.sampled_from([*sayings, ("nobody", "says", "this")]))
    with decoder_of(case) as decoder:
        found = decoder.search(Source(case.words, reference=reference))
        those = [one for one in problem.derivations() if yield_of(one) == reference]
        assert found.report.reachable == bool(those)
        if those:
            assert summary(
                derivations_of(found.forest, decoder.theta()), case.language_models
            ) == wanted(problem, those)


@pytest.mark.slow
@FEWER
@given(hiero_cases(), st.data())
def test_forced_spans_are_translated_as_they_are_told(case, data):
    begin = data.draw(st.integers(0, len(case.words) - 1))
    end = data.draw(st.integers(begin + 1, len(case.words)))
    problem = case.problem(forced={(begin, end): [("A", "E")]})
    with decoder_of(case) as decoder:
        found = decoder.search(Source(case.words, forced=(Forced(begin, end, ("A E",)),)))
        forest = found.forest
        assert summary(derivations_of(forest, decoder.theta()), case.language_models) == wanted(
            problem
        )
