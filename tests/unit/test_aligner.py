"""Aligners: fitted, saved, loaded, asked for links, posteriors, scores and lexicons."""

from __future__ import annotations

import random
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.bitexts import corpora, indexed, random_corpus
from tests.refusals import refuses

from rosewood.align import (
    MODELS,
    Aligner,
    Best,
    Hmm,
    Links,
    alignment_error_rate,
    make_model,
    read_gold,
    read_pharaoh,
    write_pharaoh,
)
from rosewood.align import aligner as aligner_module
from rosewood.corpus import IndexedCorpus
from rosewood.corpus.phrasebook import Phrasebook
from rosewood.errors import AlignmentError, FormatError

PAIRS = [
    ("das haus", "the house"), ("das buch", "the book"), ("ein buch", "a book"),
    ("ein haus", "a house"), ("das kleine haus", "the small house"),
]  # fmt: skip
EMPTY = [("", "the house"), ("das haus", ""), ("", "")]
each_model = pytest.mark.parametrize("name", MODELS)


def planted(pairs: int, seed: int = 0) -> tuple[IndexedCorpus, list[set[tuple[int, int]]]]:
    """Target sentences have two more words in front, and the first word behind all others."""
    chance = random.Random(seed)
    sentences, links = [], []
    for _ in range(pairs):
        words = chance.sample(range(25), chance.randint(3, 6))
        target = ["well", "now", *(f"t{word}q" for word in words[1:] + words[:1])]
        sentences.append(([f"s{word}k" for word in words], target))
        links.append({(i, i + 1 if i else len(words) + 1) for i in range(len(words))})
    return indexed(sentences), links


def found_share(links: Links, want: list[set[tuple[int, int]]]) -> float:
    """How much of what is wanted is there."""
    right = sum(len(set(a.links) & each) for a, each in zip(links, want, strict=True))
    return right / sum(map(len, want))


# -- links -----------------------------------------------------------------------------------------


@each_model
def test_three_sentences_are_enough(name):
    aligner, aligned = Aligner.fit_align(PAIRS[:3], name)
    assert len(aligned.symmetrize()) == 3
    assert aligner.align([("ein buch", "a book")], "intersection")[0].links == {(0, 0), (1, 1)}
    assert aligner.model.name == name
    assert repr(aligner) == f"Aligner({name}, 4 source and 4 target words)"


@each_model
def test_pharaoh_direction(name, tmp_path):
    """Links are source-target, and forward is the direction in which target words choose."""
    corpus, want = planted(250)
    _, aligned = Aligner.fit_align(corpus, name)
    least = 0.7 if name == "diag" else 0.97  # one word of each sentence is far away
    for links in (aligned.forward, aligned.backward, aligned.symmetrize("intersection")):
        assert found_share(links, want) > least
        assert found_share(links, [{(j, i) for i, j in each} for each in want]) == 0
    for k in range(len(corpus)):
        assert Counter(j for _, j in aligned.forward[k]).most_common(1)[0][1] == 1
        assert Counter(i for i, _ in aligned.backward[k]).most_common(1)[0][1] == 1
    write_pharaoh(aligned.symmetrize(), tmp_path / "out.pharaoh")
    assert read_pharaoh(tmp_path / "out.pharaoh") == aligned.symmetrize()


@each_model
def test_the_other_way_round(name):
    """Source and target exchanged: the same alignment, transposed."""
    corpus, _ = planted(60, seed=3)
    turned = IndexedCorpus(corpus.target, corpus.source)
    one, other = (Aligner.fit_align(each, name)[1] for each in (corpus, turned))
    if name == "best":  # which keeps two links of each target word, and any of a source word
        want = [set(each.links) for each in other.symmetrize("union").transposed()]
        assert found_share(one.symmetrize("union"), want) > 0.98
        return
    assert one.symmetrize("union") == other.symmetrize("union").transposed()
    np.testing.assert_allclose(one.log_probability, other.log_probability[:, ::-1], rtol=1e-6)


