"""Rules of one sentence pair: the definitions by hand, then kernels against them."""

from __future__ import annotations

from itertools import combinations, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.aligned import aligned_sentences, native
from tests.reference import rules as reference
from tests.reference.rules import LEFT, MONOTONE, RIGHT, SWAP, GappedRule, Sentence
from tests.refusals import refuses

from rosewood.errors import AlignmentError, RuleError

KINDS, DIRECTIONS = ("word", "phrase", "hierarchy"), ("backward", "forward")


def found_phrases(sentence: Sentence, max_source: int, max_target: int):
    return [tuple(row) for row in native(sentence).phrases(max_source, max_target).tolist()]


def found_rules(sentence: Sentence, **settings):
    """What the kernel finds, in its order."""
    rows = native(sentence).gapped(**settings).tolist()
    return [
        GappedRule(tuple(r[:4]), tuple(tuple(r[n : n + 4]) for n in (5, 9)[: r[4]]), r[13])
        for r in rows
    ]


def every_small_sentence():
    """All links between up to three source and two target words, and a few larger ones."""
    for sources, targets in product(range(4), range(3)):
        places = list(product(range(sources), range(targets)))
        for number in range(len(places) + 1):
            for links in combinations(places, number):
                yield Sentence(sources, targets, frozenset(links))


# -- by hand ---------------------------------------------------------------------------------------


def test_phrase_pairs_by_hand():
    """The middle source word has no link, so that it may belong to either neighbour."""
    sentence = Sentence(3, 2, frozenset({(0, 1), (2, 0)}))
    want = {(2, 3, 0, 1), (1, 3, 0, 1), (0, 1, 1, 2), (0, 2, 1, 2), (0, 3, 0, 2)}
    assert set(reference.phrase_pairs(sentence, 7, 7)) == want
    assert set(reference.phrase_pairs(sentence, 2, 7)) == want - {(0, 3, 0, 2)}
    assert set(reference.phrase_pairs(sentence, 7, 1)) == want - {(0, 3, 0, 2)}


def test_rules_by_hand():
    """Two words each, swapped: the phrase pair and one rule a gap, of equal shares."""
    sentence = Sentence(2, 2, frozenset({(0, 1), (1, 0)}))
    one, other, both = (0, 1, 1, 2), (1, 2, 0, 1), (0, 2, 0, 2)
    assert set(reference.gapped_rules(sentence)) == {
        GappedRule(one, (), 1),
        GappedRule(other, (), 1),
        GappedRule(both, (), 3),
        GappedRule(both, (one,), 3),
        GappedRule(both, (other,), 3),
    }
    anything = {"need_link": False, "allow_adjacent": True}
    assert GappedRule(both, (one, other), 4) in reference.gapped_rules(sentence, **anything)
    few = reference.gapped_rules(sentence, max_symbols=1)
    assert few == [GappedRule(other, (), 1), GappedRule(one, (), 1)]


def test_the_example_of_chiang():
    """yu Beihan you bangjiao: have diplomatic relations with North Korea, its two gaps swapped."""
    sentence = Sentence(4, 6, frozenset({(0, 3), (1, 4), (1, 5), (2, 0), (3, 1), (3, 2)}))
    whole, korea, relations = (0, 4, 0, 6), (1, 2, 4, 6), (3, 4, 1, 3)
    rules = reference.gapped_rules(sentence)
    assert (whole, (korea, relations)) in [
        rule[:2] for rule in rules
    ]  # yu X1 you X2: have X2 with X1
    assert not any(
        gaps[0][1] == gaps[1][0] for _, gaps, _ in rules if len(gaps) == 2
    )  # side by side


@pytest.mark.parametrize(
    ("links", "want"),
    [
        ({(0, 0), (1, 1)}, [MONOTONE] * 3),
        ({(1, 0), (0, 1)}, None),
        ({(0, 0), (2, 1)}, [RIGHT, MONOTONE, MONOTONE]),  # over a word without links
    ],
)
def test_orientations_by_hand(links, want):
    """Of the phrase pair with the last target word, whose source is one word, backward."""
    sentence = Sentence(3, 2, frozenset(links))
    (place,) = (i for i, j in links if j == 1)
    box = (place, place + 1, 1, 2)
    found = [reference.orientation(sentence, box, kind, "backward", 7) for kind in KINDS]
    assert found == (want or [SWAP] * 3)


