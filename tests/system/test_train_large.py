"""`rosewood train --features large`: columns are learnt, kept in the model, used and explained."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.refusals import refuses
from tests.system.commands import command, run  # noqa: F401
from tests.training import QUICK, contents, flags, write_book

from rosewood.decode.large_features import LargeFeatures
from rosewood.errors import DamagedFileError, FormatError
from rosewood.model import Bundle
from rosewood.pipeline import TrainingInputs, TrainingSettings, Translator, train

SETTINGS = {**QUICK, "tune": "mira", "set": {}, "rounds": 2, "feature_classes": 6}
SENTENCE = "We had the good letter."


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Path:
    """Texts of a phrasebook."""
    place = tmp_path_factory.mktemp("large")
    write_book(place, train=200, dev=45)
    return place


def inputs_of(place: Path) -> TrainingInputs:
    return TrainingInputs(
        place / "train.en", place / "train.de", dev=(place / "dev.en", place / "dev.de")
    )


@pytest.fixture(scope="module")
def model(book):
    train(inputs_of(book), book / "model", TrainingSettings(**SETTINGS, feature_set="large"),
          threads=2)  # fmt: skip
    return book / "model"


@pytest.mark.slow
def test_a_model_has_the_large_set(model, run):  # noqa: F811
    translator = Translator.load(model)
    large: LargeFeatures = translator.bundle.part("large_features")
    assert set(large.names) <= set(translator.decoder.features.dense)
    assert len(large.source.top) == len(large.target.top) == 15
    assert large.source.classes.num_classes == 6
    assert any(translator.weights[name] for name in large.names)
    assert run("translate", model, text=SENTENCE + "\n").strip() == translator.translate(SENTENCE)
    told = json.loads(run("inspect", model, SENTENCE, "--json"))
    assert "log_count" in json.dumps(told)
    assert "large-features" in run("model", "info", model)
    run("model", "verify", model)
    stage = json.loads((model / "large_features" / "large-features.json").read_bytes())
    assert list(stage["columns"]) == list(large.names)


@pytest.mark.slow
def test_the_command_with_one_thread_writes_the_same_bytes(book, model, run):  # noqa: F811
    files = ["--source", book / "train.en", "--target", book / "train.de",
             "--dev", book / "dev.en", book / "dev.de"]  # fmt: skip
    run("train", *files, "-o", book / "again", "--features", "large", *flags(SETTINGS))
    assert contents(book / "again") == contents(model)


@pytest.mark.slow
def test_the_base_set_shares_all_other_stages(book, model):
    settings = TrainingSettings(**{**SETTINGS, "tune": "none", "feature_classes": 20})
    made = train(inputs_of(book), book / "base", settings, work=book / "model.work")
    done = {stage.name for stage in made.stages if stage.was_done}
    assert done == {"clean", "tokenise", "align", "lm", "extract", "reordering"}
    assert "large_features" not in Bundle.open(book / "base").part_names


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content", "error", "code"),
    [
        ("large-features.json", b"{}", DamagedFileError, "file.kind"),
        ("source.morphemes.json", b"{}", FormatError, "file.damaged"),
        ("link.count", b"", DamagedFileError, "file.damaged"),
        ("link.count", None, DamagedFileError, "file.damaged"),
    ],
)
def test_a_damaged_folder_is_refused(model, tmp_path, name, content, error, code):
    folder = tmp_path / "copy"
    shutil.copytree(model / "large_features", folder)
    size = len((folder / name).read_bytes())
    (folder / name).write_bytes(bytes(size) if content is None else content)
    with refuses(error, code):
        LargeFeatures.open(folder)


def test_classes_without_the_set_are_noted():
    assert TrainingSettings().notes == []
    assert "feature_classes" in TrainingSettings(feature_classes=7).notes[0]
    assert TrainingSettings(feature_classes=7, feature_set="large").notes == []
