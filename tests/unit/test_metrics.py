"""Metrics as they are used: settings, names, refusals, sentence gains, columns."""

from __future__ import annotations

import pickle
import subprocess
import sys
from math import exp
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import fault, refuses

import rosewood.metrics
from rosewood.errors import MetricError
from rosewood.learn.pairs import ranking_gains
from rosewood.metrics import (
    METRICS,
    Bleu,
    BleuSbp,
    Cer,
    Chrf,
    Column,
    ExactMatch,
    Ter,
    Wer,
    parse_metric,
)
from rosewood.metrics.tokenise import TOKENISERS

lines = st.text("abcd", max_size=7).map(" ".join)
groups = st.lists(
    st.tuples(st.lists(lines, max_size=3), st.lists(lines, min_size=1, max_size=3)), max_size=4
)
TEXT_METRICS = [
    Bleu(tokenize="none"),
    BleuSbp(tokenize="none", orders=2),
    Chrf(),
    Chrf(char_order=3, word_order=2, eps_smoothing=True),
    Ter(),
    Wer(),
    Cer(),
    ExactMatch(),
]
each_metric = pytest.mark.parametrize(
    "metric", TEXT_METRICS, ids=lambda m: f"{m.name}-{len(m.columns)}"
)


def test_public_names_are_sorted():
    names = rosewood.metrics.__all__
    upper = [name for name in names if name.isupper()]
    assert names == [*sorted(upper), *sorted(set(names) - set(upper))]


@pytest.mark.slow
@each_metric
@given(groups)
def test_statistics_of_many_sentences_are_those_of_each(metric, cases):
    hypotheses, references = [h for h, _ in cases], [r for _, r in cases]
    together = metric.statistics_many(hypotheses, references, threads=2)
    alone = [metric.statistics(h, r) for h, r in cases]
    assert together.shape == (sum(map(len, hypotheses)), len(metric.columns))
    assert together.tolist() == [row for rows in alone for row in rows.tolist()]
    assert metric.scorer.width == len(metric.columns)
    assert (together >= 0).all()
    assert metric.score(together[::-1]) == pytest.approx(metric.score(together), rel=1e-12)
    for own, refs in cases:
        # The order of references does not matter: equally good ones may be told apart, no more.
        found, turned = (metric.scores(metric.statistics(own, r)) for r in (refs, refs[::-1]))
        assert turned == pytest.approx(found, rel=1e-12)
        # Nothing is better than the only reference.
        gains = metric.sentence_gains(metric.statistics([refs[0], *own, *refs], refs[:1]))
        assert gains[0] == pytest.approx(gains.max(), rel=1e-12)


@each_metric
def test_pickled_metrics_are_equal(metric):
    again = pickle.loads(pickle.dumps(metric))
    assert again == metric
    assert hash(again) == hash(metric)
    assert again.columns == metric.columns
    assert repr(again).startswith(type(metric).__name__)


def test_sentence_gains_of_bleu():
    metric = Bleu(tokenize="none")
    rows = metric.statistics(["a b c", "a x c", "x y", "", "a b c d e"], ["a b c d"])
    brief = exp(1 - 4 / 3)
    found = metric.sentence_gains(rows)  # order 4: nothing matches, nothing could: (0+1)/(0+1)
    assert found[0] == pytest.approx(100 * brief)
    assert found[1] == pytest.approx(100 * brief * ((2 / 3) * (1 / 3) * (1 / 2)) ** 0.25)
    assert found[2] == found[3] == 0.0
    assert found[4] == pytest.approx(100 * (4 / 5 * 4 / 5 * 3 / 4 * 2 / 3) ** 0.25)
    half = metric.sentence_gains(rows, smoothing=0.5)
    assert half[1] == pytest.approx(100 * brief * ((2 / 3) * (0.5 / 2.5) * (0.5 / 1.5)) ** 0.25)
    assert metric.sentence_gains(rows, smoothing=0.0)[1] == 0.0
    with refuses(MetricError, "argument.range", argument="bleu: smoothing", value=-1.0):
        metric.sentence_gains(rows, smoothing=-1.0)
    with refuses(MetricError, "argument.shape", argument="statistics", value=(5, 9)):
        metric.sentence_gains(rows[:, 1:])


