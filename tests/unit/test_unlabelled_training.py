"""Training with `--unlabelled`: which stages read the file, and what the results say of it."""

from __future__ import annotations

import pytest
from tests.refusals import refuses
from tests.training import QUICK, contents, stage_facts, stage_folder, write_book

from rosewood.errors import FormatError, TrainingError
from rosewood.pipeline import TrainingInputs, TrainingSettings, train

SETTINGS = {**QUICK, "tune": "mr", "set": {"iterations": 20}}
TEXT = "Das Haus ist  klein .\n\nWo ist der Bahnhof?\nIch bin müde.\n"


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    place = write_book(tmp_path_factory.mktemp("unlabelled"), "en-de", train=120, dev=45, test=10)
    (place / "more.de").write_text(TEXT, encoding="utf-8")
    return place


def trained(book, output, settings=SETTINGS, **more):
    inputs = TrainingInputs(
        book / "train.de", book / "train.en", dev=(book / "dev.de", book / "dev.en"), **more
    )
    return train(inputs, output, TrainingSettings(**settings), threads=2)


@pytest.mark.slow
@pytest.mark.parametrize("on", ["lists", "forests"])
def test_weights_learn_from_it(book, tmp_path, on):
    output = tmp_path / "model"
    settings = {**SETTINGS, "on": on}
    before = trained(book, output, settings)
    weights = stage_facts(before.work, "tune")["weights"]
    assert before.to_dict()["unlabelled"] is None
    files = [book / "more.de", book / "test.de"]
    made = trained(book, output, settings, unlabelled=files)
    redone = [stage.name for stage in made.stages if not stage.was_done]
    assert redone == ["tokenise", "tune", "report"]
    found = made.to_dict()["unlabelled"]
    assert found["sentences"] == 13
    assert found["entropy_before"] > found["entropy_after"] > 0
    tune = made.stages[6].facts
    assert tune["weights"] != weights
    assert tune["sentences"] == 45
    assert "13 sentences without references, whose mean entropy" in made.report.read_text()
    words = made.stages[1].folder
    text = (words / "unlabelled.0").read_text(encoding="utf-8")
    assert text.count("\n") == 3  # words, without the blank line
    assert text.splitlines()[1].endswith("bahnhof ?") or text.splitlines()[1].endswith("Bahnhof ?")
    again = trained(book, tmp_path / "again", settings, unlabelled=files)
    assert contents(again.folder) == contents(made.folder)


@pytest.mark.slow
def test_words_stay_words(book, tmp_path):
    settings = {**SETTINGS, "pretokenized": True}
    made = trained(book, tmp_path / "model", settings, unlabelled=book / "more.de")
    text = (stage_folder(made.work, "tokenise") / "unlabelled.0").read_text(encoding="utf-8")
    assert text == "Das Haus ist klein .\nWo ist der Bahnhof?\nIch bin müde.\n"


@pytest.mark.parametrize("tune", ["mira", "mert", "none"])
def test_other_learners_refuse_it_before_any_work(book, tmp_path, tune):
    settings = {**SETTINGS, "tune": tune, "set": {}}
    with refuses(TrainingError, "argument.conflict", argument="unlabelled", value=tune):
        trained(book, tmp_path / "model", settings, unlabelled=book / "more.de")
    assert not list(tmp_path.iterdir())


def test_what_is_no_text_is_refused(book, tmp_path):
    (tmp_path / "empty.de").write_text("\n \n")
    (tmp_path / "bad.de").write_bytes(b"gut\n\xff\n")
    with refuses(TrainingError, "file.kind", file="-"):
        trained(book, tmp_path / "model", unlabelled="-")
    with refuses(FormatError, "file.empty", file=str(tmp_path / "empty.de")):
        trained(book, tmp_path / "model", unlabelled=tmp_path / "empty.de")
    with pytest.raises(FileNotFoundError):
        trained(book, tmp_path / "model", unlabelled=tmp_path / "missing.de")
    assert not (tmp_path / "model").exists()


@pytest.mark.slow
def test_bad_lines_are_skipped_and_counted(book, tmp_path):
    (tmp_path / "bad.de").write_bytes(b"gut\n\xff\nsehr gut\n")
    files = {"unlabelled": tmp_path / "bad.de"}
    with refuses(FormatError, "file.encoding", line=2):
        trained(book, tmp_path / "model", **files)
    made = trained(book, tmp_path / "model", **files, on_bad_line="skip")
    assert made.to_dict()["unlabelled"]["sentences"] == 2
    assert any(note.startswith("bad.de: bad lines that were skipped: 1") for note in made.notes)
