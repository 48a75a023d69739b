"""The phrasebook: distinct pairs, gold links that hold, the same from the same seed."""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter
from functools import cache
from hashlib import blake2b
from itertools import islice
from statistics import correlation, linear_regression

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import refuses
from tests.training import QUICK, flags, write_book

from rosewood.corpus.phrasebook import KINDS, Phrasebook, PhrasebookPair, PhrasebookSplit
from rosewood.corpus.phrasebook.seen import SeenTexts
from rosewood.errors import RosewoodError

BOOKS = ("en-de", "en-ja")

# Words that may stand alone: articles, pronouns, auxiliaries, prepositions, commas.
ALONE = {
    *("a", "an", "the", "I", "you", "my", "it", "to", "for", ",", "that", "who", "which"),
}


@cache
def split(languages: str) -> PhrasebookSplit:
    return Phrasebook(languages, seed=1).split(5000, 500, 500)


@pytest.mark.slow
@pytest.mark.parametrize("languages", BOOKS)
@given(seed=st.integers(0, 10**9), noise=st.floats(0, 1), reverse=st.booleans())
def test_links_hold(languages, seed, noise, reverse):
    for pair in Phrasebook(languages, seed, noise, reverse).pairs(40):
        assert pair.sure <= pair.possible
        assert all(
            0 <= i < len(pair.source) and 0 <= j < len(pair.target) for i, j in pair.possible
        )
        assert pair.kind in KINDS
        assert 3 <= len(pair.source) <= 25
        assert 3 <= len(pair.target) <= 25
        for word in pair.source + pair.target:
            assert word == word.strip() != ""
            assert " " not in word


@pytest.mark.slow
@pytest.mark.parametrize("languages", BOOKS)
def test_words_with_a_meaning_are_linked(languages):
    for pair in Phrasebook(languages, seed=4, noise=0).pairs(4000):
        if pair.kind == "idiom":
            continue
        linked = {i for i, _ in pair.possible}
        alone = {word for i, word in enumerate(pair.source) if i not in linked}
        assert alone <= ALONE, pair.raw()
        assert len(pair.source) - 1 in linked  # the stop at the end


@pytest.mark.parametrize(
    ("languages", "digest"), [("en-de", "ec394be8e86adfed"), ("en-ja", "4521afe228ebb6e9")]
)
def test_the_same_seed_gives_the_same_pairs_everywhere(languages, digest):
    book = Phrasebook(languages, seed=1)
    text = "\n".join(f"{p.source} {p.target} {p.gold()} {p.kind}" for p in book.pairs(1000))
    # On every machine and every Python; a change of the grammar or the lexicon changes it.
    assert blake2b(text.encode(), digest_size=8).hexdigest() == digest
    assert list(book.pairs(100)) == list(islice(book.pairs(), 100))
    assert list(book.pairs(100)) != list(Phrasebook(languages, seed=2).pairs(100))


@pytest.mark.slow
@pytest.mark.parametrize("languages", BOOKS)
def test_no_sentence_comes_twice(languages):
    sources, targets = Counter(), Counter()
    for pair in Phrasebook(languages, seed=2).pairs(20_000):
        sources[pair.source] += 1
        targets[pair.target] += 1
    assert len(sources) == len(targets) == 20_000


@pytest.mark.slow
@pytest.mark.parametrize("languages", BOOKS)
def test_it_is_like_language(languages):
    for side in ("source", "target"):
        sentences = [getattr(pair, side) for pair in split(languages).train]
        counts = sorted(Counter(word for words in sentences for word in words).values())[::-1]
        assert 1000 < len(counts) < 3000
        assert counts.count(1) / len(counts) > 0.3  # words that come once
        # A power law: the logarithm of the frequency falls in a line with that of the rank.
        ranks = [math.log(rank) for rank in range(1, len(counts) + 1)]
        frequencies = [math.log(count) for count in counts]
        assert -1.7 < linear_regression(ranks, frequencies).slope < -1.1
        assert correlation(ranks, frequencies) < -0.97
        mean = sum(map(len, sentences)) / len(sentences)
        assert 8.5 < mean < 11.5
        assert min(map(len, sentences)) == 3
        assert max(map(len, sentences)) >= 20


@pytest.mark.parametrize("languages", BOOKS)
def test_held_out_sentences_are_new_and_their_words_mostly_are_not(languages):
    parts = split(languages)
    assert [len(part) for part in parts] == [5000, 500, 500]
    trained = {pair.source for pair in parts.train}
    translated = {pair.target for pair in parts.train}
    known = {word for words in trained for word in words}
    for part in (parts.dev, parts.test):
        assert not trained & {pair.source for pair in part}
        assert not translated & {pair.target for pair in part}
        words = [word for pair in part for word in pair.source]
        assert sum(word not in known for word in words) / len(words) == pytest.approx(
            0.03, abs=0.002
        )
    assert not {pair.source for pair in parts.dev} & {pair.source for pair in parts.test}


def test_the_share_of_unseen_words_is_as_asked_for():
    for unseen in (0.0, 0.08):
        parts = Phrasebook(seed=3).split(500, test=200, unseen=unseen)
        known = {word for pair in parts.train for word in pair.source}
        words = [word for pair in parts.test for word in pair.source]
        share = sum(word not in known for word in words) / len(words)
        assert share == pytest.approx(unseen, abs=0.003)
    assert len(Phrasebook(seed=3).split(0, test=20, unseen=0.0).test) == 20
    natural = Phrasebook(seed=3).split(500, test=20, unseen=None)
    assert natural.test == list(Phrasebook(seed=3).pairs(520))[500:]


