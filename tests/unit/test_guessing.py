"""Words that no rule translates, guessed by their forms and parts."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import pytest
from tests.refusals import refuses

from rosewood.decode import Guesser, Guesses, PhraseDecoder
from rosewood.decode.guess_candidates import EVIDENCE, Candidate, Candidates
from rosewood.decode.guess_judgement import GroupJudgement, SeenOnce, judge
from rosewood.decode.guessing import judged
from rosewood.errors import FormatError
from rosewood.lm import estimate
from rosewood.rules import Rule, RuleTable

STEMS = ["klein", "schnell", "still", "dunkel", "langsam", "freundlich", "traurig"]
ENDINGS = ["", "e", "en", "er", "es"]
KNOWN = {
    "stilles": "quiet", "kleinen": "small", "kleine": "small", "Schnee": "snow", "Decke": "blanket",
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


def find_in(table: RuleTable, guesses: Guesses):
    """Candidates of words that were seen once."""
    candidates = Candidates(table, guesses.endings, guesses.between)
    return lambda each: candidates(each.word)


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
        ("Schneedecke", ["snow ceiling", "snow blanket"]),  # of *Decke*, as nouns have capitals
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
    seen = [SeenOnce("Schneedecke", frozenset(linked), 1), SeenOnce("Xyz", frozenset({"Xyz"}), 2)]
    found = replace(guesses, judged=judge(seen, find_in(table, guesses), lambda _: 0.0)[0])
    assert found.judged["parts-capital"].is_used is is_guessed
    if linked != set():  # then it is wrong more often than not
        assert (Guesser(table, found)("Schneedecke") is not None) is is_guessed
    assert "quiet" in Guesser(table, found)("still")


def test_a_group_that_is_not_better_than_copying_is_copied(table):
    """Judged on words seen once: half of the guesses share a linked word, all copies are right."""
    learnt = Guesses({"": {"es": 9}}, ("",))
    for copies, is_used in ((1.0, False), (0.0, True)):
        seen = [
            SeenOnce("still", frozenset({"quiet"} if n % 2 else {"x"} if n % 4 else {"y"}), n)
            if copies == 0.0
            else SeenOnce("still", frozenset({"still"}), n)
            for n in range(40)
        ]
        found, _ = judge(seen, find_in(table, learnt), lambda _: 0.0)
        assert found["ending"].is_used is is_used
        assert found["ending"].copied == copies


def test_rules_of_the_held_out_sentence_are_not_used(tmp_path):
    """A relative that occurs in that sentence alone has its translation from there."""
    rules = [
        Rule(("stilles",), ("quiet",), links=((0, 0),), features={}, count=1.0, source_count=1.0,
             target_count=1.0, sentence=7)
    ]  # fmt: skip
    leaking = RuleTable.build(tmp_path / "rules", rules)
    find = find_in(leaking, Guesses({"": {"es": 9}}, ("",)))
    for sentence, words in ((7, 0), (8, 1)):
        seen = [SeenOnce("still", frozenset({"quiet"}), sentence)]
        assert judge(seen, find, lambda _: 0.0)[0]["ending"].words == words


def test_endings_of_a_held_out_word_are_learnt_without_it(tmp_path):
    """Five stems show an exchange, each by a word seen once: without it and half of the others
    nothing is learnt, so nothing is judged."""
    words = [stem + ending for stem in STEMS[:5] for ending in ("", "es")]
    rules = [Rule((word,), ("x",), links=((0, 0),), count=2.0, source_count=2.0, target_count=9.0)
             for word in words[::2]]  # fmt: skip
    table = RuleTable.build(tmp_path / "rules", rules)
    seen = [SeenOnce(word, frozenset({"x"}), n) for n, word in enumerate(words[1::2])]
    found = judged(table, words, seen, lambda _: 0.0)
    assert found.endings["es"] == {"": 5}
    assert found.judged["ending"].words == 0


def test_how_likely_a_guess_must_be(table):
    """Half of the guesses are right; of words in signs fewer will do."""
    for group, word, target, parts in (
        ("signs", "電子辞典", "electronic dictionary", ("電子", "辞典")),
        ("parts-capital", "SchneeDecke", "snow ceiling", ("Schnee", "Decke")),
    ):
        for certain, is_guessed in ((-5.0, False), (-1.4, group == "signs"), (0.5, True)):
            weights = (certain, *[0.0] * (len(EVIDENCE) - 1))
            found = Guesses({}, ("",), {group: GroupJudgement(weights)}, {})
            guesses = Guesser(table, found).guess(word)
            assert bool(guesses) is is_guessed
            if guesses:
                assert (guesses[0].target, guesses[0].parts) == (target, parts)


def test_how_often_copies_are_right(table):
    """By what words look like: here names are copied, other words are not."""
    words = [SeenOnce(f"Nam{chr(97 + n)}", frozenset({f"Nam{chr(97 + n)}"}), n) for n in range(8)]
    words += [SeenOnce(f"wort{chr(97 + n)}", frozenset({"word"}), n) for n in range(8)]
    words += [SeenOnce(f"{n}-x", frozenset({f"{n}-x"} if n % 2 else {"x"}), n) for n in range(8)]
    judged_ones, copies = judge(words, lambda _: [], lambda _: 0.0)
    assert copies == pytest.approx({"lower": 0.1, "capital": 0.9, "other": 0.5})
    guesser = Guesser(table, Guesses({}, ("",), judged_ones, copies))
    assert guesser.probability("Xaver", "Xaver") == pytest.approx(0.9)
    assert guesser.probability("xaver", "x") is None
    assert Guesser(table, Guesses({}, ("",))).probability("Xaver", "Xaver") is None


def test_a_guess_pays_for_what_it_drops(tmp_path):
    """*Busfahrers* was seen as "bus" and as "bus driver"; "bus" is what *Bus* is."""
    numbers = {"phrase_ef": -0.7, "phrase_fe": -0.7, "lexical_ef": -0.1}
    worse = {**numbers, "lexical_ef": -7.0}
    rules = [
        Rule(source, target, links=((0, 0),), features=each, count=5.0, source_count=5.0,
             target_count=5.0)
        for source, target, each in (
            (("Busfahrers",), ("bus",), numbers), (("Busfahrers",), ("bus", "driver"), worse),
            (("Bus",), ("bus",), numbers),
        )
    ]  # fmt: skip
    table = RuleTable.build(tmp_path / "rules", rules)
    guess = Guesser(table, Guesses({"": {"s": 30}}, ("",))).guess("Busfahrer")
    assert [each.target for each in guess] == ["bus driver"]


def test_a_short_stem_is_less_likely(table):
    """*rauf* may be *raufen*, but shares less with it than *traurig* with *traurigen*."""
    learnt = Guesses({"": {"en": 300}}, ("",))
    judgement = GroupJudgement()
    candidates = Candidates(table, learnt.endings, learnt.between)
    (one,) = candidates("klein")
    short = Candidate(one.target, one.group, one.parts, (*one.evidence[:2], 0.6, *one.evidence[3:]),
                      one.rules)  # fmt: skip
    assert judgement.probability(short) < judgement.probability(one)


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
    assert again("Schneedecke") == ["snow ceiling", "snow blanket"]


def test_files(guesses, table, tmp_path):
    seen = [SeenOnce("still", frozenset({"quiet"}), 1), SeenOnce("Schneedecke", frozenset(), 2)]
    judged_ones, copies = judge(seen, find_in(table, guesses), lambda _: 0.0)
    for each in (guesses, replace(guesses, judged=judged_ones, copies=copies)):
        each.save(tmp_path / "guesses.json")
        assert Guesses.load(tmp_path / "guesses.json") == each


@pytest.mark.parametrize("capitals", [True, False])
def test_files_of_version_1(tmp_path, capitals):
    """They have no judgement but the one on words with a capital."""
    path = tmp_path / "guesses.json"
    old = {"format": "rosewood-guesses", "version": 1, "endings": {"": {"s": 9}, "s": {"": 9}},
           "between": ["", "s"], "capitals": capitals}  # fmt: skip
    path.write_text(json.dumps(old), encoding="utf-8")
    read = Guesses.load(path)
    assert read == Guesses({"": {"s": 9}, "s": {"": 9}}, ("", "s"), capitals=capitals)
    read.save(path)
    assert Guesses.load(path) == read


V2 = '{"format": "rosewood-guesses", "version": 2, "endings": {}, "between": [], "judged": '


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"format": "rosewood-guesses", "version": 3}', "\x00",
     '{"format": "rosewood-guesses", "version": 1, "endings": [], "between": []}',
     '{"format": "rosewood-guesses", "version": 1, "endings": {"a": 1}, "between": []}',
     '{"format": "rosewood-guesses", "version": 1, "endings": {}, "between": []}',
     V2 + '[]}', V2 + '{"x": {}}}', V2 + '{"signs": {"weights": [1]}}}', V2 + '{}}',
     V2 + '{}, "copies": {"x": 1}}', V2 + '{}, "copies": {"lower": "x"}}'],
)  # fmt: skip
def test_bad_files_are_refused(text, tmp_path):
    path = tmp_path / "guesses.json"
    path.write_text(text, encoding="utf-8")
    with refuses(FormatError, "file.format"):
        Guesses.load(path)


def test_nothing_is_learnt_of_nothing():
    assert Guesses.learn([]) == Guesses({}, ("",))
