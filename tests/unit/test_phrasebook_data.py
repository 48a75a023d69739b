"""The phrasebook's tables: what is wrong in them is told with file and line."""

from __future__ import annotations

import shutil

import pytest

from rosewood.corpus.phrasebook import Phrasebook, lexicon, templates
from rosewood.corpus.phrasebook.lexicon import phrase, phrases
from rosewood.errors import FormatError, RosewoodError


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A copy of the tables that a test may spoil."""
    folder = tmp_path / "data"
    shutil.copytree(lexicon.DATA, folder)
    monkeypatch.setattr(lexicon, "DATA", folder)
    monkeypatch.setattr(templates, "DATA", folder)
    yield folder
    _forget()


@pytest.fixture(autouse=True)
def _fresh():
    _forget()


def _forget():
    from rosewood.corpus.phrasebook import names, sampler

    for cached in (
        lexicon.lexicon, templates.templates, templates.orders, templates.grammar, names.names,
        names.number_words, sampler._verbs_with, sampler._verbs_for,
    ):  # fmt: skip
        cached.cache_clear()


@pytest.mark.parametrize(
    ("name", "line", "reason"),
    [
        ("nouns.txt", "dog | Hund m", "2 columns, want 3 to 4"),
        ("nouns.txt", "dog | Hund x Hunde | inu", "want noun, gender, plural"),
        ("nouns.txt", "milk/- | Milch f Milchen | miruku", "without a plural"),
        ("nouns.txt", "post | Post f - | yūbin", "needs German nouns that have one"),
        ("nouns.txt", "dog | Hund m Hunde; | inu", "an empty variant"),
        ("verbs.txt", "go/went | gehen | iku | person", "want one form, or three"),
        ("verbs.txt", "go | gehen ging | iku | person", "want infinitive, past, participle"),
        ("verbs.txt", "go | gehen | ik | person", "no verb in its plain form"),
        ("verbs.txt", "go | gehen | iku | person O=unicorn", "no noun of the class 'unicorn'"),
        ("verbs.txt", "go | gehen | iku | person Z=place", "'Z' is no part of a frame"),
        ("verbs.txt", "go | gehen | iku | person P=place", "want P=class:english"),
        ("verbs.txt", "go | gehen | iku | person O=place:acc", "want O=class, or"),
        ("verbs.txt", "go | gehen | iku | person stat", "'stat' is no tag of a verb"),
        ("nouns.txt", "inn | Gasthaus n Gasthäuser | yado | in,in", "want three prepositions"),
        ("adjectives.txt", "old | alt | furu | thing", "is no adjective"),
        ("adverbials.txt", "two days ago | vor zwei | mae", "number the words that belong"),
        ("numbers.txt", "x | one | eins | ichi", "'x' is no number"),
        ("sentences.txt", "x | {A} . | {A:main} . | {A:masu} .", "the weight is 'x'"),
        ("sentences.txt", "1 | {A} . | {A:first} . | {A:masu} .", "'first' is no form"),
        ("orders.txt", "attr | often | S V", "the weight is 'often'"),
        ("sentences.txt", "1 | {A} . | {B:main} . | {A:masu} .", "B is not in the English side"),
        ("sentences.txt", "1 | {A} . | {A:main . | {A:masu} .", "braces that hold no part"),
        ("sentences.txt", "1 | {X} . | {X:nom} . | {X:wa} .", "say what X is"),
        ("sentences.txt", "1 | {A} . | {A:main} . | {A:masu} . | A.mood=sad", "no such option"),
        ("sentences.txt", "1 | {A} . | {A:main} . | {A:masu} . | B.tag=x", "want LETTER.option"),
    ],
)
def test_bad_lines_are_told(data, name, line, reason):
    file = data / name
    number = file.read_text(encoding="utf-8").count("\n") + 1
    with file.open("a", encoding="utf-8") as stream:
        stream.write(f"{line}\n")
    with pytest.raises(FormatError, match=reason) as told:
        list(Phrasebook(seed=1).pairs(400))
    assert (told.value.file, told.value.line) == (str(file), number)


def test_a_bad_grammar_is_told(data):
    (data / "grammar.toml").write_text("[en", encoding="utf-8")
    with pytest.raises(FormatError, match=r"grammar\.toml: it cannot be read"):
        list(Phrasebook().pairs(1))


def test_phrases_are_numbered():
    assert phrase("last/1 week/2 in/0 of/1?,2") == (
        [("last", 2), ("week", 4), ("in",), ("of", 3, 4)],
        True,
    )
    assert phrases("now", "im Moment") == ([("now", 2)], [("im", 2), ("Moment", 2)])
    assert phrases("two days", "zwei Tage")[1] == [("zwei", 2), ("Tage", 4)]
    with pytest.raises(RosewoodError, match="number the words that belong together"):
        phrases("two long days", "zwei Tage")
