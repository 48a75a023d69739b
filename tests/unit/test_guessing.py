"""Words that no rule translates, guessed by their forms and parts."""

from __future__ import annotations

import pickle

import pytest
from tests.refusals import refuses

from rosewood.decode import Guesser, Guesses, PhraseDecoder
from rosewood.decode.guessing import judged
from rosewood.errors import FormatError
from rosewood.lm import estimate
from rosewood.rules import Rule, RuleTable

STEMS = ["klein", "schnell", "still", "dunkel", "langsam", "freundlich", "traurig"]
ENDINGS = ["", "e", "en", "er", "es"]
KNOWN = {
    "stilles": "quiet", "kleine": "small", "Schnee": "snow", "Decke": "blanket",
    "decke": "blanket", "Arbeit": "work", "Zimmer": "room", "zimmer": "room", "Schmied": "smith",
    "das": "the", "電子": "electronic", "辞典": "dictionary",
}  # fmt: skip


@pytest.fixture(scope="module")
def guesses() -> Guesses:
    words = [stem + ending for stem in STEMS for ending in ENDINGS]
    heads = ["Tisch", "Stuhl", "Wand", "Dach", "Haus", "Land", "Turm", "Park"]
    words += [*heads, "decke", "lampe", *(head + "decke" for head in heads)]
    words += [f"{head}slampe" for head in heads]
    return Guesses.learn(words)


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> RuleTable:
    numbers = {"phrase_ef": -0.5, "phrase_fe": -0.5, "lexical_ef": -0.5, "lexical_fe": -0.5}
    rules = [
        Rule((source,), (target,), links=((0, 0),), features=numbers, count=3.0, source_count=3.0,
             target_count=3.0)
        for source, target in KNOWN.items()
    ]  # fmt: skip
    better = {**numbers, "phrase_ef": -0.1}
    rules.append(
        Rule(("Decke",), ("ceiling",), links=((0, 0),), features=better, count=1.0,
             source_count=3.0, target_count=3.0)
    )  # fmt: skip
    return RuleTable.build(tmp_path_factory.mktemp("guesses") / "rules", rules)


def test_endings_are_those_that_stems_share(guesses):
    assert "" in guesses.endings["er"]
    assert "es" not in guesses.endings["er"]  # they share a letter: the stem would be longer
    assert all(count >= 5 for others in guesses.endings.values() for count in others.values())


def test_what_stands_between_parts(guesses):
    assert guesses.between[0] == ""
    assert set(guesses.between) <= {"", "s"}


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("still", ["quiet"]),
        ("Schneedecke", ["snow blanket"]),
        ("Schnee-Decke", ["snow ceiling", "snow blanket"]),
        ("Arbeitzimmer", ["work room"]),
        ("Schmidt", None),  # a name that only looks like another word
        ("xyz", None),
        ("1234", None),
        ("Schnee2019", None),  # numbers and codes are copied
        ("2019-2020", None),
        ("Schnee" * 20, None),
        ("", None),
        ("das", None),  # nothing is guessed of what is known, and parts are parts
        ("漢字", None),
        ("電子辞典", ["electronic dictionary"]),
    ],
)
def test_what_is_guessed(guesses, table, word, said):
    assert Guesser(table, guesses)(word) == said


def test_the_last_part_may_have_another_ending(guesses, table):
    assert Guesser(table, guesses)("Schneekleines") is not None


@pytest.mark.parametrize(
    ("linked", "is_guessed"),
    [
        ({"snow", "blanket"}, True),
        ({"Schneedecke"}, False),  # what was seen once was copied: such words are names
        (set(), True),
    ],
)
def test_words_with_capitals_are_guessed_if_that_was_right(guesses, table, linked, is_guessed):
    seen = [("Schneedecke", linked), ("klein", {"klein"}), ("Xyz", {"Xyz"})]
    found = judged(table, guesses, seen)
    assert found.capitals is is_guessed
    assert (Guesser(table, found)("Schneedecke") is not None) is is_guessed
    assert Guesser(table, found)("still") == ["quiet"]


def test_long_words_take_no_time(guesses, table):
    guesser = Guesser(table, guesses)
    assert guesser("Schnee" * 10_000) is None
    assert guesser._answers.cache_info().currsize == 0  # nor do they stay in memory


def test_tables_without_counts(guesses, tmp_path):
    """Those of other programs may have none."""
    rules = [Rule((source,), (target,), features={"phrase_ef": -0.5}) for source, target in
             (("Schnee", "snow"), ("decke", "blanket"))]  # fmt: skip
    table = RuleTable.build(tmp_path / "rules", rules)
    assert Guesser(table, guesses)("Schneedecke") == ["snow blanket"]


def test_most(guesses, table):
    assert Guesser(table, guesses, most=1)("Schnee-Decke") == ["snow ceiling"]


def test_a_decoder_asks(guesses, table, tmp_path):
    lm = estimate(["the snow blanket", "the room"], order=2).save(tmp_path / "lm.rlm")
    decoder = PhraseDecoder(table, lm, unknown=Guesser(table, guesses))
    (said,) = decoder.translate(["das Schneedecke"])
    assert said.text == "the snow blanket"
    assert [use.is_unknown for use in said.rules] == [False, True]
    again = pickle.loads(pickle.dumps(decoder.unknown))
    assert again("Schneedecke") == ["snow blanket"]


def test_files(guesses, tmp_path):
    guesses.save(tmp_path / "guesses.json")
    assert Guesses.load(tmp_path / "guesses.json") == guesses


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"format": "rosewood-guesses", "version": 2}', "\x00",
     '{"format": "rosewood-guesses", "version": 1, "endings": [], "between": []}',
     '{"format": "rosewood-guesses", "version": 1, "endings": {"a": 1}, "between": []}',
     '{"format": "rosewood-guesses", "version": 1, "endings": {}, "between": []}'],
)  # fmt: skip
def test_bad_files_are_refused(text, tmp_path):
    path = tmp_path / "guesses.json"
    path.write_text(text, encoding="utf-8")
    with refuses(FormatError, "file.format"):
        Guesses.load(path)


def test_nothing_is_learnt_of_nothing():
    assert Guesses.learn([]) == Guesses({}, ("",))
