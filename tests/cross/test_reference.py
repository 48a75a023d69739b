"""The loops of tests/reference against enumeration, then native kernels against the loops.

Small forests come from Hypothesis and can be enumerated; large ones (tests/large.py) cannot, and
have what small ones have not: depth, blocks of many edges, weights thousands of nats apart.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import pairwise
from math import inf, log
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.large import WEIGHTS, large_forest, large_weight
from tests.reference import (
    align,
    align_words,
    boosting,
    classifiers,
    consensus,
    expectation,
    learn,
    metrics,
    oscar,
    packing,
    rule_scores,
    search,
    symmetrize,
    transform,
    validate,
)
from tests.reference import forest as reference
from tests.strategies import (
    forests,
    log_weights,
    many,
    quarters,
    rationals,
    thetas,
    weighted_forests,
)
from tests.zoo import ZOO

from rosewood import _core
from rosewood.errors import EmptyForestError
from rosewood.forest import Forest
from rosewood.forest.semirings import LOG, RATIONAL, SIGNED_LOG, TROPICAL

EXAMPLES = settings(max_examples=40, deadline=None)
ties = st.sampled_from([0.0, 0.5, 1.0, -inf])  # few values: many equal scores
SEEDS = range(4)
CASES = [(kind, seed) for kind in WEIGHTS for seed in SEEDS]
each_case = pytest.mark.parametrize(("kind", "seed"), CASES)
each_seed = pytest.mark.parametrize("seed", SEEDS)


@cache
def case_of(kind: str, seed: int) -> tuple[Forest, np.ndarray]:
    """A large forest and its weights; the last seeds have nodes that no derivation uses."""
    forest = large_forest(seed, broken=seed == SEEDS[-1])
    return forest, large_weight(forest, kind, seed)


def same(found, want, tolerance=1e-9):
    """Equal up to rounding, relative to the largest number; infinities exactly."""
    found, want = np.asarray(found, dtype=float), np.asarray(want, dtype=float)
    scale = max(1.0, np.abs(want[np.isfinite(want)]).max(initial=0.0))
    np.testing.assert_allclose(found, want, rtol=0.0, atol=tolerance * scale)


def kernel(name: str, forest: Forest, *arguments) -> tuple[np.ndarray, np.ndarray]:
    """A kernel that fills two arrays of one number a node."""
    out = np.empty(forest.num_nodes), np.empty(forest.num_nodes)
    getattr(_core, name)(forest.view, *arguments, *out)
    return out


def test_every_kernel_has_its_loop():
    """Under its own name, or the one given here."""
    names = {
        "make_forest": "good_structure", "make_features": "good_features",
        "check_reachable": "all_reachable", "check_yield": "good_yield",
        "check_automaton": "good_automaton", "start_k_best": "k_best",
        "gather_ids": "gather_rows", "gather_values": "gather_rows",
        "make_batch": "batch_scores", "make_examples": "good_examples",
        "check_labels": "good_labels", "gather_examples": "gather_rows", "make_dual": "dual",
        "dual_start": "start", "dual_pass": "dual_passes", "dual_check": "dual_gradient",
        "dual_weights": "weights", "add_shards": "weights", "merge_shards": "weights",
        "make_primal": "primal", "primal_pass": "primal_gradient",
        "primal_weights": "primal_gradient", "log_loss": "primal", "row_width": "log_softmax",
        "linear_log_probabilities": "log_softmax", "bayes_log_probabilities": "bayes_full",
        "count_features": "mutual_information", "oscar_prox": "prox", "grow_tree": "grow",
        "sum_curves": "grow",
    }  # fmt: skip
    modules = (
        reference, expectation, learn, metrics, search, transform, validate,
        align, align_words, symmetrize, consensus, packing, classifiers, oscar, rule_scores,
        boosting,
    )  # fmt: skip
    kernels = [k for k in dir(_core) if k[0].islower()]
    assert {"inside_log", *names} <= set(kernels)
    for name in kernels:
        assert any(hasattr(module, names.get(name, name)) for module in modules), name


# -- inside and outside ----------------------------------------------------------------------------


@EXAMPLES
@given(weighted_forests(rationals, max_derivations=12))
def test_loops_are_sums_over_derivations(case):
    forest, weights = case
    value, above = reference.inside_outside(forest, weights, RATIONAL)
    assert value == reference.inside(forest, weights, RATIONAL)
    assert above == reference.outside(forest, weights, RATIONAL)


@EXAMPLES
@given(weighted_forests(log_weights | ties, max_derivations=12))
def test_loops_of_the_named_semirings(case):
    forest, weight = case
    value, above = reference.inside_outside_log(forest, weight)
    same(value, reference.inside(forest, weight, LOG))
    same(above, reference.outside(forest, weight, LOG))
    assert reference.inside_log(forest, weight) == value
    value, above = reference.inside_outside_tropical(forest, weight)
    same(value, reference.inside(forest, weight, TROPICAL))
    same(above, reference.outside(forest, weight, TROPICAL))
    same(reference.max_marginals(forest, weight), reference.best_with_edge(forest, weight))
    best, back = reference.viterbi(forest, weight)
    assert best == value
    scores = [(-reference.score(d, weight), d) for d in reference.enumerate_derivations(forest)]
    if best[-1] > -inf:
        chosen = search.follow(forest, back)
        assert reference.score(chosen, weight) == pytest.approx(-min(scores)[0])
    else:
        assert search.follow(forest, back) == ()
    keep = [w > -inf for w in weight]
    count = sum(all(keep[e] for e in d) for _, d in scores)
    assert reference.count_derivations(forest, keep)[-1] == count


@pytest.mark.slow
@each_case
def test_log(kind, seed):
    forest, weight = case_of(kind, seed)
    value, above = reference.inside_outside_log(forest, weight.tolist())
    found = kernel("inside_outside_log", forest, weight)
    same(found[0], value, 1e-13)
    same(found[1], above, 1e-12)
    alone = np.empty(forest.num_nodes)
    _core.inside_log(forest.view, weight, alone)
    assert alone.tolist() == found[0].tolist()


@pytest.mark.parametrize("name", ["high_arity", "doubling"])
def test_log_of_awkward_forests(name):
    forest, weight = ZOO[name]().forest, ZOO[name]().weight
    for weights in (weight, weight * 700.0):
        found = kernel("inside_outside_log", forest, weights)
        for have, want in zip(found, reference.inside_outside_log(forest, weights), strict=True):
            same(have, want, 1e-12)


@pytest.mark.parametrize("depth", [20, 600, 800])
def test_nodes_used_more_often_than_doubles_can_count(depth):
    """Each node is the one before it, twice: above 1e200 uses, the long way is taken."""
    tail_start = np.concatenate([[0], np.arange(depth) * 2])
    forest = Forest(np.arange(depth + 1), tail_start, np.arange(depth * 2 - 2) // 2)
    weight = np.concatenate([[-1e-3], np.zeros(depth - 1)])
    value, above = reference.inside_outside_log(forest, weight.tolist())
    found = kernel("inside_outside_log", forest, weight)
    np.testing.assert_allclose(found[0], value, rtol=1e-12)
    np.testing.assert_allclose(found[1], above, rtol=1e-9, atol=1e-9 * abs(value[-1]))


@pytest.mark.slow
@each_case
def test_tropical_and_viterbi(kind, seed):
    forest, weight = case_of(kind, seed)
    weights = weight.tolist()
    value, above = reference.inside_outside_tropical(forest, weights)
    found = kernel("inside_outside_tropical", forest, weight)
    assert found[0].tolist() == value
    same(found[1], above, 1e-13)
    best, back = np.empty(forest.num_nodes), np.empty(forest.num_nodes, dtype=np.int64)
    _core.viterbi(forest.view, weight, best, back)
    assert (best.tolist(), back.tolist()) == reference.viterbi(forest, weights)
    assert tuple(_core.follow(forest.view, back).tolist()) == search.follow(forest, back.tolist())
    same(forest.max_marginals(weight), reference.max_marginals(forest, weights), 1e-13)


@each_seed
def test_real(seed):
    forest = large_forest(seed)
    weight = np.random.default_rng(seed).uniform(-0.6, 0.6, forest.num_edges)
    want = reference.inside_outside_real(forest, weight.tolist())
    size = reference.inside_outside_real(forest, np.abs(weight).tolist())  # what rounding is of
    for have, values, sizes in zip(
        kernel("inside_outside_real", forest, weight), want, size, strict=True
    ):
        assert (np.abs(have - values) <= 1e-12 * np.array(sizes)).all()


@each_seed
def test_count(seed):
    forest = large_forest(seed, max_size=400, broken=seed == 3)
    keep = (np.random.default_rng(seed).random(forest.num_edges) < 0.9).astype(np.uint8)
    count = np.empty(forest.num_nodes, dtype=np.uint64)
    for chosen in (keep, np.ones_like(keep)):
        _core.count_derivations(forest.view, chosen, count)
        assert count.tolist() == reference.count_derivations(forest, chosen.tolist())


# -- signed numbers and expectations ---------------------------------------------------------------


@each_seed
@pytest.mark.parametrize("numbers", [1, 2, 4])
@pytest.mark.parametrize("spread", [1.0, 1500.0])
def test_signed(numbers, spread, seed):
    forest = large_forest(seed, nodes=60, broken=seed == 3)
    random = np.random.default_rng(seed)
    weight = np.empty((forest.num_edges, numbers, 2))
    weight[..., 0] = random.choice([-1.0, 0.0, 1.0, 1.0], weight.shape[:2])
    weight[..., 1] = random.uniform(-spread, spread, weight.shape[:2])
    weight[weight[..., 0] == 0.0, 1] = -inf
    found = np.empty((2, forest.num_nodes, numbers, 2))
    _core.inside_outside_signed(forest.view, numbers, weight.ravel(), found[0], found[1])
    want = expectation.inside_outside_signed(forest, numbers, elements(weight))
    weight[..., 0] = np.abs(weight[..., 0])
    size = expectation.inside_outside_signed(forest, numbers, elements(weight))
    for have, values, sizes in zip(found, want, size, strict=True):
        triples = zip(
            have.reshape(-1, 2).tolist(),
            np.reshape(values, (-1, 2)).tolist(),
            np.reshape(sizes, (-1, 2))[:, 1].tolist(),
            strict=True,
        )
        for x, y, largest in triples:  # rounding is of the size of what is added up
            _, difference = SIGNED_LOG.plus(tuple(x), (-y[0], y[1]))
            assert difference == -inf or difference <= largest + log(1e-9)


def elements(weight: np.ndarray) -> list:
    """[E, numbers, 2] as elements of the semirings."""
    rows = [[tuple(number) for number in row] for row in weight.tolist()]
    return [row[0] if len(row) == 1 else tuple(row) for row in rows]


@EXAMPLES
@given(weighted_forests(log_weights), st.data())
def test_expectation_loops(case, data):
    forest, weight = case
    log_z, conditional = expectation.edge_conditionals(forest, weight)
    if log_z == -inf:
        return
    table = expectation.Table(forest, weight)
    assert log_z == pytest.approx(table.log_z)
    same(expectation.edge_counts(forest, conditional), table.edge_counts())
    local = np.array(data.draw(many(quarters, len(weight))))
    mean, covariances = expectation.edge_covariances(forest, conditional, local.tolist())
    assert mean == pytest.approx(table.mean(table.sums(local)))
    every = np.eye(forest.num_edges)
    same(covariances, [table.covariance(times, local) for times in every])


@pytest.mark.slow
@each_case
def test_expectations(kind, seed):
    forest, weight = case_of(kind, seed)
    log_z, want = expectation.edge_conditionals(forest, weight.tolist())
    q = np.empty(forest.num_edges)
    if log_z == -inf:
        with pytest.raises(EmptyForestError):
            _core.edge_conditionals(forest.view, weight, q)
        return
    assert _core.edge_conditionals(forest.view, weight, q) == pytest.approx(log_z, rel=1e-13)
    same(q, want)
    count, covariance = np.empty_like(q), np.empty_like(q)
    _core.edge_counts(forest.view, q, count)
    np.testing.assert_allclose(count, expectation.edge_counts(forest, q.tolist()), rtol=1e-12)
    local = np.random.default_rng(seed).normal(size=forest.num_edges)
    local[q == 0.0] = inf  # these have no say
    centred = np.empty(forest.num_edges)
    mean = _core.centre_local(forest.view, q, local, centred)
    want_mean, want = expectation.centre_local(forest, q.tolist(), local.tolist())
    np.testing.assert_allclose(mean, want_mean, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(centred, want, rtol=1e-9, atol=1e-9)
    mean = _core.edge_covariances(forest.view, q, local, covariance)
    want_mean, want = expectation.edge_covariances(forest, q.tolist(), local.tolist())
    assert mean == pytest.approx(want_mean, rel=1e-11, abs=1e-11)
    same(covariance, want)


@EXAMPLES
@given(forests(), st.data())
def test_feature_loops(forest, data):
    theta = data.draw(thetas(forest)).tolist()
    scores = reference.edge_scores(forest, theta)
    number = {name: i for i, name in enumerate(forest.features.names)}
    for edge, score in enumerate(scores):
        named = forest.edge_features(edge).items()
        assert score == pytest.approx(sum(theta[number[name]] * x for name, x in named), abs=1e-9)
    # Adding up and scoring are two ways round one sum.
    total = reference.add_features(forest, [1.0] * forest.num_edges, [0.0] * len(theta))
    assert reference.dot(theta, total) == pytest.approx(sum(scores), abs=1e-9)


@each_seed
@pytest.mark.parametrize("threads", [1, 3])
def test_features(seed, threads):
    forest = large_forest(seed)
    random = np.random.default_rng(seed)
    theta, coefficient = random.normal(size=14), random.normal(size=forest.num_edges)
    same(forest.score(theta, threads=threads), reference.edge_scores(forest, theta), 1e-13)
    total = random.normal(size=14)
    want = reference.add_features(forest, coefficient.tolist(), total.tolist())
    _core.add_features(forest.feature_view, coefficient, total, threads)
    same(total, want, 1e-13)
    other = np.where(coefficient > 0, random.normal(size=len(coefficient)), inf)
    chosen = np.maximum(coefficient, 0.0)
    assert _core.dot(chosen, other) == pytest.approx(reference.dot(chosen, other), abs=1e-10)


# -- derivations -----------------------------------------------------------------------------------


def rank(forest: Forest, derivation: tuple[int, ...], weight) -> tuple:
    """The place of a derivation in the order of k_best: score, edge, then its tails' places."""

    def tree(rest):
        edge, below, total = rest.pop(0), [], 0.0
        for _ in forest.tails(edge):
            below.append(tree(rest))
            total += below[-1][0]
        return (total - weight[edge], edge, *below)

    return tree(list(derivation))


