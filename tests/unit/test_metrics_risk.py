"""Linear BLEU on strings and forests, the pseudo-corpus, and the bounds of a candidate set."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import real
from tests.reference.forest import enumerate_derivations, words_of
from tests.reference.metrics import bleu_statistics
from tests.refusals import fault, refuses
from tests.strategies import forests

from rosewood.errors import MetricError
from rosewood.forest import Forest, refine
from rosewood.metrics import (
    Bleu,
    BleuSbp,
    Chrf,
    Column,
    LinearBleu,
    PseudoCorpus,
    Wer,
    bounds,
    oracle,
    parse_metric,
)
from rosewood.metrics.batch import starts

lines = st.text("abc", max_size=6).map(" ".join)
references = st.lists(lines, min_size=1, max_size=3)
losses = st.builds(
    LinearBleu,
    precision=st.floats(0.1, 1),
    ratio=st.floats(0.1, 1.2),
    length=st.floats(1, 1000),
    orders=st.integers(1, 4),
)


def loss_by_hand(loss: LinearBleu, text: list[str], refs: list[list[str]]) -> float:
    """The formula, n-gram by n-gram."""
    total = -len(text) / loss.length
    for n in range(1, loss.orders + 1):
        seen = {tuple(r[i : i + n]) for r in refs for i in range(len(r) - n + 1)}
        own = [tuple(text[i : i + n]) for i in range(len(text) - n + 1)]
        weight = 1 / (loss.orders * loss.length * loss.precision * loss.ratio ** (n - 1))
        total += weight * sum(gram in seen for gram in own)
    return -total


@given(losses, st.lists(lines, max_size=4), references)
def test_linear_bleu_of_strings(loss, hypotheses, refs):
    want = [loss_by_hand(loss, h.split(), [r.split() for r in refs]) for h in hypotheses]
    np.testing.assert_allclose(loss.loss(hypotheses, refs), want, rtol=1e-12, atol=1e-15)


@pytest.mark.slow
@given(losses, forests(max_derivations=20), references, st.booleans())
def test_losses_of_edges_add_up(loss, forest, refs, exactly):
    """Over each derivation: the loss of its string; refined as far as needed, or further."""
    refined = refine(forest, loss.orders if exactly else 4)
    edge_loss = loss.edge_losses(refined, refs)
    for derivation in enumerate_derivations(refined.forest):
        text = words_of(refined.forest, derivation)
        want = loss_by_hand(loss, text, [r.split() for r in refs])
        assert sum(edge_loss[e] for e in derivation) == pytest.approx(want, rel=1e-9, abs=1e-12)
    lower = LinearBleu(loss.precision, loss.ratio, loss.length, loss.orders, lowercase=True)
    again = lower.edge_losses(refined, [r.upper() for r in refs])
    assert again.tolist() == edge_loss.tolist()


def test_linear_bleu_is_measured_on_a_tuning_set():
    metric = Bleu(tokenize="none")
    said, refs = ["a b c d x", "a b y c d"], [["a b c d e"], ["a b c d e f"]]
    rows = metric.statistics_many([[s] for s in said], refs)
    loss = LinearBleu.fit(metric, rows)
    matches, totals = rows[:, 2:6].sum(axis=0), rows[:, 6:].sum(axis=0)
    p = matches / totals
    assert loss.precision == p[0] == 0.8
    assert loss.ratio == pytest.approx(np.prod(p[1:] / p[:-1]) ** (1 / 3))
    assert loss.length == 11
    a = loss.coefficients
    assert a.tolist() == pytest.approx(
        [-1 / 11, *(1 / (4 * 11 * 0.8 * loss.ratio**n) for n in range(4))]
    )
    assert "C:11" in loss.signature
    two = metric.statistics(["a b"], ["a b"])  # only two orders match
    assert LinearBleu.fit(metric, two).ratio == 1.0
    assert (
        LinearBleu.fit(
            BleuSbp(tokenize="none"), BleuSbp(tokenize="none").statistics(said, refs[0])
        ).orders
        == 4
    )
    for text, expected in [
        ("x", fault("metric.no-matches", value=1)),
        ("a x", fault("metric.no-matches", value=2)),
        ("", fault("metric.no-matches", value=1)),
    ]:
        with refuses(MetricError, **expected):
            LinearBleu.fit(metric, metric.statistics([text], ["a b"]))
    with refuses(MetricError, "argument.shape", argument="statistics", value=(2, 9)):
        LinearBleu.fit(metric, rows[:, 1:])


def test_what_linear_bleu_refuses():
    for settings, expected in [
        ((0, 1, 1), fault("argument.range", argument="linear BLEU: precision", value=0)),
        ((1, -1, 1), fault("argument.range", argument="linear BLEU: ratio", value=-1)),
        ((1, 1, np.inf), fault("argument.range", argument="linear BLEU: length")),
    ]:
        with refuses(MetricError, **expected):
            LinearBleu(*settings)
    with refuses(MetricError, "argument.range", argument="linear BLEU: orders", value=0):
        LinearBleu(1, 1, 1, orders=0)
    loss = LinearBleu(0.5, 0.5, 10)
    forest = Forest.from_nbest(["a b c d e", "a b"])
    with refuses(MetricError, "argument.value", argument="refined", value=2):
        loss.edge_losses(refine(forest, 2), ["a"])
    assert loss.edge_losses(refine(Forest.from_nbest(["a b"]), 2), ["a"]).shape == (1,)
    for refs, expected in [
        ([], fault("metric.no-reference", argument="references")),
        ("a b", fault("argument.type", argument="references")),
        ([None], fault("argument.type", argument="references")),
    ]:
        with refuses(MetricError, **expected):
            loss.edge_losses(refine(forest, 4), refs)
    with refuses(MetricError, "argument.conflict", argument="tokenize", value="13a"):
        LinearBleu(0.5, 0.5, 10, tokenize="13a").edge_losses(refine(forest, 4), ["a"])


# -- pseudo-corpus ---------------------------------------------------------------------------------


def test_pseudo_corpus_of_bleu():
    metric = Bleu(tokenize="none", orders=2)
    corpus = PseudoCorpus(metric, decay=0.5)
    rows = metric.statistics(["a b c", "a x"], ["a b d"])
    assert corpus.background.tolist() == [1.0] * 6
    first = corpus.gains(rows)
    # Background and candidate: 4 words of 4, 3 of 4 words match, 2 of 3 pairs.
    assert first[0] == pytest.approx(4 * (3 / 4 * 2 / 3) ** 0.5)
    assert first[1] == pytest.approx(4 * np.exp(1 - 4 / 3) * (2 / 3 * 1 / 2) ** 0.5)
    corpus.update(rows[0])
    assert corpus.background.tolist() == (0.5 + rows[0]).tolist()
    assert "decay=0.5" in repr(corpus)


@pytest.mark.slow
@given(st.lists(lines, min_size=1, max_size=4), references)
def test_pseudo_corpus_of_a_rate_is_linear(hypotheses, refs):
    """Errors times length over length: the candidate's own errors, whatever came before."""
    metric = Wer()
    corpus = PseudoCorpus(metric)
    rows = metric.statistics(hypotheses, refs)
    for _ in range(2):
        gains = corpus.gains(rows)
        assert gains - gains[0] == pytest.approx(-(rows[:, 0] - rows[0, 0]))
        corpus.update(rows[-1])


