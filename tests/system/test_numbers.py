"""Numbers in the notation of the target language, with trained models of both decoders."""

from __future__ import annotations

import pickle

import pytest
from tests.refusals import refuses
from tests.system.commands import command, run  # noqa: F401
from tests.training import QUICK, write_book

from rosewood.errors import DecodingError
from rosewood.pipeline import TrainingInputs, TrainingSettings, Translator, train

TEXT = "We had 1,234.50 euros on May 3, 2024."
WANT = ("1.234,50 Euro", "3. Mai 2024")


@pytest.fixture(scope="module", params=["phrase", "hiero"])
def model(request, tmp_path_factory):
    place = write_book(tmp_path_factory.mktemp("numbers"), train=150, dev=40)
    inputs = TrainingInputs(place / "train.en", place / "train.de")
    settings = TrainingSettings(
        **{**QUICK, "decoder": request.param, "tune": "none", "set": {}, "dev_size": 0}
    )
    train(inputs, place / "model", settings)
    return place / "model"


def test_python(model):
    said = Translator.load(model).translate(TEXT)
    assert all(each in said for each in WANT)
    off = Translator.load(model, localise_numbers=False)
    assert "1,234.50" in off.translate(TEXT)
    assert "1,234.50" in pickle.loads(pickle.dumps(off)).translate(TEXT)


def test_the_switch_is_a_flag(model):
    with refuses(DecodingError, "argument.type", argument="localise_numbers", value="x"):
        Translator.load(model, localise_numbers="x")


def test_inspection(model):
    seen = Translator.load(model).inspect(TEXT)
    (money, date) = seen.to_dict()["numbers"]
    assert (money["kind"], money["target"], money["is_exclusive"]) == ("money", [WANT[0]], True)
    assert (date["kind"], date["target"]) == ("date", [WANT[1]])
    assert f"→ {WANT[0]}" in seen.to_text()
    assert f"Offered as money: 1,234.50 euros → {WANT[0]}." in seen.to_html()
    kinds = {each.target: each.kind for each in seen.options if each.is_used}
    assert kinds[tuple(WANT[0].split())] == "forced"


def test_command(model, tmp_path, run):  # noqa: F811
    (tmp_path / "in.en").write_text(TEXT + "\n", encoding="utf-8")
    for options, has in (((), True), (("--no-localise-numbers",), False)):
        out = tmp_path / "out.de"
        run("translate", model, tmp_path / "in.en", "-o", out, *options)
        assert (WANT[0] in out.read_text(encoding="utf-8")) == has
