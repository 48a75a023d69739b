"""Fuzzy matches by the index against comparing all sentences."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.fuzzy import best_matches, edit_distance

from rosewood.corpus import SentencePair
from rosewood.memory import Memory

WORDS = st.sampled_from(["a", "b", "c", "d", "e", "ä", ".", ",", "haus"])
SENTENCES = st.lists(WORDS, min_size=1, max_size=9)
THRESHOLDS = st.sampled_from([0.01, 0.1, 0.3, 1 / 3, 0.5, 0.6, 2 / 3, 0.7, 0.75, 0.8, 0.9, 1.0])


def _index(sentences):
    memory = Memory.build(SentencePair(" ".join(each), "x") for each in sentences)
    return memory._index, [pair.source.split(" ") for pair in memory]


@settings(max_examples=400, deadline=None)
@given(st.lists(SENTENCES, min_size=1, max_size=25), SENTENCES, THRESHOLDS, st.integers(1, 4))
def test_the_index_finds_what_comparing_all_finds(sentences, wanted, least, most):
    index, rows = _index(sentences)
    wanted = [*wanted, *(["unknown"] if len(wanted) % 3 == 0 else [])]
    assert index.find(wanted, least, most) == best_matches(wanted, rows, least, most)


@settings(max_examples=30, deadline=None)
@given(st.integers(50, 140), st.integers(0, 12), st.randoms(use_true_random=False))
def test_long_sentences(length, edits, chance):
    own = [f"w{chance.randrange(40)}" for _ in range(length)]
    other = list(own)
    for _ in range(edits):
        place = chance.randrange(len(other))
        other[place : place + chance.randrange(2)] = ["new"] * chance.randrange(2)
    index, rows = _index([other, own[:20], own[5:]])
    found = index.find(own, 0.3, 3)
    assert found == best_matches(own, rows, 0.3, 3)
    assert (0, edit_distance(own, other)) in [each[:2] for each in found]


@pytest.mark.parametrize("least", [0.3, 0.5, 0.7, 0.85])
@pytest.mark.parametrize("most", [1, 5])
def test_many_sentences_with_rare_and_frequent_words(least, most):
    chance = random.Random(7)
    vocabulary = [f"w{k}" for k in range(60)]
    weights = [1 / (k + 1) for k in range(60)]
    sentences = [chance.choices(vocabulary, weights, k=chance.randrange(1, 16)) for _ in range(400)]
    index, rows = _index(sentences)
    for _ in range(40):
        wanted = list(chance.choice(rows))
        for _ in range(chance.randrange(4)):
            wanted[chance.randrange(len(wanted))] = chance.choice([*vocabulary, "unknown"])
        assert index.find(wanted, least, most) == best_matches(wanted, rows, least, most)


def test_nothing_is_like_no_words():
    index, _ = _index([["a"]])
    assert index.find([], 0.5, 1) == []
    assert index.find(["b"], 0.01, 1) == []


@pytest.mark.parametrize("most", [1, 2])
def test_of_equal_scores_the_first_row(most):
    index, _ = _index([["a", "b", "x"], ["a", "b", "y"], ["a", "b", "z"]])
    found = index.find(["a", "b", "c"], 0.5, most)
    assert [row for row, _, _ in found] == [0, 1][:most]
