"""Losses that add up over edges: coefficients, strings, forests, and metrics that have none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.reference.forest import enumerate_derivations, words_of
from tests.reference.metrics import linear_loss
from tests.refusals import refuses
from tests.strategies import forests

from rosewood.errors import MetricError
from rosewood.forest import refine
from rosewood.metrics import (
    Chrf,
    LengthLoss,
    LinearBleu,
    LinearChrf,
    LinearLoss,
    Metric,
    parse_metric,
)

lines = st.text("abc", max_size=6).map(" ".join)
references = st.lists(lines, min_size=1, max_size=3)
gains = st.floats(-2, 2)
sizes = st.floats(0.1, 1)
LOSSES = {
    "bleu": st.builds(LinearBleu, sizes, sizes, st.floats(1, 1000), orders=st.integers(1, 4)),
    "chrf": st.integers(1, 3).flatmap(
        lambda n: st.builds(LinearChrf, *[st.tuples(*[gains] * n)] * 2)
    ),
    "length": st.builds(LengthLoss, st.sampled_from([1.0, -1.0]), st.floats(1, 1000)),
}
CHRFS = [
    Chrf(word_order=2),
    Chrf(word_order=1, beta=1.0),
    Chrf(char_order=0, word_order=3, beta=0.5),
    Chrf(word_order=2, eps_smoothing=True),
]


def by_hand(loss: LinearLoss, text: list[str], refs: list[str]) -> float:
    return linear_loss(text, [r.split() for r in refs], loss.per_match, loss.per_ngram)


@pytest.mark.parametrize("kind", LOSSES)
@given(data=st.data(), hypotheses=st.lists(lines, max_size=4), refs=references)
def test_losses_of_strings(kind, data, hypotheses, refs):
    loss = data.draw(LOSSES[kind])
    want = [by_hand(loss, text.split(), refs) for text in hypotheses]
    np.testing.assert_allclose(loss.loss(hypotheses, refs), want, rtol=1e-12, atol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("kind", LOSSES)
@given(data=st.data(), forest=forests(max_derivations=20), refs=references)
def test_losses_of_edges_add_up(kind, data, forest, refs):
    """Over each derivation: the loss of its string; refined as far as needed, or further."""
    loss = data.draw(LOSSES[kind])
    refined = refine(forest, data.draw(st.integers(loss.orders, 4)))
    edge_loss = loss.edge_losses(refined, refs)
    for derivation in enumerate_derivations(refined.forest):
        want = by_hand(loss, words_of(refined.forest, derivation), refs)
        assert sum(edge_loss[e] for e in derivation) == pytest.approx(want, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("metric", CHRFS, ids=repr)
@given(seed=st.integers(0, 2**32 - 1))
def test_coefficients_of_chrf_are_its_slopes(metric, seed):
    """Those of log chrF by the n-grams of words, and by how many of them match."""
    random = np.random.default_rng(seed)
    own, other = random.integers(0, 50, (2, metric.char_order + metric.word_order))
    match = random.binomial(np.minimum(own, other), 0.7)
    total = np.column_stack([own, other, match]).reshape(-1).astype(float)
    assume(metric.score(total) > 0)
    words = range(metric.char_order, metric.char_order + metric.word_order)
    assume(any(own[n] and other[n] for n in words))
    loss = metric.linear_loss(total[None, :])

    def slope(place: int) -> float:
        step = np.zeros(len(total))
        step[place] = 1e-4
        up, down = (np.log(metric.score(total + way * step)) for way in (1, -1))
        return (up - down) / 2e-4

    for n, a, b in zip(words, loss.per_match, loss.per_ngram, strict=True):
        if metric.eps_smoothing and not match[n]:
            continue  # the score has 1e-16 there
        if own[n] and other[n]:
            assert slope(3 * n + 2) == pytest.approx(a, rel=1e-5, abs=1e-9)
            assert slope(3 * n) == pytest.approx(b, rel=1e-5, abs=1e-9)
        elif not metric.eps_smoothing:
            assert (a, b) == (0.0, 0.0)


def test_coefficients_of_chrf_by_hand():
    """One order of words: F = (1 + β²) m / (β² r + h), whose logarithm has the slope 1/m by m."""
    metric = Chrf(char_order=0, word_order=1, beta=2.0)
    said, refs = ["a b c d", "x y"], [["a b e"], ["x z"]]
    rows = metric.statistics_many([[text] for text in said], refs)
    assert rows.tolist() == [[4, 3, 2], [2, 2, 1]]
    loss = metric.linear_loss(rows, blanks=True)
    assert loss.match_gains == pytest.approx((1 / 3,))
    assert loss.ngram_gains == pytest.approx((-1 / (4 * 5 + 6),))
    assert loss.caveat is None
    assert (loss.tokenize, Chrf(word_order=2).linear_loss(_rows()).tokenize) == ("none", "chrf")
    assert "characters" in Chrf(word_order=2).linear_loss(_rows()).caveat


def _rows():
    return Chrf(word_order=2).statistics(["a b, c", "a b"], ["a b, d"])


def test_chrf_cuts_marks_of_punctuation_off_where_words_are_not_cut_yet():
    text, refs = "He said: yes.", ["he said : yes ."]
    cut = LinearChrf((1.0,), (0.0,), tokenize="chrf", lowercase=True)
    assert cut.loss([text], refs).tolist() == [-5.0]
    assert LinearChrf((1.0,), (0.0,)).loss([text], refs).tolist() == [0.0]


@pytest.mark.parametrize("name", ["cer", "chrf", "column:x", "exact", "ter", "wer"])
def test_metrics_that_do_not_add_up_say_why(name):
    metric = parse_metric(name)
    with refuses(MetricError, "metric.not-linear", argument="metric", value=metric.name) as found:
        metric.linear_loss(np.ones((1, len(metric.columns))))
    assert metric.not_linear in str(found.value)
    assert metric.not_linear != Metric.not_linear


def test_what_cannot_be_measured():
    metric = Chrf(word_order=2)
    for said in ("x", ""):
        with refuses(MetricError, "metric.no-matches", value=1):
            metric.linear_loss(metric.statistics([said], ["a b"]))
    with refuses(MetricError, "argument.value", argument="sign", value=0.5):
        LengthLoss(0.5, 10)
    with refuses(MetricError, "argument.range", argument="length loss: length", value=0):
        LengthLoss(1.0, 0)
