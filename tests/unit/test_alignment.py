"""Alignments as objects: links of a sentence, of a corpus, from posteriors, against gold."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import real
from tests.refusals import refuses

from rosewood.align import (
    Alignment,
    Gold,
    GoldAlignment,
    Links,
    alignment_error_rate,
    combine,
    read_gold,
    score_links,
    threshold,
)
from rosewood.corpus import IndexedCorpus
from rosewood.errors import AlignmentError, ForestError

LINKS = st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=12)


def test_one_sentence():
    a = Alignment.parse("1-2 0-0").with_words("das haus", "the big house")
    assert str(a) == "0-0 1-2"
    assert list(a) == [(0, 0), (1, 2)]
    assert (len(a), (1, 2) in a, (1, 1) in a, a.shape) == (2, True, False, (2, 3))
    assert a.source == ("das", "haus")
    assert a.matrix().tolist() == [[True, False, False], [False, False, True]]
    assert a.transposed() == Alignment(
        frozenset({(0, 0), (2, 1)}), ("the", "big", "house"), ("das", "haus")
    )
    assert a.transposed().transposed() == a
    assert hash(a) == hash(pickle.loads(pickle.dumps(a)))
    assert Alignment(frozenset()).shape == (0, 0)
    assert str(Alignment.parse("")) == ""
    with refuses(AlignmentError, "argument.range", argument="links", value=(1, 2)):
        Alignment.parse("1-2").with_words("a b", "c d")
    with refuses(AlignmentError, "argument.range", argument="links", value=(-1, 0)):
        Alignment(frozenset({(-1, 0)}))


@pytest.mark.slow
@given(st.lists(LINKS, max_size=5))
def test_a_corpus_of_links(sentences):
    links = Links.of(sentences)
    assert len(links) == len(sentences)
    assert [set(a.links) for a in links] == sentences
    assert links.counts.tolist() == [len(s) for s in sentences]
    turned = links.transposed()
    assert [set(a.links) for a in turned] == [{(j, i) for i, j in s} for s in sentences]
    assert turned.transposed() == links
    assert pickle.loads(pickle.dumps(links)) == links
    assert links[1:3] == Links.of(sentences[1:3])
    assert Links.sorted(links.start, links.source, links.target) == links


def test_links_are_checked():
    links = Links.of([{(1, 0), (0, 5)}, set(), {(2, 2)}])
    assert links.source.tolist() == [0, 1, 2]
    assert not links.source.flags.writeable
    assert repr(links) == "Links(3 sentences, 3 links)"
    assert links[-1] == Alignment(frozenset({(2, 2)}))
    assert links != "links"
    for start, source, target, code, argument in (
        ([0, 2], [1, 0], [0, 0], "alignment.link-order", None),
        ([0, 2], [1, 1], [0, 0], "alignment.link-order", None),
        ([0, 1], [-1], [0], "argument.range", None),
        ([0, 2, 1], [0], [0], "argument.value", "start"),
        ([0, 2], [0], [0], "argument.shape", "start"),
        ([1, 1], [0], [0], "argument.shape", "start"),
        ([], [0], [0], "argument.shape", "start"),
        ([0, 1], [0], [0, 1], "argument.shape", None),
    ):
        with refuses(AlignmentError, code, argument=argument):
            Links(start, source, target)
    for start, target, code, argument in (
        ([0, 3], [0, 1], "argument.value", "start"),
        ([0, 2], [0, 1, 2], "argument.shape", "target"),
        ([], [0, 1], "argument.value", "start"),
        ([2, 0, 2], [0, 1], "argument.value", "start"),
    ):
        with refuses(AlignmentError, code, argument=argument):
            Links.sorted(start, [1, 0], target)
    with refuses(ForestError, "argument.type", value="float64"):
        Links([0, 1], [0.5], [0])
    with refuses(AlignmentError, "argument.value", argument="index", value=2):
        links[::2]
    with pytest.raises(IndexError):
        links[3]


def test_links_and_their_corpus():
    corpus = IndexedCorpus.from_lines(["a b", ""], ["c", ""])
    links = Links.of([{(1, 0)}, set()])
    assert links.sentence(0, corpus).source == ("a", "b")
    lengths = corpus.source.lengths, corpus.target.lengths
    assert links.beyond(*lengths) is None
    assert Links.of([set(), {(0, 0)}]).beyond(*lengths) == (
        1, "the link 0-0 is beyond the 0 words of the source",
    )  # fmt: skip
    assert Links.of([{(0, 1)}, set()]).beyond(*lengths) == (
        0, "the link 0-1 is beyond the 1 words of the target",
    )  # fmt: skip
    with refuses(AlignmentError, "argument.shape", argument="corpus", value=2, expected=1):
        links[:1].sentence(0, corpus)
    with refuses(AlignmentError, "argument.shape", argument="source", value=2, expected=1):
        links[:1].beyond(*lengths)


# -- posteriors -----------------------------------------------------------------------------------


def test_thresholds():
    p = np.array([[0.9, 0.2], [0.1, 0.6]])
    q = np.array([[0.5, 0.9], [0.3, 0.9]])
    nothing = np.zeros((0, 3))
    for how, links in (
        ("product", "1-1"),
        ("geometric", "0-0 1-1"),
        ("mean", "0-0 0-1 1-1"),
        ("min", "0-0 1-1"),
        ("max", "0-0 0-1 1-1"),
    ):
        made = threshold([p, nothing], [q, nothing], how, 0.5)
        assert [str(a) for a in made] == [links, ""]
    assert len(threshold([], [])) == 0
    np.testing.assert_allclose(combine(p, q), p * q)
    with refuses(AlignmentError, "argument.unknown", argument="combination", value="sum"):
        combine(p, q, "sum")
    with refuses(AlignmentError, "argument.shape", argument="backward", value=(2, 1)):
        combine(p, q[:, :1])
    with refuses(AlignmentError, "argument.shape", argument="forward", value=(2,)):
        combine(p[0], q[0])
    for bad in (-0.1, 1.1, float("nan")):
        with refuses(AlignmentError, "argument.range", argument="forward"):
            combine([[bad]], [[0.5]])
    for at in (0, 1.5, float("nan")):
        with refuses(AlignmentError, "argument.range", argument="at", value=at):
            threshold([p], [q], at=at)
    with refuses(AlignmentError, "argument.shape", argument="backward", value=1):
        threshold([p, p], [q])
    with refuses(AlignmentError, "argument.shape", argument="forward"):
        threshold([p], [q, q])


# -- scores ---------------------------------------------------------------------------------------


def gold_of(*sentences: tuple[set[tuple[int, int]], set[tuple[int, int]]]) -> Gold:
    links = Links.of(sure | possible for sure, possible in sentences)
    is_sure = [link in sure for a, (sure, _) in zip(links, sentences, strict=True) for link in a]
    return Gold(links, is_sure)


def test_error_rate_by_hand():
    gold = gold_of(({(0, 0), (1, 1)}, {(1, 2)}), ({(0, 0)}, set()))
    links = Links.of([{(0, 0), (1, 2), (2, 2)}, {(0, 1)}])
    scores = score_links(links, gold)
    # |A| = 4, |S| = 3, |A∩S| = 1, |A∩P| = 2
    assert scores.aer == pytest.approx(1 - 3 / 7)
    assert (scores.precision, scores.recall) == (0.5, pytest.approx(1 / 3))
    assert scores.f() == pytest.approx(0.4)
    assert scores.f(1) == pytest.approx(0.5)
    assert scores.sentence_aer() == pytest.approx([1 - 3 / 5, 1.0])
    assert scores.to_dict()["links_possible"] == 2
    sure = frozenset({(0, 0), (1, 1)})
    assert gold[0] == GoldAlignment(sure, sure | {(1, 2)})
    with refuses(AlignmentError, "argument.range", argument="alpha", value=2):
        scores.f(2)


@pytest.mark.slow
@given(st.lists(st.tuples(LINKS, LINKS, LINKS), min_size=1, max_size=5))
def test_error_rate_is_its_definition(sentences):
    gold = gold_of(*((sure, possible) for _, sure, possible in sentences))
    links = Links.of(own for own, _, _ in sentences)
    counted = [each for each in sentences if each[1] | each[2]]
    if not counted:
        with refuses(AlignmentError, "alignment.no-links", argument="gold"):
            score_links(links, gold)
        return
    right = sum(len(a & s) + len(a & (s | p)) for a, s, p in counted)
    below = sum(len(a) + len(s) for a, s, _ in counted)
    scores = score_links(links, gold)
    assert scores.aer == pytest.approx(1 - right / below if below else 0.0)
    assert alignment_error_rate(links, gold) == scores.aer
    assert len(scores.sentence) == len(counted)
    for number, rate in zip(scores.sentence.tolist(), scores.sentence_aer(), strict=True):
        a, s, p = sentences[number]
        if a or s:
            wanted = 1 - (len(a & s) + len(a & (s | p))) / (len(a) + len(s))
            assert rate == pytest.approx(wanted)
    turned = score_links(links.transposed(), gold.transposed())
    assert turned.to_dict() == scores.to_dict()


def test_gold_of_a_part():
    gold = gold_of(({(0, 0)}, set()), (set(), set()), ({(1, 1)}, set()))
    part = Links.of([{(0, 0)}, {(5, 5)}, {(1, 1)}])
    assert alignment_error_rate(part, gold) == 0.0  # the second sentence has no gold
    whole = Links.of([set(), {(9, 9)}, *(a.links for a in part), {(3, 3)}])
    assert alignment_error_rate(whole, gold, first_line=3) == 0.0
    assert score_links(whole, gold, first_line=3).sentence.tolist() == [2, 4]
    assert score_links(whole, gold, first_line=2).aer == 1.0
    with refuses(AlignmentError, "argument.shape", argument="gold", value=3, expected=6):
        score_links(whole, gold)
    with refuses(AlignmentError, "argument.range", argument="first_line", value=5):
        score_links(whole, gold, first_line=5)
    with refuses(AlignmentError, "argument.range", argument="first_line", value=0):
        score_links(whole, gold, first_line=0)
    with refuses(AlignmentError, "argument.shape", argument="is_sure", value=(1,)):
        Gold(part[:2], [True])


def test_nothing_found_is_all_wrong():
    gold = gold_of(({(0, 0)}, {(1, 1)}))
    scores = score_links(Links.of([set()]), gold)
    assert (scores.aer, scores.precision, scores.recall, scores.f()) == (1.0, 1.0, 0.0, 0.0)
    only_possible = gold_of((set(), {(1, 1)}))
    assert score_links(Links.of([set()]), only_possible).aer == 0.0


def test_the_gold_of_the_novels():
    gold = read_gold(real.path_of("novels-fr-en/gold.align.gz"))
    corpus = IndexedCorpus.from_files(
        real.path_of("novels-fr-en/train.fr.gz"), real.path_of("novels-fr-en/train.en.gz")
    )
    part = slice(5035, 5035 + len(gold))
    assert len(gold) == 226
    assert gold.links.beyond(corpus.source.lengths[part], corpus.target.lengths[part]) is None
    perfect = Links.of([*[set()] * 5035, *(a.links for a in gold.sure), *[set()] * 296])
    assert alignment_error_rate(perfect, gold, first_line=5036) == 0.0
