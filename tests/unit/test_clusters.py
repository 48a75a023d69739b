"""Word classes: exchange against its reference, local optima, threads, lookups, odd text."""

from __future__ import annotations

import pickle
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import clusters as reference
from tests.refusals import refuses

from rosewood import _core
from rosewood.corpus import IndexedText, WordClasses
from rosewood.corpus.clusters_learning import start_classes
from rosewood.corpus.phrasebook import Phrasebook
from rosewood.errors import CorpusError, FormatError

SENTENCES = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=6), min_size=1, max_size=12)
ANIMALS = [
    f"{article} {noun} {verb}"
    for article in ("the", "a", "my")
    for noun in ("dog", "cat", "cow", "horse")
    for verb in ("sleeps", "eats", "runs")
]


def lines_of_phrasebook(count: int) -> list[str]:
    return [" ".join(pair.source) for pair in Phrasebook("en-de", seed=1).pairs(count)]


def as_dict(classes: WordClasses) -> dict[str, int]:
    return {word: classes[word] for word in classes}


@given(SENTENCES, st.integers(1, 4))
def test_exchange_is_that_of_the_reference(sentences, number):
    found = WordClasses.learn(sentences, number, annealing=0, rounds=2)
    counts = reference.bigrams(sentences)
    order = [word for word, _ in Counter(w for s in sentences for w in s).most_common()]
    assert list(found) == order
    number = min(number, len(order))
    start = start_classes(found.counts, number)
    now = dict(zip(order, start.tolist(), strict=True))
    for each in found.history[1:]:
        now, moves = reference.exchange(counts, order, now, number)
        assert each["moves"] == moves
        assert each["objective"] == pytest.approx(reference.objective(counts, now), rel=1e-9)
    assert as_dict(found) == now


def test_blocks_of_words_are_those_of_the_reference():
    chance = random.Random(1)
    words = [f"w{n}" for n in range(60)]
    weights = [(n + 1) ** -1.6 for n in range(60)]
    sentences = [chance.choices(words, weights, k=8) for _ in range(250)]
    found = WordClasses.learn(sentences, 3, annealing=0, rounds=1)
    counts = reference.bigrams(sentences)
    assert max(map(len, reference.blocks(counts, list(found)))) > 1
    start = dict(zip(found, start_classes(found.counts, 3).tolist(), strict=True))
    now, moves = reference.exchange(counts, list(found), start, 3)
    assert (as_dict(found), found.history[1]["moves"]) == (now, moves)


@settings(max_examples=40)
@given(SENTENCES, st.integers(1, 4), st.integers(0, 3), st.integers(1, 2))
def test_no_single_move_is_better(sentences, number, annealing, min_count):
    most = max(Counter(word for words in sentences for word in words).values(), default=min_count)
    if most < min_count:
        with refuses(CorpusError, "argument.range", argument="min_count", expected=most):
            WordClasses.learn(sentences, number, annealing=annealing, min_count=min_count)
        return
    found = WordClasses.learn(sentences, number, annealing=annealing, min_count=min_count)
    counts = reference.bigrams(sentences)
    assert found.facts["is_converged"]
    known = as_dict(found)
    value = reference.objective(counts, known)
    if not known:
        assert (found.objective, found.num_classes) == (0, 0)
        return
    assert found.objective == pytest.approx(value, rel=1e-9, abs=1e-9)
    assert all(gain < 1e-6 for _, _, gain in reference.gains(counts, known, found.num_classes))
    assert set(known.values()) == set(range(1, found.num_classes + 1))
    if len(known) <= 5:
        assert value <= reference.best_of_all(counts, list(found), found.num_classes) + 1e-9


def test_classes_that_everybody_sees():
    found = WordClasses.learn(ANIMALS, 3)
    groups = {frozenset(found.words_of(number)) for number in (1, 2, 3)}
    assert groups == {
        frozenset({"the", "a", "my"}),
        frozenset({"dog", "cat", "cow", "horse"}),
        frozenset({"sleeps", "eats", "runs"}),
    }
    counts = reference.bigrams([line.split() for line in ANIMALS])
    assert found.objective == pytest.approx(reference.objective(counts, as_dict(found)), rel=1e-12)


@pytest.mark.slow
def test_the_same_bytes_at_any_number_of_threads(tmp_path):
    lines = lines_of_phrasebook(3000)
    text = IndexedText.from_lines(lines)
    for threads in (1, 2, 5):
        found = WordClasses.learn(text, 120, annealing=4, threads=threads)
        found.save(tmp_path / str(threads))
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
    assert (tmp_path / "1").read_bytes() == (tmp_path / "5").read_bytes()


