"""Objectives over many forests: sums over derivations, gradients, risk of strings, threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.lists import SMALL, as_list, batches
from tests.reference import forest as plain
from tests.reference import learn as loops
from tests.reference.expectation import Table
from tests.reference.forest import enumerate_derivations
from tests.refusals import refuses
from tests.strategies import forests, thetas

from rosewood.errors import EmptyForestError
from rosewood.forest import FeatureSpace, Forest
from rosewood.learn import Objective, Terms, TuningSet
from rosewood.learn.batches import batches_of
from rosewood.learn.candidates import spread_within
from rosewood.learn.losses import edge_losses
from rosewood.metrics import LinearBleu, parse_metric

TERMS = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, -0.5, 0.0), (0.5, 0.25, 2.0)]


@st.composite
def objectives(draw):
    several, loss = draw(batches())
    theta = draw(thetas(several[0]))
    target = []
    for forest in several:  # one derivation at least is wanted
        wanted = set(draw(st.sampled_from(enumerate_derivations(forest))))
        more = draw(st.sets(st.integers(0, forest.num_edges - 1)))
        target += [0.0 if e in wanted | more else -np.inf for e in range(forest.num_edges)]
    return several, theta, loss, np.array(target)


def value_of(parts, terms) -> float:
    return float(np.dot(parts, terms))


@settings(max_examples=30, deadline=None)
@given(objectives(), st.sampled_from(TERMS), st.sampled_from([1.0, 0.5, 3.0]), st.integers(1, 3))
def test_objectives_are_sums_over_derivations(case, weights, scale, threads):
    several, theta, loss, target = case
    batches = batches_of(several, loss=loss, wanted=target)
    objective = Objective(batches, np.ones(len(theta)), l2=0.1, threads=threads)
    terms = Terms(*weights, scale=scale)
    expected = loops.batch_objective(several, theta, loss, target, (scale,))
    value, gradient = objective(theta, terms)
    penalty = 0.05 * float(theta @ theta)
    assert value == pytest.approx(value_of(expected, weights) + penalty, rel=1e-9, abs=1e-9)
    for weight, own, other in zip(weights, objective.parts, expected, strict=True):
        if weight:
            assert own == pytest.approx(other, rel=1e-9, abs=1e-9)
    for i in range(len(theta)):
        h = 1e-5
        up, down = theta.copy(), theta.copy()
        up[i] += h
        down[i] -= h
        slope = (objective(up, terms)[0] - objective(down, terms)[0]) / (2 * h)
        assert gradient[i] == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_objectives_of_parts_add_up_and_units_scale():
    random = np.random.default_rng(1)
    several = [_list(random) for _ in range(7)]
    loss = random.standard_normal(35)
    theta = random.standard_normal(3)
    whole = Objective(batches_of(several, loss=loss), np.ones(3))
    terms = Terms(risk=1.0, entropy=-0.3)
    value, gradient = whole(theta, terms)
    parts = [whole(theta, terms, np.array(s)) for s in ([0, 1, 2], [3, 4, 5, 6])]
    assert sum(v * len(s) / 7 for (v, _), s in zip(parts, ("abc", "defg"), strict=True)) == (
        pytest.approx(value)
    )
    units = np.array([2.0, 0.5, 4.0])
    scaled = Objective(batches_of(several, loss=loss), units)
    again, moved = scaled(theta / units, terms)
    assert again == pytest.approx(value)
    assert np.allclose(moved, gradient * units)


def _list(random) -> Forest:
    space = FeatureSpace(("a", "b", "c"))
    return Forest.from_nbest([["w"]] * 5, random.standard_normal((5, 3)), features=space)


def test_threads_do_not_matter():
    random = np.random.default_rng(2)
    several = [_list(random) for _ in range(40)]
    loss, theta = random.standard_normal(200), random.standard_normal(3)
    found = [
        Objective(batches_of(several, loss=loss), np.ones(3), threads=threads)(
            theta, Terms(risk=1.0, entropy=0.1)
        )
        for threads in (1, 2, 3, 7)
    ]
    for value, gradient in found[1:]:
        assert value == found[0][0]
        assert gradient.tobytes() == found[0][1].tobytes()


def test_errors_name_the_forest():
    several = [_list(np.random.default_rng(3)) for _ in range(2)]
    target = np.concatenate([np.zeros(5), np.full(5, -np.inf)])
    objective = Objective(batches_of(several, wanted=target), np.ones(3))
    with refuses(EmptyForestError, "forest.empty", value=1):
        objective(np.ones(3), Terms(log_loss=1.0))


# -- minimum risk, end to end ----------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.data(), st.booleans(), st.sampled_from([0.0, 0.7]), st.sampled_from([1.0, 2.0]))
def test_risk_of_forests_and_lists_is_that_of_their_strings(data, packed, heat, scale):
    """E[loss] - T·H of strings and derivations, enumerated; losses in points of the metric."""
    several = data.draw(st.lists(forests(**SMALL), min_size=1, max_size=2))
    if not packed:
        several = [as_list(forest) for forest in several]
    words = st.lists(st.sampled_from("abc"), min_size=1, max_size=6).map(" ".join)
    references = [[data.draw(words)] for _ in several]
    metric = parse_metric("bleu:tokenize=none,orders=2")
    tuning = TuningSet(several, metric, references)
    candidates = tuning.candidates(np.zeros(len(tuning.features)), 50)
    assume(candidates.statistics[:, 2:4].sum(axis=0).all())  # some words and bigrams match
    losses = edge_losses(tuning, candidates, "linear", max_edges=10_000)
    objective = Objective(losses.batches, np.ones(len(tuning.features)))
    theta = data.draw(thetas(several[0]))
    terms = Terms(risk=1.0, entropy=-heat, scale=scale)
    value, gradient = objective(theta, terms)

    lengths = np.diff(candidates.start)[:, None]
    means = np.add.reduceat(candidates.statistics, candidates.start[:-1], axis=0) / lengths
    linear = LinearBleu.fit(metric, means)
    gains = metric.sentence_gains(candidates.statistics)
    points = metric.score(candidates.statistics) / spread_within(gains, candidates.start)
    expected = 0.0
    for forest, refs in zip(several, references, strict=True):
        table = Table(forest, scale * np.array(plain.edge_scores(forest, theta)))
        loss = points * linear.loss([" ".join(w) for w in table.words()], refs)
        expected += table.mean(loss) - heat * table.entropy()
    assert value == pytest.approx(expected, rel=1e-8, abs=1e-8)
    for i in range(len(theta)):
        step = np.zeros(len(theta))
        step[i] = 1e-5
        slope = (objective(theta + step, terms)[0] - objective(theta - step, terms)[0]) / 2e-5
        assert gradient[i] == pytest.approx(slope, rel=1e-5, abs=1e-5)


# -- forests without references --------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(st.data(), st.booleans(), st.sampled_from([1.0, 2.0]), st.integers(1, 3))
def test_unlabelled_forests_add_their_entropy(data, packed, scale, threads):
    """By enumeration, and its gradient by finite differences; on forests and on lists."""
    several, theta, loss, target = data.draw(objectives())
    others = data.draw(st.lists(forests(**SMALL), min_size=1, max_size=3))
    others = [each if packed else as_list(each) for each in others]
    units = np.linspace(0.5, 2.0, len(theta))
    labelled = Objective(batches_of(several, loss=loss, wanted=target), units, l2=0.1)
    most = data.draw(st.sampled_from([1, 1 << 40]))
    objective = labelled.with_unlabelled(batches_of(others, most=most), units)
    objective.threads = threads
    terms = Terms(risk=0.5, log_loss=0.3, scale=scale, unlabelled=0.4)
    tables = [Table(f, scale * np.array(plain.edge_scores(f, units * theta))) for f in others]
    expected = labelled(theta, terms)[0] + 0.4 * sum(table.entropy() for table in tables)
    value, gradient = objective(theta, terms)
    assert value == pytest.approx(expected, rel=1e-9, abs=1e-9)
    for i in range(len(theta)):
        step = np.zeros(len(theta))
        step[i] = 1e-5
        slope = (objective(theta + step, terms)[0] - objective(theta - step, terms)[0]) / 2e-5
        assert gradient[i] == pytest.approx(slope, rel=1e-5, abs=1e-6)
    count = len(several) + len(others)
    drawn = np.sort(np.random.default_rng(0).permutation(count)[: 1 + count // 2])
    rest = np.setdiff1d(np.arange(count), drawn)
    parts = [(objective(theta, terms, some), len(some)) for some in (drawn, rest) if len(some)]
    mean = sum(part[0] * size for part, size in parts) / count
    assert mean == pytest.approx(value, rel=1e-9, abs=1e-9)
    slopes = sum(part[1] * size for part, size in parts) / count
    assert np.allclose(slopes, gradient, rtol=1e-9, atol=1e-9)