def test_what_a_pseudo_corpus_refuses():
    for settings in ({"decay": 1.5}, {"decay": float("nan")}, {"start": -1.0}):
        with refuses(MetricError, "argument.range"):
            PseudoCorpus(Chrf(), **settings)
    with refuses(MetricError, "argument.shape", argument="statistics", value=(3,)):
        PseudoCorpus(Chrf()).update(np.zeros(3))


# -- bounds ----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "metric", [Bleu("none"), BleuSbp("none"), Chrf(2), Wer()], ids=lambda m: m.name
)
@given(
    st.lists(
        st.tuples(st.lists(lines, min_size=1, max_size=3), references), min_size=1, max_size=3
    ),
    st.integers(0, 9),
)
def test_bounds_against_all_choices(metric, cases, seed):
    rows = metric.statistics_many([h for h, _ in cases], [r for _, r in cases])
    start = starts(len(h) for h, _ in cases)
    found = bounds(metric, rows, start, seed=seed, draws=5)
    choices = list(product(*(range(a, b) for a, b in pairwise(start.tolist()))))
    gains = {c: metric.sign * metric.score(rows[list(c)]) for c in choices}
    best, worst = metric.sign * found.oracle, metric.sign * found.worst
    slack = 1e-9
    assert min(gains.values()) - slack <= worst <= best + slack
    assert best <= max(gains.values()) + slack
    assert gains[tuple(found.oracle_choice.tolist())] == best
    assert gains[tuple(found.worst_choice.tolist())] == worst
    alone = metric.sentence_gains(rows)
    sentence = [a + int(alone[a:b].argmax()) for a, b in pairwise(start.tolist())]
    assert best >= gains[tuple(sentence)] - slack
    for g in range(len(cases)):  # no single exchange is better
        for other in range(start[g], start[g + 1]):
            changed = found.oracle_choice.copy()
            changed[g] = other
            assert gains[tuple(changed.tolist())] <= best + slack
    assert worst - slack <= metric.sign * found.random <= max(gains.values()) + slack
    assert found.random_deviation >= 0
    assert bounds(metric, rows, start, seed=seed, draws=5).random == found.random


