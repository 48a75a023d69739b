"""A decoder that only keeps the contract goes through everything, with no change elsewhere."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from tests.monotone import MonotoneDecoder, MonotoneKind, MonotoneSettings
from tests.system.commands import command  # noqa: F401
from tests.trained import book, made  # noqa: F401

from rosewood.decode import (
    DECODERS,
    Decoder,
    alternatives,
    difference,
    explain,
    forest_mbr,
    mbr,
)
from rosewood.learn import Mert, Mira, tune_loop
from rosewood.metrics import Bleu
from rosewood.pipeline import Translator

SENTENCE = "We had the good letter."


@pytest.fixture(scope="module", autouse=True)
def known():
    """The kind is registered for these tests alone."""
    with DECODERS.adding("monotone", MonotoneKind()):
        yield


@pytest.fixture(scope="module")
def model(book):  # noqa: F811
    return made(
        book, "monotone", decoder="monotone", tune="mert", set={"restarts": 2}, threads=2
    )  # fmt: skip


@pytest.mark.slow
def test_it_keeps_the_contract(model):
    decoder = Translator.load(model).decoder
    assert isinstance(decoder, MonotoneDecoder)
    assert isinstance(decoder, Decoder)
    found = decoder.search("we had zyx")
    assert found.forest.num_derivations() >= 1
    assert decoder.decode("we had zyx") == found.forest
    assert next(decoder.translate(["we had zyx"])).words == found.best.words
    one = decoder.with_settings(MonotoneSettings(option_limit=1)).search("we had")
    assert one.forest.num_derivations() == 1


def test_it_is_trained_tuned_and_kept(model):
    translator = Translator.load(model)
    manifest = json.loads((model / "manifest.json").read_bytes())
    assert manifest["decoder"] == "monotone"
    assert manifest["search"] == {"option_limit": 5}
    assert set(translator.weights) == set(translator.decoder.default_weights())
    assert translator.weights != translator.decoder.default_weights()
    report = model.with_name("monotone.html").read_text(encoding="utf-8")
    assert "BLEU" in report
    assert "<svg" in report


def test_it_translates_and_explains(model):
    translator = Translator.load(model)
    text = translator.translate(SENTENCE)
    reply = translator.reply(SENTENCE, nbest=3)
    assert reply.translation == text
    assert 0 <= reply.confidence <= 1
    assert len(reply.alternatives) == 3
    places = [place for use in reply.rules for place in use.source_places]
    assert places == list(range(len(reply.source_words)))  # monotone: in the order of the source
    assert {i for i, _ in reply.alignment} <= set(places)
    row = json.loads(json.dumps(reply.to_dict(), allow_nan=False))
    assert [use["children"] for use in row["phrases"][1:]] == [
        [k] for k in range(len(row["phrases"]) - 1)
    ]
    why = translator.explain(SENTENCE)
    assert why.score == pytest.approx(reply.score)
    assert why.words == reply.words
    ET.fromstring(why.to_svg())
    _, found = translator.search(SENTENCE)
    other = explain(found, translator.weights, alternatives_of(translator, found)[1])
    assert difference(why, other).margin >= 0
    seen = translator.inspect(SENTENCE)
    assert seen.options == ()  # it does not search with options
    assert seen.rules
    assert SENTENCE in seen.to_html()


def alternatives_of(translator, found):
    weight = found.forest.score(translator.decoder.theta())
    return found.forest.k_best(weight, 2)


def test_consensus_reads_its_forests(model):
    decoder = Translator.load(model).decoder
    found = decoder.search("we had the good letter .")
    weight = found.forest.score(decoder.theta())
    listed = alternatives(found, decoder.theta(), 5)
    assert [each.score for each in listed] == sorted((each.score for each in listed), reverse=True)
    assert listed[0].score == pytest.approx(found.best.score)
    assert mbr(found.forest, weight, 5)[0].words
    assert forest_mbr(found.forest, weight).words


@pytest.mark.parametrize("learner", [Mert(restarts=1), Mira(passes=3)])
def test_whole_forests_tune_it(model, learner):
    decoder = Translator.load(model).decoder
    sentences = ["we had the letter .", "the good house ."]
    references = [[next(decoder.translate([each])).text] for each in sentences]

    def forests(weights, number):
        return [each.forest for each in decoder.with_weights(weights).search_all(sentences)]

    start = {**decoder.default_weights(), "words": 0.3}
    found = tune_loop(
        forests, learner, Bleu(tokenize="none"), references, start=start, rounds=2
    )  # fmt: skip
    assert np.isfinite(found.score)
    assert set(decoder.features.dense) <= set(found.weights)


def test_the_command_uses_it(command, model):  # noqa: F811
    done = command("translate", model, "--json", "-q", text=f"{SENTENCE}\n")
    assert done.code == 0, done.err
    row = json.loads(done.out)
    assert row["translation"] == Translator.load(model).translate(SENTENCE)
    assert command("model", "verify", model).code == 0
    assert "monotone" in command("model", "info", model).out
    assert command("inspect", model, SENTENCE).code == 0
