"""Orientation events of a corpus: what the definition says of every phrase pair, in any blocks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.aligned import aligned_sentences
from tests.reference import rules as reference
from tests.refusals import refuses

from rosewood.align import Links
from rosewood.corpus import IndexedCorpus
from rosewood.errors import AlignmentError, RuleError
from rosewood.rules.events import EventBlock, orientation_events
from rosewood.rules.settings import DIRECTIONS, EVENT_CLASSES, KINDS

ARRAYS = [
    "sentence",
    "source_begin",
    "source_end",
    "target_begin",
    "target_end",
    "orientation",
    "pair_source",
    "pair_target",
    "left",
    "right",
]


@st.composite
def aligned_corpora(draw):
    """Some sentences, their words drawn from a few, and their links."""
    sentences = draw(st.lists(aligned_sentences(5), max_size=6))
    word = st.sampled_from("abcd")
    sides = [
        [draw(st.lists(word, min_size=s[side], max_size=s[side])) for s in sentences]
        for side in (0, 1)
    ]
    corpus = IndexedCorpus.from_lines(*(map(" ".join, side) for side in sides))
    return sentences, corpus, Links.of(s.links for s in sentences)


def expected(sentences, corpus, kind, direction, classes, max_phrase) -> Iterator[tuple]:
    """The events by definition, in the order in which they are promised."""
    for k, sentence in enumerate(sentences):
        source, target = (side.sentence(k).tolist() for side in (corpus.source, corpus.target))
        boxes = reference.phrase_pairs(sentence, max_phrase, max_phrase)
        for box in sorted(boxes, key=lambda b: (b[2], b[3], -b[0], b[1])):
            found = reference.orientation(sentence, box, kind, direction, max_phrase)
            pairs = [(source[i], target[j]) for i, j in sorted(sentence.inside(box))]
            left = source[box[0] - 1] if box[0] > 0 else -1
            right = source[box[1]] if box[1] < len(source) else -1
            number = reference.class_of(classes, found, reference.gap(sentence, box, direction))
            yield k, box, number, pairs, left, right


def events_of(block: EventBlock) -> Iterator[tuple]:
    pairs = list(zip(block.pair_source.tolist(), block.pair_target.tolist(), strict=True))
    for n, (begin, end) in enumerate(pairwise(block.pair_start.tolist())):
        box = (
            *(block.source_begin[n], block.source_end[n]),
            *(block.target_begin[n], block.target_end[n]),
        )
        beside = block.left[n], block.right[n]
        yield block.sentence[n], box, block.orientation[n], pairs[begin:end], *beside


@pytest.mark.slow
@settings(max_examples=200)
@given(
    aligned_corpora(),
    st.sampled_from(KINDS),
    st.sampled_from(DIRECTIONS),
    st.sampled_from(sorted(EVENT_CLASSES)),
    st.integers(1, 6),
    st.integers(1, 20),
)
def test_events_are_those_of_the_definition(made, kind, direction, classes, max_phrase, words):
    sentences, corpus, links = made
    settings = {"kind": kind, "direction": direction, "classes": classes, "max_phrase": max_phrase}
    blocks = orientation_events(corpus, links, block_words=words, **settings)
    found = [event for block in blocks for event in events_of(block)]
    assert found == list(expected(sentences, corpus, **settings))


def test_threads_and_blocks_change_nothing():
    chance = np.random.default_rng(4)
    lengths = chance.integers(0, 12, (2000, 2))
    lines = [[" ".join(chance.choice(list("abcdef"), n)) for n in lengths[:, s]] for s in (0, 1)]
    corpus = IndexedCorpus.from_lines(*lines)
    links = Links.of(
        {(int(chance.integers(f)), int(chance.integers(e))) for _ in range(min(f, e))}
        for f, e in lengths
    )
    whole = list(orientation_events(corpus, links, block_words=10**9))
    assert len(whole) == 1
    for threads, words in ((1, 500), (3, 500), (4, 10**9)):
        blocks = list(orientation_events(corpus, links, threads=threads, block_words=words))
        assert all(
            len(np.unique(block.sentence)) == 1
            or corpus.target.lengths[block.sentence[0] : block.sentence[-1] + 1].sum() <= words
            for block in blocks
        )
        for name in ARRAYS:
            joined = np.concatenate([getattr(block, name) for block in blocks])
            assert np.array_equal(joined, getattr(whole[0], name)), name
        counts = np.concatenate([np.diff(block.pair_start) for block in blocks])
        assert np.array_equal(counts, np.diff(whole[0].pair_start))


def test_lines():
    corpus = IndexedCorpus.from_lines(["er geht nicht", ""], ["he does not go", ""])
    links = Links.of([{(0, 0), (1, 3), (2, 2)}, set()])
    (block,) = orientation_events(corpus, links, max_phrase=1)
    assert list(block.lines()) == [
        "monotone ||| er ||| he ||| er&he ||| <s> geht",
        "discontinuous ||| nicht ||| not ||| nicht&not ||| geht </s>",
        "swap ||| geht ||| go ||| geht&go ||| er nicht",
    ]
    (block,) = orientation_events(corpus, links, max_phrase=1, direction="forward", classes="mslr")
    # Behind "he" comes "does", which has no link; with "not" and "go" it is a phrase pair.
    assert [line.split()[0] for line in block.lines()] == ["monotone", "swap", "right"]
    assert repr(block) == "EventBlock(3 events of sentences 1 to 1)"
    assert not list(orientation_events(IndexedCorpus.from_lines([], []), Links.of([])))


def test_bad_arguments_are_refused_at_once():
    corpus = IndexedCorpus.from_lines(["a b", "c"], ["A", "C"])
    good = Links.of([{(1, 0)}, set()])
    for name in ("kind", "direction", "classes"):
        with refuses(RuleError, "argument.choice", argument=name, value="x"):
            orientation_events(corpus, good, **{name: "x"})
    with refuses(RuleError, "argument.range", argument="max_phrase", value=0):
        orientation_events(corpus, good, max_phrase=0)
    for name in ("threads", "block_words"):
        with refuses(RuleError, "argument.range", argument=name, value=0):
            orientation_events(corpus, good, **{name: 0})
    with refuses(AlignmentError, "argument.shape", argument="source", value=2, expected=1):
        orientation_events(corpus, Links.of([set()]))
    with refuses(RuleError, "rules.links", value=2):
        orientation_events(corpus, Links.of([set(), {(0, 1)}]))


def test_words_that_look_like_marks_are_told_apart():
    corpus = IndexedCorpus.from_lines(["<s> a&b c\\", "a"], ["x&y </s> z", "x"])
    (block,) = orientation_events(corpus, Links.of([[(0, 1), (1, 0), (2, 2)], [(0, 0)]]))
    lines = [line.split(" ||| ") for line in block.lines()]
    assert {line[3] for line in lines} >= {"a\\&b&x\\&y", "c\\\\&z", "<s>&</s>"}
    assert {line[4] for line in lines if line[1] == "a&b"} == {"\\<s> c\\"}
    assert lines[-1][4] == "<s> </s>"
