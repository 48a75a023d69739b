"""The phrasebook: distinct pairs, gold links that hold, the same from the same seed."""

from __future__ import annotations

from itertools import islice

import pytest

from rosewood.corpus.phrasebook import KINDS, Phrasebook
from rosewood.errors import RosewoodError

BOOKS = ("en-de", "en-ja")


@pytest.mark.parametrize("languages", BOOKS)
def test_links_hold(languages):
    for pair in Phrasebook(languages, seed=3, noise=0.2).pairs(3000):
        assert pair.sure <= pair.possible
        for i, j in pair.possible:
            assert 0 <= i < len(pair.source)
            assert 0 <= j < len(pair.target)
        assert pair.kind in KINDS
        assert 3 <= len(pair.source) <= 25
        assert 3 <= len(pair.target) <= 25
        assert all(word and not word.isspace() for word in pair.source + pair.target)


@pytest.mark.parametrize("languages", BOOKS)
def test_the_same_seed_gives_the_same_pairs(languages):
    book = Phrasebook(languages, seed=5)
    assert list(book.pairs(200)) == list(islice(book.pairs(), 200))
    assert list(book.pairs(200)) != list(Phrasebook(languages, seed=6).pairs(200))


@pytest.mark.parametrize("languages", BOOKS)
def test_no_sentence_comes_twice(languages):
    pairs = list(Phrasebook(languages, seed=2).pairs(20_000))
    assert len({pair.source for pair in pairs}) == len({pair.target for pair in pairs}) == 20_000


def test_bad_arguments_are_refused():
    for arguments, reason in (
        ({"languages": "en-fr"}, "there is no phrasebook 'en-fr'; there are en-de, en-ja"),
        ({"seed": -1}, "the seed is -1"),
        ({"noise": 1.5}, "noise is 1.5"),
    ):
        with pytest.raises(RosewoodError, match=reason):
            Phrasebook(**arguments)
