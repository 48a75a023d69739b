"""The phrasebook's languages: forms of words, and clauses in all their orders."""

from __future__ import annotations

import pytest

from rosewood.corpus.phrasebook.english import English
from rosewood.corpus.phrasebook.english_forms import EnglishVerb, plural_of, with_article
from rosewood.corpus.phrasebook.german import German
from rosewood.corpus.phrasebook.german_forms import GermanAdjective, GermanNoun, GermanVerb
from rosewood.corpus.phrasebook.japanese import Japanese
from rosewood.corpus.phrasebook.japanese_forms import JapaneseAdjective, JapaneseVerb
from rosewood.corpus.phrasebook.lexicon import lexicon
from rosewood.corpus.phrasebook.meaning import HE, ME, SHE, YOU, Clause, NounPhrase, Placed, Spoken
from rosewood.corpus.phrasebook.names import clock
from rosewood.corpus.phrasebook.tokens import links_of


def first() -> float:
    """Chance that always takes the first and most usual way."""
    return 0.0


def verb(english, german):
    return next(
        each
        for each in lexicon().verbs.items
        if each.english.base == english
        and any(form.prefix + form.infinitive == german for form in each.german.items)
    )


def noun(english):
    return next(
        each
        for nouns in lexicon().nouns.values()
        for each in nouns.items
        if " ".join(each.english) == english
    )


def adjective(english, noun_class):
    found = lexicon().predicates[noun_class].items
    return next(each for each in found if each.english == english)


def spoken(base, section, english):
    for each in lexicon().adverbials[section].items:
        if " ".join(token[0] for token in each.english) == english:
            return Spoken(base, each)
    raise AssertionError(english)


def pronoun(which, base):
    return NounPhrase(base, "pronoun", which)


def text(tokens):
    return " ".join(token[0] for token in tokens)


def calling(**more):
    """I call you tomorrow."""
    return Clause(
        128,
        pronoun(ME, 192),
        verb("call", "anrufen"),
        object=pronoun(YOU, 256),
        time=spoken(320, "time future", "tomorrow"),
        **more,
    )


@pytest.mark.parametrize(
    ("clause", "form", "wanted"),
    [
        (calling(), "main", "ich rufe dich morgen an"),
        (calling(), "inv", "rufe ich dich morgen an"),
        (calling(), "sub", "ich dich morgen anrufe"),
        (calling(), "zu", "dich morgen anzurufen"),
        (calling(), "inf", "dich morgen anrufen"),
        (calling(tense="future", modal=""), "sub", "ich dich morgen anrufen werde"),
        (calling(modal="must"), "main", "ich muss dich morgen anrufen"),
        (calling(modal="must"), "sub", "ich dich morgen anrufen muss"),
        (calling(tense="perfect"), "main", "ich habe dich morgen angerufen"),
        (calling(tense="past", modal="want"), "main", "ich wollte dich morgen anrufen"),
        (calling(is_negative=True), "main", "ich rufe dich morgen nicht an"),
        (calling(modal="like"), "main", "ich rufe dich morgen gern an"),
        (calling(modal="like", is_negative=True), "main", "ich rufe dich morgen nicht gern an"),
    ],
)
def test_german_clauses(clause, form, wanted):
    assert text(German(first).clause(clause, form, ())) == wanted


@pytest.mark.parametrize(
    ("clause", "form", "wanted"),
    [
        (calling(), "masu", "watashi wa ashita anata ni denwa shimasu"),
        (calling(is_negative=True), "masu", "watashi wa ashita anata ni denwa shimasen"),
        (calling(tense="past"), "masu", "watashi wa ashita anata ni denwa shimashita"),
        (calling(tense="past"), "plain", "watashi ga ashita anata ni denwa shita"),
        (calling(tense="progressive"), "masu", "watashi wa ashita anata ni denwa shite imasu"),
        (calling(modal="want"), "masu", "watashi wa ashita anata ni denwa shitai desu"),
        (calling(modal="can"), "masu", "watashi wa ashita anata ni denwa dekimasu"),
        (
            calling(modal="must"),
            "masu",
            "watashi wa ashita anata ni denwa shinakereba narimasen",
        ),
        (calling(), "tara", "watashi ga ashita anata ni denwa shitara"),
        (calling(), "dict", "ashita anata ni denwa suru"),
        (calling(), "attr", "ashita watashi ga anata ni denwa suru"),
        (calling(), "let", "ashita anata ni denwa shimashō"),
        (
            calling(modal="should", is_negative=True),
            "masu",
            "watashi wa ashita anata ni denwa shinai hō ga ii desu",
        ),
    ],
)
def test_japanese_clauses(clause, form, wanted):
    assert text(Japanese(first).clause(clause, form, ())) == wanted