@pytest.mark.parametrize("name", ["bleu", "bleu-sbp"])
def test_longer_references_are_those_of_a_longer_text(name):
    metric = parse_metric(f"{name}:tokenize=none")
    said = [["a b c d e"], ["a b c"], ["a b c d"]]
    rows = metric.statistics_many(said, [["a b c d"]] * 3)
    longer = metric.statistics_many(said, [["a b c d x"]] * 3)
    np.testing.assert_array_equal(metric.with_longer_references(rows, 1.0), longer)
    assert ranking_gains(metric, rows, smoothing=1.0, brevity=1.0).tolist() == (
        metric.sentence_gains(longer).tolist()
    )


def test_strict_brevity_penalty():
    """A long sentence does not pay for a short one: by hand, against methods of 2008."""
    metric, plain = (kind(tokenize="none", orders=1) for kind in (BleuSbp, Bleu))
    hypotheses, references = [["a"], ["a b c x y z"]], [["a b c"], ["a b c"]]
    rows = metric.statistics_many(hypotheses, references)
    assert rows[:, -1].tolist() == [1.0, 3.0]
    assert metric.score(rows) == pytest.approx(100 * 4 / 7 * exp(1 - 6 / 4))
    assert plain.score(plain.statistics_many(hypotheses, references)) == pytest.approx(400 / 7)
    assert "brevity:strict" in metric.signature
    assert "orders:1" in metric.signature


def test_error_rates():
    """By hand: the nearest reference counts, of equals the longest."""
    references = ["the cat sat", "a dog"]
    wer = Wer()
    rows = wer.statistics(["the cat", "a dog", "x y", "the  cat\tsat down", ""], references)
    assert rows.tolist() == [[1, 3], [0, 2], [2, 2], [1, 3], [2, 2]]
    assert wer.score(rows) == pytest.approx(100 * 6 / 12)
    assert wer.gains(rows)[0] == pytest.approx(-100 / 3)
    assert Wer(lowercase=True).statistics(["A Dog"], references).tolist() == [[0, 2]]
    assert Wer(tokenize="13a").statistics(["a dog."], references).tolist() == [[1, 2]]
    assert Cer().statistics(["a dg", "the cat  sad "], references).tolist() == [[1, 5], [1, 11]]
    assert Cer(whitespace=False).statistics(["ad og"], references).tolist() == [[0, 4]]
    exact = ExactMatch()
    rows = exact.statistics([" a  dog", "a Dog", "", "the cat sat"], references)
    assert rows.tolist() == [[1, 1], [0, 1], [0, 1], [1, 1]]
    assert exact.score(rows) == 50.0
    assert ExactMatch(lowercase=True).statistics(["a Dog"], references).tolist() == [[1, 1]]
    for rate in (wer, Cer(), Ter()):  # against nothing
        assert rate.score(rate.statistics(["a b"], [""])) == 100.0
        assert rate.score(rate.statistics([""], [""])) == 0.0


def test_columns_of_scores():
    metric = parse_metric("column:comet")
    rows = metric.statistics(["a", "b"], [], {"comet": [0.5, 1.0], "other": [0, 0]})
    assert rows.tolist() == [[0.5, 1.0], [1.0, 1.0]]
    assert metric.score(rows) == 0.75
    assert metric.sentence_gains(rows).tolist() == [0.5, 1.0]
    errors = parse_metric("column:ter,higher=false")
    assert errors == Column("ter", higher=False)
    assert errors.gains(rows).tolist() == [-0.5, -1.0]
    assert errors.sign == -1.0
    many = metric.statistics_many([["a"], ["b", "c"]], [[], []], {"comet": np.arange(3.0)})
    assert many[:, 0].tolist() == [0, 1, 2]
    for scores, expected in [
        (None, fault("argument.unknown", argument="scores", value="comet")),
        ({"ter": [1.0, 2.0]}, fault("argument.unknown", argument="scores", value="comet")),
        ({"comet": [1.0]}, fault("argument.shape", argument="column 'comet'", value=(1,))),
        ({"comet": [1.0, float("nan")]}, fault("argument.range", argument="comet", value=1)),
        ({"comet": ["x", "y"]}, fault("argument.type", argument="comet")),
    ]:
        with refuses(MetricError, **expected):
            metric.statistics(["a", "b"], [], scores)


