"""Training with `--decoder hiero`, and everything that reads such a model."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.refusals import refuses
from tests.shared import made_once
from tests.system.commands import command  # noqa: F401
from tests.training import QUICK, contents, stage_facts, stage_folder, write_book

from rosewood.decode import HieroDecoder, HieroSettings
from rosewood.errors import DecodingError, TrainingError
from rosewood.learn import TuningSet, make_learner
from rosewood.learn.registry import learner_names
from rosewood.metrics import evaluate, parse_metric
from rosewood.model import Bundle
from rosewood.pipeline import Trained, TrainingInputs, TrainingSettings, Translator, train
from rosewood.pipeline.tokenise_stage import held_out
from rosewood.rules import RuleTable

HIERO = {**QUICK, "decoder": "hiero", "max_span": 6, "rounds": 1}
SHORT = {"mert": {"restarts": 1}}  # settings of learners
SENTENCE = "Where is the old station?"


def run(place: Path, model: str = "model", threads: int = 1, **changes) -> Trained:
    dev, test = ((place / f"{name}.en", place / f"{name}.de") for name in ("dev", "test"))
    inputs = TrainingInputs(place / "train.en", place / "train.de", dev=dev, test=test)
    return train(inputs, place / model, TrainingSettings(**{**HIERO, **changes}), threads=threads)


def make_model(place: Path) -> None:
    write_book(place, train=150, dev=40, test=20)
    run(place)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    made = made_once(tmp_path_factory, "hiero-model", make_model)
    return Path(shutil.copytree(made, tmp_path_factory.mktemp("hiero") / "hiero"))


@pytest.mark.slow
def test_the_model_is_hierarchical(place):
    bundle = Bundle.open(place / "model")
    Bundle.verify(place / "model")
    assert bundle.manifest["decoder"] == "hiero"
    assert bundle.manifest["search"]["max_span"] == 6
    translator = Translator.load(place / "model")
    assert isinstance(translator.decoder, HieroDecoder)
    assert translator.decoder.settings == HieroSettings(max_span=6, pop_limit=10, option_limit=5)
    facts = stage_facts(place / "model.work", "extract")
    for name in ("hierarchical", "loose", "tight_gaps", "whole_counts"):
        assert facts["settings"][name], name
    assert facts["settings"]["max_span"] == 6
    assert "orientation" not in facts["settings"]
    reordering = stage_facts(place / "model.work", "reordering")
    assert (reordering["distortion_limit"], reordering["notes"]) == (None, [])
    assert "<svg" in (place / "model.html").read_text("utf-8")


def test_defaults_are_those_of_the_decoder():
    assert TrainingSettings(decoder="hiero").search(None) == HieroSettings(max_span=15)
    assert TrainingSettings(decoder="phrase").search(6).pop_limit == 400
    with refuses(TrainingError, "argument.conflict", argument="significance"):
        TrainingSettings(decoder="hiero", significance="a+e")


@pytest.mark.slow
def test_threads_do_not_matter_and_nothing_is_done_again(place):
    before = contents(place / "model")
    assert all(stage.was_done for stage in run(place).stages)
    other = run(place, "other", threads=2)
    assert not any(stage.was_done for stage in other.stages)
    assert contents(place / "other") == before


def test_another_decoder_makes_other_rules(place):
    """And shares what does not depend on it."""
    done = {stage.name: stage.was_done for stage in run(place, decoder="phrase").stages}
    assert [name for name, was_done in done.items() if was_done] == [
        "clean", "tokenise", "align", "lm",
    ]  # fmt: skip
    assert all(stage.was_done for stage in run(place).stages)


def test_it_translates_as_it_was_judged(place):
    made = run(place)
    source, target = ((place / f"test.{e}").read_text().splitlines() for e in ("en", "de"))
    said = Translator.load(place / "model").translate(source, threads=2)
    (score,) = (each for each in made.scores if (each["on"], each["name"]) == ("test", "BLEU"))
    assert evaluate(said, [target], "bleu")[0].value == pytest.approx(score["value"])


@pytest.fixture(scope="module", params=["lists", "forests"])
def tuning(request, place):
    """What the decoder found for some sentences, and the weights it had."""
    words = stage_folder(place / "model.work", "tokenise")
    sentences, references = (each[:12] for each in held_out(words, "dev"))
    decoder = Translator.load(place / "model").decoder
    theta = decoder.theta()
    found = [each.forest for each in decoder.search_all(sentences)]
    if request.param == "lists":
        found = [each.k_best(each.score(theta), 20, distinct=True).as_list() for each in found]
    return TuningSet(found, parse_metric("bleu:tokenize=none"), references), theta


@pytest.mark.parametrize("name", learner_names())
def test_every_learner_tunes_it(tuning, name):
    """On lists and on whole forests."""
    forests, theta = tuning
    fit = make_learner(name, SHORT.get(name, {})).fit(forests, theta, seed=1)
    assert np.isfinite(fit.theta).all()
    assert (fit.theta != theta).any()


# -- commands --------------------------------------------------------------------------------------


def test_commands_need_no_word_of_the_decoder(command, place, tmp_path):  # noqa: F811
    model = place / "model"
    (row,) = map(json.loads, command("translate", model, "--json", text=SENTENCE).out.splitlines())
    assert row["translation"] == Translator.load(model).translate(SENTENCE)
    assert 0 < row["confidence"] <= 1
    page, picture = tmp_path / "page.html", tmp_path / "forest.svg"
    done = command("inspect", model, SENTENCE, "--html", page, "--picture", picture)
    assert done.code == 0, done.err
    assert "glue" in done.out
    assert "<svg" in page.read_text("utf-8")
    assert "decoder hiero" in command("model", "info", model).out


def test_limits_of_the_search(command, place):  # noqa: F811
    model = place / "model"
    narrow = Translator.load(model, max_span=2, cell_size=1, pop_limit=1)
    assert narrow.decoder.settings.max_span == 2
    typed = ["--max-span", "2", "--cell-size", "1", "--pop-limit", "1"]
    assert command("translate", model, *typed, text=SENTENCE).out.strip() == narrow.translate(
        SENTENCE
    )
    with refuses(DecodingError, "argument.unknown"):
        Translator.load(model, distortion_limit=3)
    assert command("translate", model, "--stack-size", "9", text=SENTENCE).code == 2


def test_decoding_with_a_grammar(command, place, tmp_path):  # noqa: F811
    model = place / "model"
    weights = tmp_path / "weights.json"
    weights.write_text(json.dumps(Bundle.open(model).weights.named))
    parts = ["--lm", model / "lm.rlm", "--weights", weights]
    text = ["--text-source", model / "source.json", "--text-target", model / "target.json"]
    limits = ["--max-span", "6", "--pop-limit", "10", "--option-limit", "5"]
    grammar = ["--grammar", model / "rules"]
    done = command("decode", *grammar, *parts, *text, *limits, text=SENTENCE)
    assert done.out.strip() == Translator.load(model).translate(SENTENCE)
    for wrong, code in (
        ([], "argument.missing"),
        ([*grammar, "--rules", model / "rules"], "argument.conflict"),
        ([*grammar, "--stack-size", "9"], "argument.conflict"),
        ([*grammar, "--reorder-kind", "word"], "argument.conflict"),
    ):
        done = command("decode", *wrong, *parts, text=SENTENCE)
        assert done.code
        assert f"[{code}]" in done.err


def test_rules_with_gaps_are_not_phrases(command, place):  # noqa: F811
    """A search with phrases leaves them out, and says so."""
    table = RuleTable.open(place / "model" / "rules")
    assert not all(rule.is_phrase for rule in table)
    lm = place / "model" / "lm.rlm"
    done = command("decode", "--rules", table.folder, "--lm", lm, text=SENTENCE)
    assert done.code == 0
    assert "--grammar" in done.err
