"""What a language model is asked, in which ways, and what it refuses."""

from __future__ import annotations

import math
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.ngrams import SPECIAL, numbered, random_model, written
from tests.reference.lm import BackoffModel
from tests.refusals import refuses

from rosewood.errors import LanguageModelError
from rosewood.lm import Model, Perplexity, estimate

LAYOUTS = ["fast", "small"]


@pytest.fixture(scope="module", params=LAYOUTS)
def model(request, tmp_path_factory) -> Model:
    path = tmp_path_factory.mktemp("lm") / "lm.rlm"
    return written(
        random_model(1, words=12, order=3, ngrams=40), path, layout=request.param, facts={"a": [1]}
    )


def test_what_it_tells_of_itself(model):
    assert (model.order, len(model.counts), model.quantised) == (3, 3, None)
    assert model.counts[0] == len(model.vocabulary) == 12
    assert model.facts == {"a": [1]}
    assert model.size == model.path.stat().st_size
    assert repr(model) == f"Model({str(model.path)!r}, order 3, {model.layout})"


def test_the_vocabulary(model):
    words = list(model.vocabulary)
    assert words[:4] == [*SPECIAL, "wörd3"]
    assert [model.vocabulary.id(word) for word in words] == list(range(12))
    assert model.vocabulary.words([3, 0]) == ["wörd3", "<unk>"]
    assert model.vocabulary.id("strange") == 0
    assert "wörd3" in model.vocabulary
    assert "<unk>" in model.vocabulary
    for other in ("strange", "", 3, "\ud800", "wörd3 "):
        assert other not in model.vocabulary
    for number in (-1, 12):
        with refuses(LanguageModelError, "argument.range", argument="number", value=number):
            model.vocabulary.word(number)


def test_a_sentence_is_text_or_words(model):
    text = "wörd4  wörd3\tstrange wörd5 "
    words = ["wörd4", "wörd3", "strange", "wörd5"]
    assert model.words(text) == model.words(words)
    assert [each.word for each in model.words(text)] == [*words, "</s>"]
    assert [each.is_known for each in model.words(text)] == [True, True, False, True, True]
    assert model.score(text) == model.score(words)
    assert model.score(text) == pytest.approx(sum(each.score for each in model.words(text)))
    assert model.score("<unk>") == model.score("strange")


def test_empty_sentences(model):
    assert model.words("", begin=False, end=False) == []
    assert model.score(" ", end=False) == 0.0
    assert [each.word for each in model.words("")] == ["</s>"]
    assert model.score("") == model.advance(model.start, "</s>")[0]
    assert model.score_batch([]).tolist() == []
    assert model.words_batch([]).start.tolist() == [0]
    assert model.score_batch(["", "", ""]).tolist() == [model.score("")] * 3


def test_batches_come_in_pieces(model, monkeypatch):
    texts = [f"wörd{i % 12} wörd{i % 7}" for i in range(50)]
    whole, words = model.score_batch(iter(texts)), model.words_batch(texts)
    monkeypatch.setattr("rosewood.lm.model.SENTENCES_AT_ONCE", 7)
    assert model.score_batch(iter(texts)).tolist() == whole.tolist()
    assert whole.tolist() == [model.score(text) for text in texts]
    for one, other in zip(model.words_batch(texts), words, strict=True):
        assert one.tolist() == other.tolist()
    with refuses(LanguageModelError, "lm.sentence-mark", argument="<s>", value=24):
        model.score_batch([*texts[:23], "wörd3 <s>", "</s>"], threads=2)


def test_a_long_line(model):
    text = "wörd3 wörd4 strange " * 100_000
    found = model.words_batch([text, "wörd5"])
    assert len(found.score) == 300_003
    assert found.length[300:600].tolist() == found.length[3000:3300].tolist()
    assert model.score(text) == pytest.approx(found.score[:-2].sum())


@pytest.mark.parametrize(
    ("sentence", "mark", "told"),
    [
        ("a <s> b", "<s>", "sentence 1, word 2: "),
        ("a b </s>", "</s>", "sentence 1, word 3: "),
    ],
)
def test_marks_are_no_words(model, sentence, mark, told):
    for ask in (model.score, model.words):
        with refuses(LanguageModelError, "lm.sentence-mark", argument=mark, value=1) as refused:
            ask(sentence)
        assert str(refused.value).startswith(told)


@pytest.mark.parametrize(
    ("sentence", "code", "value"),
    [
        ("a\nb", "corpus.line-break", "a\nb"),
        ("a \udc80", "file.encoding", None),
        (["a", "b c"], "lm.word", "b c"),
        (["a", ""], "lm.word", ""),
        (["a", 3], "lm.word", 3),
    ],
)
def test_what_is_no_sentence(model, sentence, code, value):
    for ask in (model.score, model.words):
        with refuses(LanguageModelError, code, value=value):
            ask(sentence)
    with refuses(LanguageModelError, code, value=value):
        model.score_batch(["a", sentence])


