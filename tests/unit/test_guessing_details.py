"""Guesses of unknown words at their limits: how many words show a thing, which parts are chosen."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from rosewood.align import Links
from rosewood.corpus import IndexedCorpus
from rosewood.decode import Guesser, Guesses
from rosewood.decode import guessing as guessing_module
from rosewood.pipeline.model_stages import learn_guesses
from rosewood.rules import Rule, RuleTable

NO_GUESSES = Guesses({}, ("",))
STEMS = ["klein", "schnell", "traurig", "dunkel", "langsam"]
HEADS = [f"{a}{b}lm" for a, b in product("bdfg", "aeiou")]
TAILS = [f"{a}{b}rk" for a, b in product("ptkwz", "aeiou")]


def table_of(place: Path, counts: dict[str, float]) -> RuleTable:
    """Words that are their own translations in capitals, each seen so often."""
    rules = [
        Rule((word,), (word.upper(),), links=((0, 0),), features={"phrase_ef": -0.5}, count=count,
             source_count=count, target_count=count)
        for word, count in counts.items()
    ]  # fmt: skip
    return RuleTable.build(place / "rules", rules)


@pytest.mark.parametrize(("stems", "is_learnt"), [(4, False), (5, True)])
def test_how_many_stems_show_an_ending(stems, is_learnt):
    learnt = Guesses.learn(stem + ending for stem in STEMS[:stems] for ending in ("e", "n"))
    assert learnt.endings == ({"e": {"n": 5}, "n": {"e": 5}} if is_learnt else {})


@pytest.mark.parametrize(("shown", "is_learnt"), [(9, False), (10, True), (12, True)])
def test_what_stands_between_may_be_rare(shown, is_learnt):
    """Of hundreds of words that are put together a few in a hundred are enough, but not less."""
    pairs = list(product(HEADS, TAILS))
    words = [*HEADS, *TAILS, *(head + tail for head, tail in pairs[:400])]
    words += [f"{head}x{tail}" for head, tail in pairs[-shown:]]
    assert Guesses.learn(words).between == (("", "x") if is_learnt else ("",))


def test_the_parts_that_were_seen_more_often(tmp_path):
    """Two ways to cut, with as many parts: that of frequent words, whichever is met first."""
    often = {"abc": 50.0, "defghi": 50.0, "uvwxyz": 50.0, "rst": 50.0}
    seldom = {"abcdef": 1.0, "ghi": 1.0, "uvw": 1.0, "xyzrst": 1.0}
    guess = Guesser(table_of(tmp_path, often | seldom), NO_GUESSES)
    assert guess("abcdefghi") == ["ABC DEFGHI"]
    assert guess("uvwxyzrst") == ["UVWXYZ RST"]


def test_four_parts_and_no_more(tmp_path):
    guess = Guesser(table_of(tmp_path, {"berg": 3.0}), NO_GUESSES)
    assert guess("berg" * 4) == ["BERG BERG BERG BERG"]
    assert guess("berg" * 5) is None


@pytest.mark.parametrize("letters", ["s", "-"])
def test_what_stands_between_does_not_stand_before(tmp_path, letters):
    guess = Guesser(table_of(tmp_path, {"berg": 3.0, "haus": 3.0}), Guesses({}, ("", "s")))
    assert guess(f"berg{letters}haus") == ["BERG HAUS"]
    assert guess(f"{letters}berghaus") is None


def test_a_model_learns_from_its_most_frequent_words(tmp_path, monkeypatch):
    frequent = [stem + ending for stem in STEMS for ending in ("e", "n")]
    rare = [head + ending for head in HEADS[:5] for ending in ("o", "u")]
    sides = {"source": [*rare, *frequent, *frequent], "target": ["x"] * 30}
    for name, lines in sides.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    corpus = IndexedCorpus.build(tmp_path / "corpus", source=tmp_path / "source",
                                 target=tmp_path / "target")  # fmt: skip
    links = Links.of([[(0, 0)]] * 30)
    monkeypatch.setattr(guessing_module, "MOST_WORDS", 10)
    found = learn_guesses(corpus, links, table_of(tmp_path, {"kleine": 2.0}))
    assert found.endings == Guesses.learn(frequent).endings == {"e": {"n": 5}, "n": {"e": 5}}
    counts = np.bincount(corpus.source.ids)
    assert sorted(counts.tolist()) == [1] * 10 + [2] * 10