@each_model
def test_a_loaded_aligner_is_the_same(name, tmp_path):
    corpus = indexed(random_corpus(11, pairs=60, longest=10))
    new = [("haus neu", "house new"), *EMPTY, ("x y", "z"), ("ganz neu", "nothing known")]
    aligner = Aligner.fit(corpus, name)
    aligner.save(tmp_path / "a")
    Aligner.verify(tmp_path / "a")
    loaded = Aligner.load(tmp_path / "a")
    assert loaded.model == aligner.model
    assert loaded.history == aligner.history
    for text in (corpus, new):
        one, other = aligner.align_both(text), loaded.align_both(text, threads=2)
        assert (one.forward, one.backward) == (other.forward, other.backward)
        assert one.log_probability.tolist() == other.log_probability.tolist()
        assert aligner.score(text).tolist() == loaded.score(text).tolist()
        for a, b in zip(aligner.posteriors(text), loaded.posteriors(text), strict=True):
            assert (a.forward.tolist(), a.backward.tolist()) == (
                b.forward.tolist(), b.backward.tolist(),
            )  # fmt: skip
    assert list(aligner.lexicon()) == list(loaded.lexicon())
    loaded.save(tmp_path / "b")
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


@pytest.mark.parametrize("name", ["model1", "diag", "hmm"])
def test_the_corpus_itself_aligned_afterwards(name):
    """A model by EM keeps nothing of a sentence: new or not, it is aligned the same."""
    corpus = indexed(random_corpus(12, pairs=80, longest=10))
    aligner, aligned = Aligner.fit_align(corpus, name)
    again = aligner.align_both(corpus)
    assert (aligned.forward, aligned.backward) == (again.forward, again.backward)
    np.testing.assert_allclose(aligned.log_probability, again.log_probability, rtol=1e-4)


def test_best_aligns_new_text_nearly_as_well():
    corpus, want = planted(150, seed=1)
    new, others = planted(50, seed=2)
    aligner = Aligner.fit(corpus)
    assert found_share(aligner.align(corpus), want) > 0.97
    assert found_share(aligner.align(new), others) > 0.97


# -- awkward text ----------------------------------------------------------------------------------


@each_model
def test_sentences_without_words(name):
    aligner, aligned = Aligner.fit_align([*EMPTY, *PAIRS, *EMPTY], name)
    for links in (aligned.symmetrize("union"), aligner.align(EMPTY), aligner.align(EMPTY[:1])):
        assert [len(links[k]) for k in range(min(3, len(links)))] == [0] * min(3, len(links))
    assert aligned.log_probability[:3].tolist() == [[0.0, 0.0]] * 3
    shapes = [(p.forward.shape, p.backward.shape) for p in aligner.posteriors(EMPTY)]
    assert shapes == [((0, 2),) * 2, ((2, 0),) * 2, ((0, 0),) * 2]
    assert (aligner.score(EMPTY) == -np.inf).all()
    assert (len(aligner.align([])), aligner.score([]).shape) == (0, (0, 2))
    assert list(aligner.posteriors([])) == []


@each_model
def test_new_words(name):
    """They are aligned by where they stand; `best` also by how they are spelled."""
    aligner = Aligner.fit(planted(100)[0], name)
    new = [("s1k zebra s2k", "well now zebra t2q t1q"), ("foo", "bar"), ("s1k", "bar")]
    for found in aligner.posteriors(new):
        assert np.isfinite(found.forward).all()
        assert (found.forward.sum(axis=0) <= 1 + 1e-5).all()
    assert np.isfinite(aligner.score(new)).all()
    if name == "best":
        assert (1, 2) in aligner.align(new, "intersection")[0]


@each_model
def test_a_sentence_of_500_words(name):
    chance = random.Random(5)
    numbers = [chance.randrange(200) for _ in range(500)]
    long = (" ".join(f"s{n}" for n in numbers), " ".join(f"t{n}" for n in numbers))
    short = [(f"s{n} s{(n * 7) % 200}", f"t{n} t{(n * 7) % 200}") for n in range(200)]
    aligner, aligned = Aligner.fit_align([long, *short], name, threads=2)
    diagonal = {(n, n) for n in range(500)}
    links = aligned.symmetrize("intersection")[0]
    if name != "model1":  # which cannot tell a word's occurrences apart
        assert len(links.links & diagonal) > 400
    (found,) = aligner.posteriors([long])
    assert found.forward.shape == (500, 500)
    assert (found.forward.sum(axis=0) <= 1 + 1e-4).all()


def test_one_long_side():
    aligner = Aligner.fit([("a " * 3000, "b"), ("a", "b " * 3000), ("a", "b")])
    assert np.isfinite(aligner.score([("a " * 3000, "b")])).all()