def test_batches_tell_which_sentence(model):
    for bad, code in [("a\nb", "corpus.line-break"), ("\ud800", "file.encoding")]:
        with refuses(LanguageModelError, code) as refused:
            model.score_batch(["a", "b", bad])
        assert str(refused.value).startswith("sentence 3")
    with refuses(LanguageModelError, "argument.type", argument="sentences", value="a b"):
        model.score_batch("a b")
    for threads, fault in ((0, "range"), (2000, "range"), (1.5, "type")):
        with refuses(LanguageModelError, f"argument.{fault}", argument="threads", value=threads):
            model.score_batch(["a"], threads=threads)


def test_contexts(model):
    p = model.distribution()
    assert p.tolist() == model.distribution("<s>").tolist()
    assert p.tolist() == model.distribution(model.start).tolist()
    assert model.distribution("").tolist() == model.distribution(()).tolist()
    assert model.distribution("wörd3").tolist() == model.distribution([" wörd3".strip()]).tolist()
    assert p[1] == 0.0
    assert math.log10(p[5]) == pytest.approx(model.advance(model.start, 5)[0])
    assert model.advance(model.start, "wörd5") == model.advance(model.start, 5)
    assert model.no_context == ()
    for context in ("a </s>", "a <s>", ["a", "<s>"]):
        with refuses(LanguageModelError, "argument.value", argument="context", value=context):
            model.distribution(context)
    for state, word in [((12,), 3), ((3,), 12)]:
        with refuses(LanguageModelError, "argument.range"):
            model.advance(state, word)
    with refuses(LanguageModelError, "argument.range", value=-1):
        model.advance((-1,), 3)


def test_samples(model):
    texts = model.sample(20, seed=3, max_words=6)
    assert len(texts) == 20
    assert max(len(text.split()) for text in texts) <= 6
    assert np.isfinite(model.score_batch(texts)).all()
    assert model.sample(0) == []
    assert model.sample(2, max_words=0) == ["", ""]
    assert model.sample(5, seed=1, context="wörd3") != model.sample(5, seed=1)
    with refuses(LanguageModelError, "argument.range", argument="seed", value=-1):
        model.sample(1, seed=-1)


def test_perplexity(model):
    texts = ["wörd3 strange wörd4", "", "wörd5 strange"]
    told: list[int] = []
    found = model.perplexity(texts, threads=2, step=told.append)
    words = [each for text in texts for each in model.words(text)]
    assert (found.sentences, found.words, found.unknown, found.tokens) == (3, 5, 2, 8)
    assert found.log10 == pytest.approx(sum(each.score for each in words))
    assert found.perplexity == pytest.approx(10 ** (-found.log10 / 8))
    assert found.bits_per_word == pytest.approx(math.log2(found.perplexity))
    known = [each.score for each in words if each.is_known]
    assert found.perplexity_known == pytest.approx(10 ** (-sum(known) / 6))
    assert found.lengths == tuple(sum(e.length == n for e in words) for n in (1, 2, 3))
    assert told == [3]
    nothing = model.perplexity([])
    assert nothing == Perplexity.zero(3)
    assert math.isnan(nothing.perplexity)
    assert math.isnan(nothing.bits_per_word)
    assert Perplexity(1, 0, 0, -1e6, 0.0, (1,)).perplexity == math.inf


def test_it_is_pickled_by_its_path_and_shared_by_threads(model):
    texts = [f"wörd{i % 12} wörd{i % 5} strange" for i in range(200)]
    want = model.score_batch(texts).tolist()
    assert pickle.loads(pickle.dumps(model)).score_batch(texts).tolist() == want
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: [model.score(text) for text in texts], range(8)):
            assert found == want


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_smallest_model(layout, tmp_path):
    tiny = BackoffModel(list(SPECIAL), 1, {(0,): -1.0, (1,): 0.0, (2,): -0.5})
    model = written(tiny, tmp_path / "lm", layout=layout)
    assert model.start == ()
    assert [(each.score, each.length) for each in model.words("a b")] == [
        (-1.0, 1), (-1.0, 1), (-0.5, 1)]  # fmt: skip
    assert model.advance((2, 1), 0) == (-1.0, ())
    assert model.sample(3, max_words=4, seed=1) == model.sample(3, max_words=4, seed=1)


def test_a_probability_of_zero_logs(tmp_path):
    """SRILM writes -99 where nothing is to be expected; that is a number like others."""
    ngrams = {(0,), (1,), (2,), (1, 2)}
    sure = numbered(list(SPECIAL), ngrams, 1)
    sure.probability = {(0,): -99.0, (1,): -99.0, (2,): 0.0, (1, 2): 0.0}
    model = written(sure, tmp_path / "lm")
    assert str(model.score("")) == "0.0"
    assert model.score("a", end=False) == pytest.approx(-99.0 + sure.backoff[1,])
    assert model.distribution()[2] == 1.0


def test_a_line_of_a_million_words(tmp_path):
    model = estimate(["a b a c", "b a"], 3).save(tmp_path / "lm.rlm")
    line = "a b c x " * 250_000
    score = model.score(line)
    assert math.isfinite(score)
    assert model.score_batch([line, "a", line], threads=2).tolist() == [
        score,
        model.score("a"),
        score,
    ]
    assert len(model.words_batch([line]).score) == 10**6 + 1