@pytest.mark.parametrize(
    ("clause", "form", "wanted"),
    [
        (calling(), "statement", "I call you tomorrow"),
        (calling(is_negative=True), "statement", "I do not call you tomorrow"),
        (calling(tense="past"), "question", "did I call you tomorrow"),
        (calling(tense="perfect"), "statement", "I have called you tomorrow"),
        (calling(tense="progressive"), "question", "am I calling you tomorrow"),
        (
            calling(modal="must", is_negative=True),
            "statement",
            "I do not have to call you tomorrow",
        ),
        (calling(modal="would like"), "statement", "I would like to call you tomorrow"),
        (calling(), "to", "to call you tomorrow"),
        (calling(), "imperative", "call you tomorrow"),
    ],
)
def test_english_clauses(clause, form, wanted):
    assert text(English(first).clause(clause, form, ())) == wanted


def test_links_follow_the_guidelines():
    clause = calling(tense="past")
    english = English(first).clause(clause, "statement", ())  # I called you tomorrow
    german = German(lambda: 0.5).clause(clause, "sub", ())  # ich dich morgen angerufen habe
    sure, possible = links_of(english, german)
    assert sure == {(0, 0), (1, 3), (2, 1), (3, 2)}
    assert possible - sure == {(1, 4)}  # the auxiliary has no word of its own in English
    german = German(first).clause(calling(), "main", ())  # ich rufe dich morgen an
    sure, _ = links_of(English(first).clause(calling(), "statement", ()), german)
    assert {(1, 1), (1, 4)} < sure  # both parts of a separable verb


def test_relative_clauses():
    book = NounPhrase(192, "noun", noun=noun("book"), determiner="the", adjective=None)
    relative = NounPhrase(256, "relative", head=book)
    book.relative = Clause(
        320, pronoun(SHE, 384), verb("buy", "kaufen"), relative=relative, tense="past"
    )
    clause = Clause(128, pronoun(HE, 448), verb("read", "lesen"), object=book)
    assert (
        text(English(first).clause(clause, "statement", ())) == "he reads the book that she bought"
    )
    german = German(lambda: 0.3).clause(clause, "sub", ())
    assert text(german) == "er das Buch , das sie gekauft hat , liest"
    assert (
        text(Japanese(first).clause(clause, "masu", ())) == "kare wa kanojo ga katta hon o yomimasu"
    )


def phrase(english, determiner, **more):
    return NounPhrase(192, "noun", noun=noun(english), determiner=determiner, **more)


@pytest.mark.parametrize(
    ("found", "case", "wanted"),
    [
        (phrase("man", "the"), "acc", "den Mann"),
        (phrase("man", "a"), "dat", "einem Mann"),
        (phrase("boy", "the"), "acc", "den Jungen"),
        (phrase("student", "a"), "dat", "einem Studenten"),
        (phrase("child", "the", is_plural=True), "dat", "den Kindern"),
        (phrase("woman", "this"), "dat", "dieser Frau"),
        (phrase("friend", "many", is_plural=True), "dat", "vielen Freunden"),
        (phrase("book", "a", adjective=adjective("new", "thing")), "acc", "ein neues Buch"),
        (phrase("book", "the", adjective=adjective("new", "thing")), "acc", "das neue Buch"),
        (phrase("letter", "a", adjective=adjective("new", "thing")), "nom", "ein neuer Brief"),
        (phrase("milk", "", adjective=adjective("cold", "drink")), "acc", "kalte Milch"),
        (phrase("book", "number", count=3, is_plural=True), "nom", "drei Bücher"),
        (phrase("dog", "owner", owner=pronoun(YOU, 256)), "acc", "deinen Hund"),
        (phrase("dog", "owner", owner=NounPhrase(256, "name", name="Anna")), "nom", "Annas Hund"),
        (
            phrase("dog", "owner", owner=NounPhrase(256, "name", name="Max")),
            "nom",
            "der Hund von Max",
        ),
        (
            phrase(
                "dog", "owner", owner=NounPhrase(256, "noun", noun=noun("child"), determiner="the")
            ),
            "dat",
            "dem Hund des Kindes",
        ),
    ],
)
def test_german_noun_phrases(found, case, wanted):
    assert text(German(first).noun_phrase(found, case)) == wanted


