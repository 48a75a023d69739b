"""`kill -9` at any moment of a training run: the same bytes in the end, and nothing done twice."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TextIO

import pytest
from tests.processes import ROOT, started
from tests.training import contents, stage_notes, write_book, write_contents

from rosewood.model import Bundle

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="runs are forked")

READ = {f"{part}.{ending}" for part in ("train", "dev", "test") for ending in ("en", "de")}
MADE = {"model", "model.html", "model.work"}
STAGES = 8


class Runs:
    """Training runs in one folder."""

    def __init__(self, place: Path, process: subprocess.Popen[str], errors: TextIO) -> None:
        self.place = place
        self._process, self._errors = process, errors

    def run(self, **order) -> dict:
        self._errors.truncate(0)
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def errors(self) -> str:
        """What the last run has written to standard error."""
        self._errors.seek(0)
        return self._errors.read()

    def clear(self) -> None:
        for name in {path.name for path in self.place.iterdir()} - READ:
            path = self.place / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    place = write_book(tmp_path_factory.mktemp("kill"), train=100, dev=45, test=5)
    settings = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    with (
        (tmp_path_factory.mktemp("errors") / "errors").open("a+") as errors,
        started(
            [sys.executable, "-m", "tests.killing", str(place)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=errors, text=True, cwd=ROOT, env=settings,
        ) as process,
    ):  # fmt: skip
        yield Runs(place, process, errors)


@pytest.fixture(scope="module")
def wanted(runs):
    """The model of a run that nobody disturbs, and how long it takes."""
    runs.clear()
    done = runs.run()
    assert done["code"] == 0, runs.errors()
    assert_all_is_there(runs.place)
    return contents(runs.place / "model"), done["seconds"]


def assert_all_is_there(place: Path) -> None:
    """A run has ended: there is what it makes, and nothing else."""
    assert {path.name for path in place.iterdir()} == READ | MADE
    names = {path.name for path in (place / "model.work").iterdir()}
    assert names == {"lock", "rosewood-training", *stage_notes(place / "model.work")}
    assert len(names) == STAGES + 2
    assert (place / "model.html").read_text(encoding="utf-8").rstrip().endswith("</html>")


def assert_what_is_there_is_whole(place: Path, models: Sequence[dict[str, bytes]]) -> None:
    """A run was killed: whatever has a name that it would have in the end is whole."""
    if (place / "model").exists():
        assert contents(place / "model") in models
    if (place / "model.html").exists():
        assert (place / "model.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
    for stage in (place / "model.work").glob("*-*"):
        if stage.is_dir() and stage.suffix not in (".part", ".going"):
            note = json.loads((stage / "stage.json").read_bytes())
            found = {name: sha256(data).hexdigest() for name, data in contents(stage).items()}
            del found["stage.json"]
            assert found == note["files"]


def kill(runs: Runs, *models: dict[str, bytes], **when) -> int:
    """A run that is killed, unless it ends before; what was done before it is not done again."""
    before = stage_notes(runs.place / "model.work")
    code = runs.run(**when)["code"]
    assert code in (0, -9), runs.errors()
    after = stage_notes(runs.place / "model.work")
    assert {name: after[name] for name in before} == before
    assert_what_is_there_is_whole(runs.place, models)
    return code


def finish(runs: Runs, model: dict[str, bytes]) -> None:
    assert kill(runs, model) == 0
    assert contents(runs.place / "model") == model
    Bundle.verify(runs.place / "model")
    assert_all_is_there(runs.place)


SEED = 20  # of the moments


@pytest.mark.slow
@pytest.mark.parametrize("sequence", range(10))
def test_killed_at_three_random_moments(runs, wanted, sequence):
    """Thirty moments in all: ten that are spread over a whole run, and then two more in a row."""
    model, seconds = wanted
    chance = random.Random(SEED + sequence)
    runs.clear()
    moment = (sequence + chance.random()) / 10
    left, killed = 1.0, 0  # how much of a run there is to do
    while killed < 3:
        if kill(runs, model, after=max(0.001, moment * left * seconds)) == 0:
            runs.clear()  # it was quicker
            left = 1.0
        else:
            killed += 1
            left *= 1.0 - moment
        moment = chance.random()
    finish(runs, model)


@pytest.mark.slow
@pytest.mark.parametrize("there", [None, "another model"])
def test_killed_at_every_step_of_the_end(runs, wanted, there):
    """All stages are done; the bundle is put together, takes its place, the report is written."""
    model, _ = wanted
    runs.clear()
    finish(runs, model)
    number = 0 if there is None else 13  # what comes before is the same
    models, page = [model], b""
    if there is not None:
        assert runs.run(settings={"keep_corpus": False})["code"] == 0
        models.append(contents(runs.place / "model"))
        page = (runs.place / "model.html").read_bytes()
    while True:
        number += 1
        shutil.rmtree(runs.place / "model", ignore_errors=True)
        (runs.place / "model.html").unlink(missing_ok=True)
        if there is not None:
            write_contents(runs.place / "model", models[1])
            (runs.place / "model.html").write_bytes(page)
        if kill(runs, *models, at=number) == 0:
            break
    assert number > 15
    finish(runs, model)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "stages", "made", "moments"),
    [
        # Between shards, passes and rounds of the tuning loop with training data.
        ({"tune": "oscar", "rounds": 2, "nbest": 10, "set": {"passes": 3, "keep": 10, "rounds": 1}},
         ("tune", "report"), "groups.npz", (4, 25)),
        # Between forests and trees.
        ({"boost_set": {"rounds": 4, "k": 30, "samples": 200, "shrinkage": 1, "leaves": 4}},
         ("boost", "report"), "trees.json", (2, 12)),
    ],
    ids=["groups", "trees"],
)  # fmt: skip
def test_killed_while_more_is_learnt(runs, settings, stages, made, moments):
    runs.clear()
    assert runs.run(settings=settings)["code"] == 0, runs.errors()
    model = contents(runs.place / "model")
    assert made in model
    chance = random.Random(SEED)
    work = runs.place / "model.work"
    for _ in range(3):
        for stage in stages:
            for folder in work.glob(f"{stage}-*"):
                shutil.rmtree(folder)
        for name in ("model", "model.html"):
            path = runs.place / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for _ in range(3):
            done = runs.run(settings=settings, at=chance.randrange(*moments))
            assert done["code"] in (0, -9), runs.errors()
        assert runs.run(settings=settings)["code"] == 0, runs.errors()
        assert contents(runs.place / "model") == model
