"""A model that was trained on some of the phrasebook, and copies of it, for tests of bundles."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rosewood.pipeline import TrainingInputs, TrainingSettings, train
from tests.shared import made_once
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
    """Texts and a model trained on them, of which every module has a copy of its own."""
    shared = made_once(tmp_path_factory, "trained", _write_and_train)
    return Path(shutil.copytree(shared, tmp_path_factory.mktemp("bundle") / "book"))


def _write_and_train(place: Path) -> None:
    made(write_book(place, train=150, dev=40), "model")


@pytest.fixture(scope="module")
def model(book):
    return book / "model"


@pytest.fixture
def copy(model, tmp_path):
    """A model that may be damaged."""
    return Path(shutil.copytree(model, tmp_path / "copy"))


def files_of(model: Path) -> list[str]:
    return list(contents(model))
