"""Glossaries: what is read, what is refused, and which words an entry is for."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.decoders import small_decoder
from tests.refusals import refuses

from rosewood.corpus import TextProcessor, Truecaser, make_tokeniser
from rosewood.decode import Forced, Glossary, GlossaryEntry, Source
from rosewood.errors import DecodingError, FormatError

LINES = [
    "haus\thome", "das haus\tthe house", "das haus\tthe home", "", "klein\ttiny\tsoft", "eben\t",
]  # fmt: skip


def test_entries():
    glossary = Glossary.read(LINES)
    assert list(glossary) == [
        GlossaryEntry(("haus",), ("home",)),
        GlossaryEntry(("das", "haus"), ("the house", "the home")),
        GlossaryEntry(("klein",), ("tiny",), exclusive=False),
        GlossaryEntry(("eben",), ("",)),
    ]
    assert repr(glossary) == "Glossary(4 source phrases)"


def test_the_longest_entry_from_left_to_right():
    glossary = Glossary.read(LINES)
    assert glossary.apply(("das", "das", "haus", "haus", "ist", "klein")) == (
        Forced(1, 3, ("the house", "the home")),
        Forced(3, 4, ("home",)),
        Forced(5, 6, ("tiny",), exclusive=False),
    )
    assert glossary.apply(()) == ()
    assert glossary.apply(("das",)) == ()


def test_words_that_are_taken():
    glossary = Glossary.read(LINES)
    assert glossary.apply(("das", "haus"), taken={0}) == (Forced(1, 2, ("home",)),)
    assert glossary.apply(("das", "haus"), taken={1}) == ()


def test_compressed_files(tmp_path):
    file = tmp_path / "terms.tsv.gz"
    file.write_bytes(gzip.compress("\n".join(LINES).encode()))
    assert list(Glossary.read(file)) == list(Glossary.read(LINES))


@pytest.mark.parametrize(
    ("lines", "number", "code", "value"),
    [
        (["haus home"], 1, "line.fields", None),
        (["a\tb", "\thome"], 2, "argument.missing", None),
        (["a\tb", " \thome"], 2, "argument.missing", None),
        (["a\tb\tc"], 1, "line.value", "c"),
        (["a\tb\tsoft\td"], 1, "line.value", "4 columns"),
        (["a\tb", "c\td", "a\tb"], 3, "line.duplicate", "a"),
        (["a\tb", "a \t b"], 2, "line.duplicate", "a"),
        (["x\ty", "a\tb", "a\tc\tsoft"], 3, "line.value", "a"),
    ],
)
def test_bad_lines(lines, number, code, value):
    with refuses(FormatError, code, value=value, file="terms.tsv", line=number):
        Glossary.read(lines, file="terms.tsv")


def test_no_utf8(tmp_path):
    file = tmp_path / "terms.tsv"
    file.write_bytes(b"a\tb\n\xff\tc\n")
    with refuses(FormatError, "file.encoding"):
        Glossary.read(file)


def test_entries_at_hand():
    twice = [GlossaryEntry(("a",), ("b",)), GlossaryEntry(("a",), ("c",))]
    assert list(Glossary(twice)) == [GlossaryEntry(("a",), ("b", "c"))]
    with refuses(DecodingError, "line.duplicate", value="a"):
        Glossary([twice[0], twice[0]])
    assert GlossaryEntry(("a",), ("b c", "b  c", "b c")).targets == (("b", "c"),)
    with refuses(DecodingError, "argument.missing", argument="targets"):
        GlossaryEntry(("a",), ())


def test_phrases_as_people_type_them():
    entry = GlossaryEntry("das  haus", ["the  house", ""])
    assert entry == GlossaryEntry(("das", "haus"), ("the house", ""))
    assert GlossaryEntry(["das", "haus"], ("the house", "")) == entry
    glossary = Glossary([entry])
    want = (Forced(1, 3, ("the house", "")),)
    assert glossary.apply("hier das haus") == want
    assert glossary.apply(["hier", "das", "haus"]) == want


@pytest.mark.parametrize(
    ("entry", "code", "argument", "value"),
    [
        (("haus", "house"), "argument.type", "targets", "house"),
        ((("das haus",), ("house",)), "source.word", "words", "das haus"),
        (((1,), ("house",)), "source.word", "words", 1),
        ((None, ("house",)), "argument.type", "the words of a sentence", None),
        (("haus", None), "argument.type", "targets", None),
        (("haus", (1,)), "argument.type", "targets", 1),
        (("", ("house",)), "argument.missing", "source", None),
        (("haus", ("house",), "soft"), "argument.type", "exclusive", "soft"),
    ],
)
def test_phrases_that_are_none(entry, code, argument, value):
    with refuses(DecodingError, code, argument=argument, value=value):
        GlossaryEntry(*entry)


def test_entries_that_are_none():
    with refuses(DecodingError, "argument.type", argument="entry", value="a"):
        Glossary("ab")
    with refuses(DecodingError, "source.word", argument="words", value="das haus"):
        Glossary().apply(("das haus",))
    with refuses(DecodingError, "argument.shape", argument="also"):
        Glossary().apply("das haus", also=["das"])


def test_other_forms_of_a_sentence():
    glossary = Glossary.read(["Sie\tyou", "sie\tthey", "sie kommen\tthey come"])
    assert glossary.apply("Sie", also=["sie"]) == (Forced(0, 1, ("you",)),)
    assert glossary.apply("Sie kommen", also=["sie kommen"]) == (Forced(0, 2, ("they come",)),)


def test_raw_phrases():
    german = TextProcessor(make_tokeniser("unicode", language="de"), lowercase=True)
    english = TextProcessor(make_tokeniser("unicode", language="en"), lowercase=True)
    lines = ["Das Haus, klein\tThe House, {0}"]
    (entry,) = Glossary.read(lines, source_text=german, target_text=english)
    assert entry.source == ("das", "haus", ",", "klein")
    assert entry.targets == (("The", "House", ",", "{0}"),)  # as it was written
    (entry,) = Glossary.read(["x\tHat™, a."], source_text=german, target_text=english)
    assert english.decode(entry.targets[0]) == "Hat™, a."
    with refuses(FormatError, "glossary.tag", value="<b>"):
        Glossary.read(["<b>Haus</b>\thouse"], source_text=german, target_text=english)


def test_a_raw_phrase_is_no_sentence():
    german = TextProcessor(make_tokeniser("unicode", language="de"), Truecaser({"sie": 9}))
    english = TextProcessor(make_tokeniser("unicode", language="en"), Truecaser({"you": 9}))
    (entry,) = Glossary.read(["Sie\tYou"], source_text=german, target_text=english)
    assert entry == GlossaryEntry(("Sie",), ("You",))


words = st.sampled_from("abc")
phrases = st.lists(words, min_size=1, max_size=3).map(tuple)


@given(st.sets(phrases, max_size=6), st.lists(words, max_size=8).map(tuple), st.data())
def test_what_is_found(sources, sentence, data):
    taken = data.draw(st.sets(st.integers(0, 8), max_size=2))
    glossary = Glossary(GlossaryEntry(source, ("x",)) for source in sources)
    found = glossary.apply(sentence, taken=taken)
    free = 0  # the first word that nothing covers yet
    for span in found:
        for place in range(free, span.begin):
            assert longest(sources, sentence, place, taken) == 0
        assert longest(sources, sentence, span.begin, taken) == span.end - span.begin
        free = span.end
    assert all(not longest(sources, sentence, p, taken) for p in range(free, len(sentence)))


def longest(sources, sentence, place, taken):
    fits = [
        len(source)
        for source in sources
        if sentence[place : place + len(source)] == source
        and not taken & set(range(place, place + len(source)))
    ]
    return max(fits, default=0)


def test_what_a_decoder_makes_of_it(tmp_path):
    decoder = small_decoder(tmp_path)
    sentence = ("das", "haus", "ist", "klein", ".")

    def said(*lines):
        forced = Glossary.read(lines).apply(sentence)
        return decoder.search(Source(sentence, forced)).best.text

    assert said() == "the house is small ."
    assert said("das haus\tmy Castle 7") == "my Castle 7 is small ."
    assert said("klein\tzzz\tsoft") == "the house is small ."
    assert said("klein\tlittle") == "the building is little ."  # which go together
    assert said("ist\t") == "the house small ."
    assert said("haus\tzzz", "haus\thouse") == "the house is small ."  # the better one
