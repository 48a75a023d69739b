"""Paragraphs into sentences: where they end, and that nothing is lost or torn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosewood.corpus.text.sentences import has_words, split_sentences
from rosewood.corpus.text.tags import Protection, paired


@pytest.mark.parametrize(
    ("text", "language", "sentences"),
    [
        ("Dr. Weber ist da. Er liest z.B. Bücher. Gut.", "de",
         ["Dr. Weber ist da.", "Er liest z.B. Bücher.", "Gut."]),
        ("Am 3. Mai kam er. Er blieb 3,5 Std. hier.", "de",
         ["Am 3. Mai kam er.", "Er blieb 3,5 Std. hier."]),
        ("„Komm!“ rief sie. „Gut.“ Er ging… dann.", "de",
         ["„Komm!“ rief sie.", "„Gut.“", "Er ging… dann."]),
        ("Mr. J. Smith left. Is it 2.0? Yes! It is.", "en",
         ["Mr. J. Smith left.", "Is it 2.0?", "Yes!", "It is."]),
        ("1. Open it. Done in 2019. Then it ended.", "en",
         ["1. Open it.", "Done in 2019.", "Then it ended."]),
        ("今日は。元気？「はい。」", "ja", ["今日は。", "元気？", "「はい。」"]),
        ("<b>One. Two.</b> Three.", "en", ["One.", "Two.", "Three."]),
        ("A <b>one. Two</b> it. Three.", "en", ["A <b>one. Two</b> it.", "Three."]),
        ("See %s. {x} is it.", "en", ["See %s.", "{x} is it."]),
        ("<b>Note:</b> It is. Is: it.", "en", ["<b>Note:</b>", "It is.", "Is: it."]),
        ("It is.<br> So (it) is.) {1}", "en", ["It is.", "So (it) is.)", "{1}"]),
        ("See {1}", "en", ["See {1}"]),
        ("www.a.de und a.b", "de", ["www.a.de und a.b"]),
        ("", "en", []),
        (" \n ", "en", []),
        ("</i>", "en", []),
    ],
)  # fmt: skip
def test_where_sentences_end(text, language, sentences):
    found = split_sentences(text, language)
    assert found.sentences == sentences
    assert found.joined(found.sentences) == text


def test_line_breaks():
    text = "One\ntwo\n\n  This is a long line that was ended because it is long\nenough. End\n"
    assert len(split_sentences(text).sentences) == 2
    assert split_sentences(text, breaks=True).sentences == [
        "One", "two", "This is a long line that was ended because it is long\nenough.", "End",
    ]  # fmt: skip


def test_words():
    assert all(map(has_words, ("a", "<b>ä</b>", "日")))
    assert not has_words("<b>12</b> %s {name} – &amp;")


parts = st.sampled_from([
    "Ein Haus", ". ", "! ", "? ", " ", "<b>", "</b>", "<i>", "</i>", "%s", "{x}", "。", "“", "\n",
    "Dr.", "3. ", '<ph i="1"/>',
])  # fmt: skip


@given(st.lists(parts, max_size=30).map("".join), st.booleans(), st.sampled_from(["de", "en", ""]))
def test_nothing_is_lost_or_torn(text, breaks, language):
    found = split_sentences(text, language, breaks=breaks)
    assert found.joined(found.sentences) == text
    assert len(found.gaps) == len(found.sentences) + 1
    protection = Protection()
    whole = protection.find(text)
    halves = paired([(each.kind, each.key) for each in whole if each.kind != "value"])
    lone = sum(each is None for each in halves)
    for sentence in found.sentences:
        assert sentence == sentence.strip() != ""
        tags = [(each.kind, each.key) for each in protection.find(sentence) if each.kind != "value"]
        lone -= sum(each is None for each in paired(tags))
    assert lone >= 0  # tags that are half of a pair are never within a sentence
    for gap in found.gaps:
        assert not has_words(gap)


@pytest.mark.parametrize("text", [".", '."', "<b>x. </b>", "<b>X. ", " \n", "Ab. ", "。", "…\t"])
def test_it_takes_no_time(text):
    split_sentences(text * 10_000, "de", breaks=True)