def test_kinds_of_orientation_by_hand():
    """A long phrase that only the hierarchy can take for a neighbour, before and behind."""
    links = {(0, 1), (1, 0), (2, 2)}  # the first two are swapped, so that 1-0 is not beside 2-2
    sentence = Sentence(3, 3, frozenset(links))
    box = (2, 3, 2, 3)
    found = {k: reference.orientation(sentence, box, k, "backward", 1) for k in KINDS}
    assert found == {"word": RIGHT, "phrase": RIGHT, "hierarchy": MONOTONE}
    assert reference.orientation(sentence, box, "phrase", "backward", 2) == MONOTONE
    box = (1, 2, 0, 1)  # behind it comes 0-1; nothing before it, and it is not at the beginning
    for kind in KINDS:
        assert reference.orientation(sentence, box, kind, "forward", 1) == SWAP
        assert reference.orientation(sentence, box, kind, "backward", 1) == RIGHT
    far = Sentence(4, 2, frozenset({(3, 0), (0, 1), (1, 1)}))
    for kind in KINDS:  # from the last word to the first: to the left, both ways seen
        assert reference.orientation(far, (0, 2, 1, 2), kind, "backward", 7) == (
            LEFT if kind == "word" else SWAP  # phrases take the word without links with them
        )
        assert reference.orientation(far, (3, 4, 0, 1), kind, "forward", 7) == (
            LEFT if kind == "word" else SWAP
        )


def test_moses_overlooks_the_last_source_word():
    sentence = Sentence(4, 3, frozenset({(3, 0), (0, 1), (2, 2)}))
    box = (0, 1, 1, 2)
    for kind, told in (("word", LEFT), ("phrase", RIGHT), ("hierarchy", RIGHT)):
        as_moses = reference.orientation(sentence, box, kind, "backward", 7, as_moses=True)
        assert (as_moses, reference.orientation(sentence, box, kind, "backward", 7)) == (told, LEFT)


def test_moses_looks_forward_for_phrases_that_end_there():
    """The next phrase has two words, of which neither is one: it begins with the next word."""
    sentence = Sentence(3, 3, frozenset({(0, 0), (1, 1), (2, 1), (1, 2), (2, 2), (0, 0)}))
    crossed = Sentence(3, 3, frozenset({(0, 0), (1, 2), (2, 1)}))
    box = (0, 1, 0, 1)
    assert reference.orientation(sentence, box, "phrase", "forward", 7, as_moses=True) == MONOTONE
    assert reference.orientation(crossed, box, "phrase", "forward", 7, as_moses=True) == RIGHT
    assert reference.orientation(crossed, box, "phrase", "forward", 7) == MONOTONE


# -- kernels ---------------------------------------------------------------------------------------


def check_orientations(sentence: Sentence, max_phrase: int):
    seen = native(sentence)
    for box in reference.phrase_pairs(sentence, 4, 4):
        for kind, direction in product(KINDS, DIRECTIONS):
            want = reference.orientation(sentence, box, kind, direction, max_phrase)
            assert seen.orientation(kind, direction, max_phrase, box) == want, (kind, direction)


def test_every_small_sentence():
    for sentence in every_small_sentence():
        found = found_phrases(sentence, 3, 2)
        assert sorted(found) == sorted(reference.phrase_pairs(sentence, 3, 2))
        assert sorted(found_rules(sentence)) == sorted(reference.gapped_rules(sentence))
        check_orientations(sentence, 2)


@pytest.mark.slow
@settings(max_examples=1000)
@given(aligned_sentences(), st.integers(1, 8), st.integers(1, 8))
def test_phrase_pairs(sentence, max_source, max_target):
    found = found_phrases(sentence, max_source, max_target)
    want = reference.phrase_pairs(sentence, max_source, max_target)
    assert sorted(found) == sorted(want)
    assert found == sorted(found, key=lambda b: (b[2], b[3], -b[0], b[1]))  # the order it promises