def test_bounds_of_a_column():
    metric, rows = Column("x"), np.column_stack([[1.0, 2.0, 5.0, 3.0], np.ones(4)])
    found = bounds(metric, rows, [0, 2, 4], draws=2000)
    assert (found.oracle, found.worst) == (3.5, 2.0)
    assert found.random == pytest.approx(2.75, abs=0.1)
    assert found.oracle_choice.tolist() == [1, 2]
    assert oracle(metric, rows, [0, 2, 4], worst=True).tolist() == [0, 3]
    assert found.signature == metric.signature
    for start, expected in [
        ([0, 2], fault("argument.value", argument="group_start")),
        ([0, 2, 2, 4], fault("metric.no-candidates", value=1)),
        ([0], fault("metric.no-sentences", argument="group_start")),
    ]:
        with refuses(MetricError, **expected):
            bounds(metric, rows, start)
    with refuses(MetricError, "argument.range", argument="statistics"):
        bounds(metric, rows * np.nan, [0, 4])
    with refuses(MetricError, "argument.shape", argument="statistics", value=(4, 1)):
        bounds(metric, rows[:, :1], [0, 4])


@pytest.mark.slow
def test_bounds_of_real_candidates():
    rows = real.candidates("nbest-de-en/dev.jsonl.gz", 200)
    hypotheses = [[h["text"] for h in row["hyps"]] for row in rows]
    for name in ("bleu:none", "wer"):
        metric = parse_metric(name)
        found = bounds(
            metric,
            metric.statistics_many(hypotheses, [row["refs"] for row in rows]),
            starts(map(len, hypotheses)),
        )
        gap = metric.sign * (found.oracle - found.random)
        assert gap > 5
        assert metric.sign * (found.random - found.worst) > 5
        assert 0 < found.random_deviation < 2


def test_reference_statistics_agree_with_the_metric():
    """The loops of the specification on words, the metric on strings."""
    said, refs = ["a b a", ""], ["a b", "a a b c"]
    want = bleu_statistics([([s.split() for s in said], [r.split() for r in refs])], 4)
    assert Bleu("none").statistics(said, refs).tolist() == want