@each_model
def test_one_type(name):
    aligner, aligned = Aligner.fit_align([("a", "b")] * 3, name)
    assert [str(a) for a in aligned.symmetrize("intersection")] == ["0-0"] * 3
    assert [(row.source, row.target) for row in aligner.lexicon()] == [("a", "b")]


@settings(max_examples=25, deadline=None)
@given(corpora(pairs=6, longest=6), st.sampled_from(list(MODELS)))
def test_any_corpus(sentences, name):
    corpus = indexed(sentences)
    aligner, aligned = Aligner.fit_align(corpus, name)
    union = aligned.symmetrize("union")
    assert union.beyond(corpus.source.lengths, corpus.target.lengths) is None
    for k, found in enumerate(aligner.posteriors(corpus)):
        shape = len(corpus.source.words(k)), len(corpus.target.words(k))
        assert found.forward.shape == found.backward.shape == shape
        assert (found.forward.sum(axis=0) <= 1 + 1e-5).all()
        assert (found.backward.sum(axis=1) <= 1 + 1e-5).all()
    for row in aligner.lexicon():
        assert 0 <= row.forward <= 1 + 1e-9
        assert 0 <= row.backward <= 1 + 1e-9
        assert row.forward + row.backward > 0


# -- posteriors, scores, lexicons ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["model1", "diag", "hmm"])
def test_words_choose_by_their_posteriors(name):
    corpus = indexed(random_corpus(13, pairs=40))
    aligner = Aligner.fit(corpus, name)
    aligned = aligner.align_both(corpus)
    for k, found in enumerate(aligner.posteriors(corpus)):
        chosen = {(int(found.forward[:, j].argmax()), j) for j in range(found.forward.shape[1])
                  if found.forward.size
                  and found.forward[:, j].max() > 1 - found.forward[:, j].sum()}  # fmt: skip
        for i, j in chosen ^ set(aligned.forward[k].links):  # but where two are as good
            column = [*found.forward[:, j], 1 - found.forward[:, j].sum()]
            assert sum(abs(p - max(column)) < 1e-5 for p in column) > 1, (k, i, j)


def test_agreement_links_what_both_believe():
    corpus = indexed(random_corpus(13, pairs=40))
    aligner = Aligner.fit(corpus, Hmm(agreement=True, least=0.4))
    aligned = aligner.align_both(corpus)
    for k, found in enumerate(aligner.posteriors(corpus)):
        both = found.combined("geometric")
        for i, j in aligned.symmetrize("union")[k]:
            assert both[i, j] > 0.4 - 1e-5
        for i, j in aligned.symmetrize("intersection")[k]:
            assert both[i, j] >= max(both[i].max(), both[:, j].max()) - 1e-5


@each_model
def test_posteriors_in_parts(name, monkeypatch):
    """Large texts are taken apart: the same posteriors, new words or not."""
    corpus = indexed(random_corpus(14, pairs=40))
    aligner = Aligner.fit(corpus.part(0, 25), name)
    whole = list(aligner.posteriors(corpus))
    for cells in (1, 100):
        monkeypatch.setattr(aligner_module, "MAX_CELLS", cells)
        for one, other in zip(whole, aligner.posteriors(corpus), strict=True):
            assert one.forward.tobytes() == other.forward.tobytes()
            assert one.backward.tobytes() == other.backward.tobytes()


@each_model
def test_translations_score_higher_than_anything_else(name):
    corpus, _ = planted(200, seed=6)
    aligner = Aligner.fit(corpus, name)
    sides = [
        [" ".join(text.words(k)) for k in range(200)] for text in (corpus.source, corpus.target)
    ]
    good = aligner.score(zip(*sides, strict=True))
    bad = aligner.score(zip(sides[0], sides[1][1:] + sides[1][:1], strict=True))
    assert good.shape == (200, 2)
    assert (good < 0).all()
    assert (good.mean(axis=0) > bad.mean(axis=0) + 0.5).all()
    assert (good > bad).all(axis=1).mean() > 0.95


