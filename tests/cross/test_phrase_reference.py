"""The reference of phrase-based search against cases worked out by hand, and against itself."""

from __future__ import annotations

from itertools import permutations
from math import exp, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.phrase_models import UniformModel, cases
from tests.reference import phrase_search as reference
from tests.reference.phrase_graph import SearchGraph, push
from tests.reference.phrase_options import Forced, OptionMaker, dropped
from tests.reference.phrase_search import Option, Problem, Reordering
from tests.reference.rules import LEFT, MONOTONE, RIGHT, SWAP

from rosewood.rules import Rule

EXAMPLES = settings(max_examples=40, deadline=None)
LM = {"lm": UniformModel()}


def phrases(*spans, links=frozenset()):
    return tuple(Option(begin, end, ("w",), links=links) for begin, end in spans)


def orientations(way, kind, derivation):
    first = 0 if way is reference.backward else 1
    return [way(kind, derivation[:n], derivation[n]) for n in range(first, len(derivation))]


# -- orientations ----------------------------------------------------------------------------------


def test_phrases_beside_each_other():
    order = phrases((0, 1), (1, 3), (5, 6), (4, 5), (3, 4))
    assert orientations(reference.backward, "phrase", order) == [
        MONOTONE, MONOTONE, RIGHT, SWAP, SWAP,
    ]  # fmt: skip
    assert orientations(reference.forward, "phrase", order) == [MONOTONE, RIGHT, SWAP, SWAP]


def test_a_jump_to_the_left_over_other_words():
    order = phrases((2, 3), (0, 1), (1, 2))
    assert orientations(reference.backward, "phrase", order) == [RIGHT, LEFT, MONOTONE]
    assert orientations(reference.forward, "phrase", order) == [LEFT, MONOTONE]


def test_blocks_are_joined():
    # 1 and 0 make 0:2, beside which 2 is monotone; as phrases, 2 is a jump to the right.
    order = phrases((1, 2), (0, 1), (2, 3))
    assert orientations(reference.backward, "phrase", order) == [RIGHT, SWAP, RIGHT]
    assert orientations(reference.backward, "hierarchy", order) == [RIGHT, SWAP, MONOTONE]


def test_four_blocks_that_cannot_be_joined():
    # 1 3 0 2 make up 0:4, but no two neighbours are neighbours in the source: 4 sees only 2.
    order = phrases((1, 2), (3, 4), (0, 1), (2, 3), (4, 5))
    assert reference.block(tuple(option.span for option in order[:4])) is None
    assert orientations(reference.backward, "hierarchy", order) == [
        RIGHT, RIGHT, LEFT, RIGHT, RIGHT,
    ]  # fmt: skip


def test_a_swap_with_a_block():
    # 2 and 3 make 2:4, and 1 is before it.
    order = phrases((2, 3), (3, 4), (1, 2), (0, 1))
    assert orientations(reference.backward, "hierarchy", order) == [RIGHT, MONOTONE, SWAP, SWAP]
    assert orientations(reference.backward, "phrase", order) == [RIGHT, MONOTONE, LEFT, SWAP]


def test_forwards_what_is_not_covered_yet_may_be_joined():
    def seen(*spans):
        return orientations(reference.forward, "hierarchy", phrases(*spans))

    assert seen((0, 1), (2, 3), (1, 2)) == [MONOTONE, SWAP]  # word 1 was free: 1:3 is a block
    assert seen((1, 2), (0, 1), (2, 3)) == [SWAP, RIGHT]  # what is behind 0 is covered
    assert seen((3, 4), (0, 1), (1, 3)) == [SWAP, MONOTONE]  # word 2 is free
    assert seen((2, 3), (3, 4), (0, 1), (1, 2)) == [MONOTONE, LEFT, MONOTONE]  # it is not
    assert seen((2, 3), (0, 2)) == [SWAP]  # the phrase itself is what lies between


@pytest.mark.parametrize(
    ("links", "want"),
    [
        # The last target word of the first phrase (0:2): linked to its last word, to its first.
        ({(1, 1)}, MONOTONE),
        ({(0, 1)}, RIGHT),
        ({(1, 0)}, RIGHT),  # that is another target word, and the last one has no link
        ({(0, 1), (1, 1)}, MONOTONE),
        (set(), RIGHT),
    ],
)
def test_backwards_links_of_the_last_target_word_tell(links, want):
    first = Option(0, 2, ("v", "w"), links=frozenset(links))
    assert reference.backward("word", (first,), Option(2, 3, ("x",))) == want


@pytest.mark.parametrize(
    ("links", "span", "want"),
    [
        ({(0, 1)}, (0, 1), SWAP),
        ({(1, 1)}, (0, 1), LEFT),
        ({(1, 0)}, (0, 1), RIGHT),  # no link: nobody can tell
        ({(1, 1)}, (4, 5), RIGHT),
    ],
)
def test_backwards_before_a_phrase(links, span, want):
    first = Option(1, 3, ("v", "w"), links=frozenset(links))
    assert reference.backward("word", (first,), Option(*span, ("x",))) == want


