"""tune, rerank and sweep from Python; made-up candidates; fits side by side."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from tests.processes import LONGEST
from tests.refusals import refuses

from rosewood.errors import MetricError, TuningError
from rosewood.forest import FeatureSpace
from rosewood.journal import Journal
from rosewood.learn.parallel import side_by_side
from rosewood.learn.sweeps import Uniform
from rosewood.metrics import compare, parse_metrics
from rosewood.model import shared_features
from rosewood.rerank import (
    forest_set,
    read_candidates,
    rerank,
    sweep,
    toy_lists,
    tune,
    write_candidates,
)
from rosewood.rerank.candidate_sweep import parse_choices
from rosewood.rerank.report import report_html

QUICK = {"settings": {"restarts": 2}, "folds": 2, "replicates": 2, "samples": 100}


def test_files_lists_and_sets_are_the_same(tmp_path):
    write_candidates(toy_lists(30, candidates=5), tmp_path / "a.jsonl")
    lists = list(toy_lists(30, candidates=5))
    want = tune(lists, **QUICK).to_dict()
    for other in (tmp_path / "a.jsonl", str(tmp_path / "a.jsonl"), forest_set(lists), iter(lists)):
        assert tune(other, **QUICK).to_dict() == want
    assert want["settings"] == {
        "restarts": 2, "random_directions": 4, "passes": 50, "tolerance": 5e-4, "nearby": 0.1,
        "max_features": 200, "k": 100,
    }  # fmt: skip


def test_threads_do_not_matter():
    lists = list(toy_lists(40, candidates=5))
    assert tune(lists, threads=1, **QUICK) == tune(lists, threads=4, **QUICK)


@pytest.mark.slow
def test_noise_never_helps():
    """The first candidate has some sense, the features have none."""
    for seed in range(10):
        tuned = tune(toy_lists(50, candidates=8, noise=True, seed=seed), **QUICK)
        assert tuned.verdict != "helps"
        assert "does not help" in tuned.summary().replace("NOT", "not")


def test_the_journal_is_used(tmp_path):
    lists = list(toy_lists(30, candidates=5))
    journal = Journal(tmp_path / "j")
    first = tune(lists, journal=journal, **QUICK)
    assert len(journal) == 2 * 2 + 2
    size = (tmp_path / "j").stat().st_size
    again = tune(lists, journal=Journal(tmp_path / "j"), **QUICK)
    assert again == first
    assert (tmp_path / "j").stat().st_size == size


def test_notes_say_what_is_doubtful():
    lists = list(toy_lists(30, candidates=5))
    assert any("30 sentences are few" in note for note in tune(lists, **QUICK).notes)
    shuffled = [each.__class__(**{**_fields(each), **_turned(each)}) for each in lists]
    assert any("no better than one at random" in note for note in tune(shuffled, **QUICK).notes)


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter", "wer"])
def test_a_first_candidate_that_is_worse_than_chance_is_told_of(metric):
    lists = [_worst_first(each) for each in toy_lists(60, candidates=8)]
    tuned = tune(lists, metric=metric, **{**QUICK, "method": "mira", "settings": None})
    assert tuned.baseline_by_chance
    assert any("no better than one at random" in note for note in tuned.notes)
    assert tuned.to_dict()["baseline_by_chance"]
    assert tuned.verdict == "helps"
    assert "Reranking helps here:" not in tuned.summary()
    assert "Reranking helps here." not in report_html(tuned)
    assert '<h1 class="helps">' not in report_html(tuned)


def test_a_good_first_candidate_is_not_by_chance():
    lists = [_worst_first(each, best=True) for each in toy_lists(60, candidates=8)]
    tuned = tune(lists, metric="chrf", **QUICK)
    assert not tuned.baseline_by_chance
    assert not any("at random" in note for note in tuned.notes)


def test_what_is_tuned_on_cannot_judge():
    lists = list(toy_lists(30, candidates=5))
    with refuses(TuningError, "argument.conflict", argument="the held-out candidates"):
        tune(lists, heldout=lists[5:], **QUICK)
    with refuses(TuningError, "argument.conflict", argument="the candidates that choose"):
        sweep(lists, {"restarts": [1, 2]}, select=lists[::-1])
    mixed = [*lists[:4], *(replace(each, id=f"x{each.id}") for each in toy_lists(30, seed=3))]
    notes = tune(lists, heldout=mixed, **QUICK).notes
    assert any("of the held-out candidates are tuned on, too" in note for note in notes)


def _fields(each):
    return {name: getattr(each, name) for name in each.__dataclass_fields__}


def _worst_first(each, *, best=False):
    """Candidates sorted by how many words they share with the reference."""
    wanted = set(each.references[0].split())
    shared = [len(wanted & set(text.split())) - len(text.split()) / 100 for text in each.texts]
    order = sorted(range(len(each)), key=lambda i: -shared[i] if best else shared[i])
    return each.__class__(**{**_fields(each), **_ordered(each, order)})


def _turned(each):
    """Candidates sorted by their text: an order that tells nothing."""
    return _ordered(each, sorted(range(len(each)), key=lambda i: each.texts[i][::-1]))


def _ordered(each, order):
    scores = {name: column[order] for name, column in each.scores.items()}
    return {"texts": tuple(each.texts[i] for i in order), "dense": each.dense[order],
            "scores": scores}  # fmt: skip


def test_reranking_takes_files(tmp_path):
    lists = list(toy_lists(5, candidates=4))
    write_candidates(lists, tmp_path / "a.jsonl")
    weights = dict.fromkeys(lists[0].names, 0.0) | {"words": 1.0}
    (tmp_path / "w.json").write_text(str(weights).replace("'", '"'))
    found = [each.best for each in rerank(tmp_path / "a.jsonl", tmp_path / "w.json")]
    assert found == [max(each.texts, key=lambda text: len(text.split())) for each in lists]
    with refuses(TuningError, "argument.missing", argument="weights", value="dice"):
        list(rerank(lists, {"system": 1, "fluency": 1, "meaning": 1, "words": 1}))


def test_sweeps(tmp_path):
    lists = list(toy_lists(40, candidates=5))
    choices = {"step": [0.001, "0.01"], "margin": [1, 3]}
    journal = Journal(tmp_path / "j")
    found = sweep(lists, choices, method="mira", threads=2, journal=journal)
    assert [t.settings for t in found.trials] == [
        {"step": 0.001, "margin": 1}, {"step": 0.001, "margin": 3},
        {"step": 0.01, "margin": 1}, {"step": 0.01, "margin": 3},
    ]  # fmt: skip
    assert found.ranked[0] == found.best
    assert len(journal) == 4
    assert sweep(lists, choices, method="mira", journal=Journal(tmp_path / "j")) == found
    with refuses(TuningError, "tuning.too-few-lists"):
        sweep(lists[:1], choices, method="mira")
    with refuses(TuningError, "argument.missing", argument="choices"):
        sweep(lists, {})
    ter = sweep(lists, {"restarts": [1, 2]}, metric="ter", select=list(toy_lists(9, seed=4)))
    assert ter.best.score == min(trial.score for trial in ter.trials)


def test_choices_as_they_are_written():
    found = parse_choices(["step=0.1,0.2", "loss=hinge", "rate=1e-4..1e-1:log", "k=2..9"])
    assert found == {
        "step": ["0.1", "0.2"], "loss": ["hinge"], "rate": Uniform(1e-4, 1e-1, log=True),
        "k": Uniform(2, 9),
    }  # fmt: skip


def test_made_up_candidates(tmp_path):
    lists = list(toy_lists(20))
    assert lists == list(toy_lists(30))[:20]
    assert lists != list(toy_lists(20, seed=1))
    for each in lists:
        assert len(set(each.texts)) == len(each) == 12
        assert np.isfinite(each.dense).all()
    write_candidates(lists, tmp_path / "a.jsonl")
    assert list(read_candidates(tmp_path / "a.jsonl")) == lists
    assert all(
        each.names == tuple(f"dice_{c}" for c in "abcde") for each in toy_lists(2, noise=True)
    )
    with refuses(TuningError, "argument.range", argument="count", value=0):
        list(toy_lists(0))


def test_one_failure_stops_all():
    """Fits that go on for ever end at their next report."""
    begun = threading.Event()

    def work(job, report):
        if job == 0:
            assert begun.wait(LONGEST)
            raise TuningError("no", code="tuning.sample")
        begun.set()
        while True:
            report({})
            time.sleep(0.001)

    with refuses(TuningError, "tuning.sample"):
        side_by_side(work, [0, 1, 2, 3], workers=2)
    heard = []
    assert side_by_side(lambda job, _: job * job, range(5), workers=3, step=heard.append) == [
        0, 1, 4, 9, 16,
    ]  # fmt: skip
    assert sorted(heard) == [0, 1, 4, 9, 16]


def test_weights_move_between_sets_of_features():
    own, other = FeatureSpace(["a", "b"], ["s:1", "s:2"]), FeatureSpace(["b", "a"], ["s:2", "s:3"])
    moved = shared_features(own, other)(np.array([1.0, 2.0, 3.0, 4.0]))
    assert moved.tolist() == [2.0, 1.0, 4.0, 0.0]
    with refuses(TuningError, "features.missing", argument="b"):
        shared_features(own, FeatureSpace(["a"]), other_name="the test set")
    with refuses(TuningError, "features.unknown", argument="c"):
        shared_features(own, FeatureSpace(["a", "b", "c"]))


def test_metrics_in_a_row():
    names = [m.name for m in parse_metrics("bleu:tokenize=none,lowercase=1,chrf,column:x,higher=0")]
    assert names == ["bleu", "chrf", "column:x"]
    with refuses(MetricError, "argument.duplicate", argument="metrics"):
        parse_metrics("bleu,bleu")
    with refuses(MetricError, "argument.unknown", argument="metric", value=""):
        parse_metrics("bleu,")


def test_comparing():
    lists = list(toy_lists(60))
    references = [[each.references[0] for each in lists]]
    best = [min(zip(each.scores["mistakes"], each.texts, strict=True))[1] for each in lists]
    first = [each.texts[0] for each in lists]
    for test in ("bootstrap", "randomisation"):
        bleu, ter = compare(best, first, references, ["bleu", "ter"], test=test, samples=200)
        assert bleu.difference > 0 > ter.difference
        assert max(bleu.p_value, ter.p_value) < 0.05
        assert compare(first, first, references, test=test, samples=50)[0].p_value == 1
    one = [best[0], *first[1:]]  # whatever one sentence gains, a coin could have given it
    assert best[0] != first[0]
    assert compare(one, first, references, test="randomisation", samples=50)[0].p_value == 1
    with refuses(MetricError, "argument.shape", argument="baseline", value=59):
        compare(best, first[1:], references)
    with refuses(MetricError, "argument.choice", argument="test", value="t"):
        compare(best, first, references, test="t")
