"""Numbers in the notation of the target language as options of a search."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.decoders import PAIRS, small_decoder
from tests.refusals import refuses

from rosewood.corpus import TextProcessor, make_tokeniser
from rosewood.decode import Glossary, SearchSettings, TextTranslator
from rosewood.errors import DecodingError

NUMBERS = [
    ("2", "two"), ("2", "2"), ("1,5", "one and a half"), ("euro", "dough"), ("uhr", "watch"),
    ("12", "completely"), ("8", "eight"),
]  # fmt: skip


@pytest.fixture(scope="module")
def decoder(tmp_path_factory):
    made = small_decoder(tmp_path_factory.mktemp("numbers"), PAIRS + NUMBERS)
    return made.with_settings(SearchSettings(distortion_limit=0))


def processor(language, **how):
    return TextProcessor(make_tokeniser("unicode", language=language), lowercase=True, **how)


def translator(decoder, source="de", target="en", **how):
    return TextTranslator(decoder, processor(source), processor(target), **how)


def said(made, text):
    (found,) = made.translate([text])
    return found.text


@pytest.mark.parametrize(
    ("text", "on", "off"),
    [
        ("119,20 Euro.", "119.20 euros.", "119,20 dough."),
        ("12:30 Uhr und 20 Uhr.", "12:30 and 20:00.", "12:30 watch and 20 watch."),
        ("Das Haus, 1.234,5 m.", "The house, 1,234.5 m.", "The house, 1.234,5 m."),
        ("<b>119,20</b> Euro", "<b>119.20</b> dough", "<b>119,20</b> dough"),
        ("<b>119,20 Euro</b>!", "<b>119.20 euros</b>!", "<b>119,20 dough</b>!"),
        ("{0} 3,5 %d %s 4,5", "{0} 3.5 %d %s 4.5", "{0} 3,5 %d %s 4,5"),
        ("{3,5} 2,5", "{3,5} 2.5", "{3,5} 2,5"),
        ("Nummer 17 und 1.2.3", "Nummer 17 and 1.2.3", "Nummer 17 and 1.2.3"),
        ("12", "12", "Completely"),  # seen once, with other things than its digits
        ("8", "Eight", "Eight"),  # one digit has a name
        ("2", "Two", "Two"),
    ],
)
def test_on_and_off(decoder, text, on, off):
    assert said(translator(decoder), text) == on
    assert said(translator(decoder, localise_numbers=False), text) == off


def test_known_words_have_both(decoder):
    prepared = translator(decoder).prepare("Das ist 1,5.")
    ((option, kind),) = prepared.numbers
    assert (option.begin, option.end, option.translations) == (2, 3, (("1.5",),))
    assert kind == "number"
    assert not option.exclusive
    found = decoder.search(prepared.source)
    targets = {found.options.target_words(n) for n in range(len(found.options))}
    assert {("1.5",), ("one", "and", "a", "half")} <= targets


def test_what_no_rule_covers_is_exclusive(decoder):
    ((option, kind),) = translator(decoder).prepare("119,20 Euro").numbers
    assert option.exclusive
    assert kind == "money"
    assert option.translations == (("119.20", "euros"),)


@pytest.mark.parametrize(
    ("text", "want"),
    [("１，０００", "1,000"), ("1，000", "1，000"), ("万２，０００", "２，０００")],
)
def test_digits_with_wide_commas_are_one_piece(tmp_path, text, want):
    known = [(each, "some") for each in ("１", "，", "０００", "1", "000", "２", "万")]
    made = translator(small_decoder(tmp_path, PAIRS + known), "ja", "en")
    assert want in said(made, text)


def test_parts_of_a_number_are_no_amounts(decoder):
    made = translator(decoder, "ja", "en").prepare("1万2,000円")
    assert all(each.kind != "money" for each in made.numbers)
    assert all("yen" not in words for each in made.numbers for words in each.option.translations)


def test_the_switch_is_a_flag(decoder):
    with refuses(DecodingError, "argument.type", argument="localise_numbers", value="x"):
        translator(decoder, localise_numbers="x")


def test_a_glossary_comes_first(decoder):
    terms = Glossary.read(["euro\tquid", "3,5 m\t3.5 metres\tsoft"])
    made = translator(decoder, glossary=terms)
    assert said(made, "119,20 Euro, 3,5 m") == "119.20 quid, 3.5 metres"


@pytest.mark.parametrize(
    ("source", "target"), [("", "en"), ("tlh", "en"), ("de", ""), ("de", "de")]
)
def test_languages_that_are_not_known(decoder, source, target):
    assert said(translator(decoder, source, target), "3,5") == "3,5"


def test_text_without_processors(decoder):
    assert said(TextTranslator(decoder), "3,5") == "3,5"


def test_characters_are_no_words(decoder):
    german, english = (TextProcessor(make_tokeniser("char", language=x)) for x in ("de", "en"))
    assert TextTranslator(decoder, german, english).prepare("3,5").numbers == ()


def test_a_reference_may_have_either(decoder):
    made = translator(decoder)
    for reference in ("3.5", "3,5"):
        found = decoder.search(made.prepare("3,5", reference).source)
        assert found.report.reachable


def test_spaces_within_numbers_stay_within_words(decoder):
    made = translator(decoder, "en", "fr")
    found = made.prepare("1,234.5 x").numbers[0].option.translations
    assert len(found[0]) == 1
    assert said(made, "1,234.5 x") == "1\u202f234,5 x"


def test_joiners(decoder):
    german = TextProcessor(make_tokeniser("unicode", language="de", joiners=True))
    english = TextProcessor(make_tokeniser("unicode", language="en", joiners=True))
    made = TextTranslator(decoder, german, english)
    assert said(made, "(119,20 €)") == "(€119.20)"
    assert said(made, "3,5%?") == "3.5%?"


@given(st.lists(st.sampled_from(
    ["2", "8", "17", "1,5", "3,25", "1.234,56", "12:30", "Uhr", "Euro", "%", "5%", "und", "das",
     "haus", ".", ",", "%d", "{0}", "<b>", "</b>", "3.5.2024", "3.", "Mai", "2024", "１２"]
), max_size=12))  # fmt: skip
def test_anything_is_translated_and_values_stay(decoder, words):
    made = translator(decoder)
    text = " ".join(words)
    (found,) = made.translate([text])
    assert found.lost == () == found.added
    spans = [(each.option.begin, each.option.end) for each in found.prepared.numbers]
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    there = re.findall(r"\d+(?:[.,]\d+)*", found.text.replace(":00", ""))
    for number, source in (("17", "17"), ("3.25", "3,25"), ("1,234.56", "1.234,56")):
        assert there.count(number) == words.count(source)
