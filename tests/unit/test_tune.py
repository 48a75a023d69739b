"""Tuning as a person meets it: evidence, replicates, resuming, reranking."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from tests.refusals import fault, refuses

from rosewood.errors import MetricError, TuningError
from rosewood.journal import Journal
from rosewood.learn import TuningSet
from rosewood.metrics import Wer
from rosewood.rerank import from_arrays, lists_from_arrays, rerank, sweep, tune
from rosewood.rerank.heldout import compare_choices
from rosewood.rerank.tuning import make_folds

LISTS, SIZE = 60, 8
QUICK = {"method": "mira", "settings": {"passes": 5, "step": 0.1}, "samples": 200}


def arrays(kind: str, seed: int = 0, lists: int = LISTS) -> dict:
    """Candidates that are references with words replaced; features that know, or that do not."""
    random = np.random.default_rng(seed)
    rows, groups, texts, references = [], [], [], []
    for number in range(lists):
        right = random.choice(list("abcdefghijklmnop"), size=10)
        references.append(" ".join(right))
        for _ in range(SIZE):
            wrong = random.random(10) < random.uniform(0, 0.8)
            texts.append(" ".join(np.where(wrong, "z", right)))
            know = -wrong.sum() + random.standard_normal()
            noise = random.standard_normal()
            rows.append([know if kind == "good" else random.standard_normal(), noise])
            groups.append(f"s{number}")
    return {"features": rows, "groups": groups, "names": ["know", "noise"], "texts": texts,
            "references": references}  # fmt: skip


@pytest.fixture(scope="module")
def good():
    return from_arrays(**arrays("good"))


def test_it_helps(good):
    tuned = tune(good, **QUICK, replicates=2)
    assert tuned.verdict == "helps"
    judged = tuned.heldout[0]
    assert judged.after > judged.before
    assert judged.p_value < 0.05
    assert judged.sentences == LISTS
    assert [each.metric for each in tuned.heldout] == ["BLEU", "chrF2"]
    assert tuned.worst < tuned.random < tuned.score < tuned.oracle
    assert tuned.weights["know"] > abs(tuned.weights["noise"])
    assert len(tuned.replicates) == 2
    assert tuned.deviations.keys() == tuned.weights.keys()
    assert tuned.features[0].name == "know"
    assert tuned.features[0].changed > 0
    assert tuned.features[0].examples
    said = tuned.summary()
    for words in ("Reranking helps here", "oracle", "random", "p = 0.0", "5-fold", "overstates",
                  "Replicates"):  # fmt: skip
        assert words in said
    json.dumps(tuned.to_dict(), allow_nan=False)


@pytest.mark.parametrize("seed", range(5))
def test_noise_does_not_help(seed):
    tuned = tune(from_arrays(**arrays("noise", seed)), **QUICK, replicates=1)
    assert tuned.verdict != "helps"
    assert "does not help" in tuned.summary() or "does NOT help" in tuned.summary()


def test_held_out_lists_judge(good):
    other = from_arrays(**arrays("good", seed=5, lists=40))
    tuned = tune(good, **QUICK, heldout=other, replicates=1)
    assert tuned.heldout[0].sentences == 40
    assert tuned.heldout[0].how == "held-out file"
    assert tuned.verdict == "helps"


def test_starting_weights_are_the_baseline(good):
    tuned = tune(good, **QUICK, replicates=1, start={"know": 1.0, "noise": 0.0})
    assert tuned.baseline == "the starting weights"
    assert tuned.verdict != "helps"  # they were right already


def test_threads_and_runs_do_not_matter(good):
    runs = [tune(good, **QUICK, replicates=2, threads=n).to_dict() for n in (1, 2)]
    assert runs[0] == runs[1]


def test_a_killed_run_goes_on(good, tmp_path):
    whole = tune(good, **QUICK, replicates=2)
    path = tmp_path / "journal"

    def killed(what, done, total):
        if what == "fitting" and done == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune(good, **QUICK, replicates=2, journal=Journal(path), told=killed)
    assert 7 <= len(Journal(path)) < 12  # what was under way may come to its end
    again = tune(good, **QUICK, replicates=2, journal=Journal(path))
    assert again.to_dict() == whole.to_dict()
    assert len(Journal(path)) == 12
    # Other settings are other work.
    tune(good, **{**QUICK, "settings": {"passes": 4}}, replicates=1, journal=Journal(path))
    assert len(Journal(path)) == 18


def test_columns_are_metrics():
    given = arrays("good")
    scores = np.array([row[0] for row in given["features"]])
    tuned = tune(
        from_arrays(given["features"], given["groups"], names=given["names"],
                    scores={"comet": scores}),
        method="mira", metric="column:comet", replicates=1, samples=100,
    )  # fmt: skip
    assert tuned.verdict == "helps"
    assert len(tuned.heldout) == 1  # no references: nothing else can judge
    assert tuned.score == pytest.approx(tuned.oracle, abs=0.2)
    lower = tune(
        from_arrays(given["features"], given["groups"], names=given["names"],
                    scores={"errors": -scores}),
        method="mr", metric="column:errors,higher=false", replicates=1, samples=100,
    )  # fmt: skip
    assert lower.verdict == "helps"
    assert lower.heldout[0].gain > 0 > lower.heldout[0].after - lower.heldout[0].before


def test_one_list_is_not_evidence():
    tuned = tune(from_arrays(**arrays("good", lists=1)), **QUICK, replicates=1)
    assert tuned.verdict == "unknown"
    assert "not known" in tuned.summary()


def test_what_is_refused(good):
    with refuses(TuningError, "argument.range", argument="replicates", value=0):
        tune(good, replicates=0)
    with refuses(TuningError, "argument.range", argument="folds", value=1):
        tune(good, folds=1)
    with refuses(TuningError, "argument.unknown", argument="learner", value="x"):
        tune(good, method="x")
    with refuses(MetricError, "argument.unknown", argument="scores", value="comet"):
        tune(good, metric="column:comet")
    with refuses(TuningError, "weights.missing", argument="noise"):
        tune(good, start={"know": 1.0})
    other = {**arrays("good"), "names": ["know", "other"]}
    with refuses(TuningError, "features.missing", argument="noise"):
        tune(good, heldout=from_arrays(**other))
    constant = arrays("good")
    constant["features"] = np.ones((len(constant["groups"]), 2))
    with refuses(TuningError, "tuning.no-variation"):
        tune(from_arrays(**constant), **QUICK)
    constant["features"] = [[1e300 * (-1) ** i, 1.0] for i in range(len(constant["groups"]))]
    with refuses(TuningError, "tuning.not-finite", argument="know"):
        tune(from_arrays(**constant), **QUICK)


def test_other_texts_are_other_work(tmp_path):
    """The same features and words, in another order."""
    features, groups = [[1.0], [2], [1], [3], [0], [4]], [0, 0, 1, 1, 2, 2]
    references = ["a b c", "x z w", "q r s"]
    texts = ["d e f", "a b c", "u v y", "x z w", "m n o", "q r s"]
    turned = [texts[i ^ 1] for i in range(6)]
    found = [
        tune(from_arrays(features, groups, texts=each, references=references), metric="wer",
             method="mr", folds=2, replicates=1, journal=Journal(tmp_path / "j")).weights["f0"]
        for each in (texts, turned)
    ]  # fmt: skip
    assert found == [1.0, -1.0]


def test_held_out_lists_that_were_tuned_on(good):
    lists = lists_from_arrays(**arrays("good"))
    with refuses(TuningError, "argument.conflict", argument="the held-out candidates"):
        tune(good, heldout=lists[::-1], **QUICK)
    with refuses(TuningError, "argument.conflict", argument="the held-out candidates"):
        tune(good, heldout=lists[:9], **QUICK)
    other = lists_from_arrays(**arrays("good", seed=7))
    tuned = tune(good, heldout=[*lists[:3], *(replace(x, id="o" + x.id) for x in other)], **QUICK)
    assert "3 of 63 of the held-out candidates are tuned on, too" in tuned.notes[0]


def test_few_changes_are_no_evidence():
    features = np.random.default_rng(0).normal(size=(10, 2))
    scores = np.zeros(10)
    scores[1] = 1.0
    lists = from_arrays(features, np.repeat(range(5), 2), scores=scores)
    tuned = tune(lists, metric="column:score", method="mert", replicates=1)
    assert tuned.verdict == "unclear"


def test_a_verdict_needs_replicates_that_agree():
    base = np.column_stack([np.arange(200) % 3 + 3, np.full(200, 10)]).astype(float)
    good, bad = base - np.array([1, 0]), base + np.array([5, 0])
    judged = compare_choices(Wer(), base, [good, good, bad], "", 500)
    assert judged.gain < 0 < judged.before - judged.middle
    assert judged.verdict == "unclear"
    assert compare_choices(Wer(), base, [good, good, good], "", 500).verdict == "helps"
    assert compare_choices(Wer(), base, [good, bad], "", 500).middle == Wer().score(bad)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"seed": -1}, fault("argument.range", argument="seed", value=-1)),
        ({"seed": 1.5}, fault("argument.type", argument="seed", value=1.5)),
        ({"folds": 2.5}, fault("argument.type", argument="folds", value=2.5)),
        ({"replicates": "3"}, fault("argument.type", argument="replicates", value="3")),
        ({"threads": 0}, fault("argument.range", argument="threads", value=0)),
        ({"threads": -3}, fault("argument.range", argument="threads", value=-3)),
        ({"start": {"know": math.nan, "noise": 1.0}}, fault("argument.range", argument="know")),
    ],
)
def test_arguments_are_checked(good, options, expected):
    with refuses(TuningError, **expected):
        tune(good, **{**QUICK, **options})
    with refuses(MetricError, "argument.type", argument="metric"):
        tune(good, **{**QUICK, "metric": None})


def test_what_is_no_list_is_refused(good):
    for nonsense in (None, 3, [1, 2]):
        with refuses(TuningError, "argument.type"):
            tune(nonsense, **QUICK)
    with refuses(TuningError, "argument.type", argument="passes", value=5):
        sweep(good, {"passes": 5}, method="mira")
    with refuses(TuningError, "argument.type", argument="choices"):
        sweep(good, 5, method="mira")


def test_parts_of_a_set(good):
    tuning = TuningSet(good, Wer())
    for nonsense in ([99], [-1], [True, False], [0.5]):
        code = "argument.range" if type(nonsense[0]) is int else "argument.type"
        with refuses(TuningError, code, value=nonsense[0]):
            tuning.subset(nonsense)
    for forests, metric, references in (
        (None, Wer(), None), ([1, 2], Wer(), [["a"], ["b"]]), (good, "wer", None),
        (good, Wer(), [None] * LISTS), (good, Wer(), 3),
    ):  # fmt: skip
        with refuses(TuningError, "argument.type"):
            TuningSet(forests, metric, references)
    with refuses(TuningError, "argument.range", argument="threads", value=0):
        TuningSet(good, Wer(), threads=0)


def test_metrics_that_go_opposite_ways_are_told():
    given = arrays("good")
    wrong = np.array([text.count("z") for text in given["texts"]], dtype=float)
    lists = from_arrays(**given, scores={"wrong": wrong})
    tuned = tune(lists, metric="column:wrong", method="mr", replicates=1)
    assert any("go opposite ways" in note for note in tuned.notes)
    right = tune(lists, metric="column:wrong,higher=false", method="mr", replicates=1)
    assert not any("go opposite ways" in note for note in right.notes)
    assert right.heldout[1].verdict == "helps"


def test_references_that_say_nothing():
    given = arrays("good")
    with refuses(TuningError, "tuning.no-choice", argument="the candidates"):
        tune(from_arrays(**{**given, "references": [""] * LISTS}), **QUICK)


def test_a_verdict_counts_ties():
    base = np.column_stack([np.arange(100) % 3 + 3, np.full(100, 10)]).astype(float)
    other = base.copy()
    other[0, 0] -= 2
    judged = compare_choices(Wer(), base, [other], "", 500)
    assert (judged.p_value, judged.verdict) == (1.0, "unclear")


@pytest.mark.parametrize(("lists", "folds"), [(10, 5), (11, 3), (2, 2), (3, 5)])
def test_no_list_is_judged_by_weights_that_know_it(lists, folds):
    parts = make_folds(lists, folds, 2, 0)
    for replicate in range(2):
        own = [(kept, out) for number, kept, out in parts if number == replicate]
        assert len(own) == min(folds, lists)
        assert sorted(np.concatenate([out for _, out in own])) == list(range(lists))
        for kept, out in own:
            assert sorted([*kept, *out]) == list(range(lists))


# -- reranking -------------------------------------------------------------------------------------


def test_reranking_sorts_and_keeps_ties_in_order():
    lists = lists_from_arrays(
        [[1, 0], [3, 0], [3, 1], [2, 0]], ["a", "a", "a", "b"], names=["f", "g"],
        texts=["one", "two", "three", "four"],
    )  # fmt: skip
    found = list(rerank(lists, {"f": 1.0, "g": 0.0}))
    assert [each.best for each in found] == ["two", "four"]
    assert found[0].order.tolist() == [1, 2, 0]
    assert found[0].scores.tolist() == [1, 3, 3]
    with refuses(TuningError, "argument.missing", argument="weights", value="g"):
        list(rerank(lists, {"f": 1.0}))
    with refuses(TuningError, "argument.unknown", argument="weights", value="h"):
        list(rerank(lists, {"f": 1.0, "g": 1.0, "h": 1.0}))
    assert len(list(rerank(lists, {"f": 1.0, "g": 1.0, "rule:h": 1.0}))) == 2
    with refuses(TuningError, "tuning.overflow", value="a"):
        list(rerank(lists, {"f": 1e308, "g": 1e308}))


def test_tuned_weights_rerank_as_they_were_judged(good):
    tuned = tune(good, **QUICK, replicates=1)
    given = arrays("good")
    chosen = [each.best for each in rerank(lists_from_arrays(**given), tuned.weights)]
    from rosewood.metrics import evaluate

    (score,) = evaluate(chosen, [given["references"]], "bleu")
    assert score.value == pytest.approx(tuned.score, abs=1e-9)
