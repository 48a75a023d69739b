"""Arguments of the wrong kind: every one is refused by the package's own errors, with a reason."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.refusals import fault, refuses

from rosewood.errors import MetricError, TuningError
from rosewood.learn import TuningSet
from rosewood.metrics import (
    Bleu,
    Cer,
    Chrf,
    Column,
    LinearBleu,
    PseudoCorpus,
    bounds,
    compare,
    corpus_statistics,
    evaluate,
    oracle,
    paired_bootstrap,
    paired_randomisation,
    parse_metric,
    parse_metrics,
)
from rosewood.rerank import read_candidates, rerank
from rosewood.rerank.arrays import lists_from_arrays
from rosewood.rerank.candidates import CandidateList
from rosewood.rerank.forests import write_forest_set

X = [[0.5, 1.0], [2.0, 0.0], [1.0, 1.0]]
GROUPS = ["a", "a", "b"]
NAN = float("nan")
ONES = np.ones((4, 10))
TWO = ["a b", "c d"]


def arrays(features=X, groups=GROUPS, **more):
    return lists_from_arrays(features, groups, **more)


def masked(values):
    values = np.array(values)
    return np.ma.masked_array(values, mask=np.arange(values.size).reshape(values.shape) == 1)


def reranked(weights, lists=None):
    return list(rerank(arrays() if lists is None else lists, weights))


TUNING = {
    "references of none": (
        lambda: arrays(references=[None] * 2),
        fault("argument.type", argument="references of list 'a'"),
    ),
    "references of numbers": (
        lambda: arrays(references=[3] * 2),
        fault("argument.type", argument="references of list 'a'", value=3),
    ),
    "references a number": (
        lambda: arrays(references=3),
        fault("argument.type", argument="references", value=3),
    ),
    "references a set": (
        lambda: arrays(references={"x", "y"}),
        fault("argument.type", argument="references"),
    ),
    "texts a number": (lambda: arrays(texts=3), fault("argument.type", argument="texts", value=3)),
    "names a number": (lambda: arrays(names=3), fault("argument.type", argument="names", value=3)),
    "names a set": (lambda: arrays(names={"x", "y"}), fault("argument.type", argument="names")),
    "names twice": (
        lambda: arrays(names=["x", "x"]),
        fault("argument.duplicate", argument="names", value="x"),
    ),
    "groups ragged": (
        lambda: arrays(groups=[[1], [1, 2], 3]),
        fault("argument.type", argument="groups"),
    ),
    "groups of floats": (
        lambda: arrays(groups=np.array([1, 1, 2.5], object)),
        fault("argument.type", argument="groups", value=2.5),
    ),
    "groups masked": (
        lambda: arrays(groups=masked([1, 1, 2])),
        fault("argument.value", argument="groups"),
    ),
    "features masked": (lambda: arrays(masked(X)), fault("argument.value", argument="features")),
    "a row masked": (
        lambda: arrays([X[0], masked(X[1]), X[2]]),
        fault("argument.value", argument="features"),
    ),
    "scores masked": (
        lambda: arrays(scores=masked([1.0, 2.0, 3.0])),
        fault("argument.value", argument="scores['score']"),
    ),
    "scores by number": (
        lambda: arrays(scores={3: [1, 2, 3]}),
        fault("argument.type", argument="the names of scores[0]", value=3),
    ),
    "scores without name": (
        lambda: arrays(scores={"": [1, 2, 3]}),
        fault("argument.value", argument="scores"),
    ),
    "no weights": (lambda: rerank(arrays(), None), fault("argument.type", argument="weights")),
    "no lists": (
        lambda: rerank(None, {"f0": 1.0, "f1": 1.0}),
        fault("argument.type", argument="lists"),
    ),
    "lists of none": (
        lambda: reranked({"f0": 1.0, "f1": 1.0}, [None]),
        fault("argument.type", argument="lists"),
    ),
    "a string weighs": (
        lambda: reranked({"f0": "1", "f1": 1.0}),
        fault("argument.type", argument="f0", value="1"),
    ),
    "none weighs": (
        lambda: reranked({"f0": 1.0, "f1": None}),
        fault("argument.type", argument="f1"),
    ),
    "nan weighs": (
        lambda: reranked({"f0": 1.0, "f1": NAN}),
        fault("argument.range", argument="f1"),
    ),
    "too much weighs": (
        lambda: reranked({"f0": 1.0, "f1": 10**400}),
        fault("argument.range", argument="f1"),
    ),
    "sparse nan weighs": (
        lambda: reranked({"f0": 1, "f1": 1, "a:b": NAN}),
        fault("argument.range", argument="a:b"),
    ),
    "a weight of 3": (
        lambda: reranked({3: 1.0}),
        fault("argument.type", argument="weights", value=3),
    ),
    "k of 0": (
        lambda: reranked({"f0": 1, "f1": 1})[0].reordered(0),
        fault("argument.range", argument="k", value=0),
    ),
    "k of x": (
        lambda: reranked({"f0": 1, "f1": 1})[0].reordered("x"),
        fault("argument.type", argument="k", value="x"),
    ),
    "no candidates": (lambda: read_candidates(None), fault("argument.type", argument="candidates")),
    "reference files": (
        lambda: read_candidates("x", references=[3]),
        fault("argument.type", argument="references", value=3),
    ),
    "references none": (
        lambda: read_candidates("x", references=3),
        fault("argument.type", argument="references", value=3),
    ),
    "source": (
        lambda: read_candidates("x", source=3),
        fault("argument.type", argument="source", value=3),
    ),
    "report": (
        lambda: read_candidates("x", report=3),
        fault("argument.type", argument="report", value=3),
    ),
    "per source": (
        lambda: read_candidates("x", per_source=2.5),
        fault("argument.type", argument="per_source", value=2.5),
    ),
}

METRIC = {
    "no references": (lambda: evaluate(TWO, None), fault("argument.type", argument="references")),
    "references of none": (
        lambda: evaluate(TWO, [None]),
        fault("argument.type", argument="references", value=0),
    ),
    "references in a set": (
        lambda: evaluate(TWO, [set(TWO)]),
        fault("argument.type", argument="references", value=0),
    ),
    "no hypotheses": (lambda: evaluate(None, [TWO]), fault("argument.type", argument="hypotheses")),
    "no baseline": (lambda: compare(TWO, None, [TWO]), fault("argument.type", argument="baseline")),
    "no metric": (lambda: evaluate(TWO, [TWO], None), fault("argument.type", argument="metric")),
    "a metric of 3": (
        lambda: evaluate(TWO, [TWO], ["bleu", 3]),
        fault("argument.type", argument="metric", value=3),
    ),
    "corpus without metric": (
        lambda: corpus_statistics(3, TWO, [TWO]),
        fault("argument.type", argument="metric", value=3),
    ),
    "threads": (
        lambda: evaluate(TWO, [TWO], threads="2"),
        fault("argument.type", argument="threads", value="2"),
    ),
    "parse none": (lambda: parse_metric(None), fault("argument.type", argument="metric")),
    "parse no list": (lambda: parse_metrics(None), fault("argument.type", argument="metrics")),
    "statistics, references": (
        lambda: Bleu().statistics(["a"], None),
        fault("argument.type", value=0),
    ),
    "statistics, hypotheses": (
        lambda: Bleu().statistics(None, ["a"]),
        fault("argument.type", value=0),
    ),
    "many": (
        lambda: Bleu().statistics_many(None, [["a"]]),
        fault("argument.type", argument="hypotheses"),
    ),
    "column": (
        lambda: Column("x").statistics(None, ["a"], {"x": [1]}),
        fault("argument.type", value=0),
    ),
    "column of 3": (lambda: Column(3), fault("argument.type", argument="column", value=3)),
    "scores of 3": (
        lambda: Column("x").statistics(["a"], ["a"], 3),
        fault("argument.type", argument="scores", value=3),
    ),
    "orders '4'": (lambda: Bleu(orders="4"), fault("argument.type", argument="orders", value="4")),
    "orders 2.5": (lambda: Bleu(orders=2.5), fault("argument.type", argument="orders", value=2.5)),
    "orders true": (
        lambda: Bleu(orders=True),
        fault("argument.type", argument="orders", value=True),
    ),
    "lowercase": (
        lambda: Bleu(lowercase="false"),
        fault("argument.type", argument="lowercase", value="false"),
    ),
    "whitespace": (
        lambda: Cer(whitespace="no"),
        fault("argument.type", argument="whitespace", value="no"),
    ),
    "higher": (
        lambda: Column("x", higher="no"),
        fault("argument.type", argument="higher", value="no"),
    ),
    "smooth": (lambda: Bleu(smooth=[]), fault("argument.choice", argument="smooth")),
    "tokenize": (lambda: Bleu(tokenize=[]), fault("argument.choice", argument="tokenize")),
    "smooth_value": (
        lambda: Bleu(smooth="floor", smooth_value="x"),
        fault("argument.type", argument="smooth_value", value="x"),
    ),
    "smoothing": (
        lambda: Bleu().sentence_gains(ONES, smoothing="x"),
        fault("argument.type", argument="bleu: smoothing", value="x"),
    ),
    "char_order": (
        lambda: Chrf(char_order=2.5),
        fault("argument.type", argument="char_order", value=2.5),
    ),
    "beta": (lambda: Chrf(beta="2"), fault("argument.type", argument="beta", value="2")),
    "linear": (
        lambda: LinearBleu("x", 1, 1),
        fault("argument.type", argument="linear BLEU: precision", value="x"),
    ),
    "linear fit": (
        lambda: LinearBleu.fit(Bleu(), ONES * NAN),
        fault("argument.range", argument="statistics"),
    ),
    "strings": (
        lambda: paired_bootstrap(Bleu(), "a", "b"),
        fault("argument.shape", argument="statistics of the system", value=()),
    ),
    "rows of strings": (
        lambda: paired_bootstrap(Bleu(), ONES.astype(str), ONES),
        fault("argument.type", argument="statistics of the system", value="<U32"),
    ),
    "metric by name": (
        lambda: paired_bootstrap("bleu", ONES, ONES),
        fault("argument.type", argument="metric", value="bleu"),
    ),
    "bootstrap -1": (
        lambda: paired_bootstrap(Bleu(), ONES, ONES, seed=-1),
        fault("argument.range", argument="seed", value=-1),
    ),
    "bootstrap .5": (
        lambda: paired_bootstrap(Bleu(), ONES, ONES, seed=0.5),
        fault("argument.type", argument="seed", value=0.5),
    ),
    "bootstrap ''": (
        lambda: paired_bootstrap(Bleu(), ONES, ONES, samples=""),
        fault("argument.type", argument="samples", value=""),
    ),
    "random -1": (
        lambda: paired_randomisation(Bleu(), ONES, ONES, seed=-1),
        fault("argument.range", argument="seed", value=-1),
    ),
    "random none": (
        lambda: paired_randomisation(Bleu(), ONES, ONES, seed=None),
        fault("argument.type", argument="seed"),
    ),
    "bounds -1": (
        lambda: bounds(Bleu(), ONES, [0, 2, 4], seed=-1),
        fault("argument.range", argument="seed", value=-1),
    ),
    "bounds .5": (
        lambda: bounds(Bleu(), ONES, [0, 2, 4], seed=0.5),
        fault("argument.type", argument="seed", value=0.5),
    ),
    "bounds draws": (
        lambda: bounds(Bleu(), ONES, [0, 2, 4], draws=1.5),
        fault("argument.type", argument="draws", value=1.5),
    ),
    "bounds start": (
        lambda: bounds(Bleu(), ONES, [0, 2.5, 4]),
        fault("argument.type", argument="group_start", value="float64"),
    ),
    "bounds ragged": (
        lambda: bounds(Bleu(), ONES, [0, [2], 4]),
        fault("argument.type", argument="group_start"),
    ),
    "oracle start": (
        lambda: oracle(Bleu(), ONES, None),
        fault("argument.shape", argument="group_start", value=0),
    ),
    "pseudo gains": (
        lambda: PseudoCorpus(Bleu()).gains(np.ones((2, 3))),
        fault("argument.shape", argument="statistics", value=(2, 3)),
    ),
    "pseudo ragged": (
        lambda: PseudoCorpus(Bleu()).update([1, [2]]),
        fault("argument.type", argument="statistics"),
    ),
    "pseudo metric": (
        lambda: PseudoCorpus("bleu"),
        fault("argument.type", argument="metric", value="bleu"),
    ),
    "pseudo decay": (
        lambda: PseudoCorpus(Bleu(), decay="x"),
        fault("argument.type", argument="decay", value="x"),
    ),
    "scores nan": (
        lambda: Bleu().scores(ONES * NAN),
        fault("argument.range", argument="statistics"),
    ),
    "scores none": (
        lambda: Bleu().scores(None),
        fault("argument.shape", argument="statistics", value=()),
    ),
    "scores masked": (
        lambda: Bleu().scores(masked(ONES)),
        fault("argument.value", argument="statistics"),
    ),
    "score nan": (
        lambda: Bleu().score(ONES[0] * NAN),
        fault("argument.range", argument="statistics"),
    ),
}

CASES = [
    pytest.param(kind, *case, id=f"{kind.__name__}-{name}")
    for kind, cases in ((TuningError, TUNING), (MetricError, METRIC))
    for name, case in cases.items()
]


@pytest.mark.parametrize(("kind", "call", "expected"), CASES)
def test_arguments_that_are_refused(kind, call, expected):
    with refuses(kind, **expected):
        call()


def test_arguments_that_are_taken():
    ids = [each.id for each in arrays(groups=np.array([np.int64(1), np.int64(1), "b"], object))]
    assert ids == ["1", "b"]
    unmasked = np.ma.masked_array(X, mask=np.zeros((3, 2)))
    assert np.array_equal(arrays(unmasked)[0].dense, X[:2])
    (listed,) = evaluate(TWO, [TWO])
    (drawn,) = evaluate((line for line in TWO), ((line for line in TWO) for _ in range(1)))
    assert drawn == listed
    own, other = (Bleu().statistics(said, TWO) for said in (TWO, iter(TWO)))
    assert np.array_equal(own, other)


def test_signatures_tell_smoothings_apart():
    told = {
        value: re.search(
            r"smooth:floor\[(.*?)\]", Bleu(smooth="floor", smooth_value=value).signature
        )
        for value in (0.1, 0.25, 1, 0.001, 0.004)
    }
    found = {value: match[1] for value, match in told.items()}
    assert found == {0.1: "0.10", 0.25: "0.25", 1: "1.00", 0.001: "0.001", 0.004: "0.004"}


def test_identical_candidates_keep_their_order():
    random = np.random.default_rng(0)
    names = tuple(f"f{i}" for i in range(40))
    for _ in range(200):
        row, theta = random.standard_normal((2, 40))
        sparse = dict(zip(("s:a", "s:b", "s:c"), random.standard_normal(3).tolist(), strict=True))
        other = dict(reversed(sparse.items()))  # the same, told in another order
        weights = {**dict(zip(names, theta, strict=True)), "s:a": 0.3, "s:b": -0.7, "s:c": 1.1}
        same = CandidateList(
            "x", ("",) * 60, names, np.tile(row, (60, 1)), sparse=(sparse, other) * 30
        )
        (found,) = rerank([same], weights)
        assert found.order.tolist() == list(range(60))
        assert len(set(found.scores.tolist())) == 1


@pytest.mark.slow
def test_rerank_chooses_what_tuning_chooses(tmp_path):
    random = np.random.default_rng(1)
    names, rare = tuple(f"f{i}" for i in range(13)), [f"s:{i}" for i in range(20)]
    lists = []
    for i in range(60):
        rows = np.round(random.standard_normal((30, 13)), 1)[random.integers(0, 30, 30)]
        few = [random.permutation(rare)[:4].tolist() for _ in range(10)]
        tables = tuple(dict.fromkeys(few[k], 0.1) for k in random.integers(0, 10, 30))
        texts = tuple(f"t{k}" for k in range(30))
        scores = {"good": random.standard_normal(30)}
        lists.append(CandidateList(str(i), texts, names, rows, sparse=tables, scores=scores))
    forests = write_forest_set(lists, tmp_path / "lists.rwf")
    tuning = TuningSet(forests, Column("good"))
    for _ in range(20):
        theta = np.round(random.standard_normal(len(tuning.features)), 1)
        weights = dict(zip(tuning.features.names, theta.tolist(), strict=True))
        best = [found.order[0] + 30 * i for i, found in enumerate(rerank(lists, weights))]
        assert best == tuning.best_rows(theta).tolist()