def test_contracted_prepositions():
    for place, determiner, case, wanted in (
        ("garden", "the", "dat", "im Garten"),
        ("garden", "a", "dat", "in einem Garten"),
        ("school", "the", "dat", "in der Schule"),
        ("cinema", "the", "acc", "ins Kino"),
    ):
        found = Placed(phrase(place, determiner), "in", "in", case, "de")
        assert text(German(first).placed(found)) == wanted
    contracted = German(first).placed(Placed(phrase("garden", "the"), "in", "in", "dat", "de"))
    english = English(first).placed(Placed(phrase("garden", "the"), "in", "in", "dat", "de"))
    assert links_of(english, contracted)[0] == {(0, 0), (1, 0), (2, 1)}


def test_japanese_noun_phrases():
    japanese = Japanese(first)
    for found, wanted in (
        (phrase("dog", "number", count=3, is_plural=True), "sanbiki no inu o"),
        (phrase("book", "number", count=37, is_plural=True), "37 satsu no hon o"),
        (phrase("mother", "owner", owner=pronoun(ME, 256)), "watashi no haha o"),
        (phrase("mother", "owner", owner=pronoun(HE, 256)), "kare no okāsan o"),
        (phrase("car", "the", adjective=adjective("old", "thing")), "furui kuruma o"),
        (phrase("man", "a", adjective=adjective("old", "person")), "toshi o totta otoko no hito o"),
        (phrase("park", "this", adjective=adjective("quiet", "place")), "kono shizuka na kōen o"),
    ):
        assert text(japanese.noun_phrase(found, "o")) == wanted


@pytest.mark.parametrize(
    ("entry", "present", "participle", "imperative"),
    [
        ("kaufen", "kaufe kaufst kauft kaufen kauft kaufen", "gekauft", "kauf"),
        ("warten", "warte wartest wartet warten wartet warten", "gewartet", "warte"),
        ("rechnen", "rechne rechnest rechnet rechnen rechnet rechnen", "gerechnet", "rechne"),
        ("wohnen", "wohne wohnst wohnt wohnen wohnt wohnen", "gewohnt", "wohn"),
        ("lächeln", "lächle lächelst lächelt lächeln lächelt lächeln", "gelächelt", "lächle"),
        ("reisen", "reise reist reist reisen reist reisen", "gereist", "reis"),
        ("lesen las gelesen liest", "lese liest liest lesen lest lesen", "gelesen", "lies"),
        ("geben gab gegeben gibt", "gebe gibst gibt geben gebt geben", "gegeben", "gib"),
        ("ein_laden lud geladen lädt", "lade lädst lädt laden ladet laden", "eingeladen", "lade"),
        ("raten riet geraten rät", "rate rätst rät raten ratet raten", "geraten", "rate"),
        ("bezahlen", "bezahle bezahlst bezahlt bezahlen bezahlt bezahlen", "bezahlt", "bezahl"),
        ("kopieren", "kopiere kopierst kopiert kopieren kopiert kopieren", "kopiert", "kopiere"),
    ],
)  # fmt: skip
def test_german_verbs(entry, present, participle, imperative):
    found = GermanVerb.parse(entry)
    assert " ".join(found.present) == present
    assert (found.participle, found.imperative) == (participle, imperative)


def test_german_nouns_and_adjectives():
    assert GermanNoun.parse("Kind n Kinder").singular == ("Kind", "Kind", "Kind", "Kindes")
    assert GermanNoun.parse("Kind n Kinder").plural == ("Kinder", "Kinder", "Kindern", "Kinder")
    assert GermanNoun.parse("Auto n Autos").plural == ("Autos",) * 4
    assert GermanNoun.parse("Auto n Autos").singular[3] == "Autos"
    assert GermanNoun.parse("Student m Studenten weak").singular[1] == "Studenten"
    assert GermanNoun.parse("Bär m Bären weak").singular == ("Bär", "Bären", "Bären", "Bären")
    assert GermanNoun.parse("Milch f -").plural is None
    assert GermanAdjective.parse("teuer/teur").with_ending("es") == "teures"
    assert GermanAdjective.parse("müde").with_ending("er") == "müder"
    assert GermanAdjective.parse("lila!").with_ending("es") == "lila"


