"""Morphemes of words: learned, saved and loaded; what is refused."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import refuses

from rosewood.corpus import IndexedText
from rosewood.corpus.segmenter import FORMAT, Segmenter
from rosewood.errors import CorpusError, FormatError

STEMS = ("walk", "talk", "jump", "play", "climb", "paint", "cook", "help", "kick", "look")
WORDS = [stem + ending for stem in STEMS for ending in ("", "s", "ed", "ing", "er")]


def test_stems_and_endings_are_found():
    segmenter = Segmenter.learn(WORDS)
    assert segmenter.segment("talking") == ("talk", "ing")
    assert segmenter.segment("cooked") == ("cook", "ed")
    assert segmenter.segment("paints") == ("paint", "s")
    assert segmenter.morphemes["ing"] == len(STEMS)


def test_the_same_words_give_the_same_morphemes():
    first, second = Segmenter.learn(WORDS), Segmenter.learn(dict.fromkeys(WORDS, 1))
    assert first == second
    assert list(first.morphemes) == list(second.morphemes)
    assert pickle.loads(pickle.dumps(first)) == first


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1)), st.text("aé\U0001f600")
)
def test_morphemes_join_to_the_word(words, other):
    segmenter = Segmenter.learn(words, rounds=3)
    for word in [*words, other]:
        assert "".join(segmenter.segment(word)) == word
    for word in words:
        assert all(piece in segmenter.morphemes for piece in segmenter.segment(word))


def test_frequent_words_stay_whole():
    others = dict.fromkeys([*STEMS, *(f"{stem}ing" for stem in STEMS[1:])], 1)
    assert Segmenter.learn({"walking": 1, **others}).segment("walking") == ("walk", "ing")
    assert Segmenter.learn({"walking": 9999, **others}).segment("walking") == ("walking",)


def test_no_words_and_one_word():
    empty = Segmenter.learn([])
    assert len(empty) == 0
    assert empty.segment("ab") == ("a", "b")
    assert empty.segment("") == ()
    assert Segmenter.learn(["one"]).segment("one") == ("one",)


def test_long_words_are_cut_and_quick():
    word = "ab" * 2000
    assert "".join(Segmenter.learn([word]).segment(word)) == word


def test_a_text_of_morphemes():
    text = IndexedText.from_lines(["walking walks", "", "talks talks talking"])
    segmenter = Segmenter.of_text(text)
    cut = segmenter.segment_text(text)
    assert len(cut) == 3
    for number in range(3):
        want = [piece for word in text.words(number) for piece in segmenter.segment(word)]
        assert cut.words(number) == want
    assert cut.ids.dtype == np.int32
    with refuses(CorpusError, "argument.value", argument="text"):
        segmenter.segment_text(IndexedText.from_lines(["xyz"]))


def test_files(tmp_path):
    segmenter = Segmenter.learn([*WORDS, "naïve", '"', "\\", "\u2028", "日本語"])
    segmenter.save(tmp_path / "a.json")
    again = Segmenter.load(tmp_path / "a.json")
    assert again == segmenter
    assert list(again.morphemes) == list(segmenter.morphemes)
    again.save(tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "file.damaged"),
        (b"[]", "file.damaged"),
        (b'{"format": "other"}', "file.kind"),
        ({"version": 2, "morphemes": {}}, "file.version"),
        ({"version": 1}, "file.damaged"),
        ({"version": 1, "morphemes": {"": 1}}, "file.damaged"),
        ({"version": 1, "morphemes": {"a": 0}}, "file.damaged"),
        ({"version": 1, "morphemes": {"a": "many"}}, "file.damaged"),
        ({"version": 1, "morphemes": {"\ud800": 1}}, "file.damaged"),
    ],
)
def test_damaged_files_are_refused(tmp_path, content, code):
    path = tmp_path / "x.json"
    told = (
        content
        if isinstance(content, bytes)
        else json.dumps({"format": FORMAT, **content}).encode()
    )
    path.write_bytes(told)
    with refuses(FormatError, code, file=str(path)):
        Segmenter.load(path)


def test_what_is_not_words():
    with refuses(CorpusError, "argument.type", argument="words"):
        Segmenter.learn([1])  # type: ignore[list-item]
    with refuses(CorpusError, "argument.type", argument="words"):
        Segmenter.learn(["\ud800"])
    with refuses(CorpusError, "argument.range", argument="rounds"):
        Segmenter.learn(["a"], rounds=0)
    with refuses(CorpusError, "argument.value", argument="words"):
        Segmenter.learn([""])
    with refuses(CorpusError, "argument.range", argument="counts"):
        Segmenter.learn({"a": 0})
    with refuses(CorpusError, "argument.type", argument="morphemes"):
        Segmenter({1: 2})  # type: ignore[dict-item]