@pytest.mark.parametrize(
    ("links", "span", "want"),
    [
        ({(0, 0)}, (3, 5), MONOTONE),
        ({(1, 0)}, (3, 5), RIGHT),
        ({(0, 1)}, (3, 5), RIGHT),
        ({(1, 0)}, (0, 2), SWAP),
        ({(0, 0)}, (0, 2), LEFT),
        ({(0, 1)}, (0, 2), RIGHT),
    ],
)
def test_forwards_links_of_the_first_target_word_tell(links, span, want):
    current = Option(*span, ("v", "w"), links=frozenset(links))
    assert reference.forward("word", (Option(2, 3, ("x",)),), current) == want


def test_a_phrase_that_says_nothing_is_linked_nowhere():
    silent = Option(0, 1, ())
    assert reference.backward("word", (silent,), Option(1, 2, ("x",))) == RIGHT
    assert reference.forward("word", (Option(1, 2, ("x",)),), silent) == RIGHT


@pytest.mark.parametrize("kind", ["word", "phrase", "hierarchy"])
def test_the_first_phrase(kind):
    assert reference.backward(kind, (), Option(0, 2, ("x",))) == MONOTONE
    assert reference.backward(kind, (), Option(1, 2, ("x",))) == RIGHT


@pytest.mark.parametrize("size", range(1, 7))
def test_a_stack_has_the_largest_block_on_top(size):
    for order in permutations([(n, n + 1) for n in range(size)]):
        stack = ()
        for count, span in enumerate(order, 1):
            stack = push(stack, span)
            assert stack[-1] == reference.block_before(order[:count])


# -- which phrases may follow ----------------------------------------------------------------------


def spans_after(covered, end, limit, words=6):
    every = [(b, e) for b in range(words) for e in range(b + 1, words + 1)]
    return [s for s in every if reference.may_follow(frozenset(covered), end, s, limit)]


def test_without_jumps():
    assert spans_after([], 0, 0, 3) == [(0, 1), (0, 2), (0, 3)]
    assert spans_after([0], 1, 0, 3) == [(1, 2), (1, 3)]


def test_a_jump_must_leave_a_way_back():
    # Two words may be left out; a phrase that does so ends within two words of the gap.
    assert spans_after([], 0, 2, 4) == [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2)]
    # 0 is free, 1 was the last: only back.
    assert spans_after([1], 2, 2, 4) == [(0, 1)]
    assert spans_after([1], 2, 3, 4) == [(0, 1), (2, 3)]


def test_without_a_limit_everything_that_is_free():
    assert spans_after([1], 2, None, 3) == [(0, 1), (2, 3)]
    assert len(spans_after([], 0, None, 6)) == 21


# -- numbers by hand -------------------------------------------------------------------------------


def two_words(**more):
    options = (
        Option(0, 1, ("A",), {"x": 1.0}, ((-1.0, -2.0, -3.0, -4.0, -5.0, -6.0),)),
        Option(1, 2, ("B", "C"), {"x": 0.5}, ((-0.1, -0.2, -0.3, -0.4, -0.5, -0.6),)),
        Option(0, 2, ("D",), {"x": -1.0}, ((-7.0, -8.0, -9.0, -7.5, -8.5, -9.5),)),
    )
    weights = {"x": 2.0, "word_penalty": 1.0, "lm": 0.5}
    return Problem(2, options, LM, weights, (Reordering(),), **more)


def test_features_of_a_whole_derivation():
    problem = two_words()
    first, second, both = problem.options
    word = log(0.1)
    assert reference.features(problem, (first, second)) == pytest.approx(
        {
            "x": 1.5, "word_penalty": -3.0, "phrase_penalty": 2.0, "lm": 4 * word,
            "reorder_backward_monotone": -1.1, "reorder_forward_monotone": -4.0,
        }
    )  # fmt: skip
    assert reference.features(problem, (second, first)) == pytest.approx(
        {
            "x": 1.5, "word_penalty": -3.0, "phrase_penalty": 2.0, "lm": 4 * word,
            "distortion": -3.0,  # one word on, then back over two
            "reorder_backward_discontinuous": -0.3, "reorder_backward_swap": -2.0,
            "reorder_forward_swap": -0.5,
        }
    )  # fmt: skip
    assert reference.features(problem, (both,)) == pytest.approx(
        {
            "x": -1.0, "word_penalty": -1.0, "phrase_penalty": 1.0, "lm": 2 * word,
            "reorder_backward_monotone": -7.0,
        }
    )  # fmt: skip


