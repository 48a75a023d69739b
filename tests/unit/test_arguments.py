"""Arguments of the wrong kind: every one is refused by the package's own errors, with a reason."""

from __future__ import annotations

import re

import numpy as np
import pytest

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
    "references of none": (lambda: arrays(references=[None] * 2), "is None, want a list"),
    "references of numbers": (lambda: arrays(references=[3] * 2), "is 3, want a list"),
    "references a number": (lambda: arrays(references=3), "references is 3"),
    "references a set": (lambda: arrays(references={"x", "y"}), "want one for each list"),
    "texts a number": (lambda: arrays(texts=3), "texts is 3, want a list"),
    "names a number": (lambda: arrays(names=3), "names is 3, want a list"),
    "names a set": (lambda: arrays(names={"x", "y"}), "names is "),
    "names twice": (lambda: arrays(names=["x", "x"]), "'x' stands twice"),
    "groups ragged": (lambda: arrays(groups=[[1], [1, 2], 3]), "groups is not an array of ids"),
    "groups of floats": (lambda: arrays(groups=np.array([1, 1, 2.5], object)), "the id 2.5"),
    "groups masked": (lambda: arrays(groups=masked([1, 1, 2])), "groups has masked"),
    "features masked": (lambda: arrays(masked(X)), "features has masked"),
    "a row masked": (lambda: arrays([X[0], masked(X[1]), X[2]]), "features has masked"),
    "scores masked": (lambda: arrays(scores=masked([1.0, 2.0, 3.0])), "has masked"),
    "scores by number": (lambda: arrays(scores={3: [1, 2, 3]}), "is 3, want a string"),
    "scores without name": (lambda: arrays(scores={"": [1, 2, 3]}), "has no name"),
    "no weights": (lambda: rerank(arrays(), None), "weights is None"),
    "no lists": (lambda: rerank(None, {"f0": 1.0, "f1": 1.0}), "lists is None"),
    "lists of none": (lambda: reranked({"f0": 1.0, "f1": 1.0}, [None]), "has a NoneType"),
    "a string weighs": (lambda: reranked({"f0": "1", "f1": 1.0}), "'f0' is '1', want a finite"),
    "none weighs": (lambda: reranked({"f0": 1.0, "f1": None}), "'f1' is None"),
    "nan weighs": (lambda: reranked({"f0": 1.0, "f1": NAN}), "'f1' is nan"),
    "too much weighs": (lambda: reranked({"f0": 1.0, "f1": 10**400}), "'f1' is 1000"),
    "sparse nan weighs": (lambda: reranked({"f0": 1, "f1": 1, "a:b": NAN}), "'a:b' is nan"),
    "a weight of 3": (lambda: reranked({3: 1.0}), "name 3 is not a string"),
    "k of 0": (lambda: reranked({"f0": 1, "f1": 1})[0].reordered(0), "k is 0"),
    "k of x": (lambda: reranked({"f0": 1, "f1": 1})[0].reordered("x"), "k is 'x'"),
    "no candidates": (lambda: read_candidates(None), "candidates is None"),
    "reference files": (lambda: read_candidates("x", references=[3]), "a file is 3"),
    "references none": (lambda: read_candidates("x", references=3), "references is 3"),
    "source": (lambda: read_candidates("x", source=3), "a file is 3"),
    "report": (lambda: read_candidates("x", report=3), "report is 3"),
    "per source": (lambda: read_candidates("x", per_source=2.5), "per_source is 2.5"),
}  # fmt: skip

