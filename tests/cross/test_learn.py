"""Learners' kernels against plain loops and enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lists import batch_of, batches
from tests.reference import learn as loops
from tests.reference.forest import enumerate_derivations, features_of, score
from tests.refusals import refuses
from tests.strategies import forests, many, quarters, thetas
from tests.zoo import SMALL as SMALL_ZOO

from rosewood import _core
from rosewood.errors import ForestError, TuningError
from rosewood.forest import Forest, refine
from rosewood.learn import TuningSet
from rosewood.learn.candidates import Candidates
from rosewood.metrics import parse_metric

EXAMPLES = settings(max_examples=60, deadline=None)


@pytest.mark.slow
@EXAMPLES
@given(st.data(), st.integers(1, 3))
def test_scores_and_best_derivations(data, threads):
    several, _ = data.draw(batches())
    theta = np.stack(data.draw(st.lists(thetas(several[0]), min_size=1, max_size=3)))
    begin = np.cumsum([0, *(f.num_edges for f in several)])
    out = np.empty((len(theta), begin[-1]))
    _core.batch_scores(batch_of(several), theta, out, threads)
    for own, each in zip(out, theta, strict=True):
        assert np.allclose(own, loops.batch_scores(several, each), atol=1e-12)
        start, edge = _core.batch_best(batch_of(several), each, threads)
        for i, expected in enumerate(loops.batch_best(several, own)):
            assert (edge[start[i] : start[i + 1]] - begin[i]).tolist() == list(expected)


# -- envelopes and line search ---------------------------------------------------------------------


def lines_of(several, intercept, slope, threads=1):
    """For each forest: where its lines begin, and their derivations, numbered in the forest."""
    found = _core.upper_envelopes(batch_of(several), intercept, slope, threads)
    line_start, begin, start, edge = (x.tolist() for x in found)
    first = np.cumsum([0, *(f.num_edges for f in several)]).tolist()
    return [
        [
            (begin[k], tuple(e - first[i] for e in edge[start[k] : start[k + 1]]))
            for k in range(line_start[i], line_start[i + 1])
        ]
        for i in range(len(several))
    ]


@pytest.mark.slow
@EXAMPLES
@given(batches(columns=2), st.integers(1, 3))
def test_envelopes_are_hulls(case, threads):
    several, intercept, slope = case
    found = lines_of(several, intercept, slope, threads)
    expected = loops.upper_envelopes(several, intercept, slope)
    for own, other in zip(found, expected, strict=True):
        assert [x for x, _ in own] == pytest.approx([x for x, _ in other], abs=1e-9)


@EXAMPLES
@given(batches(columns=2), st.floats(-20, 20))
def test_the_highest_line_is_the_best_derivation(case, x):
    several, intercept, slope = case
    first = 0
    for forest, lines in zip(several, lines_of(several, intercept, slope), strict=True):
        weight = (intercept + x * slope)[first : first + forest.num_edges]
        first += forest.num_edges
        best = max(score(d, weight) for d in enumerate_derivations(forest))
        chosen = [d for begin, d in lines if begin <= x][-1]
        assert score(chosen, weight) == pytest.approx(best, abs=1e-9)


@EXAMPLES
@given(st.integers(0, 2**32 - 1), st.integers(1, 400), st.booleans())
def test_envelopes_of_long_lists(seed, size, ties):
    """What is sifted out before sorting is never on the envelope."""
    random = np.random.default_rng(seed)
    intercept, slope = random.standard_normal((2, size))
    if ties:
        intercept, slope = np.round(4 * intercept) / 4, np.round(4 * slope) / 4
    forest = Forest.from_nbest([["a"]] * size)
    (own,) = lines_of([forest], intercept, slope)
    (other,) = loops.upper_envelopes([forest], intercept, slope)
    assert [d for _, d in own] == [d for _, d in other]
    assert [x for x, _ in own] == pytest.approx([x for x, _ in other], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("size", [2, 9])
def test_slopes_so_close_that_lines_cross_beyond_all_doubles(size):
    slope = np.linspace(0.0, 1e-320, size)
    intercept = np.linspace(1.0, 0.0, size)
    forest = Forest.from_nbest([["a"]] * size)
    (lines,) = lines_of([forest], intercept, slope)
    assert lines == [(-np.inf, (0,))]


def test_an_edge_of_weight_zero_is_on_no_line():
    forest = Forest.from_nbest([["a"], ["b"], ["c"]])
    slope = np.array([1.0, 5.0, -1.0])
    (lines,) = lines_of([forest], np.array([0.0, -np.inf, 0.0]), slope)
    assert [d for _, d in lines] == [(2,), (0,)]
    (lines,) = lines_of([forest], np.full(3, -np.inf), slope)
    assert lines == []


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_lines_must_be_numbers(bad):
    forest = Forest.from_nbest([["a"], ["b"]])
    with refuses(TuningError, "argument.range", argument="forest", value=0):
        lines_of([forest], np.array([0.0, bad]), np.zeros(2))
    with refuses(TuningError, "argument.range", argument="forest", value=1):
        lines_of([forest, forest], np.zeros(4), np.array([0.0, 0.0, bad, 0.0]))


@st.composite
def line_sets(draw):
    """Sentences with lines that begin somewhere, and statistics for each line."""
    lines, rows = [], 0
    for _ in range(draw(st.integers(1, 6))):
        places = draw(st.lists(st.integers(-40, 40), max_size=4, unique=True))
        begins = [-np.inf, *(p / 8 for p in sorted(places))]
        lines.append([(x, rows + k) for k, x in enumerate(begins)])
        rows += len(begins)
    cell = st.integers(0, 9)
    table = draw(st.lists(st.tuples(cell, cell), min_size=rows, max_size=rows))
    return lines, np.array(table, dtype=float) + np.array([0.0, 1.0])


@EXAMPLES
@given(line_sets(), st.booleans())
def test_line_search_tries_every_interval(case, higher):
    lines, table = case
    scorer = _core.MetricScorer("ratio", higher_is_better=higher)
    sign = 1.0 if higher else -1.0
    start = np.cumsum([0, *map(len, lines)])
    begin = np.array([x for sentence in lines for x, _ in sentence])
    x, gain, before = _core.line_search(
        start, begin, np.arange(len(begin)), table, scorer, -10.0, 10.0, 1e-9
    )

    def measure(total) -> float:
        return sign * 100.0 * total[0] / total[1]

    def at(x: float) -> float:
        rows = [[row for b, row in sentence if b <= x][-1] for sentence in lines]
        return measure(table[rows].sum(axis=0))

    assert gain == pytest.approx(loops.line_search(lines, table, measure, -10.0, 10.0), abs=1e-9)
    assert at(x) == pytest.approx(gain, abs=1e-9)
    tie = any(b == 0.0 for sentence in lines for b, _ in sentence)
    assert before == (-np.inf if tie else pytest.approx(at(0.0), abs=1e-9))
    assert gain >= before
    if gain == before:
        assert x == 0.0


# -- steps of MIRA and of L1 -----------------------------------------------------------------------


@st.composite
def tables(draw):
    """Lists of candidates with dense and sparse features and statistics."""
    counts = draw(st.lists(st.integers(1, 5), min_size=1, max_size=5))
    rows = sum(counts)
    seed = draw(st.integers(0, 2**32 - 1))
    random = np.random.default_rng(seed)
    sparse = (random.random((rows, 3)) < 0.5) * np.round(random.standard_normal((rows, 3)), 2)
    lengths = [0, *np.count_nonzero(sparse, axis=1)]
    statistics = np.round(random.uniform(0, 5, (rows, 2)), 1) + np.array([0.0, 1.0])
    table = Candidates(
        start=np.cumsum([0, *counts]),
        dense=np.round(random.standard_normal((rows, 2)), 2),
        feat_start=np.cumsum(lengths),
        feat_id=np.nonzero(sparse)[1].astype(np.int32),
        feat_value=sparse[sparse != 0],
        num_sparse=3,
        statistics=statistics,
    )
    return table, np.hstack([table.dense, sparse]), random


@EXAMPLES
@given(tables(), st.booleans())
def test_mira_steps(case, higher):
    table, rows, random = case
    scorer = _core.MetricScorer("ratio", higher_is_better=higher, factor=1.0)
    sign = 1.0 if higher else -1.0
    order = random.permutation(len(table))
    begin, background = random.standard_normal(5), np.array([2.0, 3.0])
    theta = begin.copy()
    want, path, after, moved = loops.mira_pass(
        table.start, rows, table.statistics, lambda s: sign * s[0] / s[1],
        order, (0.3, 0.9, 0.7), theta, background,
    )  # fmt: skip
    drift = np.zeros(5)
    found = _core.mira_pass(
        table.start, table.view, table.statistics, scorer, order, (0.3, 0.9, 0.7),
        theta, drift, background, 0,
    )  # fmt: skip
    assert found == moved
    assert np.allclose(theta, want, atol=1e-12)
    assert np.allclose(background, after, atol=1e-12)
    # The average of θ after each step, and of the start: what `drift` stands for.
    average = theta - drift / (len(order) + 1)
    assert np.allclose(average, np.vstack([begin, path]).mean(axis=0), atol=1e-12)


@EXAMPLES
@given(st.data(), st.sampled_from([0.0, 0.5, 2.0]))
def test_hope_and_fear_in_a_refined_forest(data, scale):
    forest = data.draw(forests(max_derivations=12, max_nodes=4))
    theta = data.draw(thetas(forest))
    refined = refine(forest, 2)
    count = refined.forest.num_edges
    gain = np.array(data.draw(many(quarters, count)), dtype=float)
    batch = _core.make_batch([refined.forest.view], [forest.feature_view], [refined.edge_map])
    hope, fear = _core.hope_and_fear(batch, 0, theta, gain, scale)
    rows = [float(x) for x in loops.batch_scores([forest], theta)]
    expected = loops.hope_and_fear(refined.forest, refined.edge_map.tolist(), rows, gain, scale)
    weight = np.array(rows)[refined.edge_map]
    for own, other, sign in zip((hope, fear), expected, (1.0, -1.0), strict=True):
        best = refined.forest.best(weight + sign * scale * gain)
        assert own.tolist() == refined.edge_map[best.edges].tolist()
        assert sum(rows[e] for e in own) == pytest.approx(sum(rows[e] for e in other), abs=1e-9)
    ids, values = _core.feature_difference(forest.feature_view, hope, fear)
    assert (np.diff(ids) > 0).all()
    named = {forest.features.names[i]: x for i, x in zip(ids.tolist(), values, strict=True)}
    for name, value in loops.feature_difference(forest, hope, fear).items():
        assert named.pop(name, 0.0) == pytest.approx(value, abs=1e-12)
    assert not any(named.values())


@pytest.mark.slow
@EXAMPLES
@given(st.data(), st.sampled_from([0.5, 1.0]), st.integers(1, 3))
def test_features_of_refined_forests_are_those_of_the_originals(data, scale, threads):
    """Risk, entropy and gradients by edge maps, and with features copied to every refined edge."""
    several = data.draw(st.lists(forests(max_derivations=12, max_nodes=4), min_size=1, max_size=3))
    refined = [refine(forest, 2) for forest in several]
    theta = data.draw(thetas(several[0]))
    edges = sum(each.forest.num_edges for each in refined)
    loss = np.array(data.draw(many(quarters, edges)), dtype=float)
    mapped = _core.make_batch(
        [each.forest.view for each in refined],
        [forest.feature_view for forest in several],
        [each.edge_map for each in refined],
    )
    found = []
    for batch in (mapped, batch_of([each.forest for each in refined])):
        parts, gradient = np.zeros((1, 3)), np.zeros((1, len(theta)))
        every = np.arange(len(several))
        _core.batch_objective(
            batch, every, np.zeros_like(every), theta, loss, np.empty(0), (scale, 1.0, -0.5, 0.0),
            parts, gradient, threads,
        )  # fmt: skip
        found.append((parts, gradient))
    assert np.allclose(found[0][0], found[1][0], rtol=1e-12, atol=1e-12)
    assert np.allclose(found[0][1], found[1][1], rtol=1e-9, atol=1e-9)


def test_batches_are_checked():
    forest = Forest.from_nbest([["a"], ["b"]])
    for maps in ([np.array([0, 2])], [np.array([0, -1])]):
        with refuses(TuningError, "argument.range", argument="edge"):
            _core.make_batch([forest.view], [forest.feature_view], maps)
    with refuses(ForestError, "argument.shape", argument="edge_map", value=1):
        _core.make_batch([forest.view], [forest.feature_view], [np.array([0])])
    batch = _core.make_batch([forest.view], [forest.feature_view], [np.array([1, 1])], [17])
    with refuses(TuningError, "argument.conflict"):
        _core.batch_scores(batch, np.zeros((1, 0)), np.zeros(2), 1)
    with refuses(TuningError, "argument.range", argument="forest", value=17):
        _core.upper_envelopes(batch, np.array([np.nan, 0.0]), np.zeros(2), 1)
    with refuses(TuningError, "argument.value", argument="shards"):
        _core.batch_objective(
            batch, np.array([0, 0]), np.array([1, 0]), np.empty(0), np.zeros(2), np.empty(0),
            (1.0, 1.0, 0.0, 0.0), np.zeros((2, 3)), np.zeros((2, 0)), 1,
        )  # fmt: skip


@EXAMPLES
@given(tables(), st.booleans(), st.sampled_from([0.0, 0.01, 0.3]))
def test_l1_steps(case, hinge, penalty):
    table, rows, random = case
    order = random.permutation(len(rows))
    theta, paid = random.standard_normal(5), np.zeros(5)
    want, total, owed = loops.l1_pass(rows, 2, order, hinge, (penalty, 0.2, 0.5), theta)
    found = _core.l1_pass(table.view, order, hinge, (penalty, 0.2, 0.5), theta, paid, 0.0, 0)
    assert found == pytest.approx((total, owed), rel=1e-9, abs=1e-12)
    assert np.allclose(theta, want, atol=1e-12)


def test_candidates_of_a_forest_have_the_features_of_their_derivations():
    metric = parse_metric("bleu:tokenize=none")
    for name, make in SMALL_ZOO.items():
        forest = make().forest
        if forest.is_empty or forest.vocabulary is None or forest.num_nodes == 1:
            continue
        tuning = TuningSet([forest], metric, [["a b"]])
        theta = np.linspace(-1, 1, len(forest.features))
        listed = tuning.candidates(theta, 5)
        best = forest.k_best(forest.score(theta), 5, distinct=True)
        matrix = listed.matrix().toarray()
        for row, derivation in zip(matrix, best, strict=True):
            named = features_of(forest, tuple(derivation.edges))
            assert np.allclose(row, [named.get(n, 0.0) for n in forest.features.names]), name
