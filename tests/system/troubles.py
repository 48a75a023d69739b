"""Runs of `rosewood train` that something happens to, and what there must be afterwards."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.shared import made_once
from tests.training import QUICK, contents, flags, in_a_process, write_book

from rosewood.pipeline.work_store import StageStore

FILES = ["--source", "train.en", "--target", "train.de", "--dev", "dev.en", "dev.de"]
TRAIN = ["train", *FILES, *flags({**QUICK, "tune": "none", "set": {}}), "--threads", "1"]
READ = {f"{part}.{ending}" for part in ("train", "dev") for ending in ("en", "de")}
MADE = {"model", "model.html", "model.work"}

# Something happens before the so many-th stage.
AT = """
import os, signal, sys
from rosewood.cli import main
from rosewood.pipeline.work_store import StageStore

left = {moment}

def run(*arguments, then=StageStore.run, **more):
    global left
    left -= 1
    if left == 0:
        {what}
    return then(*arguments, **more)

StageStore.run = run
main()
"""
WAIT = 'print("begun", flush=True); sys.stdin.readline()'


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    return write_book(tmp_path_factory.mktemp("texts"), train=100, dev=20)


@pytest.fixture(scope="module")
def wanted(texts, tmp_path_factory):
    """The model of a run without trouble."""

    def make(place: Path) -> None:
        shutil.copytree(texts, place)
        assert in_a_process(place, *TRAIN, "-o", "model", "-q").returncode == 0

    return contents(made_once(tmp_path_factory, "without-trouble", make) / "model")


@pytest.fixture
def place(texts, tmp_path, monkeypatch):
    for path in texts.iterdir():
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(place: Path) -> set[str]:
    """What there is beside the files that are read."""
    return {path.name for path in place.iterdir()} - READ


@pytest.fixture
def before_stage(monkeypatch):
    """Something happens before the so many-th stage of the next run."""

    def plan(number: int, what: Callable[[], object], then=StageStore.run) -> None:
        def run(*arguments, **more):
            nonlocal number
            number -= 1
            if number == 0:
                what()
            return then(*arguments, **more)

        monkeypatch.setattr(StageStore, "run", run)

    return plan
