"""Scores of a corpus with their signatures, shapes that are refused, and significance."""

from __future__ import annotations

import os
from functools import cache, partial
from random import Random
from unittest import mock

import numpy as np
import pytest
import sacrebleu
from sacrebleu.significance import PairedTest
from tests import real
from tests.refusals import fault, refuses

from rosewood.errors import MetricError
from rosewood.metrics import (
    Bleu,
    Chrf,
    Column,
    Ter,
    Wer,
    compare,
    corpus_statistics,
    evaluate,
    paired_bootstrap,
    paired_randomisation,
    references_by_sentence,
)

SAID = ["the cat sat on the mat .", "a dog", "it rains today again"]
FIRST = ["the cat sat on a mat .", "the dog", "it rains again today"]
SECOND = ["a cat was on the mat .", "a dog !", "it rains today again"]


def test_scores_carry_signatures():
    bleu, chrf, comet = evaluate(
        SAID, [FIRST, SECOND], ["bleu", Chrf(word_order=2), "column:comet"],
        scores={"comet": [0.25, 0.5, 0.75]},
    )  # fmt: skip
    peer = sacrebleu.BLEU(force=True)
    assert bleu.value == pytest.approx(peer.corpus_score(SAID, [FIRST, SECOND]).score, abs=1e-9)
    assert bleu.signature == peer.get_signature().format()
    assert str(bleu) == f"BLEU|{bleu.signature} = {bleu.value:.2f}"
    assert (bleu.name, chrf.title, comet.value) == ("bleu", "chrF2++", 0.5)
    assert bleu.sentences == 3
    (wer,) = evaluate(SAID, [FIRST], "wer")
    assert not wer.higher_is_better
    by_sentence = [list(pair) for pair in zip(FIRST, SECOND, strict=True)]
    (again,) = evaluate(SAID, by_sentence, Bleu(), layout="sentences")
    assert again == bleu


def test_fewer_references_for_some_sentences():
    documents = [FIRST, [None, "a dog !", None]]
    for metric, peer in [
        (Bleu(), sacrebleu.BLEU(force=True)),
        (Chrf(), sacrebleu.CHRF()),
        (Ter(), sacrebleu.TER()),
    ]:
        (score,) = evaluate(SAID, documents, metric)
        assert score.value == pytest.approx(peer.corpus_score(SAID, documents).score, abs=1e-9)
        assert score.signature == peer.get_signature().format()
        assert "nrefs:var" in score.signature
    assert references_by_sentence(SAID, documents)[1] == ["the dog", "a dog !"]


@pytest.mark.parametrize(
    ("hypotheses", "references", "layout", "expected"),
    [
        (SAID, FIRST, "documents", fault("argument.type", argument="references", value=3)),
        (SAID, FIRST[0], "documents", fault("argument.type", argument="references")),
        (SAID, [], "documents", fault("argument.type", argument="references")),
        (
            SAID,
            [FIRST, SECOND[:2]],
            "documents",
            fault("argument.shape", argument="references", value=2),
        ),
        (
            SAID,
            [["a", "b"], ["c", "d"], ["e", "f"]],
            "documents",
            fault("argument.shape", argument="layout", expected="sentences"),
        ),
        (
            SAID,
            [FIRST, SECOND],
            "sentences",
            fault("argument.shape", argument="layout", expected="documents"),
        ),
        (
            SAID,
            [["a"], ["b"]],
            "sentences",
            fault("argument.shape", argument="references", value=2),
        ),
        (SAID, [["a"], [], ["b"]], "sentences", fault("metric.no-reference", value=1)),
        (SAID, [[None, "a", "b"]], "documents", fault("metric.no-reference", value=0)),
        (SAID, [[1, 2, 3]], "documents", fault("argument.type", argument="references", value=0)),
        (SAID, [FIRST], "columns", fault("argument.choice", argument="layout", value="columns")),
        ([], [[]], "documents", fault("metric.no-sentences", argument="hypotheses")),
        ("a b", [FIRST], "documents", fault("argument.type", argument="hypotheses")),
        ([None], [["a"]], "documents", fault("argument.type", argument="hypotheses")),
    ],
)
def test_shapes_that_do_not_fit(hypotheses, references, layout, expected):
    with refuses(MetricError, **expected):
        evaluate(hypotheses, references, "exact", layout=layout)


