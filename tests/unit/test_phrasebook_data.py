"""The phrasebook's tables: what is wrong in them is told with file and line."""

from __future__ import annotations

import shutil

import pytest
from tests.refusals import refuses

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
        names.number_words, sampler.verbs_with, sampler.verbs_for,
    ):  # fmt: skip
        cached.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "line", "code", "value"),
    [
        ("nouns.txt", "dog | Hund m", "line.fields", 2),
        ("nouns.txt", "dog | Hund x Hunde | inu", "line.fields", "Hund x Hunde"),
        ("nouns.txt", "milk/- | Milch f Milchen | miruku", "phrasebook.plural", None),
        ("nouns.txt", "post | Post f - | yūbin", "phrasebook.plural", None),
        ("nouns.txt", "dog | Hund m Hunde; | inu", "line.value", "Hund m Hunde;"),
        ("verbs.txt", "go/went | gehen | iku | person", "line.fields", "go/went"),
        ("verbs.txt", "go | gehen ging | iku | person", "line.fields", "gehen ging"),
        ("verbs.txt", "go | gehen | ik | person", "line.value", "ik"),
        ("verbs.txt", "go | gehen | iku | person O=unicorn", "line.unknown", "unicorn"),
        ("verbs.txt", "go | gehen | iku | person Z=place", "line.unknown", "Z"),
        ("verbs.txt", "go | gehen | iku | person P=place", "line.fields", "P=place"),
        ("verbs.txt", "go | gehen | iku | person O=place:acc", "line.fields", "O=place:acc"),
        ("verbs.txt", "go | gehen | iku | person stat", "line.unknown", "stat"),
        ("nouns.txt", "inn | Gasthaus n Gasthäuser | yado | in,in", "line.fields", "in,in"),
        ("adjectives.txt", "old | alt | furu | thing", "line.value", "furu"),
        ("adverbials.txt", "two days ago | vor zwei | mae", "phrasebook.links",
         ("two days ago", "vor zwei")),
        ("numbers.txt", "x | one | eins | ichi", "line.number", "x"),
        ("sentences.txt", "x | {A} . | {A:main} . | {A:masu} .", "line.number", "x"),
        ("sentences.txt", "1 | {A} . | {A:first} . | {A:masu} .", "line.unknown", "first"),
        ("orders.txt", "attr | often | S V", "line.number", "often"),
        ("sentences.txt", "1 | {A} . | {B:main} . | {A:masu} .", "line.unknown", "B"),
        ("sentences.txt", "1 | {A} . | {A:main . | {A:masu} .", "line.value", "{A:main ."),
        ("sentences.txt", "1 | {X} . | {X:nom} . | {X:wa} .", "line.fields", None),
        ("sentences.txt", "1 | {A} . | {A:main} . | {A:masu} . | A.mood=sad", "line.unknown",
         "A.mood=sad"),
        ("sentences.txt", "1 | {A} . | {A:main} . | {A:masu} . | B.tag=x", "line.fields",
         "B.tag=x"),
    ],
)  # fmt: skip
def test_bad_lines_are_told(data, name, line, code, value):
    file = data / name
    number = file.read_text(encoding="utf-8").count("\n") + 1
    with file.open("a", encoding="utf-8") as stream:
        stream.write(f"{line}\n")
    with refuses(FormatError, code, value=value, file=str(file), line=number):
        list(Phrasebook(seed=1).pairs(400))


def test_a_bad_grammar_is_told(data):
    (data / "grammar.toml").write_text("[en", encoding="utf-8")
    with refuses(FormatError, "file.format", file=str(data / "grammar.toml")):
        list(Phrasebook().pairs(1))


def test_phrases_are_numbered():
    assert phrase("last/1 week/2 in/0 of/1?,2") == (
        [("last", 2), ("week", 4), ("in",), ("of", 3, 4)],
        True,
    )
    assert phrases("now", "im Moment") == ([("now", 2)], [("im", 2), ("Moment", 2)])
    assert phrases("two days", "zwei Tage")[1] == [("zwei", 2), ("Tage", 4)]
    with refuses(RosewoodError, "phrasebook.links"):
        phrases("two long days", "zwei Tage")
