"""Kernels of the metrics against the loops of tests/reference/metrics.py, and against sacreBLEU."""

from __future__ import annotations

from itertools import chain
from random import Random

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import real
from tests.reference import metrics as reference
from tests.refusals import refuses

from rosewood import _core
from rosewood.corpus import Vocabulary
from rosewood.errors import MetricError
from rosewood.metrics import Bleu, BleuSbp, Chrf, Ter
from rosewood.metrics.batch import starts
from rosewood.metrics.tokenise import TokenNumbers, cut_lines


def _few(seed: int) -> list[int]:
    random = Random(seed)
    return random.choices(range(-1, 4), k=random.randint(0, 9)) if seed else []


few = st.integers(0, 2**32 - 1).map(_few)  # much faster than a draw for each symbol
sentences = st.tuples(st.lists(few, max_size=4), st.lists(few, min_size=1, max_size=4))
batches = st.lists(sentences, max_size=4)


def rows_of(texts) -> tuple[np.ndarray, np.ndarray]:
    flat = [symbol for text in texts for symbol in text]
    return starts(map(len, texts)), np.array(flat, dtype=np.int32)


def arrays(batch) -> tuple[np.ndarray, ...]:
    """A batch as the kernels take it: groups, then the rows of both sides."""
    sides = [[side[i] for side in batch] for i in (0, 1)]
    texts = [list(chain.from_iterable(side)) for side in sides]
    return (*(starts(map(len, s)) for s in sides), *rows_of(texts[0]), *rows_of(texts[1]))


@pytest.mark.slow
@given(batches, st.integers(1, 6), st.booleans(), st.booleans(), st.integers(1, 3))
def test_bleu_statistics(batch, orders, clip, strict, threads):
    want = reference.bleu_statistics(batch, orders, clip=clip, strict=strict)
    out = np.full((len(want), 2 + 2 * orders + strict), np.nan)
    _core.bleu_statistics(*arrays(batch), orders, clip, threads, out)
    assert out.tolist() == want


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            st.lists(st.tuples(few, few), max_size=3),
            st.lists(st.tuples(few, few), min_size=1, max_size=3),
        ),
        max_size=3,
    ),
    st.tuples(st.integers(0, 4), st.integers(0, 3)).filter(any),
    st.sampled_from([1.0, 2.0, 3.0]),
    st.booleans(),
    st.integers(1, 3),
)
def test_chrf_statistics_and_scores(batch, orders, beta, effective, threads):
    want = reference.chrf_statistics(batch, orders, beta, effective)
    chars, words = (
        arrays([([h[i] for h in own], [r[i] for r in refs]) for own, refs in batch]) for i in (0, 1)
    )
    scorer = _core.MetricScorer("chrf", orders=sum(orders), beta=beta, effective_order=effective)
    out = np.full((len(want), scorer.width), np.nan)
    _core.chrf_statistics(*chars, *words[2:], *orders, scorer, threads, out)
    assert out.tolist() == want
    rows = np.concatenate([out, out.sum(axis=0, keepdims=True)])
    found = np.empty(len(rows))
    _core.metric_scores(scorer, rows, found)
    scores = reference.metric_scores("chrf", rows.tolist(), beta=beta, effective=effective)
    np.testing.assert_allclose(found, scores, rtol=1e-12, atol=1e-12)


@pytest.mark.slow
@given(batches, st.integers(1, 3))
def test_edit_statistics(batch, threads):
    want = reference.edit_statistics(batch)
    out = np.full((len(want), 2), np.nan)
    _core.edit_statistics(*arrays(batch), threads, out)
    assert out.tolist() == want