@each_model
def test_the_lexicon(name, tmp_path):
    corpus, _ = planted(200, seed=7)
    table = Aligner.fit(corpus, name).lexicon()
    best = table.translations("s3k")[0]
    assert best.target == "t3q"
    assert best.forward > 0.5
    for column, key in (("forward", "source"), ("backward", "target")):
        sums: Counter[str] = Counter()
        for row in table:
            sums[getattr(row, key)] += getattr(row, column)
        assert all(abs(total - 1) < 1e-4 for total in sums.values())
    table.write(tmp_path / "lex.tsv")
    lines = (tmp_path / "lex.tsv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(table)
    assert lines[0].count("\t") == 3
    assert table.translations("nowhere") == []


# -- what is refused -------------------------------------------------------------------------------


def test_corpora_that_are_refused():
    for corpus in ([], EMPTY):
        with refuses(AlignmentError, "alignment.no-pairs", argument="corpus"):
            Aligner.fit(corpus)
    with refuses(AlignmentError, "argument.type", argument="corpus", value="das haus"):
        Aligner.fit("das haus")
    for pair in ("das haus", ("das", "haus", "the"), 5, {"source": "a"}):
        with refuses(AlignmentError, "argument.value", argument="corpus", value=pair):
            Aligner.fit([pair])
    with refuses(FormatError, "corpus.control-character", file="source", line=1):
        Aligner.fit([("a\x00b", "c")])
    with refuses(FormatError, "file.encoding", file="target", line=1):
        Aligner.fit([("a", "\ud800")])
    for threads, fault in ((0, "range"), (-1, "range"), (2000, "range"), (1.5, "type")):
        with refuses(AlignmentError, f"argument.{fault}", argument="threads", value=threads):
            Aligner.fit(PAIRS, threads=threads)
        with refuses(AlignmentError, f"argument.{fault}", argument="threads", value=threads):
            Aligner.fit(PAIRS, "model1").align(PAIRS, threads=threads)
    with refuses(AlignmentError, "argument.unknown", argument="model", value="better"):
        Aligner.fit(PAIRS, "better")


def test_sentence_pairs_of_many_kinds():
    want = Aligner.fit_align(PAIRS)[1].symmetrize()
    for corpus in (
        [list(pair) for pair in PAIRS],
        iter(PAIRS),
        [SimpleNamespace(source=s, target=t) for s, t in PAIRS],
        [SimpleNamespace(source=tuple(s.split()), target=t.split()) for s, t in PAIRS],
        IndexedCorpus.from_lines(*zip(*PAIRS, strict=True)),
    ):
        assert Aligner.fit_align(corpus)[1].symmetrize() == want


def test_rounds_are_reported():
    told = []
    aligner = Aligner.fit(PAIRS, Best(iterations=2, model1=3), report=told.append)
    assert told == aligner.history
    assert [row["stage"] for row in told] == ["model1"] * 3 + ["best"] * 2
    assert [row["round"] for row in told] == [1, 2, 3, 4, 5]
    told[0]["round"] = 99
    assert aligner.history is not aligner.history


# -- how good they are -----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("languages", "pairs", "intersection", "grown"),
    [("en-de", 500, 0.066, 0.066), ("en-de", 2000, 0.046, 0.046),
     ("en-ja", 500, 0.145, 0.141), ("en-ja", 2000, 0.119, 0.116)],
)  # fmt: skip
def test_the_phrasebook(languages, pairs, intersection, grown, tmp_path):
    some = list(Phrasebook(languages, seed=1).pairs(pairs))
    (tmp_path / "gold").write_text("".join(pair.gold() + "\n" for pair in some))
    gold, corpus = read_gold(tmp_path / "gold"), IndexedCorpus.from_pairs(some)
    rates = {}
    agreeing = {"hmm that agrees": make_model("hmm", {"agreement": "true"})}
    for name, model in ({name: make_model(name) for name in MODELS} | agreeing).items():
        aligned = Aligner.fit_align(corpus, model, threads=2)[1]
        for method in ("intersection", "grow-diag-final-and"):
            rates[name, method] = alignment_error_rate(aligned.symmetrize(method), gold)
    assert rates["best", "intersection"] < intersection
    assert rates["best", "grow-diag-final-and"] < grown
    assert rates["best", "intersection"] < rates["hmm", "intersection"] - 0.01
    for method in ("intersection", "grow-diag-final-and"):
        assert rates["best", method] < rates["hmm", method]
        assert rates["best", method] < rates["hmm that agrees", method]
        assert rates["best", method] < rates["model1", method] - 0.02
        assert rates["hmm", method] < rates["diag", method]
    assert rates["hmm", "intersection"] < rates["model1", "intersection"] - 0.02