def test_metrics_by_name():
    assert parse_metric("bleu") == Bleu()
    assert parse_metric(" bleu:tokenize=none, lowercase=yes ") == Bleu("none", lowercase=True)
    assert parse_metric("bleu:intl") == Bleu("intl")
    assert parse_metric("bleu-sbp:orders=2") == BleuSbp(orders=2)
    assert parse_metric("chrf++:beta=1.5") == Chrf(word_order=2, beta=1.5)
    assert parse_metric("wer:lowercase=true") == Wer(lowercase=True)
    for name in METRICS:
        metric = parse_metric("column:x" if name == "column" else name)
        assert metric.name.startswith(name.removesuffix("++"))
        assert metric.title
        assert "version:" in metric.signature
    want = Bleu(smooth="floor", smooth_value=0.01)
    assert parse_metric("bleu:smooth=floor,smooth_value=0.01") == want
    for text, expected in [
        ("blue", fault("argument.unknown", argument="metric", value="blue")),
        ("", fault("argument.unknown", argument="metric", value="")),
        ("bleu:case=low", fault("argument.unknown", argument="setting", value="case")),
        ("bleu:none,true", fault("argument.unknown", argument="setting", value="true")),
        ("bleu:lowercase=maybe", fault("argument.type", argument="lowercase", value="maybe")),
        ("bleu:orders=four", fault("argument.type", argument="orders", value="four")),
        ("bleu:orders=0", fault("argument.range", argument="orders", value=0)),
        ("bleu:orders=1,orders=2", fault("argument.duplicate", argument="orders")),
        ("bleu:tokenize=moses", fault("argument.choice", argument="tokenize", value="moses")),
        ("bleu:smooth=add-one", fault("argument.choice", argument="smooth", value="add-one")),
        ("bleu:smooth_value=1", fault("argument.conflict", argument="smooth_value")),
        ("bleu:smooth=floor,smooth_value=nan", fault("argument.range", argument="smooth_value")),
        ("chrf:char_order=0", fault("argument.range", argument="char_order", value=0)),
        ("chrf:beta=0", fault("argument.range", argument="beta", value=0.0)),
        ("chrf:beta=x", fault("argument.type", argument="beta", value="x")),
        ("wer:tokenize=x", fault("argument.choice", argument="tokenize", value="x")),
        ("column", fault("argument.missing", argument="column")),
        ("column:", fault("argument.missing", argument="column")),
    ]:
        with refuses(MetricError, **expected):
            parse_metric(text)


def test_names_and_help_cost_nothing():
    program = (
        "import sys\nfrom rosewood.metrics import METRICS\nprint(*METRICS.helps())\n"
        "sys.exit(bool({'numpy', 'sacrebleu'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout.split() == list(METRICS)


def test_the_document_lists_all_metrics():
    text = (Path(__file__).parents[2] / "docs" / "tuning.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` | {help} |" in text for name, help in METRICS.helps().items())


def test_tokenisers_are_those_of_sacrebleu():
    from sacrebleu.metrics.bleu import BLEU

    assert set(TOKENISERS) == set(BLEU.TOKENIZERS)


@pytest.mark.parametrize("name", [n for n, package in TOKENISERS.items() if package])
def test_what_is_not_installed_is_named(name):
    module = {"ja-mecab": "MeCab", "ko-mecab": "mecab_ko"}.get(name, "sentencepiece")
    try:
        __import__(module)
    except ImportError:
        with refuses(MetricError, "package.missing", argument="tokenize"):
            Bleu(tokenize=name)
    else:
        pytest.skip(f"{module} is installed")


@each_metric
def test_what_is_missing_is_named(metric):
    for hypotheses, references, expected in [
        ([["a"]], [[]], fault("metric.no-reference", value=0)),
        ([["a"], ["b"]], [["a"]], fault("argument.shape", argument="references", value=1)),
        ([["a"]], ["a"], fault("argument.type", argument="references", value=0)),
        (["a"], [["a"]], fault("argument.type", argument="hypotheses", value=0)),
        ([["a", 3]], [["a"]], fault("argument.type", argument="hypothesis", value=3)),
        ([["a"]], [["a", None]], fault("argument.type", argument="reference")),
    ]:
        with refuses(MetricError, **expected):
            metric.statistics_many(hypotheses, references)
    assert metric.statistics_many([[], ["a"]], [[], ["", "a"]]).shape == (1, len(metric.columns))
    assert metric.statistics([], []).shape == (0, len(metric.columns))