METRIC = {
    "no references": (lambda: evaluate(TWO, None), "references must be a list"),
    "references of none": (lambda: evaluate(TWO, [None]), r"references\[0\] is None"),
    "references in a set": (lambda: evaluate(TWO, [set(TWO)]), r"references\[0\] is "),
    "no hypotheses": (lambda: evaluate(None, [TWO]), "hypotheses must be a list"),
    "no baseline": (lambda: compare(TWO, None, [TWO]), "baseline must be a list"),
    "no metric": (lambda: evaluate(TWO, [TWO], None), "a metric is None"),
    "a metric of 3": (lambda: evaluate(TWO, [TWO], ["bleu", 3]), "a metric is 3"),
    "corpus without metric": (lambda: corpus_statistics(3, TWO, [TWO]), "a metric is 3"),
    "threads": (lambda: evaluate(TWO, [TWO], threads="2"), "threads is '2'"),
    "parse none": (lambda: parse_metric(None), "None"),
    "parse no list": (lambda: parse_metrics(None), "None"),
    "statistics, references": (lambda: Bleu().statistics(["a"], None), "0 are None"),
    "statistics, hypotheses": (lambda: Bleu().statistics(None, ["a"]), "0 are None"),
    "many": (lambda: Bleu().statistics_many(None, [["a"]]), "hypotheses are None"),
    "column": (lambda: Column("x").statistics(None, ["a"], {"x": [1]}), "0 are None"),
    "column of 3": (lambda: Column(3), "needs its name"),
    "scores of 3": (lambda: Column("x").statistics(["a"], ["a"], 3), "scores are 3"),
    "orders '4'": (lambda: Bleu(orders="4"), "orders is '4', want a whole number"),
    "orders 2.5": (lambda: Bleu(orders=2.5), "orders is 2.5"),
    "orders true": (lambda: Bleu(orders=True), "orders is True"),
    "lowercase": (lambda: Bleu(lowercase="false"), "lowercase is 'false'"),
    "whitespace": (lambda: Cer(whitespace="no"), "whitespace is 'no'"),
    "higher": (lambda: Column("x", higher="no"), "higher is 'no'"),
    "smooth": (lambda: Bleu(smooth=[]), "no smoothing"),
    "tokenize": (lambda: Bleu(tokenize=[]), "no tokenisation"),
    "smooth_value": (lambda: Bleu(smooth="floor", smooth_value="x"), "smooth_value is 'x'"),
    "smoothing": (lambda: Bleu().sentence_gains(ONES, smoothing="x"), "smoothing is 'x'"),
    "char_order": (lambda: Chrf(char_order=2.5), "char_order is 2.5"),
    "beta": (lambda: Chrf(beta="2"), "beta is '2'"),
    "linear": (lambda: LinearBleu("x", 1, 1), "precision is 'x'"),
    "linear fit": (lambda: LinearBleu.fit(Bleu(), ONES * NAN), "not finite"),
    "strings": (lambda: paired_bootstrap(Bleu(), "a", "b"), "of the system have shape"),
    "rows of strings": (lambda: paired_bootstrap(Bleu(), ONES.astype(str), ONES), "type <U"),
    "metric by name": (lambda: paired_bootstrap("bleu", ONES, ONES), "is 'bleu', want a Metric"),
    "bootstrap -1": (lambda: paired_bootstrap(Bleu(), ONES, ONES, seed=-1), "seed is -1"),
    "bootstrap .5": (lambda: paired_bootstrap(Bleu(), ONES, ONES, seed=0.5), "seed is 0.5"),
    "bootstrap ''": (lambda: paired_bootstrap(Bleu(), ONES, ONES, samples=""), "samples is ''"),
    "random -1": (lambda: paired_randomisation(Bleu(), ONES, ONES, seed=-1), "seed is -1"),
    "random none": (lambda: paired_randomisation(Bleu(), ONES, ONES, seed=None), "seed is None"),
    "bounds -1": (lambda: bounds(Bleu(), ONES, [0, 2, 4], seed=-1), "seed is -1"),
    "bounds .5": (lambda: bounds(Bleu(), ONES, [0, 2, 4], seed=0.5), "seed is 0.5"),
    "bounds draws": (lambda: bounds(Bleu(), ONES, [0, 2, 4], draws=1.5), "draws is 1.5"),
    "bounds start": (lambda: bounds(Bleu(), ONES, [0, 2.5, 4]), "group_start has numbers"),
    "bounds ragged": (lambda: bounds(Bleu(), ONES, [0, [2], 4]), "group_start is not"),
    "oracle start": (lambda: oracle(Bleu(), ONES, None), "group_start"),
    "pseudo gains": (lambda: PseudoCorpus(Bleu()).gains(np.ones((2, 3))), r"shape \(2, 3\)"),
    "pseudo ragged": (lambda: PseudoCorpus(Bleu()).update([1, [2]]), "not an array"),
    "pseudo metric": (lambda: PseudoCorpus("bleu"), "want a Metric"),
    "pseudo decay": (lambda: PseudoCorpus(Bleu(), decay="x"), "is 'x'"),
    "scores nan": (lambda: Bleu().scores(ONES * NAN), "not finite"),
    "scores none": (lambda: Bleu().scores(None), r"shape \(\)"),
    "scores masked": (lambda: Bleu().scores(masked(ONES)), "masked"),
    "score nan": (lambda: Bleu().score(ONES[0] * NAN), "not finite"),
}  # fmt: skip

CASES = [
    pytest.param(kind, *case, id=f"{kind.__name__}-{name}")
    for kind, cases in ((TuningError, TUNING), (MetricError, METRIC))
    for name, case in cases.items()
]


@pytest.mark.parametrize(("kind", "call", "reason"), CASES)
def test_arguments_that_are_refused(kind, call, reason):
    with pytest.raises(kind, match=reason) as caught:
        call()
    assert type(caught.value) is kind


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
