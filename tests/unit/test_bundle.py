"""The model bundle: opened quickly, the same wherever it was made, moved and pickled."""

from __future__ import annotations

import json
import os
import pickle
import shutil

import pytest
from tests.refusals import refuses
from tests.trained import QUICKEST, SENTENCE, book, copy, files_of, made, model  # noqa: F401
from tests.training import contents

from rosewood.errors import FormatError
from rosewood.folders import table_checksum
from rosewood.model import Bundle
from rosewood.pipeline import TrainingInputs, TrainingSettings, Translator, train
from rosewood.rules import RuleTable

# ruff: noqa: F811  # fixtures are imported


# -- what it is ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_its_parts(model, book):
    bundle = Bundle.open(model)
    assert isinstance(bundle.rules, RuleTable)
    assert list(bundle.language_models) == ["lm"]
    assert bundle.source_text is not None
    assert bundle.target_text is not None
    assert len(bundle.corpus) == 150
    lines = (book / "train.en").read_text().splitlines()
    for number in (0, 7, 149):
        file, _, line = bundle.origin(number).rpartition(":")
        assert file == "train.en"
        assert int(line) == number + 1
        words = bundle.corpus.source.words(number)
        assert "".join(words).lower() == lines[number].replace(" ", "").lower()
    assert [bundle.origin(number) for number in (-1, 150, 10**9)] == [None] * 3
    assert set(bundle.weights) == set(bundle.manifest["features"])
    assert bundle.confidence.to_dict() == bundle.manifest["confidence"]
    assert bundle.size == sum(map(len, contents(model).values())) - len(
        (model / "manifest.json").read_bytes()
    )
    assert "en to de" in repr(bundle)
    Bundle.verify(model)


def test_its_manifest(model):
    table = json.loads((model / "manifest.json").read_bytes())
    assert (table["format"], table["version"], table["decoder"]) == ("rosewood-model", 2, "phrase")
    assert table["languages"] == ["en", "de"]
    assert table["settings"]["aligner"] == "model1"
    assert table["seed"] == 1
    assert list(table["stages"]) == [
        "clean", "tokenise", "align", "lm", "extract", "reordering", "tune", "report",
    ]  # fmt: skip
    assert set(table["files"]) == set(files_of(model)) - {"manifest.json"}
    assert {score["name"] for score in table["scores"]} == {"BLEU", "chrF2"}
    assert all("version:" in score["signature"] for score in table["scores"])
    assert table["corpus"]["pairs"] == 150
    assert table["crc32"] == table_checksum(table)
    assert table["parts"] == {
        "rules": {"type": "rule-table", "path": "rules"},
        "lm": {"type": "language-models", "paths": {"lm": "lm.rlm"}},
        "weights": {"type": "weights", "path": "weights"},
        "source_text": {"type": "text-processor", "path": "source.json"},
        "target_text": {"type": "text-processor", "path": "target.json"},
        "guesses": {"type": "guesses", "path": "guesses.json"},
        "corpus": {"type": "indexed-corpus", "path": "corpus", "optional": True},
        "origins": {"type": "origins", "path": "origins", "optional": True},
    }
    assert (
        json.loads((model / "weights" / "weights.json").read_bytes()) == Bundle.open(model).weights
    )


def test_nothing_in_it_is_of_a_time_or_place(model, book):
    for name, data in contents(model).items():
        assert os.fspath(book).encode() not in data, name
        assert b".work" not in data, name


def test_without_its_corpus(book, copy):
    bundle = Bundle.open(made(book, "small", keep_corpus=False))
    assert bundle.corpus is None
    assert bundle.origin(0) is None
    Bundle.verify(bundle.folder)
    assert bundle.size < Bundle.open(copy).size
    assert Translator(bundle).translate(SENTENCE) == Translator.load(copy).translate(SENTENCE)


def test_words_as_they_are(book):
    bundle = Bundle.open(made(book, "words", pretokenized=True))
    assert (bundle.source_text, bundle.target_text) == (None, None)
    assert not (bundle.folder / "source.json").exists()
    Bundle.verify(bundle.folder)


# -- wherever it is --------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [2, 5])
def test_the_same_bytes_at_any_number_of_threads(book, model, threads, tmp_path):
    for path in book.glob("*.*"):
        if path.is_file():
            shutil.copy(path, tmp_path)
    assert contents(made(tmp_path, "model", threads=threads)) == contents(model)