@pytest.mark.parametrize(
    ("entry", "forms"),
    [
        ("yomu", "yomi yoma yonde yome yonda"),
        ("kau", "kai kawa katte kae katta"),
        ("hanasu", "hanashi hanasa hanashite hanase hanashita"),
        ("matsu", "machi mata matte mate matta"),
        ("iku", "iki ika itte ike itta"),
        ("kaku", "kaki kaka kaite kake kaita"),
        ("oyogu", "oyogi oyoga oyoide oyoge oyoida"),
        ("taberu=", "tabe tabe tabete taberare tabeta"),
        ("benkyō suru", "shi shi shite deki shita"),
        ("kuru", "ki ko kite korare kita"),
    ],
)
def test_japanese_verbs(entry, forms):
    found = JapaneseVerb.parse(entry)
    parts = (found.masu, found.nai, found.te, found.potential, found.past)
    assert " ".join(parts) == forms


def test_japanese_predicates():
    japanese = Japanese(first)
    for found, is_negative, tense, wanted in (
        ("ōkii", False, "present", "kare wa ōkii desu"),
        ("ōkii", True, "past", "kare wa ōkikunakatta desu"),
        ("ii", False, "past", "kare wa yokatta desu"),
        ("shizuka+na", True, "present", "kare wa shizuka dewa arimasen"),
        ("shizuka+na", False, "past", "kare wa shizuka deshita"),
        ("tsukareru=+ta", False, "present", "kare wa tsukarete imasu"),
    ):
        parsed = JapaneseAdjective.parse(found)
        one = next(
            each
            for adjectives in lexicon().predicates.values()
            for each in adjectives.items
            if any(other.words == parsed.words for other in each.japanese.items[:1])
            and (parsed.verb is None or each.english == "tired")
        )
        clause = Clause(128, pronoun(HE, 192), predicate=one, predicate_base=256, tense=tense)
        clause.is_negative = is_negative
        assert text(japanese.clause(clause, "masu", ())) == wanted


def test_english_forms():
    assert [plural_of(word) for word in ("bus", "story", "boy", "photo", "potato", "dish")] == [
        "buses", "stories", "boys", "photos", "potatoes", "dishes"
    ]  # fmt: skip
    assert [with_article(word) for word in ("hour", "university", "egg", "house", "old")] == [
        "an", "a", "an", "a", "an"
    ]  # fmt: skip
    stop = EnglishVerb.parse("hug")
    assert (stop.past, stop.gerund, stop.third) == ("hugged", "hugging", "hugs")
    lie = EnglishVerb.parse("lie/lay/lain down")
    assert (lie.gerund, lie.participle, lie.particle) == ("lying", "lain", ("down",))
    assert EnglishVerb.parse("look +for").bound == ("for",)
    assert EnglishVerb.parse("travel").past == "travelled"


def test_no_participle_of_the_lexicon_has_two_prefixes():
    forms = [german.participle for verb in lexicon().verbs.items for german in verb.german.items]
    assert "vertraut" in forms
    assert [form for form in forms if form.startswith(("gever", "gezer", "geent", "geemp"))] == []


def test_what_english_has_in_the_plural_only_is_never_a_subject():
    subjects = {verb.subject for verb in lexicon().verbs.items} | {"thing"}
    for nouns in lexicon().nouns.values():
        for each in nouns.items:
            if not each.plural and each.english[-1] in ("glasses", "scissors"):
                assert not each.classes & subjects


def test_half_past_nine_is_not_surely_halb_zehn():
    half_past = iter((0.7, 0.5)).__next__  # nine o'clock and a half
    found = clock(half_past)
    sure, possible = links_of(found.english, found.german.items[0])
    assert [word for word, *_ in found.german.items[0]] == ["um", "halb", "zehn"]
    assert (3, 2) in possible - sure
