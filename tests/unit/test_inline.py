"""Translations within the text: spans and escapes, in words and in raw text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import refuses

from rosewood.corpus import TextProcessor, make_tokeniser
from rosewood.decode import Forced
from rosewood.decode.inline import lift_spans, parse_spans
from rosewood.errors import DecodingError

ENGLISH = TextProcessor(make_tokeniser("unicode", language="en"))


@pytest.mark.parametrize(
    ("text", "words", "spans"),
    [
        ("das haus", "das haus", ()),
        ("", "", ()),
        ('<x translation="the house">das haus</x>', "das haus", (Forced(0, 2, ("the house",)),)),
        ("ein <n translation='a||an  A'>ein</n> .", "ein ein .", (Forced(1, 2, ("a", "an A")),)),
        ('a <x translation="">b</x>', "a b", (Forced(1, 2, ("",)),)),
        (
            '<x translation="y" soft="true">b</x><x soft="false" translation="z">c</x>d',
            "b c d",
            (Forced(0, 1, ("y",), exclusive=False), Forced(1, 2, ("z",))),
        ),
        ("a &lt; b &amp; &#124;&#x7C; &quot;&apos; &gt; >", "a < b & || \"' > >", ()),
        ('<x translation="&lt;b&gt; &quot;&#124;&#124;">b</x>', "b", (Forced(0, 1, ('<b> "||',)),)),
    ],
)
def test_words_and_spans(text, words, spans):
    assert parse_spans(text) == (tuple(words.split()), spans)


TWICE = '<x translation="y" translation="z">'
BAD = [
    ("a <b> c", "inline.no-translation", "<b>"),
    ("a < c", "inline.bracket", 3),
    ("a <x translation=y>b</x>", "inline.bracket", 3),
    ("a </x>", "inline.unopened", "</x>"),
    ('<x translation="y">a</z>', "inline.unopened", "</z>"),
    ('<x translation="y">a', "inline.unclosed", "x"),
    ('<x translation="y"> </x>', "inline.empty", "</x>"),
    ('<x translation="y">a <z translation="y">b</z></x>', "inline.nested", '<z translation="y">'),
    (f"{TWICE}a</x>", "inline.attribute", TWICE),
    ('<x translation="y||y">a</x>', "inline.duplicate", '<x translation="y||y">'),
    ('<x translation="y" soft="maybe">a</x>', "argument.choice", "maybe"),
    ("a & b", "inline.escape", "&"),
    ("a&b;", "inline.escape", "&b;"),
    ("&lt", "inline.escape", "&lt"),
    ("&#55296;", "inline.escape", "&#55296;"),
    ("&#0;", "inline.escape", "&#0;"),
]


@pytest.mark.parametrize(("text", "code", "value"), BAD)
def test_what_is_refused(text, code, value):
    with refuses(DecodingError, code, value=value):
        parse_spans(text)


@given(st.lists(st.text(min_size=1).filter(lambda word: not set(word) & set(" \t")), max_size=5))
def test_escaped_words_come_back(words):
    escaped = " ".join(
        word.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for word in words
    )
    assert parse_spans(escaped) == (tuple(words), ())


@given(st.text(alphabet='<x/ translation="a||b">&;lt', max_size=40))
def test_nonsense_is_refused_or_read(text):
    try:
        words, spans = parse_spans(text)
    except DecodingError:
        return
    assert all(0 <= span.begin < span.end <= len(words) for span in spans)


def test_raw_text_keeps_its_other_tags():
    raw = 'Ein <i>kleines <x translation="Big House">Haus</x></i>, <b>hier</b>.'
    plain = ENGLISH.encode("Ein <i>kleines Haus</i>, <b>hier</b>.")
    encoded, spans = lift_spans(ENGLISH.encode(raw), ENGLISH)
    assert encoded == plain
    assert spans == (Forced(2, 3, ("Big House",)),)


@pytest.mark.parametrize(
    ("raw", "without"),
    [
        ('a <x translation="y">b</x> c', "a b c"),
        ('a<x translation="y"> b </x>c', "a b c"),
        ('a <x translation="y"><i>b</i></x> c', "a <i>b</i> c"),
        ('<x translation="y">a</x>', "a"),
        ("<i>a</i> b", "<i>a</i> b"),
    ],
)
def test_spaces_stay(raw, without):
    encoded, spans = lift_spans(ENGLISH.encode(raw), ENGLISH)
    assert encoded == ENGLISH.encode(without)
    assert len(spans) == ("<x" in raw)
    assert ENGLISH.decode(encoded.words, encoded) == without


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ('a <x translation="y">b', "inline.unclosed"),
        ('a <x translation="y"></x> b', "inline.empty"),
        ('<x translation="y">a <z translation="v">b</z></x>', "inline.nested"),
        ('<x translation="&bad;y&">a</x>', "inline.escape"),
        ('<x translation="<b>">a</x>', "glossary.tag"),
    ],
)
def test_raw_spans_that_are_refused(raw, code):
    with refuses(DecodingError, code):
        lift_spans(ENGLISH.encode(raw), ENGLISH)