def test_all_derivations_and_the_graph_of_two_words():
    problem = two_words()
    first, second, both = problem.options
    assert list(reference.derivations(problem)) == [(first, second), (second, first), (both,)]
    score, best = reference.best(problem)
    assert (best, score) == ((first, second), pytest.approx(2 * log(0.1)))
    graph = SearchGraph(problem)
    assert graph.num_derivations == 3
    assert graph.best_score == pytest.approx(score)
    assert len(graph.nodes) == 6  # the beginning, two with a word, and three that are complete
    assert len(graph.edges) == 8
    only = two_words(distortion_limit=0)
    assert list(reference.derivations(only)) == [(first, second), (both,)]


def test_only_what_says_the_reference():
    problem = two_words(reference=("B", "C", "A"))
    first, second, _ = problem.options
    assert list(reference.derivations(problem)) == [(second, first)]
    graph = SearchGraph(problem)
    assert (graph.num_derivations, len(graph.nodes), len(graph.edges)) == (1, 3, 3)
    nothing = SearchGraph(two_words(reference=("A",)))
    assert (nothing.num_derivations, nothing.nodes, nothing.edges) == (0, [], [])


def test_a_sentence_without_words_has_one_derivation():
    problem = Problem(0, (), LM, {"lm": 1.0})
    assert list(reference.derivations(problem)) == [()]
    assert SearchGraph(problem).best_score == pytest.approx(log(0.1))
    assert reference.features(problem, ()) == {"lm": pytest.approx(log(0.1))}


# -- options ---------------------------------------------------------------------------------------


def rule(source, target, score):
    features = {"phrase_ef": score, "rule_penalty": 1.0, "orientation_backward_swap": 50.0}
    return Rule(tuple(source.split()), tuple(target.split()), features=features)


RULES = [rule("a", "A", -1.0), rule("a", "A B", -1.0), rule("a", "C", -0.5), rule("a b", "D", -3.0)]


def listed(options):
    return [(*option.span, " ".join(option.target)) for option in options]


def test_the_best_rules_of_a_span():
    maker = OptionMaker(RULES, LM, {"phrase_ef": 1.0, "lm": 1.0}, option_limit=2)
    assert maker.estimate(RULES[1]) == pytest.approx(-1.0 + 2 * log(0.1))
    assert [one.target for one in maker.best_rules(("a",))] == [("C",), ("A",)]
    penalised = OptionMaker(
        RULES, LM, {"phrase_ef": 1.0, "word_penalty": -9.0, "phrase_penalty": 7}
    )
    assert penalised.estimate(RULES[1]) == pytest.approx(-1.0 + 18.0 + 7.0)
    same = OptionMaker(RULES, LM, {})
    assert [one.target for one in same.best_rules(("a",))] == [("A",), ("A", "B"), ("C",)]


def test_words_that_no_rule_translates():
    maker = OptionMaker(RULES, LM, {"phrase_ef": 1.0}, option_limit=1)
    found = list(maker.options(["a", "b"]))
    assert listed(found) == [(0, 1, "C"), (0, 2, "D"), (1, 2, "b")]
    assert found[2].features == {"unknown_penalty": -100.0}
    assert found[2].links == {(0, 0)}
    short = OptionMaker(RULES, LM, {}, max_phrase=1, option_limit=1, unknown=dropped)
    assert listed(short.options(["a", "b"])) == [(0, 1, "A"), (1, 2, "")]


def test_forced_translations():
    maker = OptionMaker(RULES, LM, {"phrase_ef": 1.0}, option_limit=1)
    only = maker.options(["a", "b"], [Forced(1, 2, ("B", "B B"))])
    assert listed(only) == [(0, 1, "C"), (1, 2, "B"), (1, 2, "B B")]
    also = maker.options(["a", "b"], [Forced(1, 2, ("B",), exclusive=False)])
    assert listed(also) == [(0, 1, "C"), (0, 2, "D"), (1, 2, "B")]
    long = list(maker.options(["a", "b"], [Forced(0, 2, ("",))]))
    assert listed(long) == [(0, 2, "")]
    assert long[0].links == frozenset()


# -- whole against step by step --------------------------------------------------------------------


@pytest.mark.slow
@EXAMPLES
@given(cases(max_words=5, most=400), st.data())
def test_the_graph_holds_all_derivations_and_the_best(case, data):
    problem = case.problem()
    every = list(reference.derivations(problem))
    if data.draw(st.booleans()):
        said = reference.yield_of(data.draw(st.sampled_from(every)))
        problem = case.problem(reference=said)
        every = list(reference.derivations(problem))
    graph = SearchGraph(problem)
    assert graph.num_derivations == len(every) >= 1
    scores = [problem.score(reference.features(problem, one)) for one in every]
    assert graph.best_score == pytest.approx(max(scores), abs=1e-9)
    assert graph.total == pytest.approx(sum(map(exp, scores)))
    assert len(set(graph.nodes)) == len(graph.nodes)
