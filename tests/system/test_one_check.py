"""A wrong value is refused in one way: typed, in a file of options, and in Python."""

from __future__ import annotations

import json

import pytest
from tests.refusals import check, refuses, shows
from tests.system.commands import command  # noqa: F401

from rosewood.align.models import make_model
from rosewood.decode.settings import SearchSettings
from rosewood.errors import (
    DecodingError,
    MetricError,
    RosewoodError,
    TrainingError,
    TuningError,
)
from rosewood.learn.registry import learner_names, make_learner
from rosewood.metrics import parse_metric
from rosewood.metrics.registry import all_metric_names
from rosewood.pipeline import Translator
from rosewood.pipeline.file_settings import TrainingFiles
from rosewood.pipeline.settings import TrainingSettings
from rosewood.rerank.settings import CandidateSettings, SweepSettings, TuneSettings

FILES = ["--source", "a", "--target", "b", "-o", "model"]
MOST_SEED = 2**32 - 1


@pytest.mark.parametrize(
    ("verb", "settings", "name", "value"),
    [
        (["train", *FILES], TrainingSettings, "significance", "a+f"),
        (["train", *FILES], TrainingSettings, "distortion_limit", "far"),
        (["train", *FILES], TrainingSettings, "rounds", 0),
        (["train", *FILES], TrainingSettings, "max_words", 0),
        (["train", *FILES], TrainingSettings, "seed", 2**32),
        (["train", *FILES], TrainingSettings, "smoothing", "none at all"),
        (["train", *FILES], TrainingFiles, "format", "nope"),
        (["train", *FILES], TrainingFiles, "on_bad_line", "guess"),
        (["decode", "--rules", "rules"], SearchSettings, "beam", -1),
        (["tune", "lists"], TuneSettings, "method", "nope"),
        (["tune", "lists"], TuneSettings, "seed", 2**32),
        (["sweep", "lists"], SweepSettings, "split", 7.0),
    ],
)  # fmt: skip
def test_one_expectation_and_one_code(command, tmp_path, verb, settings, name, value):  # noqa: F811
    with pytest.raises(RosewoodError) as refused:
        settings(**{name: value})
    error = refused.value
    option = name.replace("_", "-")
    expected = f"expected {error.expected}"
    done = command(*verb, f"--{option}", value)
    shows(done, "usage", f"--{option}", value, f"{expected} [{error.code}]")
    table = tmp_path / "c.json"
    table.write_text(json.dumps({option: value}))
    done = command(*verb, "--config", table)
    shows(done, error.code, f"{table}: ", option, f"{expected} [{error.code}]", exit_code=2)
    assert (error.argument, error.value) == (name, value)


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (["corpus", "info", "a", "b", "--format", "nope"], "--format"),
        (["corpus", "split", "a", "b", "-o", "c", "--by", "nope"], "--by"),
        (["text", "tokenise", "a", "--tokeniser", "nope"], ""),
        (["tune", "a", "--metric", "nope"], ""),
        (["train", *FILES, "--tokeniser", "nope"], "--tokeniser"),
        (["train", *FILES, "--metric", "nope"], ""),
        (["align", "a", "b", "-o", "-", "--model", "nope"], ""),
        (["align", "a", "b", "-o", "-", "--set", "agreement=2"], "expected true or false [arg"),
        (["train", *FILES, "--no-such-option"], "[argument.unknown]"),
        (["train", "--source", "a"], "[argument.missing]"),
        (["train", *FILES, "--max-memory", "5"], "[argument.range]"),
        (["train", *FILES, "--max-memory", "much"], "[argument.type]"),
        (["nope"], "[argument.unknown]"),
    ],
)  # fmt: skip
def test_values_that_cannot_be_have_exit_code_2(command, tmp_path, monkeypatch, typed, shown):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        (tmp_path / name).write_text("x\n")
    done = command(*typed)
    assert done.code == 2, done.err
    assert done.err.rstrip().endswith("]"), done.err
    assert shown in done.err


