"""`rosewood train`: what looks wrong is shown before the work, or stops it with --strict."""

from __future__ import annotations

import json

import pytest
from tests.refusals import refuses, shows
from tests.system.commands import command  # noqa: F401
from tests.training import QUICK, flags, write_book

from rosewood.errors import TrainingError
from rosewood.pipeline import Finding, TrainingInputs, TrainingSettings, Translator, train

FILES = ["--source", "train.en", "--target", "train.de"]
FAST = [*flags({**QUICK, "tune": "none", "set": {}}), "--threads", "1", "-o", "model"]


@pytest.fixture
def place(tmp_path, monkeypatch):
    write_book(tmp_path, train=150, dev=30, test=20)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def line_with(text, code):
    [line] = [line for line in text.splitlines() if line.endswith(f"[{code}]")]
    return line


def test_findings_are_shown_and_kept(command, place):  # noqa: F811
    done = command("train", *FILES, "--dev", "dev.de", "dev.en", *FAST, "--json", "-q")
    assert done.code == 0
    assert "dev.en" in line_with(done.err, "input.swapped")
    told = json.loads(done.out)
    [found, *_] = told["findings"]
    assert (found["code"], found["argument"]) == ("input.swapped", "dev")
    assert found["message"] in told["notes"]
    assert "sides are swapped" in (place / "model.html").read_text("utf-8")
    again = command("train", *FILES, "--dev", "dev.de", "dev.en", *FAST, "-q")
    assert "[input.swapped]" in again.err  # also where all stages are done
    assert again.err.count(found["message"]) == 1  # in the notes at the end it is not again


def test_strict_stops_before_the_work(command, place):  # noqa: F811
    done = command("train", *FILES, "--dev", "dev.de", "dev.en", *FAST, "--strict", "-q")
    shows(done, "input.swapped", "dev.de")
    assert not (place / "model").exists()
    assert not list((place / "model.work").glob("clean*"))
    good = command("train", *FILES, "--dev", "dev.en", "dev.de", *FAST, "--strict", "-q")
    assert good.code == 0, good.err
    assert "warning" not in good.err


def test_strict_in_python(place):
    inputs = TrainingInputs("train.en", "train.de", dev=("dev.de", "dev.en"))
    settings = TrainingSettings(**{**QUICK, "tune": "none", "set": {}})
    with refuses(TrainingError, "input.swapped", argument="dev", file="dev.de"):
        train(inputs, "model", settings, strict=True)
    seen = []
    made = train(inputs, "model", settings, on_finding=seen.append)
    assert tuple(seen) == made.findings
    assert seen[0].code == "input.swapped"
    with refuses(TrainingError, "input.language-code", value="xx"):
        Translator.train(
            "train.en", "train.de", output="other", languages="xx:yy", strict=True, dev_size=0
        )


def test_scores_near_zero_are_told_of(place):
    (place / "other.de").write_text("qqq xx .\n" * 5 + "zz .\n" * 25)
    settings = TrainingSettings(**{**QUICK, "tune": "none", "set": {}})
    inputs = TrainingInputs("train.en", "train.de", dev=("dev.en", "other.de"))
    made = train(inputs, "model", settings)
    assert "result.near-zero" in [each.code for each in made.findings]
    assert any("near zero" in note for note in made.notes)


def test_strict_stops_at_scores_that_cannot_be(place, monkeypatch):
    """All stages are done and kept, but there is no model."""
    finding = Finding("result.too-good", "it is too good", argument="dev")
    monkeypatch.setattr("rosewood.pipeline.training.check_scores", lambda *given: [finding])
    settings = TrainingSettings(**{**QUICK, "tune": "none", "set": {}})
    inputs = TrainingInputs("train.en", "train.de", dev=("dev.en", "dev.de"))
    with refuses(TrainingError, "result.too-good", argument="dev"):
        train(inputs, "model", settings, strict=True)
    assert not (place / "model").exists()
    made = train(inputs, "model", settings)
    assert all(stage.was_done for stage in made.stages)
    assert made.findings == (finding,)