@pytest.mark.parametrize(("languages", "low", "high"), [("en-de", 65, 85), ("en-ja", 65, 87)])
def test_free_variants_are_as_far_apart_as_they_should_be(languages, low, high):
    """A perfect translator cannot know which variant is the reference."""
    pairs = list(Phrasebook(languages, seed=7).variants(400))
    assert all(one.source == other.source for one, other in pairs)
    texts = [[" ".join(pair.target) for pair in side] for side in zip(*pairs, strict=True)]
    score = sacrebleu.corpus_bleu(texts[0], [texts[1]], tokenize="none", force=True).score
    assert low < score < high


@pytest.mark.slow
@pytest.mark.parametrize("languages", BOOKS)
def test_noise_has_its_share_and_its_gold_stays_right(languages):
    kinds = Counter(pair.kind for pair in Phrasebook(languages, seed=5, noise=0.3).pairs(3000))
    noisy = sum(kinds[kind] for kind in ("paraphrase", "omission", "typo"))
    assert noisy / 3000 == pytest.approx(0.3, abs=0.03)
    assert min(kinds[kind] for kind in KINDS) > 10
    clean = Counter(pair.kind for pair in Phrasebook(languages, seed=5, noise=0).pairs(1000))
    assert set(clean) == {"plain", "idiom"}


def test_typos_keep_links():
    for pair in Phrasebook(seed=8, noise=1).pairs(500):
        if pair.kind == "typo":
            assert len(pair.source) - 1 in {i for i, _ in pair.sure}


def test_reverse_turns_pairs_round():
    forward = list(Phrasebook("en-de", seed=9).pairs(50))
    backward = Phrasebook("en-de", seed=9, reverse=True)
    assert (backward.source, backward.target) == ("de", "en")
    for one, other in zip(forward, backward.pairs(50), strict=True):
        assert (one.source, one.target, one.kind) == (other.target, other.source, other.kind)
        assert {(j, i) for i, j in one.sure} == other.sure
        assert other.reversed() == one


def test_raw_text_is_as_people_write_it():
    pair = PhrasebookPair(
        ("I", "do", "n't", "know", "Anna", "'s", "dog", ",", "but", "she", "'s", "nice", "."),
        ("kare", "wa", "imasu", ".", "soshite", ",", "12.50", "yūro", "desu", "."),
        frozenset(),
        frozenset(),
        "plain",
    )
    assert pair.raw() == (
        "I don't know Anna's dog, but she's nice.",
        "Kare wa imasu. Soshite, 12.50 yūro desu.",
    )


def test_gold_lines_are_read_back():
    for pair in Phrasebook("en-ja", seed=3).pairs(200):
        links = [link.partition("p" if "p" in link else "-") for link in pair.gold().split()]
        assert {(int(i), int(j)) for i, _, j in links} == pair.possible
        assert {(int(i), int(j)) for i, kind, j in links if kind == "-"} == pair.sure


@given(st.lists(st.text(max_size=3), max_size=3000))
def test_seen_is_a_set(texts):
    seen, known = SeenTexts(), set()
    for text in texts:
        assert (text in seen) == (text in known)
        assert seen.add(text) == (text not in known)
        known.add(text)
        assert len(seen) == len(known)


def test_seen_grows():
    seen = SeenTexts()
    assert all(seen.add(str(number)) for number in range(20_000))
    assert not any(seen.add(str(number)) for number in range(20_000))


@pytest.mark.slow
def test_training_does_not_load_it(tmp_path):
    """It is a corpus for tests and first steps, which translation systems do not need."""
    folder = write_book(tmp_path, train=60)
    code = (
        "import sys, rosewood; from rosewood.cli import main\n"
        "def loaded(): return [name for name in sys.modules if 'phrasebook' in name]\n"
        "assert not loaded(), loaded()\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code, end\n"
        "assert not loaded(), loaded()\n"
        "assert 'rosewood.pipeline' in sys.modules\n"
    )
    files = {"source": folder / "train.en", "target": folder / "train.de"}
    train = flags({**files, **QUICK, "tune": "none", "set": {}, "output": folder / "model"})
    ran = subprocess.run(
        [sys.executable, "-c", code, "train", *train], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert (folder / "model").is_dir()


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("languages", "en-fr", "unknown"),
        ("seed", -1, "range"),
        ("seed", True, "type"),
        ("noise", 1.5, "range"),
        ("noise", float("nan"), "range"),
    ],
)
def test_bad_settings_are_refused(name, value, fault):
    argument = "phrasebook" if name == "languages" else name
    with refuses(RosewoodError, f"argument.{fault}", argument=argument, value=value):
        Phrasebook(**{name: value})


def test_bad_counts_are_refused():
    with refuses(RosewoodError, "argument.range", argument="pairs", value=-1):
        Phrasebook().pairs(-1)
    with refuses(RosewoodError, "argument.type", argument="dev", value=1.5):
        Phrasebook().split(10, dev=1.5)
    with refuses(RosewoodError, "argument.range", argument="unseen", value=0.5):
        Phrasebook().split(10, unseen=0.5)
    with refuses(RosewoodError, "argument.conflict", argument="reverse"):
        next(Phrasebook(reverse=True).variants(1))