@pytest.mark.parametrize(
    "verb",
    [
        ["train", *FILES], ["tune", "lists"], ["sweep", "lists"], ["phrasebook", "en-de"],
        ["lm", "sample", "model"], ["corpus", "split", "a", "b", "-o", "c"],
        ["evaluate", "a", "--ref", "b"], ["forest", "best", "f"],
    ],
)  # fmt: skip
def test_seeds_have_one_bound(command, tmp_path, monkeypatch, verb):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    expected = f"expected a whole number from 0 to {MOST_SEED} [argument.range]"
    for value in (-1, MOST_SEED + 1):
        shows(command(*verb, "--seed", value), "usage", "--seed", expected)
    assert "--seed" not in command(*verb, "--seed", MOST_SEED).err


def test_memory_has_one_bound(tmp_path):
    with refuses(TrainingError, "argument.range", argument="max_memory", value=5):
        Translator.train("a", "b", output=tmp_path / "model", max_memory=5)


def test_both_spellings_of_an_option(command, tmp_path):  # noqa: F811
    table = tmp_path / "c.json"
    table.write_text('{"max_phrase": 7, "max-phrase": 8}')
    done = command("train", *FILES, "--config", table)
    shows(done, "argument.duplicate", f"{table}: ", "'max-phrase'", exit_code=2)
    with refuses(TrainingError, "argument.duplicate", argument="features"):
        TrainingSettings.from_values({"feature": (), "features": ()})


def test_options_have_their_names_in_python():
    name = "target-words"
    assert TrainingSettings.from_values({"feature": (name,)}).features == (name,)


def test_candidates_per_source(command, tmp_path, monkeypatch):  # noqa: F811
    """A number or a file, typed, in a table and in Python."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c").write_text("".join(f"{word}\n" for word in "abcdef"))
    (tmp_path / "c.json").write_text('{"per-source": 3}')
    (tmp_path / "counts").write_text("3\n3\n")
    typed = command("nbest", "info", "c", "--per-source", 3)
    assert typed.code == 0, typed.err
    assert command("nbest", "info", "c", "--per-source", "counts").out == typed.out
    for count in (3, "3", "counts"):
        settings = CandidateSettings.from_values({"per_source": count})
        assert [len(each) for each in settings.read("c")] == [3, 3]
    table = command("rerank", "c", "--weights", "w", "--config", "c.json")
    shows(table, "file.missing", "w")
    with refuses(TuningError, "argument.type", argument="per_source", value=1.5):
        CandidateSettings(per_source=1.5)


@pytest.mark.parametrize(
    ("make", "kind", "names"),
    [
        (make_learner, TuningError, learner_names()),
        (parse_metric, MetricError, all_metric_names()),
    ],
)
def test_other_names_are_listed(make, kind, names):
    with refuses(kind, "argument.unknown", value="nope") as refused:
        make("nope")
    assert list(refused.value.expected) == list(names)
    assert {"minrisk", "chrf++"} & set(names)


@pytest.mark.parametrize("value", ["yes", "true", "1", "TRUE", "no", "0"])
def test_flags_are_typed_alike(value):
    wanted = value.lower() in ("yes", "true", "1")
    assert parse_metric(f"bleu:lowercase={value}").lowercase is wanted
    assert make_model("hmm", {"agreement": value}).agreement is wanted


def test_settings_of_models_show_their_bounds(command):  # noqa: F811
    shown = command("align", "--list-settings", "--model", "diag").out
    assert "a number from 0 to 1000" in shown
    (row,) = command("align", "--list-settings", "--model", "diag", "--json").out.splitlines()
    assert {"low": 0, "high": 1000}.items() <= json.loads(row)["settings"][-2].items()


@pytest.mark.parametrize("make", [make_learner, make_model])
def test_settings_must_be_a_table(make):
    name = "mert" if make is make_learner else "hmm"
    for value in (7, "restarts", [1]):
        with pytest.raises(RosewoodError) as refused:
            make(name, value)
        check(refused.value, type(refused.value), "argument.type", argument="settings", value=value)


def test_search_settings_of_python():
    with refuses(DecodingError, "argument.range", argument="beam", value=-1.0):
        SearchSettings(beam=-1.0)
