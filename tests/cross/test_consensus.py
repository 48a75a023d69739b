"""Consensus decoding against enumeration, and its kernel against a loop."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.large import large_forest, large_weight
from tests.reference.consensus import Strings, occurrence_probabilities
from tests.reference.forest import enumerate_derivations, score, words_of
from tests.refusals import refuses
from tests.strategies import log_weights, weighted_forests
from tests.zoo import SMALL

from rosewood import _core
from rosewood.decode import forest_mbr, mbr, ngram_posteriors, variational
from rosewood.errors import EmptyForestError, ForestError
from rosewood.forest import (
    Automaton,
    Distribution,
    Forest,
    ForestBuilder,
    expected_ngram_counts,
    kl_divergence_to_automaton,
    refine,
)
from rosewood.metrics import Bleu, Chrf, Ter

EXAMPLES = settings(max_examples=60)
FULL = {name: make() for name, make in SMALL.items() if name not in ("empty", "no_weight_at_all")}
close = pytest.approx


def table(forest: Forest, weight, scale: float = 1.0) -> Strings:
    return Strings(forest, scale * np.asarray(weight))


def has_weight(forest: Forest, weight) -> bool:
    return any(score(d, weight) > -np.inf for d in enumerate_derivations(forest))


# -- n-grams that occur at all ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["mild", "wide", "zeros"])
@pytest.mark.parametrize("seed", range(4))
def test_occurrence_is_the_loop(seed, kind):
    forest = large_forest(seed, nodes=60, max_size=10, broken=seed % 2 == 1)
    refined = refine(forest, 2)
    weight = large_weight(forest, kind, seed)[refined.edge_map]
    try:
        q = Distribution(refined.forest, weight).conditional
    except EmptyForestError:
        return
    grams = refined.ngrams
    found = np.empty(len(grams))
    _core.occurrence_probabilities(refined.forest.view, q, grams.start, grams.gram, found)
    marks = [set(grams.gram[a:b].tolist()) for a, b in pairwise(grams.start.tolist())]
    want = occurrence_probabilities(refined.forest, q, marks, len(grams))
    assert found.tolist() == close(want, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_occurrence_along_paths(seed):
    """Nodes of one tail, things in few and in many places, before and behind each other."""
    random = np.random.default_rng(seed)
    counts = [1, *random.integers(1, 5, 60).tolist()]
    tails = [max(0, v - int(random.integers(1, 7))) for v, n in enumerate(counts) for _ in range(n)]
    start = np.cumsum([0, *counts])
    forest = Forest(
        start, [0, *range(start[-1])], tails[1:], allow_unreachable=True
    )  # all edges but the first have a tail
    q = Distribution(forest, random.normal(size=forest.num_edges)).conditional
    often = 1.0 / np.arange(1, 30)
    rows = [
        random.choice(29, size=random.integers(0, 4), p=often / often.sum()).tolist()
        for _ in range(forest.num_edges)
    ]
    found = np.empty(29)
    mark = np.array([g for row in rows for g in row], np.int64)
    _core.occurrence_probabilities(forest.view, q, np.cumsum([0, *map(len, rows)]), mark, found)
    want = occurrence_probabilities(forest, q, [set(row) for row in rows], 29)
    assert found.tolist() == close(want, abs=1e-12)


def test_occurrence_refuses_marks_of_nothing():
    forest = Forest.from_nbest(["a"])
    start, out = np.array([0, 1]), np.empty(1)
    for mark in (-1, 1):
        with refuses(ForestError, "argument.range"):
            _core.occurrence_probabilities(forest.view, np.ones(1), start, np.array([mark]), out)


def check_posteriors(forest, weight, n, scale):
    want = table(forest, weight, scale).occurrence(n)
    have = ngram_posteriors(forest, weight, n, scale=scale)
    assert have == close(want | {g: 0.0 for g in have if g not in want}, abs=1e-9)
    assert want.keys() <= have.keys()
    counts = ngram_posteriors(forest, weight, n, scale=scale, posterior="expected")
    full = expected_ngram_counts(forest, scale * np.asarray(weight), n)
    assert counts == close({gram: full[gram] for gram in counts}, abs=1e-9)


@EXAMPLES
@given(weighted_forests(max_derivations=20), st.integers(1, 3), st.sampled_from([0.3, 1.0]))
def test_posteriors(pair, n, scale):
    forest, weight = pair
    if has_weight(forest, weight):
        check_posteriors(forest, weight, n, scale)


@pytest.mark.parametrize("name", FULL)
def test_posteriors_of_the_zoo(name):
    check_posteriors(FULL[name].forest, FULL[name].weight, 4, 1.0)


# -- linear BLEU -----------------------------------------------------------------------------------


def check_forest_mbr(forest, weight, order, scale):
    strings = table(forest, weight, scale)
    settings = {"order": order, "precision": 0.7, "ratio": 0.5, "scale": scale}
    found = forest_mbr(forest, weight, **settings)
    want = strings.linear_gains(order, 0.7, 0.5, strings.occurrence(order))
    assert found.gain == close(max(want), abs=1e-9)
    own = want[strings.derivations.index(tuple(found.derivation.edges.tolist()))]
    assert own == close(found.gain, abs=1e-9)
    assert found.derivation.score == close(score(found.derivation.edges, weight), abs=1e-9)
    assert found.text == " ".join(found.words)
    posteriors = found.posteriors()
    assert all(posteriors[g] == close(p, abs=1e-9) for g, p in strings.occurrence(order).items())
    counts = ngram_posteriors(forest, weight, order, scale=scale, posterior="expected")
    quick = forest_mbr(forest, weight, posterior="expected", **settings)
    assert quick.gain == close(max(strings.linear_gains(order, 0.7, 0.5, counts)), abs=1e-9)


@pytest.mark.slow
@EXAMPLES
@given(weighted_forests(max_derivations=20), st.integers(1, 4), st.sampled_from([0.3, 1.0]))
def test_forest_mbr(pair, order, scale):
    forest, weight = pair
    if has_weight(forest, weight):
        check_forest_mbr(forest, weight, order, scale)


@pytest.mark.parametrize("name", FULL)
def test_forest_mbr_of_the_zoo(name):
    check_forest_mbr(FULL[name].forest, FULL[name].weight, 4, 1.0)


def test_consensus_beats_the_best_derivation():
    """Three strings agree on most words; the most probable one stands alone."""
    forest = Forest.from_nbest(["x y z", "a b c", "a b d", "a b e"])
    weight = np.log([0.31, 0.23, 0.23, 0.23])
    assert forest.best(weight).text == "x y z"
    assert forest_mbr(forest, weight).text == "a b c"
    assert mbr(forest, weight, 4)[0].text == "a b c"


# -- the k best strings ----------------------------------------------------------------------------


@pytest.mark.slow
@EXAMPLES
@given(weighted_forests(max_derivations=20), st.integers(1, 8), st.sampled_from([0.3, 1.0]))
def test_mbr(pair, k, scale):
    forest, weight = pair
    if not has_weight(forest, weight):
        return
    strings = table(forest, weight, scale).strings
    ranked = mbr(forest, weight, k, scale=scale)
    texts = [c.text for c in forest.k_best(weight, k, distinct=True)]
    assert sorted(c.text for c in ranked) == sorted(texts)
    metric = Bleu(tokenize="none")
    mass = sum(c.posterior for c in ranked)
    for candidate in ranked:
        assert candidate.posterior == close(strings[tuple(candidate.words)], abs=1e-9)
        gains = [
            metric.sentence_gains(metric.statistics([candidate.text], [other.text]))[0]
            for other in ranked
        ]
        want = sum(g * c.posterior for g, c in zip(gains, ranked, strict=True)) / mass
        assert candidate.gain == close(want, abs=1e-9)
    gains = [c.gain for c in ranked]
    assert gains == sorted(gains, reverse=True)


def test_scaling_does_not_change_which_strings_mbr_takes():
    """-0.1 - 0.2 is a little less than -0.3; scaled by 0.3, the two sums are equal."""
    b = ForestBuilder()
    inner, root = b.node(), b.node()
    b.edge(inner, says=["a"])
    b.edge(root, [inner], [0, "x"])
    b.edge(root, says=["b"])
    forest, weight = b.build(root), [-0.1, -0.2, -0.3]
    assert forest.k_best(weight, 1).texts() == ["b"]
    assert mbr(forest, weight, 1, scale=0.3)[0].text == "b"


@pytest.mark.parametrize("name", FULL)
def test_mbr_of_the_zoo(name):
    strings = table(FULL[name].forest, FULL[name].weight).strings
    ranked = mbr(FULL[name].forest, FULL[name].weight, 100)
    have = {tuple(c.words): c.posterior for c in ranked}
    assert have == close({words: p for words, p in strings.items() if words in have}, abs=1e-9)
    assert sum(have.values()) == close(1.0)


@pytest.mark.parametrize("metric", [Chrf(), Ter()])
def test_mbr_with_other_metrics(metric):
    forest = FULL["lattice"].forest
    ranked = mbr(forest, FULL["lattice"].weight, 5, metric=metric)
    assert len(ranked) == 5
    alike = mbr(Forest.from_nbest(["a b", "a b", "c"]), np.log([0.25, 0.25, 0.5]), 5, metric=metric)
    assert {c.text: c.posterior for c in alike} == close({"a b": 0.5, "c": 0.5})


# -- n-gram models ---------------------------------------------------------------------------------


def check_variational(forest, weight, mixture, scale):
    strings = table(forest, weight, scale)
    found = variational(forest, weight, mixture=mixture, scale=scale)
    scores = {n: strings.model_scores(n) for n in mixture}
    want = [
        sum(share * scores[n][i] for n, share in mixture.items()) for i in range(len(strings.said))
    ]
    assert found.value == close(max(want), abs=1e-9)
    own = want[strings.derivations.index(tuple(found.derivation.edges.tolist()))]
    assert own == close(found.value, abs=1e-9)
    for n in mixture:
        cross = [
            p * (np.log(p) - q)
            for p, q in zip(strings.probability, scores[n], strict=True)
            if p > 0
        ]
        assert found.divergence[n] == close(sum(cross), abs=1e-9)


@EXAMPLES
@given(
    weighted_forests(log_weights, max_derivations=20),
    st.sampled_from([{1: 1.0}, {2: 1.0}, {3: 2.0}, {1: 0.5, 2: 0.25, 4: 1.0}]),
    st.sampled_from([0.3, 1.0]),
)
def test_variational(pair, mixture, scale):
    forest, weight = pair
    if has_weight(forest, weight):
        check_variational(forest, weight, mixture, scale)


@pytest.mark.parametrize("name", [n for n, a in FULL.items() if a.forest.vocabulary is not None])
def test_variational_of_the_zoo(name):
    check_variational(FULL[name].forest, FULL[name].weight, {2: 1.0, 3: 1.0}, 1.0)


@pytest.mark.parametrize("n", [2, 3])
def test_divergence_is_that_to_an_automaton(n):
    forest, weight = FULL["lattice"].forest, FULL["lattice"].weight
    model = Automaton.ngram(table(forest, weight).log_model(n), forest.vocabulary)
    want = kl_divergence_to_automaton(forest, weight, model)
    assert variational(forest, weight, order=n).divergence[n] == close(want, abs=1e-9)


def test_a_long_history_finds_the_most_probable_string():
    """Two derivations of one string outweigh the best; a high order sees whole strings."""
    forest = Forest.from_nbest(["a b", "c d", "c d"])
    weight = np.log([0.4, 0.3, 0.3])
    assert forest.best(weight).text == "a b"
    assert variational(forest, weight, order=4).text == "c d"
    assert variational(forest, weight, order=4).divergence[4] == close(0.6 * np.log(0.5))
    assert variational(forest, weight, order=4, viterbi=100.0).text == "a b"


# -- what is left out, what is refused -------------------------------------------------------------


def test_a_margin_is_told():
    forest, weight = FULL["lattice"].forest, FULL["lattice"].weight
    near = forest_mbr(forest, weight, margin=0.0)
    assert near.text == forest.best(weight).text
    assert near.left_out == forest.num_edges - len(near.derivation.edges)
    assert forest_mbr(forest, weight, margin=100.0).left_out == 0
    assert [c.left_out for c in mbr(forest, weight, 3, margin=0.0)] == [near.left_out]
    assert variational(forest, weight, margin=0.0).left_out == near.left_out
    assert set(ngram_posteriors(forest, weight, 1, margin=0.0).values()) == {1.0}


@pytest.mark.parametrize("name", ["empty", "no_weight_at_all"])
def test_nothing_to_agree_on(name):
    awkward = SMALL[name]()
    for consensus in (forest_mbr, mbr, variational):
        with refuses(EmptyForestError, "forest.empty"):
            consensus(awkward.forest, awkward.weight)


def test_nonsense_is_refused():
    forest, weight = FULL["lattice"].forest, FULL["lattice"].weight
    for code, argument, call in (
        ("argument.range", "scale", lambda: forest_mbr(forest, weight, scale=0)),
        ("argument.choice", "posterior", lambda: forest_mbr(forest, weight, posterior="rough")),
        ("argument.range", "k", lambda: mbr(forest, weight, 0)),
        ("argument.range", "margin", lambda: mbr(forest, weight, 2, margin=-1)),
        ("forest.too-large", "edges", lambda: variational(forest, weight, max_edges=3)),
        ("argument.range", "order", lambda: variational(forest, weight, order=0)),
        ("argument.missing", "mixture", lambda: variational(forest, weight, mixture={})),
        ("argument.range", "mixture", lambda: variational(forest, weight, mixture={2: np.nan})),
        ("argument.range", "viterbi", lambda: variational(forest, weight, viterbi=-1.0)),
        (
            "argument.missing", "vocabulary",
            lambda: variational(FULL["unary_chain"].forest, np.zeros(8)),
        ),
        ("argument.shape", "weight", lambda: mbr(forest, [0, 0], 2)),
    ):  # fmt: skip
        with refuses(ForestError, code, argument=argument):
            call()


def test_words_are_said_as_the_forest_says_them():
    forest, weight = FULL["thrice"].forest, FULL["thrice"].weight
    for found in (forest_mbr(forest, weight), variational(forest, weight), mbr(forest, weight)[0]):
        assert found.words == words_of(forest, tuple(found.derivation.edges.tolist()))
