"""MERT: its line search, lists and forests, ties."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lists import as_list, planted, small_texts
from tests.refusals import refuses
from tests.strategies import WORDS, forests

from rosewood.errors import TuningError
from rosewood.forest import FeatureSpace, Forest
from rosewood.learn import Mert, TuningSet
from rosewood.learn.learners.mert import line_search
from rosewood.metrics import parse_metric

EXAMPLES = settings(max_examples=40, deadline=None)
BLEU = parse_metric("bleu:tokenize=none")


@EXAMPLES
@given(st.integers(0, 2**32 - 1))
def test_line_search_finds_the_best_of_all_breakpoints(seed):
    tuning = small_texts(seed)
    random = np.random.default_rng(seed)
    theta, delta = random.standard_normal((2, 3))
    scores, slope = tuning.edge_scores(theta), tuning.edge_scores(delta)
    x, gain, before = line_search(tuning, scores, slope, lower=-1e6, upper=1e6)
    assert before == pytest.approx(tuning.gain(theta))
    assert gain == pytest.approx(tuning.gain(theta + x * delta))
    # Wherever two candidates of a list are equally good, the choice may change.
    crossings = set()
    for first, last in pairwise(tuning.edge_start):
        for i in range(first, last):
            for j in range(i + 1, last):
                if slope[i] != slope[j]:
                    crossings.add((scores[i] - scores[j]) / (slope[j] - slope[i]))
    places = [-1e6, *sorted(crossings), 1e6]
    best = max(tuning.gain(theta + (a + b) / 2 * delta) for a, b in pairwise(places))
    assert gain == pytest.approx(best, abs=1e-9)


@st.composite
def forest_sets(draw):
    """A few forests, and the same derivations as n-best lists."""
    several = draw(st.lists(forests(max_derivations=10, max_nodes=4), min_size=1, max_size=3))
    words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
    references = [[draw(words)] for _ in several]
    lists = [as_list(forest) for forest in several]
    return TuningSet(several, BLEU, references), TuningSet(lists, BLEU, references)


@pytest.mark.slow
@EXAMPLES
@given(forest_sets(), st.integers(0, 2**32 - 1))
def test_forests_and_their_lists_are_one_to_mert(pair, seed):
    packed, listed = pair
    random = np.random.default_rng(seed)
    theta, delta = random.standard_normal((2, len(packed.features)))
    found = [
        line_search(each, each.edge_scores(theta), each.edge_scores(delta), upper=100.0)
        for each in pair
    ]
    assert found[0][1:] == pytest.approx(found[1][1:], abs=1e-9)
    assert packed.gain(theta) == pytest.approx(listed.gain(theta), abs=1e-9)
    x = found[0][0]
    assert listed.gain(theta + x * delta) == pytest.approx(found[0][1], abs=1e-9)


def test_mert_finds_what_it_can_on_forests():
    """A fit on forests is as good as on their lists, which is as good as can be."""
    random = np.random.default_rng(5)
    from rosewood.forest import parse_forest

    packed = [
        parse_forest(
            f"""
            dense f g
            0 <- ||| a   ||| f={random.normal():.3f} g=1
            0 <- ||| b   ||| f={random.normal():.3f} g=0
            1 <- ||| c   ||| f={random.normal():.3f} g=0
            1 <- ||| d d ||| f={random.normal():.3f} g=1
            2 <- 0 1 ||| [0] [1] ||| f=0 g=0
            2 <- 0 1 ||| [1] [0] ||| f=0 g=-1
            """
        )
        for _ in range(10)
    ]
    references = [["a d d"]] * 10
    tuning = TuningSet(packed, parse_metric("chrf"), references)
    fit = Mert(restarts=6).fit(tuning, np.ones(2))
    assert fit.score == pytest.approx(tuning.score(fit.theta))
    grid = [tuning.score([np.cos(a), np.sin(a)]) for a in np.linspace(0, 2 * np.pi, 721)]
    assert fit.score >= max(grid) - 1e-9


def test_mert_refuses_many_features():
    tuning = planted(np.ones(8), lists=3, candidates=3)
    with refuses(TuningError, "tuning.too-many-features", argument="max_features", value=8):
        Mert(max_features=7).fit(tuning, np.ones(8))


def test_a_tie_at_the_start_is_left():
    """All candidates are equally good under (1, 0), and the first of a list is the worse one."""
    rows = np.zeros((80, 2))
    rows[:, 1] = np.tile([-1, 1], 40)
    rows[:2, 0] = -1, 1
    space = FeatureSpace(("f", "g"))
    lists = [
        Forest.from_nbest([["w"]] * 2, rows[i : i + 2], features=space) for i in range(0, 80, 2)
    ]
    scores = [{"good": [0.0, 1.0]}] * 40
    tuning = TuningSet(lists, parse_metric("column:good"), [()] * 40, scores=scores)
    fit = Mert(restarts=1, random_directions=0).fit(tuning, np.array([1.0, 0.0]))
    assert fit.score == 1.0


@pytest.mark.parametrize("size", [1.0, 1e7, 1e12])
def test_lines_of_any_height_are_found(size):
    random = np.random.default_rng(int(size) % 97)
    for _ in range(100):
        height, steep = size * random.standard_normal(), size * random.standard_normal()
        intercept, slope = np.array([0.0, height]), np.array([0.0, steep])
        forest = Forest.from_nbest([["a"], ["b"]])
        tuning = TuningSet(
            [forest], parse_metric("column:good"), [()], scores=[{"good": [0.0, 1.0]}]
        )
        crossing = abs(height / steep)
        if crossing < 1e3:
            assert line_search(tuning, intercept, slope)[1] == 1.0
