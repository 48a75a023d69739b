"""`rosewood tune` and `sweep` with training data beside the candidates that are tuned on."""

from __future__ import annotations

import json

import pytest
from tests.system.commands import command  # noqa: F401
from tests.unit.test_oscar_learner import SETTINGS, lists

from rosewood.model import read_weights
from rosewood.rerank import tune, write_candidates

OSCAR = ["--method", "oscar", "--metric", "bleu:tokenize=none", "--quiet"]
STRONG = {**SETTINGS, "lambda2": "3e-4"}  # few groups, so that features share weights
SET = [each for name, value in STRONG.items() for each in ("--set", f"{name}={value}")]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, first, count in (("train", 1000, 60), ("dev", 0, 5), ("test", 5000, 20)):
        write_candidates(lists(first, count), f"{name}.jsonl")
    stripped = [json.loads(line) for line in (tmp_path / "dev.jsonl").read_text().splitlines()]
    refs = [line.pop("refs")[0] for line in stripped]
    (tmp_path / "bare.jsonl").write_text("".join(json.dumps(line) + "\n" for line in stripped))
    (tmp_path / "dev.ref").write_text("".join(f"{line}\n" for line in refs))
    return tmp_path


@pytest.mark.slow
def test_groups_from_one_file_weights_from_another(files, command):  # noqa: F811
    more = ["--heldout", "test.jsonl", "--replicates", 1, "--samples", 50]
    done = command("tune", "train.jsonl", "--dev", "dev.jsonl", *OSCAR, *SET, *more, "-o", "w.json",
                   "--report", "report.html")  # fmt: skip
    assert done.code == 0, done.err
    made = tune(
        "dev.jsonl", training="train.jsonl", heldout="test.jsonl", method="oscar",
        settings=STRONG, metric="bleu:tokenize=none", replicates=1, samples=50,
    )  # fmt: skip
    weights = read_weights("w.json")
    assert weights == pytest.approx(made.weights)
    known = {name for each in lists(0, 5) for table in each.sparse for name in table}
    assert {name for name in weights if ":" in name} - known
    assert "oscar" in (files / "report.html").read_text("utf-8")
    again = command("tune", "train.jsonl", "--dev", "bare.jsonl", "--dev-ref", "dev.ref", *OSCAR,
                    *SET, *more, "-o", "again.json")  # fmt: skip
    assert again.code == 0, again.err
    assert read_weights("again.json") == weights


@pytest.mark.slow
def test_a_sweep_with_training_data(files, command):  # noqa: F811
    done = command("sweep", "train.jsonl", "--dev", "dev.jsonl", "--select", "test.jsonl", *OSCAR,
                   "--grid", "lambda2=1e-5,1", "--grid", "delay=2000",
                   "-o", "best.json")  # fmt: skip
    assert done.code == 0, done.err
    assert json.loads((files / "best.json").read_text())["set"]["lambda2"] == 1e-5


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--method", "mert", "--dev", "dev.jsonl"], "argument.conflict"),
        (["--method", "oscar", "--dev-ref", "dev.ref"], "argument.missing"),
        (["--method", "oscar", "--dev", "none.jsonl"], "file.missing"),
        (["--method", "oscar", "--dev", "train.jsonl", "-o", "train.jsonl"], "file.exists"),
    ],
)
def test_what_is_refused(files, command, arguments, code):  # noqa: F811
    done = command("tune", "train.jsonl", *arguments)
    assert done.code != 0
    assert f"[{code}]" in done.err
