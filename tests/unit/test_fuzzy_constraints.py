"""The parts of fuzzy matches that are given to the search."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.memories import memory as random_pairs
from tests.memories import protected
from tests.reference.fuzzy import edit_distance
from tests.training import QUICK

from rosewood.corpus import Corpus, SentencePair
from rosewood.corpus.text.value_symbols import VALUE
from rosewood.decode.fuzzy_constraints import MemoryAligner, equal_words, matching_parts
from rosewood.pipeline import TrainingInputs, TrainingSettings, Translator, train

WORDS = st.lists(st.sampled_from([*"abcde", VALUE]), max_size=9)


def parts(words, source, target, links, **more):
    found = matching_parts(words.split(), source.split(), target.split(), links, **more)
    return [(each.begin, each.end, " ".join(each.translations[0])) for each in found]


def test_what_is_linked_to_other_words_is_cut_out():
    one_to_one = [(k, k) for k in range(5)]
    source, target = "das kleine haus ist alt", "the little house is old"
    assert parts("das große haus ist alt", source, target, one_to_one, least=1) == [
        (0, 1, "the"), (2, 5, "house is old")
    ]  # fmt: skip
    assert parts("das große haus ist alt", source, target, one_to_one, taken={3}, least=2) == []
    assert parts("x y", source, target, one_to_one) == []


def test_words_without_links_belong_to_the_part_beside_them():
    links = [(0, 0), (1, 3)]
    assert parts("a x", "a b", "A of the B", links, least=1) == [(0, 1, "A of the")]
    assert parts("a x", "a b", "A of the B", links, least=1, cuts={1}) == [(0, 1, "A")]


def test_a_translation_that_another_word_is_linked_to_is_no_part():
    assert parts("a x", "a b", "AB", [(0, 0), (1, 0)], least=1) == []
    assert parts("a c x", "a c b", "A B C", [(0, 0), (1, 2), (2, 1)], least=1) == [
        (0, 1, "A"),
        (1, 2, "C"),
    ]


def test_a_part_has_one_value_at_most():
    links = [(0, 0), (1, 1), (2, 2)]
    text = f"{VALUE} a {VALUE}"
    assert parts(f"{text} x", text, f"{VALUE} A {VALUE}", links, least=1) == [
        (0, 2, f"{VALUE} A"), (2, 3, VALUE)
    ]  # fmt: skip


def test_parts_end_at_tags():
    one_to_one = [(k, k) for k in range(5)]
    source, target = "ein mann spielt die gitarre", "a man plays the guitar"
    assert parts(source, source, target, one_to_one) == [(0, 5, target)]
    assert parts(source, source, target, one_to_one, cuts={0, 3, 5}) == [
        (0, 3, "a man plays"), (3, 5, "the guitar")
    ]  # fmt: skip
    assert parts(source, source, target, one_to_one, cuts={1, 2}) == [(2, 5, "plays the guitar")]
    swapped = [(0, 1), (1, 0), (2, 2)]
    assert parts("a b c", "a b c", "B A C", swapped, cuts={1}) == []


@given(WORDS, WORDS)
def test_equal_words_are_those_of_the_fewest_edits(one, other):
    found = equal_words(one, other)
    assert all(one[i] == other[j] for i, j in found)
    assert found == sorted(found)
    last = (-1, -1)
    cost = 0
    for i, j in [*found, (len(one), len(other))]:
        assert i > last[0]
        assert j > last[1]
        cost += max(i - last[0], j - last[1]) - 1
        last = (i, j)
    assert cost == edit_distance(one, other)


@given(WORDS, WORDS, WORDS, st.data())
def test_parts_are_apart_and_have_the_values_of_their_words(words, source, target, data):
    pair = st.tuples(st.integers(0, 8), st.integers(0, 8))
    links = [(i, j) for i, j in data.draw(st.lists(pair)) if i < len(source) and j < len(target)]
    taken = data.draw(st.sets(st.integers(0, 8)))
    cuts = data.draw(st.sets(st.integers(0, 9)))
    found = matching_parts(words, source, target, links, taken=taken, cuts=cuts, least=1)
    assert not any(each.begin < cut < each.end for each in found for cut in cuts)
    places = [place for each in found for place in range(each.begin, each.end)]
    assert len(places) == len(set(places))
    assert not taken & set(places)
    said = [word for each in found for word in each.translations[0]]
    assert all(said.count(word) <= target.count(word) for word in said)
    for each in found:
        assert words[each.begin : each.end].count(VALUE) == each.translations[0].count(VALUE) <= 1


@pytest.fixture(scope="module", params=["phrase", "hiero"])
def folder(request, tmp_path_factory):
    place = tmp_path_factory.mktemp("memory")
    corpus = Corpus.of(
        [SentencePair(*pair) for pair in random_pairs(500, 1)],
        source_language="de", target_language="en",
    )  # fmt: skip
    corpus.write(place / "memory.tmx")
    settings = {**QUICK, "decoder": request.param, "tune": "none", "set": {}, "dev_size": 20}
    inputs = TrainingInputs(corpus=place / "memory.tmx", languages="de:en")
    train(inputs, place / "model", TrainingSettings(**settings))
    return place / "model"


@pytest.mark.slow
def test_parts_are_in_the_translation_and_placeholders_are_kept(folder):
    translator = Translator.load(folder, fuzzy_constrain="on", fuzzy=0.5)
    used = 0
    for text, _ in random_pairs(300, 9, noise=0):
        (line,) = translator.stream([text])
        if line.match is None or line.match.is_exact:
            continue
        said = " ".join(line.best.words)
        long = [each for each in line.prepared.source.forced if each.end > each.begin + 1]
        used += sum(" ".join(each.translations[0]) in said for each in long)
        assert protected(line.text) == protected(text)
    assert used > 20


def test_tags_are_around_their_words_whatever_the_memory_has(folder):
    """A tag around one word of a match is around its translation, not empty or around a part."""
    with_memory = Translator.load(folder, fuzzy_constrain="on", fuzzy=0.5)
    without = Translator.load(folder, memory="off")
    same = seen = 0
    for text, _ in random_pairs(300, 9, noise=0):
        (line,) = with_memory.stream([text])
        if "<" in text or line.match is None or line.match.is_exact:
            continue
        long = [each for each in line.prepared.source.forced if each.end > each.begin + 2]
        if not long:
            continue
        words = text.split(" ")
        place = next((k for k in range(1, len(words) - 1) if words[k].isalpha()), None)
        if place is None:
            continue
        words[place] = f"<b>{words[place]}</b>"
        tagged = " ".join(words)
        said, plain = with_memory.translate(tagged), without.translate(tagged)
        seen += 1
        inside = re.search("<b>(.*)</b>", said)[1]
        same += inside == re.search("<b>(.*)</b>", plain)[1]
        assert inside or "<b></b>" in plain, (tagged, said, plain)
    assert seen > 10
    assert same > 0.9 * seen, (same, seen)


def test_links_of_sentences_that_the_decoder_cannot_derive(folder):
    decoder = Translator.load(folder).decoder
    aligner = MemoryAligner(decoder)
    table = decoder.table
    rule = next(
        each for each in table
        if len(each.source) == len(each.target) == 1 and each.is_phrase and each.count > 3
    )  # fmt: skip
    source, target = [str(rule.source[0]), "neverseen"], ["neither", str(rule.target[0])]
    assert (0, 1) in aligner.links(source, target)
