"""Text whose capitals are lost: noticed by the sentence, cased by neighbours and endings."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosewood.corpus import TextProcessor, Truecaser, make_tokeniser
from rosewood.corpus.text.casing import Caser
from rosewood.corpus.text.truecase import CaseCounts, ends_sentence

TEXT = [
    "Heute spielt ein Mann auf der Gitarre, und die Frau sieht den Mann.",
    "Dann spielt der Mann mit dem Hund im Garten auf der Straße, nicht die Frau mit der Gitarre.",
    "Sie will das Essen, und wir essen das Brot; das Essen ist gut.",
    "Jetzt will die Frau das Essen und der Mann, wir essen nicht.",
    "Im Garten ist die NATO, und die Zeitung, die Hoffnung und die Leitung sind gut.",
    "Ja, ein Haus mit einem Garten ist auf der Straße, und die Frau spielt mit dem Hund.",
    "Nein, das BMX-Rad und das T-Shirt sind im Haus; und sie sieht die Zeitung.",
] * 8


@pytest.fixture(scope="module")
def german():
    return TextProcessor(make_tokeniser(language="de")).learned(TEXT)


@pytest.fixture(scope="module")
def caser(german):
    return Caser(german.truecaser)


def first(caser, german, text):
    found = caser.readings(german.tokens(text))
    return None if found is None else (found.kind, " ".join(found.words[0]))


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("ein mann spielt gitarre", "lower", "ein Mann spielt Gitarre"),
        ("Ein mann spielt gitarre", "lower", "ein Mann spielt Gitarre"),
        ("EIN MANN SPIELT GITARRE", "upper", "ein Mann spielt Gitarre"),
        ("Ein Mann Spielt Mit Der Frau Auf Der Gitarre", "title",
         "ein Mann spielt mit der Frau auf der Gitarre"),
        ("Der Mann Sieht Und Spielt auf der Gitarre", "title",
         "der Mann sieht und spielt auf der Gitarre"),
        ("Ein Mann Spielt Gitarre", "title", "ein Mann spielt Gitarre"),
        ("Ein Mann Spielt Gitarre.", "title", "ein Mann spielt Gitarre ."),
        ("Er Sieht Zeitung", "title", "er sieht Zeitung"),
        ("Sie Ist Zeitung.", "title", "sie ist Zeitung ."),
        ("Der Mann ist auf der GITARRE, NICHT die Frau", "words",
         "der Mann ist auf der Gitarre , nicht die Frau"),
        ("Die frau sieht den Hund auf der gitarre.", "words",
         "die Frau sieht den Hund auf der Gitarre ."),
        ("garten", "lower", "Garten"),
        ("sie will das essen und wir essen brot", "lower",
         "sie will das Essen und wir essen Brot"),
        ("AUF DER STRASSE", "upper", "auf der Straße"),
        ("die zeitung, die meinung und der mann", "lower",
         "die Zeitung , die Meinung und der Mann"),
        ("das bmx-rad und ein garten-t-shirt", "lower", "das BMX-Rad und ein Garten-T-Shirt"),
        ("die nato und der mann", "lower", "die NATO und der Mann"),
        # Nothing is lost:
        ("Die Frau Sieht Und Spielt sehr gut mit", None, None),  # no title: words are small
        ("Ein Mann spielt Gitarre.", None, None),
        ("ein Mann spielt Gitarre", None, None),
        ("wir essen", None, None),  # small, but so it may be
        ("Der Mann sieht Herrn Gut.", None, None),  # a name
        ("Guten Morgen", None, None),
        ("Angela Merkel", None, None),
        ("Angela Merkel Müller", None, None),
        ("Die Frau Meier", None, None),
        ("Die UNO und die NATO", None, None),
        ("Das ist GUT.", None, None),  # as abbreviations are written
        ("unbekannt", None, None),
        ("", None, None),
        ("123 {name}", None, None),
        ("我 spielt gitarre mann frau", None, None),  # another script
        ("男の人がギターを弾く", None, None),
    ],
)  # fmt: skip
def test_what_is_lost_comes_back(caser, german, text, kind, words):
    assert first(caser, german, text) == (None if words is None else (kind, words))


def test_names_of_words_that_are_usually_small():
    text = ["He read it in the newspaper many times, and it was new to him in York"] * 20
    text += ["He read the New York Times in York"]
    text += [f"there are many words such as word{k % 80} and word{k % 70}" for k in range(400)] * 9
    processor = TextProcessor(make_tokeniser(language="en")).learned(text)
    caser = Caser(processor.truecaser)
    for name in ("New York Times", "New York Times.", "The New York Times", "Meier Times York"):
        assert first(caser, processor, name) is None
    assert first(caser, processor, "There Are Newspaper Words")[0] == "title"


def test_further_readings_where_a_form_is_not_certain(caser, german):
    found = caser.readings(german.tokens("mann essen garten"))
    assert [" ".join(each) for each in found.words] == ["Mann Essen Garten", "Mann essen Garten"]
    assert len(caser.readings(german.tokens("essen essen essen essen mann garten")).words) == 3
    assert len(caser.readings(german.tokens("ein mann spielt gitarre")).words) == 1


def test_small_words_that_are_all_known_are_a_reading_too():
    text = ["Er sagt: alle Mann an Bord und alle Mann an Land"] * 20 + ["so alle mann an bord"]
    processor = TextProcessor(make_tokeniser(language="de")).learned(text)
    found = Caser(processor.truecaser).readings(processor.tokens("alle mann an bord"))
    assert [" ".join(each) for each in found.words[:2]] == [
        "alle Mann an Bord",
        "alle mann an bord",
    ]


def test_encoded_texts(caser, german):
    def encoded(text):
        return german.readings(text, caser)[0]

    assert german.readings("ein mann", None) == [german.encode("ein mann")]
    assert not encoded("ein mann spielt gitarre").has_capital  # as it was
    assert encoded("ein mann spielt gitarre.").has_capital  # a sentence
    assert encoded("(„ein mann spielt gitarre!“)").has_capital
    assert not encoded("wir essen.").has_capital  # too short to tell
    assert not encoded("wir essen und sehen nicht").has_capital  # nothing is lost
    assert encoded("wir essen und sehen nicht.").has_capital  # a sentence without any capital
    assert encoded("EIN MANN SPIELT").is_shouted
    assert not encoded("Ein Mann Spielt Mit Der Frau").is_shouted
    tagged = encoded("ein <b>mann</b> mit {gitarre} und GITARRE und %d hund")
    assert tagged.words == (
        "ein", "Mann", "mit", "{gitarre}", "und", "Gitarre", "und", "%d", "Hund",
    )  # fmt: skip
    assert [tag.text for tag in tagged.tags] == ["<b>", "</b>"]


def test_earlier_files_know_one_form_of_each_word(german):
    table = german.truecaser.to_dict()
    old = Truecaser.from_dict({name: table[name] for name in ("language", "forms")})
    assert old.others is None
    caser = Caser(old)
    assert first(caser, german, "ein mann spielt gitarre") == ("lower", "ein Mann spielt Gitarre")
    assert first(caser, german, "Die frau und der Mann.") is None  # it may well be a form


def test_counts_of_neighbours():
    counts = CaseCounts.of([["x", "das", "Essen"], ["x", "wir", "essen", "Das"]], "de")
    assert counts.before == {("Essen", "das"): 1, ("essen", "wir"): 1,
                             ("das", "x"): 1, ("Das", "essen"): 1}  # fmt: skip
    assert counts.after["Essen", ""] == counts.after["essen", "das"] == 1
    assert CaseCounts.from_plain(counts.to_plain()) == counts
    twice = CaseCounts.of([["x", "das", "Essen"], ["x", "wir", "essen", "Das"]], "de")
    twice.update(counts)
    learned = Truecaser.from_counts(twice, language="de")
    assert learned.forms["essen"] == learned.others["Essen"] == 2
    assert learned.before["essen"] == {"wir": 2}
    none = CaseCounts.of([["x", "das", "Das"]], neighbours=False)
    assert none.forms == {"das": 1, "Das": 1}
    assert not none.before
    rare = Truecaser.from_counts(CaseCounts(Counter({"das": 5000, "Das": 1})))
    assert rare.others == {}


def test_turkish_letters():
    text = ["Bugün Irmak ve İzmir güzel, ılık bir gün ve ırmak"] * 20
    processor = TextProcessor(make_tokeniser(language="tr")).learned(text)
    caser = Caser(processor.truecaser)
    assert first(caser, processor, "izmir güzel") == ("lower", "İzmir güzel")
    assert first(caser, processor, "İZMİR ILIK") == ("upper", "İzmir ılık")


def test_ends_of_sentences():
    assert ends_sentence(["ja", ".", "“"])
    assert not ends_sentence(["ja", ",", "“"])
    assert not ends_sentence([])


WORDS = ["Mann", "mann", "MANN", "ein", "Ein", "spielt", "Spielt", "Gitarre", "gitarre", "essen",
         "Essen", "NICHT", "nicht", "Straße", "STRASSE", "und", "Und", "x-y", "unbekannt",
         "Unbekannt", ".", ",", "0", "我", "„", "“"]  # fmt: skip


@given(st.lists(st.one_of(st.sampled_from(WORDS), st.text(min_size=1, max_size=6)), max_size=12))
def test_nothing_but_case_changes_and_only_once(words):
    caser = _caser()
    found = caser.readings(words)
    if found is None:
        return
    for each in found.words:
        assert [a.casefold() for a in each] == [b.casefold() for b in words]
    if found.kind != "words":  # gitarre Und Ein: a title, when the first word is Gitarre
        again = caser.readings(found.words[0])
        assert again is None or again.words[0] == found.words[0]


@given(st.lists(st.sampled_from(TEXT[:7]), min_size=1, max_size=3))
def test_ordinary_sentences_are_left_alone(sentences):
    assert _caser().readings(_german().tokens(" ".join(sentences))) is None


def _german():
    return TextProcessor(make_tokeniser(language="de")).learned(TEXT)


def _caser(made=[]):  # noqa: B006  # it is made once
    if not made:
        made.append(Caser(_german().truecaser))
    return made[0]
