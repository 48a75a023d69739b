"""Sweeps, the journal, and weights on disk."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from tests.lists import planted
from tests.refusals import refuses

from rosewood.errors import FormatError, TuningError
from rosewood.forest import FeatureSpace
from rosewood.journal import Journal, fingerprint
from rosewood.learn import Uniform, sweep
from rosewood.learn.sweeps import grid, random_settings
from rosewood.model import read_weights, weights_vector, write_weights

WEIGHTS = np.array([1.0, -2.0, 0.5])


@pytest.fixture(scope="module")
def splits():
    make = {"lists": 40, "candidates": 8, "noise": 1.0}
    return planted(WEIGHTS, seed=1, **make), planted(WEIGHTS, seed=2, **make)


def test_the_best_trial_is_best_on_the_split_that_chooses(splits):
    found = sweep("mr", {"l2": [0.001, 10.0], "iterations": ["5", "20"]}, *splits)
    assert [t.settings for t in found.trials] == [
        {"l2": 0.001, "iterations": 5}, {"l2": 0.001, "iterations": 20},
        {"l2": 10.0, "iterations": 5}, {"l2": 10.0, "iterations": 20},
    ]  # fmt: skip
    assert found.best.score == max(t.score for t in found.trials)
    assert all(t.error is None for t in found.trials)


def test_workers_do_not_matter(splits):
    choices = {"step": Uniform(1e-4, 1.0, log=True), "passes": Uniform(1, 5)}
    runs = [sweep("mira", choices, *splits, trials=6, workers=n) for n in (1, 4)]
    assert runs[0] == runs[1]
    assert all(isinstance(t.settings["passes"], int) for t in runs[0].trials)


def test_trials_are_recorded_and_not_done_twice(splits, tmp_path):
    path = tmp_path / "trials.jsonl"
    choices = {"passes": [1, 2, 3]}
    first = sweep("mira", choices, *splits, journal=Journal(path))
    lines = path.read_text().splitlines()
    assert len(lines) == 3
    path.write_text("\n".join(lines[:2]) + "\n" + lines[2][:20])  # killed in the third line
    journal = Journal(path)
    assert len(journal) == 2
    assert sweep("mira", choices, *splits, journal=journal) == first
    assert path.read_text().splitlines() == lines
    sweep("mira", choices, *splits, journal=Journal(path), seed=1)  # another seed is another trial
    assert len(Journal(path)) == 6


def test_failed_trials_do_not_stop_the_others(splits):
    found = sweep("pro", {"threshold": [0.01, 1.0], "rounds": [1], "samples": [100]}, *splits)
    assert found.trials[1].score is None
    assert "nothing to rank" in found.trials[1].error
    assert found.best == found.trials[0]
    with refuses(TuningError, "tuning.no-trials"):
        sweep("pro", {"threshold": [1.0]}, *splits)


def test_what_a_sweep_refuses(splits):
    with refuses(TuningError, "argument.unknown", argument="setting", value="stap"):
        sweep("mira", {"stap": [1]}, *splits)
    with refuses(TuningError, "argument.missing", argument="trials"):
        sweep("mira", {"step": Uniform(0.1, 1.0)}, *splits)
    with refuses(TuningError, "argument.type", argument="step", value=[]):
        grid({"step": []})
    with refuses(TuningError, "argument.range", argument="high", value=1.0):
        Uniform(2.0, 1.0)
    with refuses(TuningError, "argument.range", argument="low", value=0.0):
        Uniform(0.0, 1.0, log=True)
    other = planted(np.ones(2), lists=2, candidates=2)
    with refuses(TuningError, "features.missing", argument="f2"):
        sweep("mira", {"passes": [1]}, splits[0], other)


def test_random_settings_do_not_depend_on_how_many_follow():
    choices = {"step": Uniform(1e-4, 1.0, log=True), "search": ["k-best", "forest"]}
    few, many = (random_settings("mira", choices, n, seed=3) for n in (2, 5))
    assert many[:2] == few
    assert all(1e-4 <= each["step"] <= 1.0 for each in many)


# -- the journal -----------------------------------------------------------------------------------


def test_work_is_done_once(tmp_path):
    path = tmp_path / "work.jsonl"
    done = []

    def work():
        done.append(1)
        return {"x": 0.1 + 0.2}

    key = fingerprint("a", 1, b"\0")
    for _ in range(3):
        assert Journal(path).done(key, work) == {"x": 0.1 + 0.2}
    assert len(done) == 1
    assert key in Journal(path)
    Journal(path).remove()
    assert not path.exists()
    Journal(path).remove()


def test_fingerprints_tell_facts_apart():
    assert fingerprint("ab", "c") != fingerprint("a", "bc")
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})


def test_a_file_that_is_no_journal_is_refused(tmp_path):
    path = tmp_path / "weights.json"
    path.write_text('{"key": "a", "result": 1}\nhello\n')
    with refuses(FormatError, "file.kind", file=str(path), line=2):
        Journal(path)
    assert "hello" in path.read_text()


# -- weights ---------------------------------------------------------------------------------------


def test_weights_come_back_as_they_were(tmp_path):
    path = tmp_path / "weights.json"
    weights = {"lm": 1 / 3, "größe": -1e-300, "rule:a\tb": 0.0}
    write_weights(weights, path)
    assert read_weights(path) == weights
    assert list(read_weights(path)) == list(weights)
    with refuses(TuningError, "weights.value", argument="lm"):
        write_weights({"lm": math.nan}, tmp_path / "other.json")
    assert [p.name for p in tmp_path.iterdir()] == ["weights.json"]


@pytest.mark.parametrize(
    ("text", "code", "argument"),
    [
        ("", "file.format", None),
        ("[1]", "file.format", "weights"),
        ('{"a": NaN}', "weights.value", "a"),
        ('{"a": 1, "a": 2}', "weights.duplicate", None),
        ('{"a": "1"}', "weights.value", "a"),
        ('{"a": true}', "weights.value", "a"),
        ('{"a": {"b": 1}}', "weights.value", "a"),
        ('{"a": ' + "9" * 400 + "}", "weights.value", "a"),
        ("[" * 100000, "file.format", None),
    ],
)
def test_files_that_are_no_weights(tmp_path, text, code, argument):
    path = tmp_path / "weights.json"
    path.write_text(text)
    with refuses(FormatError, code, argument=argument, file=str(path)):
        read_weights(path)


def test_names_must_fit():
    space = FeatureSpace(("lm", "tm"), ("rule:a",))
    assert weights_vector({"lm": 1, "tm": 2, "rule:a": 3, "rule:b": 4}, space).tolist() == [1, 2, 3]
    with refuses(TuningError, "weights.missing", argument="tm"):
        weights_vector({"lm": 1}, space)
    with refuses(TuningError, "weights.unknown"):
        weights_vector({"lm": 1, "tm": 1, "ml": 2}, space)
    assert json.dumps(space.mapping(np.array([1.0, 0.0, 2.0]))) == '{"lm": 1.0, "rule:a": 2.0}'


def test_a_file_of_somebody_else_is_left_alone(tmp_path):
    path = tmp_path / "thesis.txt"
    path.write_text("one line without an end")
    with refuses(FormatError, "file.kind", file=str(path), line=1):
        Journal(path)
    assert path.read_text() == "one line without an end"