# -- significance ----------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["made up", "real"])
def systems(request) -> tuple[list[str], list[str], list[list[str]]]:
    """A system, a baseline and two references of each sentence."""
    if request.param == "real":
        rows = real.candidates("nbest-de-en/dev.jsonl.gz", 150)
        system, baseline = ([row["hyps"][i]["text"] for row in rows] for i in (0, -1))
        return system, baseline, [[row["refs"][0] for row in rows], [row["src"] for row in rows]]
    random = Random(3)
    texts = [
        random.choices(["the", "a", "cat", "dog", "sat", "on", ",", "mat", "and", "saw", "."], k=9)
        for _ in range(60)
    ]

    def disturbed(much: float) -> list[str]:
        words = [[w if random.random() > much else random.choice(t) for w in t] for t in texts]
        return [" ".join(row[: random.randint(6, 9)]) for row in words]

    return disturbed(0.3), disturbed(0.35), [disturbed(0.1), disturbed(0.1)]


def remembering(peer: type) -> type:
    """A metric of sacreBLEU that counts each system once, however often it is asked to."""
    counted: dict[tuple, tuple] = {}

    class Remembering(peer):
        def _extract_corpus_statistics(self, hypotheses, references):
            key = tuple(hypotheses), tuple(map(tuple, references or ()))
            if key not in counted:
                rows = super()._extract_corpus_statistics(hypotheses, references)
                counted[key] = rows, self.num_refs
            rows, self.num_refs = counted[key]
            return rows

    Remembering.__name__ = peer.__name__  # it names itself so
    return Remembering


PEERS = {
    "bleu": (Bleu(), partial(remembering(sacrebleu.BLEU), force=True)),
    "chrf": (Chrf(), remembering(sacrebleu.CHRF)),
    "ter": (Ter(), remembering(sacrebleu.TER)),
}


def peer_test(name, systems, test, seed, **settings):
    """What sacreBLEU says of the baseline and the system, and its signature."""
    system, baseline, references = systems
    with mock.patch.dict(os.environ, SACREBLEU_SEED=str(seed)):
        test = PairedTest(
            [("baseline", baseline), ("system", system)], {name: PEERS[name][1]()}, references,
            test_type=test, **settings,
        )  # fmt: skip
        signatures, scores = test()
    title = PEERS[name][0].title
    return *scores[title], signatures[title].format()


@pytest.fixture(scope="module")
def rows_of(systems):
    """The statistics of both systems for the metric of a name."""
    system, baseline, references = systems

    @cache
    def rows(name):
        metric = PEERS[name][0]
        return metric, *(corpus_statistics(metric, s, references) for s in (system, baseline))

    return rows


@pytest.mark.slow
@pytest.mark.parametrize("seed", [12345, 7])
@pytest.mark.parametrize("name", PEERS)
def test_bootstrap_is_that_of_sacrebleu(systems, rows_of, name, seed):
    base, own, signature = peer_test(name, systems, "bs", seed, n_samples=300)
    found = paired_bootstrap(*rows_of(name), samples=300, seed=seed, references=2)
    assert found.p_value == own.p_value
    assert found.score == pytest.approx(own.score, abs=1e-9)
    assert found.baseline == pytest.approx(base.score, abs=1e-9)
    want = own.mean, own.ci, base.mean, base.ci
    have = found.mean, found.margin, found.baseline_mean, found.baseline_margin
    assert have == pytest.approx(want, rel=1e-5)  # single precision there
    assert found.signature == signature
    assert found.interval[0] <= found.difference <= found.interval[1]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [12345, 7])
