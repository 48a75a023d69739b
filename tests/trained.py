"""A model that was trained on some of the phrasebook, and copies of it, for tests of bundles."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rosewood.pipeline import TrainingInputs, TrainingSettings, train
from tests.training import QUICK, contents, write_book

QUICKEST = {**QUICK, "tune": "none", "set": {}}
SENTENCE = "We had the good letter."


def made(place: Path, output: str, threads: int = 1, **settings) -> Path:
    inputs = TrainingInputs(
        place / "train.en", place / "train.de", dev=(place / "dev.en", place / "dev.de")
    )
    train(inputs, place / output, TrainingSettings(**{**QUICKEST, **settings}), threads=threads)
    return place / output


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    return write_book(tmp_path_factory.mktemp("bundle"), train=150, dev=40)


@pytest.fixture(scope="module")
def model(book):
    return made(book, "model")


@pytest.fixture
def copy(model, tmp_path):
    """A model that may be damaged."""
    return Path(shutil.copytree(model, tmp_path / "copy"))


def files_of(model: Path) -> list[str]:
    return list(contents(model))
