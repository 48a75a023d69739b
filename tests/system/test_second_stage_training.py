"""`rosewood train --second-stage ngrams`: both decoders, bytes, files, trouble in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.processes import LONGEST
from tests.training import contents, flags, stage_facts, write_book

from rosewood.forest import ForestSet, SecondStage
from rosewood.page import text
from rosewood.pipeline import Trained, TrainingInputs, TrainingSettings, Translator, train

SETTINGS: dict[str, Any] = {
    "aligner": "model1", "lm_order": 2, "max_phrase": 3, "tune": "mr", "on": "forests",
    "rounds": 1, "pop_limit": 10, "option_limit": 5, "set": {"iterations": "3"},
    "second_set": {"min_count": "2", "l2": "0.001", "iterations": "8"},
}  # fmt: skip


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Path:
    return write_book(tmp_path_factory.mktemp("second"), train=400, dev=60, test=20)


def trained(book: Path, place: Path, **more: Any) -> Trained:
    inputs = TrainingInputs(
        book / "train.en", book / "train.de", dev=(book / "dev.en", book / "dev.de")
    )
    threads = more.pop("threads", 1)
    return train(inputs, place, TrainingSettings(**{**SETTINGS, **more}), threads=threads)


@pytest.fixture(scope="module")
def model(book) -> Trained:
    return trained(book, book / "model")


@pytest.mark.slow
@pytest.mark.parametrize("decoder", ["phrase", "hiero"])
def test_a_model_with_a_second_stage(book, tmp_path, decoder):
    """Held-out training sentences decide whether it has one."""
    made = trained(book, tmp_path / "model", decoder=decoder)
    facts = stage_facts(made.work, "second")
    assert facts["sentences"] == 400
    assert facts["features"] > 100
    scores = dict(map(tuple, facts["heldout"]))
    assert list(scores) == [0, 0.25, 0.5, 0.75, 1]
    assert scores[facts["factor"]] == max(scores.values())
    objectives = [row["objective"] for row in facts["history"] if row["stage"] == "risk"]
    assert objectives == sorted(objectives, reverse=True)
    translator = Translator.load(made.folder)
    weights = dict(translator.decoder.weights)
    stored = (made.folder / "second_stage.json").exists()
    assert stored == ("second_stage" in weights) == bool(facts["factor"])
    summary = made.to_dict()["second_stage"]
    assert (summary is None) == (not facts["factor"])
    if facts["factor"]:
        assert summary["heldout_after"] > summary["heldout_before"] == scores[0]
        assert weights["second_stage"] == 1
        page = made.report.read_text(encoding="utf-8")
        assert '<section id="second-stage">' in page
        assert all(text(gram) in page for gram, _ in facts["strongest"])
    else:
        assert any("second stage is not used" in note for note in made.notes)
    assert translator.translate("We go home.")


@pytest.mark.slow
def test_the_decoder_searches_with_both_stages(model):
    """What is said is best of what the first decoder has found, under both stages' scores."""
    second = SecondStage.load(model.folder / "second_stage.json")
    decoder = Translator.load(model.folder).decoder
    for source in ("we go home .", "the train is late .", "good morning"):
        found = decoder.search(source)
        first = decoder.first.search(source)
        best = second.best(first.forest, first.forest.score(decoder.first.theta()))
        assert found.best.text == best.text
        assert found.best.score == pytest.approx(best.score, abs=1e-9)
        assert found.forest.best(found.forest.score(decoder.theta())).text == best.text


@pytest.mark.slow
def test_the_same_bytes_at_any_number_of_threads(book, model, tmp_path):
    again = trained(book, tmp_path / "model", threads=3)
    assert contents(again.folder) == contents(model.folder)


def command(book: Path, place: Path, before: str = "") -> subprocess.CompletedProcess[str]:
    """The same training in a process, with some code run in it before."""
    arguments = [
        "train", "--source", str(book / "train.en"), "--target", str(book / "train.de"),
        "--dev", str(book / "dev.en"), str(book / "dev.de"), "--threads", "1", "-q", "-o", "model",
        *flags({key: value for key, value in SETTINGS.items() if key != "second_set"}),
        *(text for key, value in SETTINGS["second_set"].items()
          for text in ("--second-set", f"{key}={value}")),
    ]  # fmt: skip
    code = f"{before}\nfrom rosewood.cli import main\nmain()\n"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=place, text=True, capture_output=True,
        timeout=LONGEST, check=False,
    )  # fmt: skip


