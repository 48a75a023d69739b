"""Filters, duplicates, splits and summaries of corpora."""

from __future__ import annotations

import itertools
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import refuses

from rosewood.corpus import Corpus, Filters, Origin, SentencePair
from rosewood.corpus.fingerprints import SeenFingerprints, fingerprint
from rosewood.errors import CorpusError

WORDS = st.text("ab ", min_size=1, max_size=6).filter(str.strip)
PAIRS = st.lists(st.tuples(WORDS, WORDS), max_size=40)


def texts(corpus):
    return [(pair.source, pair.target) for pair in corpus]


def kept(filters, *pairs):
    corpus = Corpus.of(pairs).filter(filters)
    found = texts(corpus)
    return found, {reason: each.count for reason, each in corpus.report.removed.items()}


def test_each_filter_counts_what_it_removes():
    pairs = [("a b", "c d"), ("a", "b c d"), ("x", "x"), ("a b c d e", "f g h i j"), ("a b", "c d")]
    assert kept(Filters(), *pairs) == (pairs, {})
    assert kept(Filters(max_words=4), *pairs)[1] == {"more than 4 words": 1}
    assert kept(Filters(min_words=2), *pairs)[1] == {"fewer than 2 words": 2}
    assert kept(Filters(max_ratio=2.5), *pairs)[1] == {"ratio above 2.5": 1}
    assert kept(Filters(max_ratio=3), *pairs)[1] == {}
    assert kept(Filters(drop_identical=True), *pairs)[1] == {"identical sides": 1}
    assert kept(Filters(deduplicate=True), *pairs) == (pairs[:4], {"duplicate pair": 1})
    every = Filters(2, 4, 2.0, "words", True, "pair")
    assert kept(every, *pairs) == (
        [("a b", "c d")],
        {"fewer than 2 words": 2, "more than 4 words": 1, "duplicate pair": 1},
    )
    one_side = [("a", "b"), ("a", "c"), ("d", "c")]
    assert kept(Filters(deduplicate="source"), *one_side)[0] == [("a", "b"), ("d", "c")]
    assert kept(Filters(deduplicate="target"), *one_side)[0] == [("a", "b"), ("a", "c")]
    assert kept(Filters(), ("", "a")) == ([], {"empty side": 1})
    assert kept(Filters(min_words=0), ("", "a")) == ([("", "a")], {})
    assert kept(Filters(max_words=2, unit="characters"), ("你好吗", "ab"))[1] == {
        "more than 2 characters": 1
    }


def test_the_report_has_examples():
    pairs = [SentencePair("a b", "c" * 99, {}, Origin("f", line)) for line in range(1, 9)]
    corpus = Corpus.of(pairs).filter(Filters(max_words=1))
    for _ in range(2):  # each walk has a report of its own
        assert texts(corpus) == []
        removed = corpus.report.removed["more than 1 words"]
        assert removed.count == 8
        assert removed.examples[1] == f"f:2: a b ||| {'c' * 59}…"
        assert len(removed.examples) == 3
        assert (corpus.report.seen, corpus.report.kept) == (8, 0)
    assert corpus.report.to_dict()["removed"]["more than 1 words"]["count"] == 8
    assert Corpus.of(pairs).report is None


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [({"min_words": -1}, "range"), ({"max_words": 0}, "range"),
     ({"min_words": 3, "max_words": 2}, "range"), ({"max_ratio": 0.5}, "range"),
     ({"max_ratio": float("nan")}, "range"), ({"max_ratio": True}, "type"),
     ({"unit": "lines"}, "choice"), ({"deduplicate": "both"}, "choice")],
)  # fmt: skip
def test_filters_must_make_sense(wrong, fault):
    name, value = list(wrong.items())[-1]
    with refuses(CorpusError, f"argument.{fault}", argument=name, value=value):
        Filters(**wrong)


def test_the_same_pair_is_told_from_one_that_looks_like_it():
    pairs = [("a b", "c"), ("a", "b c"), ("ab", "c")]
    assert kept(Filters(deduplicate=True), *pairs)[0] == pairs


@given(st.lists(st.lists(st.integers(0, 60), max_size=30), max_size=12))
def test_what_was_seen_before(batches):
    seen, known = SeenFingerprints(), set()
    for batch in batches:
        want = []
        for value in batch:
            want.append(value not in known)
            known.add(value)
        assert seen.add([fingerprint(str(value)) for value in batch]) == want
        assert len(seen) == len(known)


def test_duplicates_cost_few_bytes():
    seen = SeenFingerprints()
    count = 200_000
    tracemalloc.start()
    try:
        for begin in range(0, count, 8000):
            seen.add(value.to_bytes(8) for value in range(begin, begin + 8000))
        size, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size < 9 * count
    assert peak < 20 * count


