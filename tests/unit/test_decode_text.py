"""Raw text through a decoder: tags, placeholders, capitals, glossaries."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.decoders import PAIRS, small_decoder
from tests.refusals import refuses

from rosewood.corpus import TextProcessor, Truecaser, make_tokeniser
from rosewood.decode import Glossary, SearchSettings, TextTranslator
from rosewood.errors import DecodingError


def processors(**how):
    return [
        TextProcessor(make_tokeniser("unicode", language=code), lowercase=True, **how)
        for code in ("de", "en")
    ]


@pytest.fixture(scope="module")
def moving(tmp_path_factory):
    """A decoder that changes the order of words."""
    return small_decoder(tmp_path_factory.mktemp("text"))


@pytest.fixture(scope="module")
def decoder(moving):
    """One that does not."""
    return moving.with_settings(SearchSettings(distortion_limit=0))


@pytest.fixture(scope="module")
def translator(decoder):
    return TextTranslator(decoder, *processors())


def said(translator, text):
    (found,) = translator.translate([text])
    return found.text


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("", ""),
        ("Das Haus ist klein.", "The house is small."),
        ("Klicken Sie <b>hier</b>!", "Click <b>here</b>!"),
        ("<p>Das <b>Haus <i>ist</i></b> klein.</p>", "<p>The <b>house <i>is</i></b> small.</p>"),
        ("Hallo {name}!", "Hello {name}!"),  # the table would say somebody
        ("Hallo {name}, {name}!", "Hello {name}, {name}!"),
        ("{name} ist klein.", "{name} is small."),
        ("Das<br/><br/>Haus %s %s %d.", "The<br/><br/>house %s %s %d."),
        ("Das Zyxhaus ist klein.", "The zyxhaus is small."),  # unknown, and small as all words are
        ("Das &amp; Haus", "The &amp; house"),
        ("DAS HAUS IST KLEIN.", "THE HOUSE IS SMALL."),
        ("Das <b>Zyx</b> <a b='x>y'>ist</a>.", "The <b>zyx</b> <a b='x>y'>is</a>."),
    ],
)  # fmt: skip
def test_there_and_back(translator, text, want):
    assert said(translator, text) == want


def test_tags_follow_words_that_move(moving):
    translator = TextTranslator(moving, *processors())
    text = "Ich habe <b>den Hund</b> <i>gesehen</i>."
    assert said(translator, text) == "I have <i>seen</i> <b>the dog</b>."


def test_words_between_spaces(decoder):
    assert said(TextTranslator(decoder), "das  haus ist {name} <b> .") == (
        "the house is somebody <b> ."
    )


TAGGED = st.recursive(
    st.sampled_from(["das", "haus", "ist klein", "hier", "zyx", "{name}", "%d", "<br/>", "."]),
    lambda inner: st.builds(
        lambda name, parts: f"<{name}>{' '.join(parts)}</{name}>",
        st.sampled_from(["b", "i", "a"]),
        st.lists(inner, max_size=3),
    ),
    max_leaves=6,
)
MARKED = re.compile(r"</?[abi]>|\{name\}|%d|<br/>")


@pytest.mark.slow
@given(st.lists(TAGGED, max_size=4).map(" ".join))
def test_every_tag_and_value_comes_back_once(moving, text):
    translator = TextTranslator(moving, *processors())
    (found,) = translator.translate([text])
    assert sorted(MARKED.findall(found.text)) == sorted(MARKED.findall(text))
    assert found.lost == found.added == ()
    opened = []
    for tag in re.findall(r"</?[abi]>", found.text):  # nested as they were
        if tag[1] == "/":
            assert opened.pop() == tag[2]
        else:
            opened.append(tag[1])
    assert not opened


def test_values_of_ones_own_patterns(decoder):
    german, english = processors()
    german = TextProcessor(german.tokeniser, lowercase=True, patterns=(r"[a-z]+-\d+",))
    translator = TextTranslator(decoder, german, english)
    assert said(translator, "ab-12 ist klein.") == "ab-12 is small."  # no capital: it is a value


@pytest.mark.parametrize("one", [True, False])
@pytest.mark.parametrize("other", [True, False])
def test_joiners(decoder, one, other):
    german = TextProcessor(make_tokeniser("unicode", language="de", joiners=one), lowercase=True)
    english = TextProcessor(make_tokeniser("unicode", language="en", joiners=other), lowercase=True)
    (found,) = TextTranslator(decoder, german, english).translate(["Hallo ({name} <b>%s</b>)"])
    assert found.lost == found.added == ()
    assert found.text.count("{name}") == found.text.count("<b>%s</b>") == 1


def test_a_glossary_is_exact(decoder):
    german, english = processors()
    lines = ["Haus\tGmbH {0} House", "{name}\tnever"]
    glossary = Glossary.read(lines, source_text=german, target_text=english)
    translator = TextTranslator(decoder, german, english, glossary=glossary)
    assert said(translator, "Das <b>Haus</b> ist klein.") == "The <b>GmbH {0} House</b> is small."
    assert said(translator, "Hallo {name}!") == "Hello {name}!"  # what a value is goes first


@pytest.mark.parametrize("joiners", [False, True])
@pytest.mark.parametrize(
    ("text", "terms", "found"),
    [
        ("Das sehen Sie .", ["Sie"], {"Sie": 2}),
        ("Das sehen sie .", ["Sie"], {}),
        ("Das sehen Sie .", ["sie"], {}),
        ("Sie kommen .", ["Sie"], {"Sie": 0}),
        ("Sie kommen .", ["sie"], {"sie": 0}),
        ("Sie kommen .", ["sie", "Sie"], {"Sie": 0}),  # as it is written comes first
        ("Hier . Sie kommen .", ["sie kommen"], {"sie kommen": 2}),
        ("Das Haus ist klein .", ["das Haus"], {"das Haus": 0}),
        ("Das Haus ist klein .", ["Das Haus"], {"Das Haus": 0}),
        ("Hier ist das Haus .", ["Das Haus"], {}),
        ("Widgets sind hier .", ["widgets"], {"widgets": 0}),  # which the truecaser never saw
        ("GmbH ist hier .", ["gmbh"], {}),
        ("DAS HAUS IST KLEIN .", ["das Haus"], {"das Haus": 0}),
        ("<b>Das</b> Haus {name} .", ["das Haus", "{name}"], {"das Haus": 0}),
    ],
)
def test_capitals_of_a_glossary(decoder, joiners, text, terms, found):
    known = Truecaser({"das": 9, "sie": 5, "Haus": 9, "hier": 3, "ist": 3})
    german = TextProcessor(make_tokeniser("unicode", language="de", joiners=joiners), known)
    english = processors()[1]
    lines = [f"{term}\t{term} forced" for term in terms]
    glossary = Glossary.read(lines, source_text=german, target_text=english)
    translator = TextTranslator(decoder, german, english, glossary=glossary)
    forced = {
        " ".join(each.translations[0][:-1]): each.begin
        for each in translator.prepare(text).source.forced
        if each.translations[0][-1] == "forced"
    }
    assert forced == found


def test_capitals_count_where_nothing_changes_them(decoder):
    german = TextProcessor(make_tokeniser("unicode", language="de"))
    english = TextProcessor(make_tokeniser("unicode", language="en"))
    glossary = Glossary.read(["das Haus\tX"], source_text=german, target_text=english)
    translator = TextTranslator(decoder, german, english, glossary=glossary)
    assert translator.prepare("Das Haus").source.forced == ()
    assert len(translator.prepare("das Haus").source.forced) == 1


def test_spans_within_raw_text(decoder):
    translator = TextTranslator(decoder, *processors(), inline=True)
    text = 'Das <x translation="Big {0}||Small">Haus {name}</x> ist <b>klein</b>.'
    (found,) = translator.translate([text])
    assert found.text in ("The Big {0} is <b>small</b>.", "The Small is <b>small</b>.")
    assert found.lost == ("{name}",)
    with refuses(DecodingError, "argument.conflict", argument="inline"):
        TextTranslator(decoder, *processors(protect_tags=False), inline=True)


def test_spans_among_words(decoder):
    translator = TextTranslator(decoder, inline=True)
    assert said(translator, 'das <x translation="X  Y">haus ist</x> klein') == "the X Y small"
    with refuses(DecodingError, "inline.unopened", value="</x>"):
        translator.prepare("das </x>")


def test_values_that_rules_bring_are_told(tmp_path):
    noisy = [pair for pair in PAIRS if pair[0] != "hallo"] + [("hallo", "hello {0}")]
    translator = TextTranslator(small_decoder(tmp_path, noisy), *processors())
    (found,) = translator.translate(["Hallo {name}!"])
    assert (found.lost, found.added) == ((), ("{0}",))


def test_a_reference(translator):
    prepared = translator.prepare("Das Haus ist klein.", "The building is little.")
    found = translator.decoder.search(prepared.source)
    assert found.report.reachable
    assert translator.text_of(found.best, prepared).text == "The building is little."
    prepared = translator.prepare("Das Haus ist klein.", "A building.")
    found = translator.decoder.search(prepared.source)
    assert not found.report.reachable
    assert translator.text_of(found.best, prepared).text == ""


def test_threads_and_order(translator):
    texts = [f"Das <b>Haus</b> %d{'!' * n}" for n in range(70)]
    one = [each.text for each in translator.translate(texts)]
    assert one == [each.text for each in translator.translate(texts, threads=2)]
    assert one[0] == "The <b>house</b> %d"


def test_what_is_refused(decoder):
    german, _ = processors()
    with refuses(DecodingError, "argument.missing", argument="target"):
        TextTranslator(decoder, german)
    with refuses(DecodingError, "argument.type", argument="lines", value="das haus"):
        TextTranslator(decoder).translate("das haus")
    with refuses(DecodingError, "argument.type", argument="glossary"):
        TextTranslator(decoder, glossary={"haus": "house"})
