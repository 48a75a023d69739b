"""Lexical translation tables of aligned corpora."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bitexts import corpora, indexed
from tests.refusals import refuses

from rosewood.align import LexicalTable, Links
from rosewood.corpus import IndexedCorpus
from rosewood.errors import AlignmentError


def linked_table(sentences, links):
    """Relative frequencies of links, a word without one linked to nothing; by hand."""
    both, sides = Counter(), (Counter(), Counter())
    for (source, target), linked in zip(sentences, links, strict=True):
        for i, j in linked:
            both[source[i], target[j]] += 1
        for side, words, at in ((0, source, 0), (1, target, 1)):
            for n, word in enumerate(words):
                sides[side][word] += max(1, sum(link[at] == n for link in linked))
    return {(s, t): (n / sides[0][s], n / sides[1][t]) for (s, t), n in both.items()}


@pytest.mark.slow
@given(corpora(pairs=6, longest=6), st.randoms(use_true_random=False))
def test_lexical_tables(sentences, chance):
    links = [
        {(i, j) for i in range(len(s)) for j in range(len(t)) if chance.random() < 0.3}
        for s, t in sentences
    ]
    table = LexicalTable.of(indexed(sentences), Links.of(links))
    found = {(row.source, row.target): (row.forward, row.backward) for row in table}
    want = linked_table(sentences, links)
    assert found.keys() == want.keys()
    for pair, chances in want.items():
        np.testing.assert_allclose(found[pair], chances)
    keys = list(zip(table.source.tolist(), table.target.tolist(), strict=True))
    assert keys == sorted(keys)


def test_links_of_another_corpus():
    corpus = IndexedCorpus.from_pairs([SimpleNamespace(source="a b", target="c")])
    with refuses(AlignmentError, "argument.shape", argument="corpus", value=1, expected=2):
        LexicalTable.of(corpus, Links.of([set(), set()]))
    with refuses(AlignmentError, "argument.range", argument="links", value=0):
        LexicalTable.of(corpus, Links.of([{(0, 1)}]))


def test_the_likeliest_translations(tmp_path):
    sentences = [(["a", "b"], ["x", "y"]), (["a"], ["z"]), (["a"], ["z"]), (["ü"], ["x"])]
    links = Links.of([{(0, 0), (1, 1)}, {(0, 0)}, {(0, 0)}, set()])
    table = LexicalTable.of(indexed(sentences), links)
    assert repr(table) == "LexicalTable(3 pairs of words)"
    found = table.translations("a")
    assert [(row.target, row.forward, row.backward) for row in found] == [
        ("z", 2 / 3, 1.0),
        ("x", 1 / 3, 0.5),
    ]
    assert table.translations("a", most=1) == found[:1]
    assert table.translations("ü") == table.translations("nowhere") == []
    table.write(tmp_path / "lex.tsv")
    assert (tmp_path / "lex.tsv").read_text() == (
        "a\tx\t0.3333333\t0.5\na\tz\t0.6666667\t1\nb\ty\t1\t1\n"
    )


def test_a_table_of_nothing():
    table = LexicalTable.of(indexed([([], [])]), Links.of([set()]))
    assert list(table) == []
