"""`rosewood train --boost`: trees are learnt, kept in the model, used, shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.pages import Page
from tests.refusals import refuses
from tests.system.commands import command, run  # noqa: F401
from tests.training import contents, write_book

from rosewood.errors import DecodingError, TrainingError
from rosewood.forest import BoostedTrees
from rosewood.pipeline import Trained, TrainingInputs, TrainingSettings, Translator, train

QUICK = {
    "rounds": 1, "nbest": 20, "pop_limit": 20, "boost": True,
    "seed": 6,  # with some seeds the few development sentences choose no trees
    "boost_set": {"rounds": 8, "k": 50, "samples": 500, "leaf": "linear", "leaves": 4,
                  "shrinkage": 0.5},
}  # fmt: skip


def inputs_of(place: Path) -> TrainingInputs:
    return TrainingInputs(
        place / "train.en", place / "train.de", dev=(place / "dev.en", place / "dev.de"),
        test=(place / "test.en", place / "test.de"),
    )  # fmt: skip


def facts_of(made: Trained, stage: str) -> dict[str, Any]:
    return next(each for each in made.stages if each.name == stage).facts


def redone(book: Path, made: Trained, settings: dict[str, Any]) -> list[str]:
    """The stages that other settings redo."""
    folder = made.folder.with_name(f"other-{made.folder.name}")
    other = train(inputs_of(book), folder, TrainingSettings(**settings), work=made.work)
    return [each.name for each in other.stages if not each.was_done]


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("book")
    write_book(place, train=400, dev=80, test=20)
    return place


@pytest.mark.slow
@pytest.mark.parametrize("decoder", ["phrase", "hiero"])
def test_trees_are_learnt_kept_used_and_shown(book, decoder, run):  # noqa: F811
    folder = book / decoder
    made = train(inputs_of(book), folder, TrainingSettings(**QUICK, decoder=decoder), threads=2)
    facts = facts_of(made, "boost")
    trees = BoostedTrees.load(folder / "trees.json")
    assert facts["trees"] == trees.to_dict()
    assert facts["history"][0]["round"] == 0
    translator = Translator.load(folder)
    assert translator.trees == translator.decoder.trees == trees
    assert translator.decoder.weights["boost"] == 1.0
    found = translator.decoder.search("we go home .")
    want = trees.score(found.forest.dense[:, :-1])
    assert found.forest.dense[:, -1] == pytest.approx(want, abs=1e-12)
    assert len(trees) > 0
    assert "tree 1\n" in run("inspect", folder, "--trees")
    told = json.loads(run("inspect", folder, "We go home.", "--trees", "--json"))
    assert told["trees"] == trees.to_dict()
    for part, edge in zip(told["boosted"], [*told["explanation"]["phrases"]], strict=False):
        assert part["value"] == pytest.approx(edge["features"].get("boost", 0.0), abs=1e-9)
        assert len(part["trees"]) == len(trees)
    boosts = sum(part["value"] for part in told["boosted"])
    assert boosts == pytest.approx(told["explanation"]["features"]["boost"], abs=1e-9)
    assert "What trees add" in translator.inspect("We go home.").to_html()
    page = Page((book / f"{decoder}.html").read_text("utf-8"))
    assert "Trees" in page.said
    again = train(inputs_of(book), book / "again",
                  TrainingSettings(**QUICK, decoder=decoder), threads=1)  # fmt: skip
    assert again.scores == made.scores
    assert contents(book / "again") == contents(folder)
    # Other settings of trees do not tune again, and without trees nothing is left of them.
    fewer = {**QUICK, "decoder": decoder, "boost_set": {**QUICK["boost_set"], "rounds": 1}}
    assert redone(book, made, fewer) == ["boost", "report"]
    plain = {name: value for name, value in fewer.items() if not name.startswith("boost")}
    assert redone(book, made, plain) == ["report"]


@pytest.mark.slow
def test_a_model_without_trees_says_so(book):
    settings = TrainingSettings(tune="none")
    train(inputs_of(book), book / "plain", settings)
    with refuses(DecodingError, "model.no-trees", file=str(book / "plain")):
        _ = Translator.load(book / "plain").trees


@pytest.mark.slow
def test_without_a_development_set_there_are_no_trees(book, tmp_path):
    given = TrainingInputs(book / "train.en", book / "train.de")
    settings = TrainingSettings(**QUICK, dev_size=10, tune_on="train", tune_sentences=60)
    made = train(given, tmp_path / "model", settings)
    facts = facts_of(made, "boost")
    assert "trees" not in facts
    assert any("no trees" in note for note in facts["notes"])
    assert "trees" not in Translator.load(tmp_path / "model").bundle.part_names


def test_trees_need_tuned_weights():
    with refuses(TrainingError, "argument.conflict", argument="boost"):
        TrainingSettings(boost=True, tune="none")


def test_a_setting_turns_them_on():
    assert TrainingSettings().boosting() is None
    assert TrainingSettings(boost_set={"leaves": "3"}).boosting().leaves == 3


def test_unknown_settings_of_trees():
    with refuses(TrainingError, "argument.unknown"):
        TrainingSettings(boost=True, boost_set={"branches": 2})