@pytest.mark.parametrize("length", [63, 64, 65, 127, 128, 129, 300])
def test_edits_of_long_texts(length):
    """More symbols than one block has bits, and texts shorter and longer than the reference."""
    random = np.random.default_rng(length)
    for symbols in (2, 30):
        base = random.integers(symbols, size=length).tolist()
        others = [
            [s for s in base if random.random() < keep for s in [s] * (1 + (random.random() < 0.1))]
            for keep in (0.1, 0.5, 0.9, 1.0)
        ]
        noise = random.integers(symbols, size=length + 7).tolist()
        batch = [([*others, noise, []], [base, noise[: length // 2]])]
        out = np.empty((6, 2))
        _core.edit_statistics(*arrays(batch), 1, out)
        assert out.tolist() == reference.edit_statistics(batch)


@given(st.lists(few, max_size=3), st.lists(few, max_size=6))
def test_known_ngrams(references, grams):
    known = np.full(len(grams), 7, dtype=np.uint8)
    _core.known_ngrams(*rows_of(references), *rows_of(grams), known)
    want = reference.known_ngrams(references, grams)
    assert [k for k, g in zip(known.tolist(), grams, strict=True) if g] == [
        k for k, g in zip(want, grams, strict=True) if g
    ]
    with refuses(MetricError, "argument.shape", argument="known"):
        _core.known_ngrams(*rows_of(references), *rows_of(grams), np.empty(99, dtype=np.uint8))


BAD = {  # what is wrong, and its code
    "hypotheses of the sentences": ("argument.shape", lambda a: (np.array([0, 9]), *a[1:])),
    "references of the sentences": ("argument.shape", lambda a: (a[0], np.array([0]), *a[2:])),
    "words of the hypotheses": ("argument.value", lambda a: (
        *a[:2], np.array([0, 3, 2]), np.array([1, 2], dtype=np.int32), *a[4:]
    )),
    "words of the references": ("argument.shape", lambda a: (*a[:4], np.array([1, 2]), a[5])),
    "sentences": ("argument.shape", lambda a: (a[0], np.array([0, 0, 1]), *a[2:])),
    None: ("metric.no-reference", lambda a: (
        *a[:1], np.array([0, 0]), *a[2:4], np.array([0]), np.array([], dtype=np.int32)
    )),
}  # fmt: skip


@pytest.mark.parametrize("argument", BAD)
def test_kernels_refuse_what_does_not_fit(argument):
    good = arrays([([[1], [1]], [[1, 2]])])
    out = np.empty((2, 10))
    _core.bleu_statistics(*good, 4, True, 1, out)
    code, changed = BAD[argument]
    with refuses(MetricError, code, argument=argument):
        _core.bleu_statistics(*changed(good), 4, True, 1, out)
    with refuses(MetricError, "argument.shape", argument="statistics"):
        _core.bleu_statistics(*good, 4, True, 1, np.empty((2, 9)))
    with refuses(MetricError, "argument.range", argument="orders"):
        _core.bleu_statistics(*good, 0, True, 1, out)


@pytest.mark.slow
@given(
    st.lists(st.lists(few, min_size=1, max_size=6), min_size=1, max_size=3),
    st.integers(1, 5),
    st.sampled_from([("exp", 0.0), ("none", 0.0), ("floor", 0.1), ("add-k", 1.0), ("add-k", 0.3)]),
    st.booleans(),
    st.booleans(),
)
def test_bleu_scores(texts, orders, smooth, strict, effective):
    batch = [(rows, rows[:1]) for rows in texts]
    rows = np.array(reference.bleu_statistics(batch, orders, strict=strict), dtype=float)
    rows = np.concatenate([rows, rows.sum(axis=0, keepdims=True)])
    settings = {"smooth": smooth[0], "smooth_value": smooth[1], "effective_order": effective}
    scorer = _core.MetricScorer("bleu_sbp" if strict else "bleu", orders=orders, **settings)
    assert scorer.width == rows.shape[1]
    out = np.empty(len(rows))
    _core.metric_scores(scorer, rows, out)
    want = reference.metric_scores(
        "bleu", rows.tolist(), orders=orders, smooth=smooth[0], value=smooth[1], effective=effective
    )
    np.testing.assert_allclose(out, want, rtol=1e-12, atol=1e-12)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1))
def test_ratio_scores(rows):
    out = np.empty(len(rows))
    _core.metric_scores(_core.MetricScorer("ratio", factor=10.0), np.array(rows, dtype=float), out)
    want = reference.metric_scores("ratio", rows, factor=10.0)
    np.testing.assert_allclose(out, want, rtol=1e-15)


# -- sacreBLEU -------------------------------------------------------------------------------------

# Words that repeat, punctuation that tokenisers cut, other alphabets, blanks of every kind.
words = st.sampled_from(
    ["the", "The", "a", "cat", "cat.", "3.5", "1,000", "it's", "&quot;hi&quot;", "—", "été", "İ",
     "ß", "猫", "が好き", "👩‍🚀", "e\u0301", "x-y", "$5", "!", "\u00a0", "(ok)", "\u2028"]
)  # fmt: skip
texts = st.lists(words, max_size=8).map(" ".join) | st.text(max_size=8)
corpora = st.integers(1, 4).flatmap(
    lambda refs: st.lists(
        st.tuples(texts, st.lists(texts, min_size=refs, max_size=refs)), min_size=1, max_size=5
    )
)


def sides(corpus) -> tuple[list[str], list[list[str]], list[list[str]]]:
    """Hypotheses, references of each sentence, references as documents."""
    hypotheses = [hypothesis for hypothesis, _ in corpus]
    by_sentence = [list(references) for _, references in corpus]
    return hypotheses, by_sentence, [list(d) for d in zip(*by_sentence, strict=True)]


def own_rows(metric, corpus) -> np.ndarray:
    hypotheses, by_sentence, _ = sides(corpus)
    return metric.statistics_many([[h] for h in hypotheses], by_sentence)


@pytest.mark.slow
@given(
    corpora,
    st.sampled_from(["none", "13a", "intl", "zh", "char"]),
    st.booleans(),
    st.integers(1, 5),
    st.sampled_from(["exp", "none", "floor", "add-k"]),
    st.booleans(),
)
def test_bleu_is_that_of_sacrebleu(corpus, tokenize, lowercase, orders, smooth, effective):
    metric = Bleu(tokenize, lowercase, orders, smooth, effective_order=effective)
    peer = sacrebleu.BLEU(
        tokenize=tokenize, lowercase=lowercase, max_ngram_order=orders, smooth_method=smooth,
        effective_order=effective, force=True,
    )  # fmt: skip
    hypotheses, by_sentence, documents = sides(corpus)
    rows = own_rows(metric, corpus)
    assert rows.tolist() == peer._extract_corpus_statistics(hypotheses, documents)
    score = peer.corpus_score(hypotheses, documents)
    assert metric.score(rows) == pytest.approx(score.score, abs=1e-9)
    if orders == 4:
        signature = metric.signature_with(nrefs=len(documents))
        assert signature == peer.get_signature().format()
    for row, hypothesis, references in zip(rows, hypotheses, by_sentence, strict=True):
        alone = sacrebleu.BLEU(
            tokenize=tokenize, lowercase=lowercase, max_ngram_order=orders,
            smooth_method="add-k", effective_order=True,
        )  # fmt: skip
        want = alone.sentence_score(hypothesis, references).score
        assert metric.sentence_gains(row[None])[0] == pytest.approx(want, abs=1e-9)


# What 13a looks at: marks, digits, dashes, escapes, and every kind of blank between them.
marks = st.sampled_from([*" .,-0a&<>'\n\t\x1c\u2028\u00a0%", "&quot;", "&amp;", "<skipped>", "-\n"])
PEERS = [sacrebleu.BLEU(tokenize="13a", lowercase=lowercase) for lowercase in (False, True)]


@pytest.mark.slow
@given(st.lists(marks, max_size=14).map("".join), st.booleans())
@settings(max_examples=500)
def test_words_that_are_cut_alone(line, lowercase):
    want = PEERS[lowercase]._preprocess_segment(line).split()
    assert cut_lines([line], "13a", lowercase=lowercase) == [want]
    known = TokenNumbers("13a", lowercase=lowercase)
    start, numbers = known.lines([line])
    assert start.tolist() == [0, len(want)]
    assert [numbers[want.index(token)] for token in want] == numbers.tolist()
    assert len(set(numbers.tolist())) == len(set(want))
    words = Vocabulary(dict.fromkeys(line.split(" ")))
    symbols = np.array([words.get(word) for word in line.split(" ")], np.int32)
    found = known.symbols(words, np.array([0, len(symbols)]), symbols)
    if "\n" in line:
        assert found is None
    else:
        assert found[0].tolist() == [0, len(want)]
        assert found[1].tolist() == numbers.tolist()


@pytest.mark.slow
@given(
    corpora,
    st.tuples(st.integers(0, 7), st.integers(0, 3)).filter(any),
    st.sampled_from([1, 2, 3]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_chrf_is_that_of_sacrebleu(corpus, orders, beta, lowercase, whitespace, eps):
    metric = Chrf(*orders, beta, lowercase, whitespace, eps)
    peer = sacrebleu.CHRF(*orders, beta, lowercase, whitespace, eps)
    hypotheses, _, documents = sides(corpus)
    rows = own_rows(metric, corpus)
    assert rows.tolist() == peer._extract_corpus_statistics(hypotheses, documents)
    score = peer.corpus_score(hypotheses, documents)
    assert metric.score(rows) == pytest.approx(score.score, abs=1e-9)
    assert metric.title == score.name
    if beta == 2:
        assert metric.signature_with(nrefs=len(documents)) == peer.get_signature().format()


@pytest.mark.slow
@given(corpora, st.tuples(st.booleans(), st.booleans(), st.booleans(), st.booleans()))
def test_ter_is_that_of_sacrebleu(corpus, options):
    metric, peer = Ter(*options), sacrebleu.TER(*options)
    hypotheses, _, documents = sides(corpus)
    rows = own_rows(metric, corpus)
    assert rows.tolist() == peer._extract_corpus_statistics(hypotheses, documents)
    score = peer.corpus_score(hypotheses, documents)
    assert metric.score(rows) == pytest.approx(score.score, abs=1e-9)
    assert metric.title == score.name
    assert metric.signature_with(nrefs=len(documents)) == peer.get_signature().format()


@pytest.fixture(scope="module")
def tatoeba() -> list[tuple[str, list[str]]]:
    """Sentences with three references; the fourth, disturbed, is what is scored."""
    said, *columns = (real.lines(f"tatoeba-zh-en/test.en{i}.gz") for i in range(4))
    disturbed = [
        said[i - 1] if i % 3 == 0 else " ".join(reversed(line.split())) if i % 5 == 0 else line
        for i, line in enumerate(said)
    ]
    return [(h, list(refs)) for h, *refs in zip(disturbed, *columns, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("tokenize", ["none", "13a", "intl", "zh", "char"])
def test_bleu_of_real_text_with_several_references(tatoeba, tokenize):
    for corpus in (tatoeba, [(h, r[:1]) for h, r in tatoeba]):
        hypotheses, _, documents = sides(corpus)
        peer = sacrebleu.BLEU(tokenize=tokenize, force=True)
        want = peer.corpus_score(hypotheses, documents).score
        metric = Bleu(tokenize)
        rows = own_rows(metric, corpus)
        assert metric.score(rows) == pytest.approx(want, abs=1e-9)
        assert 5 < want < 95
        assert metric.signature_with(nrefs=len(documents)) == peer.get_signature().format()
        strict = BleuSbp(tokenize)
        assert 0 < strict.score(own_rows(strict, corpus)) < want


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "peer"),
    [(Chrf(), sacrebleu.CHRF()), (Chrf(word_order=2), sacrebleu.CHRF(word_order=2)),
     (Ter(), sacrebleu.TER())],
    ids=["chrf", "chrf++", "ter"],
)  # fmt: skip
def test_other_metrics_of_real_text(tatoeba, metric, peer):
    corpus = tatoeba[:200] if isinstance(metric, Ter) else tatoeba
    hypotheses, _, documents = sides(corpus)
    want = peer.corpus_score(hypotheses, documents).score
    assert metric.score(own_rows(metric, corpus)) == pytest.approx(want, abs=1e-9)
    assert 5 < want < 95


@pytest.mark.slow
def test_candidates_of_real_text():
    """Many candidates a sentence: the same numbers one by one."""
    rows = real.candidates("nbest-de-en/dev.jsonl.gz", 40)
    hypotheses = [[h["text"] for h in row["hyps"]] for row in rows]
    pairs = [(h, row["refs"]) for row, own in zip(rows, hypotheses, strict=True) for h in own]
    for metric, peer in [
        (Bleu(), sacrebleu.BLEU(force=True)),
        (Chrf(word_order=2), sacrebleu.CHRF(word_order=2)),
    ]:
        found = metric.statistics_many(hypotheses, [row["refs"] for row in rows], threads=2)
        said, _, documents = sides(pairs)
        assert found.tolist() == peer._extract_corpus_statistics(said, documents)
