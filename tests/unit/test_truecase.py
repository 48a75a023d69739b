"""Truecasing: learnt from words, applied at sentence starts, and capitals on the way back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import refuses

from rosewood.corpus import TextProcessor, Truecaser, make_tokeniser
from rosewood.corpus.text.truecase import is_shouted, lowered, recased, sentence_starts, shouted
from rosewood.errors import TextError

TEXT = [
    "Der Hund sieht den Mann.",
    "Dann sieht der Mann den Hund. Der NATO gefällt das.",
    "HIER SCHREIT DER MANN",
    'Er sagt: "Der Hund!" und der iPhone-Mann sieht die NATO',
]


def german(**settings):
    return TextProcessor(make_tokeniser(language="de"), **settings).learned(TEXT)


def test_forms_are_counted_where_capitals_mean_something():
    forms = german().truecaser.forms
    assert forms["der"] == 2
    assert forms["Hund"] == 3
    assert forms["NATO"] == 2
    assert forms["Mann"] == 2
    assert not {"Der", "HIER", "MANN", "Dann", "Er"} & set(forms)
    assert Truecaser.learn([["x", "a", "b", "a"]], least=2).forms == {"a": 2}
    assert Truecaser.learn([["x", "Ab", "ab", "AB"]]).forms == {"ab": 1}  # small letters win a tie
    assert Truecaser.learn([["HIER", "SCHREIT", "WER"]]).forms == {}
    assert Truecaser.learn(iter([])).forms == {}


def test_the_order_of_sentences_does_not_matter():
    sentences = [["x", "Ab", "cd"], ["x", "ab", "Cd"], ["x", "aB", "cD", "CD", "CD"]]
    one = Truecaser.learn(sentences)
    assert list(one.forms.items()) == list(Truecaser.learn(sentences[::-1]).forms.items())


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("Der Mann sieht.", "der Mann sieht ."),
        ("Hund und Mann. Den Mann!", "Hund und Mann . den Mann !"),
        ("„Der Hund: Der Mann“", "„ der Hund : der Mann “"),
        ("Unbekannt sieht", "Unbekannt sieht"),
        ("NATO sieht den Mann", "NATO sieht den Mann"),
        ("DER HUND SIEHT XYZ", "der Hund sieht xyz"),
        ("SIEHT der Mann", "SIEHT der Mann"),
        ("Nato", "NATO"),
        ("", ""),
    ],
)
def test_applied(raw, words):
    assert " ".join(german().encode(raw).words) == words


@pytest.mark.parametrize(
    "raw",
    ["Der Mann sieht. Den Hund!", "„Der Hund“", "DER HUND SIEHT XYZ", "der Hund sieht",
     "„der Hund“", "<b>Der</b> Hund", "{0} der Hund", "Den Hund {DER}"],
)  # fmt: skip
def test_capitals_come_back(raw):
    processor = german()
    encoded = processor.encode(raw)
    assert processor.decode(encoded.words, encoded) == raw


def test_lower_case():
    processor = TextProcessor(make_tokeniser(language="en"), lowercase=True)
    assert processor.encode("The DOG. Yes!").words == ("the", "dog", ".", "yes", "!")
    assert processor.decode(["the", "dog", ".", "yes", "!"]) == "The dog. Yes!"
    same = TextProcessor(make_tokeniser(language="en"), lowercase=True, recase=False)
    assert same.decode(["the", "dog"]) == "the dog"
    with refuses(TextError, "argument.conflict", argument="lowercase"):
        TextProcessor(truecaser=Truecaser({}), lowercase=True)
    with refuses(TextError, "argument.conflict", argument="truecaser"):
        TextProcessor(make_tokeniser("char")).learned(["x"])
    assert processor.learned(["x Y"]).lowercase is False


def test_languages_with_their_own_letters():
    assert lowered("IĞDIR İL", "tr") == "ığdır il"
    assert recased(["istanbul"], "tr") == ["İstanbul"]
    assert recased(["ijs"], "nl") == ["IJs"]
    assert recased(["iPhone", "ist"]) == ["iPhone", "ist"]
    assert recased(["„", "halt", "!", "“", "sagt", "er", ".", "“", "so"]) == [
        "„", "Halt", "!", "“", "sagt", "er", ".", "“", "So",
    ]  # fmt: skip
    assert shouted("straße", "de") == "STRAßE"


def test_where_sentences_start():
    assert sentence_starts(["„", "a", "b", ".", "“", "(", "c", "d", "?", "!"]) == [1, 6]
    assert sentence_starts([".", "!"]) == []
    assert is_shouted(["WER", "IST", "DA", "?"])
    assert not is_shouted(["NATO", "!"])
    assert not is_shouted(["I", "AM"])
    assert not is_shouted(["1", "2"])


@given(st.lists(st.lists(st.sampled_from(["Der", "der", "HUND", "Hund", "A", ".", "„", "1"]))))
def test_only_letters_change(sentences):
    truecaser = Truecaser.learn(sentences)
    for words in sentences:
        cased = truecaser.apply(words)
        assert [word.lower() for word in cased] == [word.lower() for word in words]
        assert [word.lower() for word in recased(cased)] == [word.lower() for word in words]


def test_bad_settings():
    with refuses(TextError, "argument.range", argument="least", value=0):
        Truecaser.learn([], least=0)
    with refuses(TextError, "argument.type", argument="language", value=1):
        Truecaser.from_dict({"language": 1, "forms": {}})


def test_what_is_said_begins_with_a_capital():
    said = "sie sagte : „ das Kind ist da . “ gut : das ist es ."
    wanted = "Sie sagte : „ Das Kind ist da . “ Gut : das ist es ."
    assert " ".join(recased(said.split())) == wanted