@pytest.mark.slow
@settings(max_examples=700)
@given(
    aligned_sentences(),
    st.fixed_dictionaries(
        {},
        optional={
            "max_source": st.integers(1, 8),
            "max_target": st.integers(1, 8),
            "max_symbols": st.integers(1, 8),
            "max_gaps": st.integers(0, 2),
            "min_gap_source": st.integers(1, 3),
            "min_gap_target": st.integers(1, 3),
            "allow_adjacent": st.booleans(),
            "need_link": st.booleans(),
            "tight": st.booleans(),
            "tight_gaps": st.booleans(),
            "whole_counts": st.booleans(),
        },
    ),
)
def test_rules_with_gaps(sentence, chosen):
    found, want = found_rules(sentence, **chosen), reference.gapped_rules(sentence, **chosen)
    assert sorted(found) == sorted(want)
    assert len(set(found)) == len(found)
    # The fractions of an initial phrase pair add up to one, or each is one.
    for outer in {rule.outer for rule in found}:
        shares = [rule.share for rule in found if rule.outer == outer]
        assert set(shares) == {1 if chosen.get("whole_counts") else len(shares)}


@pytest.mark.slow
@settings(max_examples=700)
@given(aligned_sentences(), st.integers(1, 8))
def test_orientations(sentence, max_phrase):
    check_orientations(sentence, max_phrase)


@settings(max_examples=100)
@given(aligned_sentences(), st.integers(1, 8))
def test_laws_of_orientations(sentence, max_phrase):
    """What is monotone or a swap by words is so by phrases, and by phrases so by hierarchy."""
    seen = native(sentence)
    for box, direction in product(seen.phrases(8, 8).tolist(), DIRECTIONS):
        word, phrase, hierarchy = (seen.orientation(k, direction, max_phrase, box) for k in KINDS)
        for fine, coarse in ((word, phrase), (phrase, hierarchy)):
            if fine == MONOTONE or (fine == SWAP and coarse != MONOTONE):
                assert coarse == fine
        if max_phrase >= max(sentence[:2]):
            assert phrase == hierarchy


@pytest.mark.parametrize("length", [20, 150])
def test_long_sentences(length):
    """More target words than rows are kept, asked for in any order: a fresh look says the same."""
    chance = Random(length)
    order = list(range(length))
    for _ in range(length // 3):  # mostly in order, as language is
        i = chance.randrange(length - 1)
        order[i], order[i + 1] = order[i + 1], order[i]
    links = {(i, j) for i, j in enumerate(order) if chance.random() < 0.8}
    sentence = Sentence(length, length, frozenset(links))
    boxes = native(sentence).phrases(7, 7).tolist()
    chance.shuffle(boxes)
    kept = native(sentence)
    for box in boxes[:200]:
        for kind, direction in product(KINDS, DIRECTIONS):
            fresh = native(sentence).orientation(kind, direction, 7, box)
            assert kept.orientation(kind, direction, 7, box) == fresh
    if length == 20:
        for box in boxes:
            want = reference.orientation(sentence, tuple(box), "hierarchy", "forward", 7)
            assert kept.orientation("hierarchy", "forward", 7, box) == want


def test_a_reversed_sentence_of_many_words():
    """Every target word ends as many phrase pairs as there are words before it: no table of all."""
    length = 4000
    sentence = Sentence(length, length, frozenset(enumerate(reversed(range(length)))))
    seen = native(sentence)
    assert len(seen.phrases(7, 7)) == 7 * length - 21
    for j in range(1, length, 100):
        box = [length - 1 - j, length - j, j, j + 1]
        assert seen.orientation("hierarchy", "backward", 7, box) == SWAP


def test_arguments_are_checked():
    seen = native(Sentence(2, 2, frozenset({(0, 0)})))
    with refuses(RuleError, "argument.range", argument="max_gaps"):
        seen.gapped(max_gaps=3)
    with refuses(RuleError, "argument.range", argument="max_symbols"):
        seen.gapped(max_symbols=0)
    with refuses(RuleError, "argument.choice"):
        seen.orientation("sentence", "backward", 7, [0, 1, 0, 1])
    with refuses(RuleError, "argument.choice"):
        seen.orientation("word", "up", 7, [0, 1, 0, 1])
    with refuses(RuleError, "argument.range", argument="max_phrase"):
        seen.orientation("word", "forward", 0, [0, 1, 0, 1])
    with refuses(AlignmentError, "argument.range", argument="links"):
        native(Sentence(2, 1, frozenset({(1, 1)})))