def test_the_objective_never_falls_and_is_that_of_the_counts():
    lines = lines_of_phrasebook(500)
    found = WordClasses.learn(lines, 20, annealing=5)
    assert [each["round"] for each in found.history] == list(range(len(found.history)))
    heats = [each["heat"] for each in found.history]
    assert heats[1:6] == sorted(heats[1:6], reverse=True)
    assert heats[0] == 0 < heats[5]
    assert not any(heats[6:])
    values = [each["objective"] for each in found.history[5:]]
    assert values == sorted(values)
    assert len(set(values)) == len(values) - 1  # nothing moved in the last round
    counts = reference.bigrams([line.split() for line in lines])
    assert values[-1] == pytest.approx(reference.objective(counts, as_dict(found)), rel=1e-12)
    assert found.facts["sentences"] == 500
    assert found.facts["bigrams"] == len(counts)


def test_rounded_sums_are_kept_up_to_date():
    """What moves add up to in whole numbers is exactly what the counts give."""
    text = IndexedText.from_lines(lines_of_phrasebook(300))
    types = text.num_types
    bigrams = _core.WordBigrams(text.ids, text.start, np.arange(types, dtype=np.int32), types)
    start = np.arange(types, dtype=np.int32) % 9 + 1
    exchange = _core.ClassExchange(bigrams, start, 9)
    for number in range(4):
        moved = exchange.anneal(0, types, 1.0, number, 2)
        before = exchange.objective()
        assert moved > 0
        assert exchange.rounded_objective == exchange.recomputed_objective()
        exchange.exchange(0, types, 2)
        assert exchange.rounded_objective == exchange.recomputed_objective()
        assert exchange.objective() > before


def test_other_seeds_give_other_classes():
    lines = lines_of_phrasebook(200)
    found = [WordClasses.learn(lines, 10, annealing=3, seed=seed).classes for seed in (1, 1, 2)]
    assert (found[0] == found[1]).all()
    assert (found[0] != found[2]).any()


@pytest.mark.slow
def test_many_classes_take_another_way_with_the_same_result():
    """Matrices that are too wide have no matrix of steps beside them."""
    sentences = [[f"w{n % 3000}", f"w{(n * 7) % 3000}"] for n in range(6000)]
    found = WordClasses.learn(sentences, 2600, annealing=0, rounds=2)
    counts = reference.bigrams(sentences)
    assert found.objective == pytest.approx(reference.objective(counts, as_dict(found)), rel=1e-9)
    values = [each["objective"] for each in found.history]
    assert values == sorted(values)


def test_lookups():
    found = WordClasses.learn(ANIMALS, 3)
    assert (found.of("dog"), "dog" in found, len(found)) == (found["dog"], True, 10)
    assert (found["unseen"], "unseen" in found) == (0, False)
    assert found.numbers(["dog", "unseen", "cat"]).tolist() == [found["dog"], 0, found["dog"]]
    assert found.numbers([]).tolist() == []
    assert found.words_of(found["dog"], 2) == ("dog", "cat")
    assert found.sizes.sum() == 10
    assert found.occurrences.tolist() == [36, 36, 36]
    assert sorted(found.largest()) == [1, 2, 3]
    assert found.largest(1) == [1]
    assert repr(found) == "WordClasses(num_classes=3)"
    copy = pickle.loads(pickle.dumps(found))
    assert (as_dict(copy), copy.facts) == (as_dict(found), found.facts)
    for number in (0, 4):
        with refuses(CorpusError, "argument.range", argument="number", value=number):
            found.words_of(number)
    with pytest.raises(ValueError, match="read-only"):
        found.classes[0] = 1


@pytest.mark.parametrize("sentences", [[], [""], ["", "  "]])
def test_text_without_words(sentences):
    found = WordClasses.learn(sentences, 5)
    assert (len(found), found.num_classes, found.objective, found.history) == (0, 0, 0, [])
    assert found["a"] == 0


def test_odd_text():
    one = WordClasses.learn(["a"], 5)
    assert (as_dict(one), one.num_classes) == ({"a": 1}, 1)
    assert WordClasses.learn(["a b c"], 50).sizes.tolist() == [1, 1, 1]
    assert set(WordClasses.learn(ANIMALS, 1).classes) == {1}
    line = " ".join(f"w{n % 50}" for n in range(50_000))
    long = WordClasses.learn([line], 5)
    assert long.sizes.sum() == 50
    assert long.facts["sentences"] == 1
    repeated = WordClasses.learn(["a a a a b b b", "b a a a"], 2)
    counts = reference.bigrams([["a"] * 4 + ["b"] * 3, ["b", "a", "a", "a"]])
    assert repeated.objective == pytest.approx(reference.objective(counts, as_dict(repeated)))
    blank = WordClasses.learn(["", "a b", "", "b a"], 2)
    assert blank.objective == WordClasses.learn(["a b", "b a"], 2).objective


