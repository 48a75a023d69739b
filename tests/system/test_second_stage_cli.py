"""`rosewood forest second-stage`: learning, resuming, and what it refuses."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.processes import LONGEST
from tests.refusals import shows, warns
from tests.system.commands import command, run  # noqa: F401
from tests.unit.test_train_second_stage import DEV, TRAIN, named, write_set

from rosewood.forest import ForestSet, SecondStage, write_forests

LEARN = [
    "forest", "second-stage", "train.rwf", "--weights", "w.json", "--dev", "dev.rwf",
    "--metric", "bleu:tokenize=none", "--set", "min_count=2", "--set", "iterations=8",
]  # fmt: skip
OUTPUT = ["-o", "second.json"]


def write_files(place: Path) -> None:
    for what, numbers in (("train", TRAIN), ("dev", DEV)):
        write_set(place / f"{what}.rwf", named(numbers))
        lines = [each.info["refs"][0] + "\n" for each in named(numbers)]
        (place / f"{what}.ref").write_text("".join(lines))
    (place / "w.json").write_text('{"good": 0.5}')


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)
    return tmp_path


def test_it_is_learnt_and_used(place, run, command):  # noqa: F811
    before = sorted(place.iterdir())
    done = command(*LEARN, *OUTPUT, "--threads", 2)
    assert (done.code, done.err) == (0, "")
    second = SecondStage.load("second.json")
    factor = second.facts["factor"]
    assert f"with n-grams times {factor:g}  <- chosen" in done.out
    assert all(ngram in done.out for ngram, _ in second.strongest(20))
    assert sorted(place.iterdir()) == sorted([*before, place / "second.json"])
    told = json.loads(
        run(*LEARN, "-o", "again.json", "--json", "--ref", "train.ref", "--dev-ref", "dev.ref",
            "--threads", 1, "--max-memory", "1M")
    )  # fmt: skip
    assert (place / "again.json").read_bytes() == (place / "second.json").read_bytes()
    assert told["factor"] == factor
    assert dict(map(tuple, told["heldout"]))[factor] > dict(map(tuple, told["heldout"]))[0] + 3
    assert (told["forests"], told["heldout_forests"]) == (59, 20)
    rerank = ["rerank", "dev.rwf", "--forests", "--weights", "w.json"]
    assert run(*rerank, "--second-stage", "second.json") != run(*rerank)


def test_options_from_a_file_and_other_formats(place, run):  # noqa: F811
    run(*LEARN, *OUTPUT)
    for what, numbers in (("train", TRAIN), ("dev", DEV)):
        write_forests(named(numbers), place / what)
    (place / "c.json").write_text(json.dumps({
        "weights": "w.json", "dev": "dev", "ref": ["train.ref"], "dev-ref": ["dev.ref"],
        "metric": "bleu:tokenize=none", "set": {"min_count": 2, "iterations": 8},
        "output": "again.json", "format": "text",
    }))  # fmt: skip
    run("forest", "second-stage", "train", "--config", "c.json")
    assert (place / "again.json").read_bytes() == (place / "second.json").read_bytes()


def test_nothing_is_written_where_ngrams_do_not_help(place, command):  # noqa: F811
    (place / "dev.ref").write_text("w1 w0 w7 w6\n" * len(DEV))
    before = sorted(place.iterdir())
    done = command(*LEARN, *OUTPUT, "--dev-ref", "dev.ref")
    assert done.code == 0
    warns(done.err, "second.json", "dev.rwf", "not", is_only_line=True)
    assert sorted(place.iterdir()) == before


KILLED = """
import os, signal
import rosewood.learn.second_stage as learning
from rosewood.cli import main
made, convert = 0, learning._converted
learning._BLOCK = 10

def counted(*given, **more):
    global made
    made += 1
    if made > {most}:
        os.kill(os.getpid(), signal.{signal})
    return convert(*given, **more)

learning._converted = counted
main()
"""


def stopped(place: Path, most: int, signal: str) -> subprocess.CompletedProcess[str]:
    code = KILLED.format(most=most, signal=signal)
    return subprocess.run(
        [sys.executable, "-c", code, *LEARN, *OUTPUT, "--threads", "1"], cwd=place, text=True,
        capture_output=True, timeout=LONGEST, check=False,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes are killed")
def test_killed_in_the_middle(place, run):  # noqa: F811
    run(*LEARN, "-o", "whole.json")
    done = stopped(place, 25, "SIGKILL")
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, "")
    forests = place / "second.json.forests.rwf"
    assert len(ForestSet(forests)) == 20
    done = stopped(place, 15, "SIGINT")
    assert done.returncode == 130
    warns(done.stderr, "second.json.forests.rwf", "found")
    warns(done.stderr, "second.json.forests.rwf", "goes", "on")
    assert len(ForestSet(forests)) == 30
    done = stopped(place, 29, "SIGKILL")  # 59 forests: not the first ones again
    assert done.returncode == 0, done.stderr
    assert (place / "second.json").read_bytes() == (place / "whole.json").read_bytes()
    assert not list(place.glob("second.json.*"))


@pytest.mark.parametrize(
    ("typed", "code", "fields"),
    [
        (["--weights", "empty.json"], "argument.missing", ["'good'"]),
        (["--weights", "more.json"], "argument.unknown", ["'bad'"]),
        (["--weights", "missing.json"], "file.missing", ["missing.json: "]),
        (["--ref", "few.ref"], "file.mismatch", ["few.ref: ", "train.rwf", "60"]),
        (["--dev-ref", "few.ref"], "file.mismatch", ["few.ref: ", "dev.rwf", "20"]),
        (["--ref", "few.ref", "--ref", "train.ref"], "file.mismatch", ["few.ref:3: "]),
        (["--dev", "train.rwf"], "argument.conflict", ["development"]),
        (["--dev", "few.ref", "--format", "set"], "file.kind", ["few.ref: "]),
        (["--metric", "wer"], "tuning.metric", ["wer"]),
        (["--set", "order=many"], "argument.type", ["order"]),
        (["--set", "speed=3"], "argument.unknown", ["'speed'", "order"]),
        (["--dev", "-"], "argument.value", ["--dev -"]),
        (["-o", "-"], "argument.value", ["-o -"]),
        (["-o", "w.json"], "file.exists", ["w.json: -o: "]),
        (["-o", "no/second.json"], "file.missing", ["no/second.json: -o: "]),
        (["--format", "xml"], "usage", ["--format", "'xml'"]),
    ],
)  # fmt: skip
def test_what_is_refused(place, command, typed, code, fields):  # noqa: F811
    (place / "empty.json").write_text("{}")
    (place / "more.json").write_text('{"good": 1, "bad": 2}')
    (place / "few.ref").write_text("w1 w2\n" * 3)
    before = sorted(place.iterdir())
    shows(command(*LEARN, *([] if "-o" in typed else OUTPUT), *typed), code, *fields)
    assert sorted(place.iterdir()) == before


def test_damaged_training_forests(place, command):  # noqa: F811
    data = (place / "train.rwf").read_bytes()
    half = len(data) // 2 // 64 * 64
    (place / "train.rwf").write_bytes(data[:half] + bytes(64) + data[half + 64 :])
    before = sorted(place.iterdir())
    done = command(*LEARN, *OUTPUT, "--ref", "train.ref")
    shows(done, "file.damaged", "train.rwf: forest ")
    assert sorted(place.iterdir()) == before