@pytest.mark.slow
@EXAMPLES
@given(weighted_forests(quarters | ties, max_derivations=30), st.integers(0, 12))
def test_search_loops(case, k):
    forest, weight = case
    possible = [
        d for d in reference.enumerate_derivations(forest) if reference.score(d, weight) > -inf
    ]
    in_order = sorted(possible, key=lambda d: rank(forest, d, weight))
    assert search.k_best(forest, weight, k) == [
        (reference.score(d, weight), d) for d in in_order[:k]
    ]
    strings = search.derivation_yields(forest, in_order)
    word = forest.word
    assert [[word(w) for w in s] for s in strings] == [
        reference.words_of(forest, d) for d in in_order
    ]
    best: dict[tuple[int, ...], float] = {}
    for d, string in zip(in_order, strings, strict=True):
        best.setdefault(string, reference.score(d, weight))
    distinct = search.k_best(forest, weight, k, distinct=True)
    said = search.derivation_yields(forest, [d for _, d in distinct])
    assert len(set(said)) == len(said)
    assert [score for score, _ in distinct] == sorted(best.values(), reverse=True)[:k]
    assert all(best[string] == score for string, (score, _) in zip(said, distinct, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("distinct", [False, True])
@each_case
def test_k_best(kind, seed, distinct):
    forest, weight = case_of(kind, seed)
    found = forest.k_best(weight, 6, distinct=distinct)
    want = search.k_best(forest, weight.tolist(), 6, distinct=distinct)
    have = [(d.score, tuple(d.edges.tolist())) for d in found]
    assert have == want
    stream = forest.iterate_best(weight, distinct=distinct)
    assert [(d.score, tuple(d.edges.tolist())) for d, _ in zip(stream, want, strict=False)] == want
    start, word = _core.derivation_yields(
        forest.view, forest.yield_start, forest.yield_symbol, found.start, found.edge
    )
    said = search.derivation_yields(forest, [edges for _, edges in want])
    assert [tuple(word[a:b].tolist()) for a, b in pairwise(start)] == said


@pytest.mark.slow
@pytest.mark.parametrize("drawn_by", ["loop", "kernel"])
@each_seed
def test_samples_use_edges_as_often_as_expected(seed, drawn_by):
    forest, weight = case_of("zeros", seed)
    log_z, conditional = expectation.edge_conditionals(forest, weight.tolist())
    if log_z == -inf:
        return
    draws = 400 if drawn_by == "loop" else 4000
    uses = np.zeros((draws, forest.num_edges))
    if drawn_by == "loop":
        random = Random(seed)
        rows = [search.sample(forest, conditional, random) for _ in range(draws)]
    else:
        rows = [d.edges.tolist() for d in forest.sample(weight, draws, seed=seed, threads=2)]
    for row, derivation in zip(uses, rows, strict=True):
        np.add.at(row, list(derivation), 1.0)
    want = np.array(expectation.edge_counts(forest, conditional))
    assert not uses[:, want == 0.0].any()
    # Seven standard deviations; and what is hardly ever drawn says little about its own.
    error, deviation = np.abs(uses.mean(axis=0) - want), uses.std(axis=0)
    assert (error <= 7 * deviation / np.sqrt(draws) + 20 / draws).all()


@EXAMPLES
@given(weighted_forests(st.floats(-2, 2), max_derivations=6), st.integers(0, 99))
def test_loop_samples_follow_the_distribution(case, seed):
    forest, weight = case
    table = expectation.Table(forest, weight)
    conditional = expectation.edge_conditionals(forest, weight)[1]
    random, draws = Random(seed), 400
    drawn = Counter(search.sample(forest, conditional, random) for _ in range(draws))
    assert set(drawn) <= set(table.derivations)
    for d, p in zip(table.derivations, table.probability, strict=True):
        assert abs(drawn[d] / draws - p) <= 7 * np.sqrt(p * (1 - p) / draws) + 2 / draws
