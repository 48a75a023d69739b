"""Searches with limits against a plain one (tests/reference/phrase_beam.py): what is pruned, what
is not, and in which order hypotheses come."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.phrase_checks import derivations_of, summary, wanted
from tests.phrase_models import UNLIMITED, cases, decoder_of, reordering_models
from tests.reference.phrase_beam import BeamGraph
from tests.reference.phrase_graph import SearchGraph

pytestmark = pytest.mark.slow

EXAMPLES = settings(max_examples=25, deadline=None)


@st.composite
def uneven(draw, **how):
    """Cases whose hypotheses are seldom as good as each other."""
    case = draw(cases(**how))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rules = tuple(
        replace(
            rule,
            features={name: float(np.float32(-random.exponential())) for name in rule.features},
        )
        for rule in case.rules
    )
    weights = {name: value or 0.25 for name, value in case.weights.items()}
    weights["unknown_penalty"] = 0.01  # or sums over derivations are as good as 0
    return replace(case, rules=rules, weights=weights)


def check(case, how):
    """The forest is what the reference finds: nodes, edges, and the sum over all derivations."""
    problem = case.problem()
    graph = BeamGraph(problem, replace(how, distortion_limit=case.distortion_limit))
    assume(not graph.is_tied)
    with decoder_of(case, how) as decoder:
        found = decoder.search(case.words)
        forest = found.forest
        assert found.best.score == pytest.approx(graph.best_score, abs=1e-6)
        assert (forest.num_nodes, forest.num_edges) == (len(graph.nodes) + 1, len(graph.edges) + 1)
        assert forest.num_derivations() == graph.num_derivations
        weight = forest.score(decoder.theta())
        assert forest.inside(weight)[-1] == pytest.approx(np.log(graph.total), abs=1e-6)
        assert (found.report.pops, found.report.narrowed) == (graph.pops, graph.is_narrowed)


models = uneven(max_words=6, most=600, lexicalized=reordering_models())


@EXAMPLES
@given(models, st.integers(1, 5), st.sampled_from([None, 0.5, 2.0]))
def test_the_best_nodes_of_a_stack_go_on(case, stack_size, beam):
    """Nodes are compared by their best way and an estimate of what is to come."""
    check(case, replace(UNLIMITED, search="full", stack_size=stack_size, beam=beam))


@EXAMPLES
@given(models, st.integers(1, 12), st.sampled_from([None, 1, 3]))
def test_the_best_hypotheses_come_first(case, pop_limit, stack_size):
    check(case, replace(UNLIMITED, pop_limit=pop_limit, stack_size=stack_size))


@EXAMPLES
@given(models, st.integers(1, 60), st.sampled_from([("full", None), ("cube", None), ("cube", 4)]))
def test_stacks_share_what_is_left(case, max_pops, how):
    search, pop_limit = how
    check(case, replace(UNLIMITED, search=search, pop_limit=pop_limit, max_pops=max_pops))


@settings(max_examples=30, deadline=None)
@given(
    cases(most=400), st.sampled_from([{"pop_limit": 10**9}, {"search": "full", "time_limit": 1e9}])
)
def test_limits_that_nothing_reaches(case, how):
    """Cell by cell, each is met once."""
    problem = case.problem()
    with decoder_of(case, replace(UNLIMITED, **how)) as decoder:
        found = decoder.search(case.words)
        assert summary(derivations_of(found.forest, decoder.theta()), case.language_models) == (
            wanted(problem)
        )
        assert found.best.score == pytest.approx(SearchGraph(problem).best_score, abs=1e-6)
        assert not found.report.narrowed
        assert not found.report.timed_out