def test_rare_words_have_the_class_of_unknown_ones():
    found = WordClasses.learn([*ANIMALS, "once upon a time"], 3, min_count=2)
    assert [found[word] for word in ("once", "upon", "time")] == [0, 0, 0]
    assert (found.facts["rare_types"], found.facts["rare_words"]) == (3, 3)
    assert found.facts["types"] == 13
    assert found.facts["words"] == len(ANIMALS) * 3 + 4


def test_perplexity_is_that_of_the_class_bigram_model():
    found = WordClasses.learn(["a b", "a c"], 2, annealing=0)
    # b and c share a class: each of the 6 events is certain but for the choice between them.
    assert found["b"] == found["c"] != found["a"]
    assert found.facts["perplexity"] == pytest.approx(2 ** (2 / 6))


@given(st.lists(st.integers(1, 50), min_size=1, max_size=30), st.integers(1, 30))
def test_every_class_has_words_from_the_start(counts, number):
    number = min(number, len(counts))
    found = start_classes(np.array(sorted(counts, reverse=True), np.int64), number)
    assert found.tolist() == sorted(found.tolist())
    assert set(found.tolist()) == set(range(1, number + 1))


@pytest.mark.parametrize(
    ("how", "code", "argument"),
    [
        ({"classes": 0}, "argument.range", "classes"),
        ({"classes": 10**6}, "argument.range", "classes"),
        ({"classes": 2.5}, "argument.type", "classes"),
        ({"rounds": 0}, "argument.range", "rounds"),
        ({"annealing": -1}, "argument.range", "annealing"),
        ({"min_count": 0}, "argument.range", "min_count"),
        ({"seed": -1}, "argument.range", "seed"),
        ({"threads": 0}, "argument.range", "threads"),
    ],
)
def test_bad_settings(how, code, argument):
    with refuses(CorpusError, code, argument=argument):
        WordClasses.learn(ANIMALS, **how)


def test_bad_text():
    for text in ("a text", 5):
        with refuses(CorpusError, "argument.type", argument="lines"):
            WordClasses.learn(text)
    with refuses(FormatError, "argument.type", line=1):
        WordClasses.learn([3])


@pytest.mark.parametrize(
    ("arguments", "code", "argument"),
    [
        (("a", [1], [1]), "argument.shape", "classes"),
        (("ab", [1, 2], [1]), "argument.shape", "counts"),
        (("ab", [1, 0], [1, 1]), "argument.range", "classes"),
        (("ab", [1, 4], [1, 1]), "argument.range", "classes"),
        (("ab", [1, 2], [1, -1]), "argument.range", "classes"),
        (("aa", [1, 2], [1, 1]), "argument.duplicate", "words"),
    ],
)
def test_classes_that_cannot_be(arguments, code, argument):
    words, classes, counts = arguments
    if argument == "classes" and code == "argument.shape":
        classes = [1, 1]
    with refuses(CorpusError, code, argument=argument):
        WordClasses(tuple(words), np.array(classes), np.array(counts), 3)


def test_native_code_refuses_bad_numbers():
    ids, start = np.array([0, 1], np.int32), np.array([0, 2], np.int64)
    numbers = np.array([0, 1], np.int32)
    for bad, argument in (
        ((ids, start, np.array([0, 2], np.int32), 2), "number_of"),
        ((ids, np.array([0, 1], np.int64), numbers, 2), "start"),
        ((ids, start, numbers[:1], 2), "ids"),
        ((ids, start, numbers, -1), "words"),
    ):
        with pytest.raises(CorpusError) as refused:
            _core.WordBigrams(*bad)
        assert refused.value.argument == argument
    bigrams = _core.WordBigrams(ids, start, numbers, 2)
    assert (bigrams.total, bigrams.distinct, bigrams.words) == (3, 3, 2)
    for classes, number, argument in (
        ([1], 2, "class_of"), ([1, 3], 2, "class_of"), ([1, 1], 0, "classes"),
    ):  # fmt: skip
        with pytest.raises(CorpusError) as refused:
            _core.ClassExchange(bigrams, np.array(classes, np.int32), number)
        assert refused.value.argument == argument
    exchange = _core.ClassExchange(bigrams, np.array([1, 2], np.int32), 2)
    with refuses(CorpusError, "argument.range", argument="begin"):
        exchange.exchange(0, 3, 1)
    for heat in (-1.0, float("nan"), float("inf")):
        with refuses(CorpusError, "argument.range", argument="heat"):
            exchange.anneal(0, 2, heat, 1, 1)