def test_the_same_bytes_at_another_place_and_time(book, model, tmp_path):
    place = tmp_path / "some where" / "ünder"
    place.mkdir(parents=True)
    for path in book.glob("*.*"):
        if path.is_file():
            shutil.copy(path, place)
            os.utime(place / path.name, (1e9, 1e9))
    assert contents(made(place, "another name")) == contents(model)


def test_files_in_another_order_of_their_names(book, model, tmp_path):
    """What is read first is first, whatever it is called; names are told as origins alone."""
    halves = []
    for ending in ("en", "de"):
        lines = (book / f"train.{ending}").read_text().splitlines(keepends=True)
        for name, part in (("z", lines[:70]), ("a", lines[70:])):
            (tmp_path / f"{name}.{ending}").write_text("".join(part))
        halves.append([tmp_path / f"z.{ending}", tmp_path / f"a.{ending}"])
    inputs = TrainingInputs(*halves, dev=(book / "dev.en", book / "dev.de"))
    train(inputs, tmp_path / "model", TrainingSettings(**QUICKEST))
    found = contents(tmp_path / "model")
    differ = {name for name, data in contents(model).items() if found[name] != data}
    assert {name.split("/")[0] for name in differ} <= {"manifest.json", "origins"}
    bundle = Bundle.open(tmp_path / "model")
    assert [bundle.origin(k) for k in (0, 69, 70)] == ["z.en:1", "z.en:70", "a.en:1"]


def test_copied_and_moved(copy, model, tmp_path, monkeypatch):
    wanted = Translator.load(model).translate(SENTENCE)
    assert Translator.load(copy).translate(SENTENCE) == wanted
    moved = tmp_path / "else where" / "modèle"
    moved.parent.mkdir()
    copy.rename(moved)
    Bundle.verify(moved)
    monkeypatch.chdir(moved.parent)
    assert Translator.load("modèle").translate(SENTENCE) == wanted
    (tmp_path / "link").symlink_to(moved)
    assert Translator.load(tmp_path / "link").translate(SENTENCE) == wanted


def test_it_stays_where_it_is_when_one_goes_elsewhere(copy, tmp_path, monkeypatch):
    """Opened by a relative path, or by a link that leads elsewhere later."""
    (tmp_path / "link").symlink_to(copy)
    monkeypatch.chdir(tmp_path)
    opened = [Translator.load("copy"), Translator.load("link")]
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    (tmp_path / "link").unlink()
    for translator in opened:
        assert translator.inspect(SENTENCE).rules[0].origin
        assert pickle.loads(pickle.dumps(translator)).translate(SENTENCE)
        assert translator.bundle.folder == copy.resolve()


def test_it_is_only_read(copy, monkeypatch):
    """Files and folders without the right to write, and nothing is tried: root may do anything."""
    for path in [copy, *copy.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = {path: path.stat().st_mtime_ns for path in [copy, *copy.rglob("*")]}
    Bundle.verify(copy)
    assert Translator.load(copy).reply(SENTENCE, nbest=2).translation
    assert {path: path.stat().st_mtime_ns for path in [copy, *copy.rglob("*")]} == before
    for path in [copy, *copy.rglob("*")]:
        path.chmod(0o755)


def test_a_model_that_was_opened_survives_its_folder(copy):
    """Another model takes the place of this one while it is in use."""
    translator = Translator.load(copy)
    wanted = translator.translate(SENTENCE)
    shutil.rmtree(copy)
    assert translator.translate(SENTENCE) == wanted


# -- a translator in another process ---------------------------------------------------------------


def test_a_translator_is_pickled(model):
    translator = Translator.load(model, threads=2, pop_limit=7)
    data = pickle.dumps(translator)
    assert len(data) < 2_000
    again = pickle.loads(data)
    assert again.translate(SENTENCE) == translator.translate(SENTENCE)
    assert again.decoder.settings == translator.decoder.settings
    assert again.threads == 2
    assert again.weights == translator.weights


def test_a_glossary_is_pickled_too(model, tmp_path):
    (tmp_path / "glossary.tsv").write_text("letter\tEpistel\n")
    translator = Translator.load(model, glossary=tmp_path / "glossary.tsv", inline=True)
    (tmp_path / "glossary.tsv").unlink()
    again = pickle.loads(pickle.dumps(translator))
    assert "Epistel" in again.translate(SENTENCE)
    assert again.text.inline


def test_the_folder_of_a_pickled_translator_is_gone(copy):
    data = pickle.dumps(Translator.load(copy))
    shutil.rmtree(copy)
    with refuses(FormatError, "file.missing", file=str(copy)):
        pickle.loads(data)