# Splits


def numbered(count):
    return [(f"s {i}", f"t {i}") for i in range(count)]


def test_a_split_has_exact_counts_and_loses_nothing():
    pairs = numbered(500)
    corpus = Corpus.of(pairs)
    train, dev, test = corpus.split(dev=50, test=30, seed=7)
    parts = [texts(part) for part in (train, dev, test)]
    assert list(map(len, parts)) == [420, 50, 30]
    assert sorted(itertools.chain(*parts)) == sorted(pairs)
    for part in parts:
        assert part == [pair for pair in pairs if pair in part]  # in their order
    assert parts == [texts(part) for part in corpus.split(dev=50, test=30, seed=7)]
    assert texts(corpus.split(dev=50, test=30, seed=8)[2]) != parts[2]
    reverse = Corpus.of(pairs[::-1]).split(dev=50, test=30, seed=7)
    assert texts(reverse[1]) == parts[1][::-1]
    assert texts(corpus.split(dev=100, test=30, seed=7)[2]) == parts[2]
    again = Corpus.of(numbered(501)).split(dev=50, test=30, seed=7)
    assert len(set(texts(again[1])) & set(parts[1])) >= 48


@pytest.mark.slow
@given(PAIRS, st.integers(0, 4), st.integers(0, 4), st.sampled_from(["pair", "source", "target"]))
def test_nothing_is_on_both_sides(pairs, dev, test, by):
    key = {"pair": lambda p: p, "source": lambda p: p[0], "target": lambda p: p[1]}[by]
    corpus = Corpus.of(pairs)
    if len({key(pair) for pair in pairs}) <= dev + test:
        with refuses(CorpusError, "corpus.too-small", expected=dev + test + 1):
            corpus.split(dev=dev, test=test, by=by)
        return
    parts = [texts(part) for part in corpus.split(dev=dev, test=test, by=by)]
    assert list(map(len, parts[1:])) == [dev, test]
    keys = [list(map(key, part)) for part in parts]
    assert len(set(keys[1])) == dev
    assert len(set(keys[2])) == test
    for one, other in itertools.combinations(keys, 2):
        assert not set(one) & set(other)
    held_out = {*keys[1], *keys[2]}
    assert parts[0] == [pair for pair in pairs if key(pair) not in held_out]


def test_splits_must_make_sense():
    corpus = Corpus.of(numbered(3))
    for name, value, fault in (
        ("dev", -1, "range"), ("test", 1.5, "type"), ("seed", -1, "range"), ("by", "line", "choice")
    ):  # fmt: skip
        with refuses(CorpusError, f"argument.{fault}", argument=name, value=value):
            corpus.split(**{"dev": 1, name: value})


def test_the_choice_is_the_same_on_every_machine():
    assert fingerprint("a\nb", 1).hex() == fingerprint("a\nb", 1).hex() != fingerprint("a\nb").hex()
    assert texts(Corpus.of(numbered(20)).split(test=2, seed=1)[2]) == GOLDEN


GOLDEN = [("s 3", "t 3"), ("s 15", "t 15")]


def test_a_summary():
    pairs = [("a b c", "x"), ("a", "a"), SentencePair("a", "a", {"domain": "d"})]
    found = Corpus.of(pairs).summary()
    assert (found.pairs, found.distinct, found.identical) == (3, 2, 2)
    assert found.tags == {"domain": 1}
    assert (found.source.words, found.source.characters, found.source.longest) == (5, 7, 3)
    assert (found.source.median, found.source.percentile_95) == (1, 3)
    assert found.source.mean == pytest.approx(5 / 3)
    assert found.to_dict()["target"]["words"] == 3
    assert Corpus.of([]).summary().source.longest == 0


def test_corpora_in_memory():
    corpus = Corpus.of([("a", "b")], source_language="de", target_language="en")
    assert corpus.languages == ("de", "en")
    assert (corpus.skipped, corpus.left_out, corpus.files) == ({}, {}, [])
    assert repr(corpus) == "Corpus(in memory)"
    loud = corpus.through(lambda pairs: (SentencePair(p.source.upper(), p.target) for p in pairs))
    assert texts(loud) == texts(loud) == [("A", "b")]
    assert {SentencePair("a", "b", {"x": "y"}), SentencePair("a", "b")} != {SentencePair("a", "b")}
    for wrong in ("ab", [("a",)], [("a", 1)], iter([]), [["a", "b"]]):
        with refuses(CorpusError, "argument.type", argument="pairs"):
            Corpus.of(wrong)