@pytest.mark.parametrize("name", PEERS)
def test_randomisation_is_that_of_sacrebleu(systems, rows_of, name, seed):
    settings = {"n_samples": 500, "n_ar_confidence": 100}
    base, own, signature = peer_test(name, systems, "ar", seed, **settings)
    found = paired_randomisation(
        *rows_of(name), samples=500, seed=seed, resamples=100, references=2
    )
    assert found.p_value == own.p_value
    want = own.score, own.mean, own.ci, base.mean, base.ci
    have = found.score, found.mean, found.margin, found.baseline_mean, found.baseline_margin
    assert have == pytest.approx(want, rel=1e-5)
    assert found.signature == signature
    plain = paired_randomisation(*rows_of(name), samples=500, seed=seed)
    assert (plain.p_value, plain.mean, plain.interval) == (found.p_value, None, None)


@pytest.mark.parametrize("test", [paired_bootstrap, paired_randomisation])
def test_blocks_of_random_numbers_change_nothing(test, monkeypatch):
    random = np.random.default_rng(0)
    metric = Column("x")
    rows = [np.column_stack([random.random(37), np.ones(37)]) for _ in range(2)]
    whole = test(metric, *rows, samples=100)
    monkeypatch.setattr("rosewood.metrics.significance.BLOCK", 37 * 33)
    assert test(metric, *rows, samples=100) == whole


@pytest.mark.parametrize("test", [paired_bootstrap, paired_randomisation])
def test_differences_that_are_there_and_are_not(test):
    """Any metric; lower is better here, and nobody minds."""
    random = np.random.default_rng(1)
    metric = Wer()
    base = np.column_stack([random.integers(2, 9, 200), np.full(200, 10)]).astype(float)
    better = base - [1, 0]
    found = test(metric, better, base)
    assert found.difference == pytest.approx(-10)
    assert found.p_value < 0.01
    same = test(metric, base, base)
    assert (same.difference, same.p_value) == (0.0, 1 / (same.samples + 1))
    noise = base.copy()
    noise[0, 0] += 1
    noise[1, 0] -= 1
    noise[2, 0] += 1
    assert test(metric, noise, base).p_value > 0.2
    with refuses(MetricError, "argument.shape", argument="baseline", value=200):
        test(metric, base[1:], base)
    with refuses(MetricError, "metric.no-sentences", argument="statistics"):
        test(metric, base[:0], base[:0])
    with refuses(MetricError, "argument.range", argument="statistics of the baseline"):
        test(metric, base, base * np.nan)
    with refuses(
        MetricError, "argument.shape", argument="statistics of the system", value=(200, 1)
    ):
        test(metric, base[:, :1], base)


def test_one_sentence_that_differs_is_no_evidence():
    """Every exchange is as large as the real difference: sacreBLEU calls that significant."""
    base = np.column_stack([np.arange(200) % 7, np.full(200, 10)]).astype(float)
    other = base.copy()
    other[3, 0] += 2
    assert paired_randomisation(Wer(), other, base, samples=500).p_value < 0.01
    assert paired_randomisation(Wer(), other, base, samples=500, ties=True).p_value == 1.0
    assert paired_randomisation(Wer(), base, base, samples=500, ties=True).p_value == 1.0
    better = base - [1, 0]
    assert paired_randomisation(Wer(), better, base, samples=500, ties=True).p_value < 0.01


def test_columns_need_no_references():
    scores, before = {"c": [1.0, 3.0]}, {"c": [0.0, 1.0]}
    (score,) = evaluate(["a", "b"], None, "column:c", scores=scores)
    assert score.value == 2.0
    assert "nrefs" not in score.signature
    found = compare(["a", "b"], ["c", "d"], [], "column:c", scores=scores, baseline_scores=before)
    assert found[0].difference == 1.5
    with refuses(MetricError, "argument.type", argument="references"):
        evaluate(["a"], [], ["column:c", "bleu"], scores={"c": [1.0]})