# The process ends when so many forests have been made.
_KILLED = """
import os
import rosewood.learn.second_stage as learning
made, convert = 0, learning._converted
learning._BLOCK = 64

def counted(*given, **more):
    global made
    made += 1
    if made > {most}:
        os.kill(os.getpid(), 9)
    return convert(*given, **more)

learning._converted = counted
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes are killed")
def test_killed_while_forests_are_written(book, model, tmp_path):
    done = command(book, tmp_path, _KILLED.format(most=200))
    assert done.returncode == -signal.SIGKILL
    (path,) = (tmp_path / "model.work").glob("second-*.going/second.rwf")
    forests = ForestSet(path)
    assert len(forests) == 192
    forests.verify()
    done = command(book, tmp_path, _KILLED.format(most=220))  # not the first ones again
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "model") == contents(model.folder)
    assert not path.exists()


# The process ends when so many second stages have been learnt: the first one is to hold out.
_STOPPED = """
import os
import rosewood.learn.second_stage as learning
import rosewood.pipeline.second_stage as stage
made, learn = 0, learning.learn_second_stage

def counted(*given, **more):
    global made
    made += 1
    if made > {most}:
        os.kill(os.getpid(), 9)
    return learn(*given, **more)

learning.learn_second_stage = stage.learn_second_stage = counted
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes are killed")
def test_killed_while_weights_are_learnt(book, model, tmp_path):
    """What the held-out sentences chose is not found out again."""
    assert command(book, tmp_path, _STOPPED.format(most=1)).returncode == -signal.SIGKILL
    (path,) = (tmp_path / "model.work").glob("second-*.going/heldout.json")
    done = command(book, tmp_path, _STOPPED.format(most=1))
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "model") == contents(model.folder)
    assert not path.exists()


@pytest.mark.slow
def test_a_damaged_set_is_named(book, tmp_path):
    assert command(book, tmp_path, _KILLED.format(most=200)).returncode != 0
    (path,) = (tmp_path / "model.work").glob("second-*.going/second.rwf")
    data = path.read_bytes()
    for damaged in (data[: len(data) // 2], data[:1000] + bytes(64) + data[1064:]):
        path.write_bytes(damaged)
        done = command(book, tmp_path)
        assert done.returncode == 1
        assert str(path.relative_to(tmp_path)) in done.stderr
        assert "file.damaged" in done.stderr
        assert "delete it, and the same command starts afresh" in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there is no limit on files")
def test_a_full_disk(book, model, tmp_path):
    """Forests do not fit; when there is room the run goes on with those that did."""
    assert command(book, tmp_path, _KILLED.format(most=200)).returncode != 0
    (path,) = (tmp_path / "model.work").glob("second-*.going/second.rwf")
    room = path.stat().st_size + 5_000
    limit = (
        "import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))"
    )
    done = command(book, tmp_path, limit)
    assert done.returncode == 1
    assert "system.error" in done.stderr
    assert str(path.relative_to(tmp_path)) in done.stderr
    assert len(ForestSet(path)) == 192
    assert command(book, tmp_path).returncode == 0
    assert contents(tmp_path / "model") == contents(model.folder)


@pytest.mark.slow
def test_there_may_be_no_ngrams(book, tmp_path):
    """Known before anything is translated."""
    made = trained(book, tmp_path / "model", second_set={"min_count": "10000"})
    assert any("no n-gram occurs 10000 times" in note for note in made.notes)
    assert not list(made.work.glob("second-*/second.rwf"))


def test_what_training_with_it_refuses():
    from rosewood.errors import TrainingError

    for values in ({"tune": "none", "set": {}, "on": "lists"}, {"second_set": {"order": 0}}):
        with pytest.raises(TrainingError) as refused:
            TrainingSettings(**{**SETTINGS, **values})
        assert refused.value.code in ("argument.conflict", "argument.range")
