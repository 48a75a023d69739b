"""Texts that are cased in several ways: the best reading is chosen, in whatever way it is asked."""

from __future__ import annotations

import json

import pytest
from tests.decoders import PAIRS, small_decoder
from tests.refusals import refuses

from rosewood.corpus import TextProcessor, Truecaser, make_tokeniser
from rosewood.decode import Glossary, TextTranslator
from rosewood.decode.readings import best_readings
from rosewood.decode.stream import InputLine
from rosewood.errors import DecodingError

OTHERS = [("Haus", "house"), ("Hund", "dog"), ("Gehen", "walk"), ("ich", "i")]
FORMS = Truecaser(
    {"Haus": 50, "Hund": 20, "ist": 90, "klein": 20, "wir": 60, "das": 90, "Gehen": 30},
    "de", {"gehen": 20},
)  # fmt: skip


def processors(truecaser=FORMS):
    german = TextProcessor(make_tokeniser(language="de"), truecaser)
    return german, TextProcessor(make_tokeniser(language="en"), Truecaser({"the": 9}, "en"))


@pytest.fixture(scope="module")
def decoder(tmp_path_factory):
    pairs = [pair for pair in PAIRS if pair[0] != "haus"] + OTHERS
    return small_decoder(tmp_path_factory.mktemp("readings"), pairs)


@pytest.fixture(scope="module")
def translator(decoder):
    return TextTranslator(decoder, *processors())


LINES = [
    "das haus ist klein", "das haus ist klein.", "DAS HAUS IST KLEIN", "Das Haus ist klein.",
    "wir gehen nach hause und das haus", "", "unbekannt",
]  # fmt: skip
SAID = [
    "the house is small", "The house is small.", "THE HOUSE IS SMALL", "The house is small.",
    "we go home and the house", "", "unbekannt",
]  # fmt: skip


def test_cased_in_the_way_that_the_model_likes_best(translator):
    assert [each.text for each in translator.translate(LINES)] == SAID
    prepared = translator.prepare(LINES[4])
    assert prepared.source.words[1] == "Gehen"  # more often, but it goes on otherwise
    assert "gehen" in [each.source.words[1] for each in prepared.others]
    (line,) = translator.stream([LINES[4]])
    assert line.prepared.words == ("wir", "gehen", "nach", "hause", "und", "das", "Haus")


def test_searches_choose_as_translations_do(translator):
    lines = list(translator.stream(LINES * 30, forests=True, threads=2))
    plain = list(translator.stream(LINES * 30))
    for one, other in zip(lines, plain, strict=True):
        assert one.prepared == other.prepared
        assert (one.best.words, one.best.score) == (other.best.words, other.best.score)
        assert one.search.best.words == one.best.words
        assert one.search.source == one.prepared.source
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))
    prepared, found = translator.search(LINES[4])
    assert (prepared, found.best.words) == (plain[4].prepared, plain[4].best.words)
    live = translator.stream(iter(LINES), live=True)
    assert [line.text for line in live] == SAID


def test_references_choose_the_reading_that_they_can_be_said_with(translator):
    lines = [InputLine(LINES[4], "we walk home and the house"), InputLine(LINES[4], "no"),
             InputLine(LINES[4], "we go home and the house")]  # fmt: skip
    found = list(translator.stream(lines))
    assert [line.best.report.reachable for line in found] == [True, False, True]
    assert [line.prepared.words[1] for line in found] == ["Gehen", "Gehen", "gehen"]


def test_the_earlier_reading_wins_a_tie(translator):
    one, other = translator.prepare("das haus"), translator.prepare("das haus")
    both = type(one)(one.text, one.source, one.encoded, (other,))
    (found,) = best_readings(translator.decoder, [both])
    assert found.prepared is both
    assert found.search is None


def test_switched_off(decoder, translator):
    kept = TextTranslator(decoder, *processors(), casing="keep")
    assert [each.text for each in kept.translate(["das haus", "Das Haus", "DAS HAUS IST"])] == [
        "the haus", "The house", "THE HOUSE IS",
    ]  # fmt: skip
    with refuses(DecodingError, "argument.choice", argument="casing"):
        TextTranslator(decoder, *processors(), casing="lower")


def test_models_without_a_truecaser_are_left_alone(decoder):
    words = TextTranslator(decoder)
    assert words.prepare("das haus ist klein").source.words == ("das", "haus", "ist", "klein")
    german, english = processors(None)
    assert TextTranslator(decoder, german, english).prepare("DAS haus").source.words[0] == "DAS"


def test_entries_of_glossaries_apply_to_the_cased_words(decoder, tmp_path):
    file = tmp_path / "terms.tsv"
    file.write_text("Haus\tpalace\n", encoding="utf-8")
    german, english = processors()
    terms = Glossary.read(file, source_text=german, target_text=english)
    translator = TextTranslator(decoder, german, english, glossary=terms)
    (said,) = translator.translate(["das haus ist klein"])
    assert said.text.endswith("palace")


def test_tags_and_values_stay(translator):
    (said,) = translator.translate(["das <b>haus</b> ist {name}.", ])  # fmt: skip
    assert said.text == "The <b>house</b> is {name}."


def test_written_and_read_again(tmp_path):
    german, _ = processors()
    german.save(tmp_path / "de.json")
    assert TextProcessor.load(tmp_path / "de.json") == german
    table = json.loads((tmp_path / "de.json").read_text())
    for name in ("others", "before", "after"):
        del table["truecaser"][name]
    (tmp_path / "de.json").write_text(json.dumps({**table, "version": 2}))
    assert TextProcessor.load(tmp_path / "de.json").truecaser.others is None
