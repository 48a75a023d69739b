"""`rosewood train --on forests`: learners that read whole forests of the decoders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.training import contents, write_book

from rosewood.pipeline import Trained, TrainingInputs, TrainingSettings, Translator, train

QUICK: dict[str, Any] = {
    "aligner": "model1", "lm_order": 3, "rounds": 2, "pop_limit": 20, "on": "forests",
    "forest_edges": 12,
}  # fmt: skip
FEW = {"mert": {"restarts": 2}, "mira": {"passes": 5}}


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Path:
    return write_book(tmp_path_factory.mktemp("forests"), train=200, dev=50, test=10)


def trained(book: Path, name: str, *, threads: int = 1, **more: Any) -> Trained:
    inputs = TrainingInputs(
        book / "train.en", book / "train.de", dev=(book / "dev.en", book / "dev.de")
    )
    settings = TrainingSettings(**{**QUICK, **more})
    work = book / f"work-{settings.decoder}-{threads}"
    return train(inputs, book / name, settings, work=work, threads=threads, overwrite=True)


def facts_of(made: Trained, stage: str = "tune") -> dict[str, Any]:
    return next(each for each in made.stages if each.name == stage).facts


@pytest.mark.slow
@pytest.mark.parametrize("decoder", ["phrase", "hiero"])
@pytest.mark.parametrize("tune", ["mr", "mr-da", "mert", "mira", "likelihood"])
def test_learners_take_forests_of_both_decoders(book, decoder, tune):
    settings = {"decoder": decoder, "tune": tune, "set": FEW.get(tune, {"iterations": 3})}
    one = trained(book, f"{decoder}-{tune}", **settings)
    facts = facts_of(one)
    assert (facts["learner"], facts["on"], facts["nbest"]) == (tune, "forests", None)
    first, *_, last = facts["history"]
    assert first["dropped"] > 0
    assert 0 < first["kept"] < 1
    assert first["risk_change"] is not None
    if tune in ("mr", "mert"):  # the others maximise something else than the score of the set
        assert first["tuned"] > first["score"]
    assert last["tuned"] is None
    assert any(note.startswith("forests of tuning were pruned by") for note in one.notes)
    assert Translator.load(one.folder).translate("We go home.")
    if tune in ("mr", "mert"):
        same = trained(book, f"{decoder}-{tune}-2", threads=2, **settings)
        assert contents(same.folder) == contents(one.folder)


@pytest.mark.slow
@pytest.mark.parametrize("tune", ["mert", "mira", "mr"])
def test_references_that_match_too_little(book, tune):
    """There is no linear loss: learners that need it tell why they end, the others go on."""
    (book / "short.de").write_text("Haus\n" * 50, encoding="utf-8")
    inputs = TrainingInputs(
        book / "train.en", book / "train.de", dev=(book / "dev.en", book / "short.de")
    )
    settings = TrainingSettings(**{**QUICK, "tune": tune, "set": FEW.get(tune, {})})
    made = train(inputs, book / f"short-{tune}", settings, work=book / "work-short")
    first, *_ = facts_of(made)["history"]
    assert first["risk_change"] is None
    if tune in ("mira", "mr"):
        assert any("too few words of the translations match" in note for note in made.notes)
    else:
        assert first["tuned"] is not None


@pytest.mark.slow
def test_how_it_is_tuned_decides_what_is_done_again(book):
    settings = {"tune": "mr", "set": {"iterations": 2}}
    trained(book, "again", **settings)
    for more in ({"forest_edges": 13}, {"on": "lists"}):
        made = trained(book, "again", **{**settings, **more})
        assert [each.name for each in made.stages if not each.was_done] == ["tune", "report"]
    made = trained(book, "again", **{**settings, "on": "lists", "forest_edges": 15})
    assert all(each.was_done for each in made.stages)  # lists are not pruned
    assert json.dumps(facts_of(made))
