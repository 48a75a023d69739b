"""Language models in files against the definition in tests/reference/lm.py, and against KenLM."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import real
from tests.ngrams import backoff_models, random_model, write_arpa_text, written
from tests.reference.lm import BackoffModel
from tests.refusals import refuses

from rosewood.errors import LanguageModelError
from rosewood.lm import Model, estimate, write_arpa, write_model

EXAMPLES = settings(max_examples=40, deadline=None)
LAYOUTS = [{"layout": "fast"}, {"layout": "small"}]
each_layout = pytest.mark.parametrize("how", LAYOUTS, ids=lambda how: how["layout"])


def text_of(model: BackoffModel, words: tuple[int, ...]) -> str:
    return " ".join(model.words[word] if word else "strange" for word in words)


def sentences_of(model: BackoffModel, seed: int, count: int) -> list[tuple[int, ...]]:
    """Sentences of the model's n-grams, so that long ones occur."""
    random = np.random.default_rng(seed)
    ngrams = list(model.probability)
    found = []
    for _ in range(count):
        chosen = random.integers(len(ngrams), size=random.integers(0, 6))
        words = [word for i in chosen for word in ngrams[i] if word not in (1, 2)]
        found.append(tuple(words))
    return found


@each_layout
@EXAMPLES
@given(backoff_models(), st.booleans(), st.booleans(), st.integers(0, 99))
def test_sentences(how, model, begin, end, seed):
    sentences = sentences_of(model, seed, 5)
    with TemporaryDirectory() as folder:
        found = written(model, Path(folder) / "lm", **how)
        batch = found.words_batch(
            [text_of(model, words) for words in sentences], begin=begin, end=end
        )
        for k, words in enumerate(sentences):
            want = model.sentence(words, begin=begin, end=end)
            have = found.words(text_of(model, words), begin=begin, end=end)
            assert [each.length for each in have] == [length for _, length in want]
            assert [each.score for each in have] == pytest.approx([s for s, _ in want], abs=1e-6)
            assert [each.is_known for each in have] == [w != 0 for w in words] + [True] * end
            # Single, batch and steps are one thing, to the last bit.
            part = slice(*batch.start[k : k + 2])
            assert batch.score[part].tolist() == [each.score for each in have]
            assert batch.length[part].tolist() == [each.length for each in have]
            assert batch.word[part].tolist() == [*words, *[2] * end]
            state = found.start if begin else found.no_context
            for word, each in zip([*words, *[2] * end], have, strict=True):
                score, state = found.advance(state, word)
                assert score == each.score


@pytest.mark.slow
@each_layout
@EXAMPLES
@given(backoff_models(max_words=5))
def test_states_and_distributions(how, model):
    with TemporaryDirectory() as folder:
        found = written(model, Path(folder) / "lm", **how)
        assert found.start == model.state((1,))
        for ngram in model.probability:
            state = found.state(ngram)
            assert state == model.state(ngram)
            assert found.state(state) == state
            assert found.distribution(ngram).tolist() == found.distribution(state).tolist()
            np.testing.assert_allclose(
                found.distribution(ngram), model.distribution(ngram), rtol=1e-5
            )
            with refuses(LanguageModelError, "lm.sentence-mark", value="<s>"):
                found.advance(ngram, "<s>")
            for word in (0, *range(2, len(model.words))):
                score, after = found.advance(ngram, word)
                assert (score, after) == found.advance(state, word)
                assert after == model.state((*ngram, word))
                assert score == pytest.approx(model.score(ngram, word)[0], abs=1e-6)


def test_equal_states_have_equal_futures(tmp_path):
    """All histories of four words: those that leave the same state are never told apart."""
    model = random_model(5, words=5, order=4, ngrams=25)
    found = written(model, tmp_path / "lm")
    futures: dict[tuple[int, ...], list] = {}
    for history in product([0, 3, 4], repeat=4):
        after = [model.score(history, word) for word in (0, 2, 3, 4)]
        futures.setdefault(found.state(history), []).append(after)
    assert any(len(each) > 1 for each in futures.values())
    for state, each in futures.items():
        scores = [[score for score, _ in after] for after in each]
        np.testing.assert_allclose(scores, [scores[0]] * len(scores), atol=1e-12)
        have = [found.advance(state, word)[0] for word in (0, 2, 3, 4)]
        np.testing.assert_allclose(have, scores[0], atol=1e-6)


@pytest.mark.slow
@each_layout
def test_a_larger_model_at_any_number_of_threads(how, tmp_path):
    model = random_model(1, words=300, order=5, ngrams=4000)
    found = written(model, tmp_path / "lm", **how)
    sentences = sentences_of(model, 2, 1500)
    texts = [text_of(model, words) for words in sentences]
    scores = found.score_batch(texts)
    for words, score in zip(sentences[:300], scores, strict=False):
        assert score == pytest.approx(sum(s for s, _ in model.sentence(words)), abs=1e-5)
    for threads in (2, 3):
        assert found.score_batch(texts, threads=threads).tolist() == scores.tolist()
        for one, other in zip(
            found.words_batch(texts), found.words_batch(texts, threads=threads), strict=True
        ):
            assert one.tolist() == other.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("how", [*LAYOUTS, {"layout": "small", "quantise": 8}], ids=str)
def test_the_same_bytes_at_any_number_of_threads_and_any_memory(how, tmp_path):
    model = random_model(3, words=200, order=4, ngrams=3000)
    written(model, tmp_path / "one", **how)
    written(model, tmp_path / "other", **how, threads=3, max_memory=1, temporary=tmp_path)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "other"]


def same_as_kenlm(found: Model, arpa: Path, texts: list[str]) -> None:
    """Scores, lengths of n-grams and what is unknown, word by word."""
    kenlm = pytest.importorskip("kenlm", reason="kenlm cannot be imported", exc_type=ImportError)
    peer = kenlm.Model(str(arpa))
    for text in texts:
        want = list(peer.full_scores(text))
        have = found.words(text)
        assert [(each.length, not each.is_known) for each in have] == [row[1:] for row in want]
        assert [each.score for each in have] == pytest.approx([row[0] for row in want], abs=1e-5)
    assert found.score_batch(texts) == pytest.approx(list(map(peer.score, texts)), abs=1e-4)


@each_layout
def test_kenlm_says_the_same(how, tmp_path):
    model = random_model(4, words=40, order=5, ngrams=500)
    ngrams = {n for n in model.probability if 2 not in n[:-1] and 1 not in n[1:]}
    model.probability = {n: p for n, p in model.probability.items() if n in ngrams}
    model.backoff = {n: b for n, b in model.backoff.items() if n in ngrams}
    write_arpa_text(model, tmp_path / "lm.arpa")
    texts = [text_of(model, words) for words in sentences_of(model, 5, 200)]
    same_as_kenlm(written(model, tmp_path / "lm", **how), tmp_path / "lm.arpa", texts)


@each_layout
def test_kenlm_says_the_same_of_real_text(how, tmp_path):
    lines = [line for line in real.lines("tanaka-ja-en/train.en.gz", 4400) if line.strip()]
    made = estimate(lines[:4000])
    write_model(tmp_path / "lm", made.table, made.words, **how)
    write_arpa(tmp_path / "lm.arpa", made.table, made.words)
    same_as_kenlm(Model.open(tmp_path / "lm"), tmp_path / "lm.arpa", lines[3800:])


@each_layout
@EXAMPLES
@given(
    st.lists(st.text("abc ", min_size=1, max_size=12), min_size=1, max_size=8), st.integers(1, 6)
)
def test_distributions_of_estimated_models_sum_to_one(how, texts, order):
    made = estimate(texts, order)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "lm"
        write_model(path, made.table, made.words, **how)
        found = Model.open(path)
        for text in texts:
            context = ("<s>", *text.split())
            for at in range(len(context) + 1):
                assert found.distribution(context[:at]).sum() == pytest.approx(1.0, abs=1e-5)


def test_samples_are_as_frequent_as_they_should_be(tmp_path):
    model = random_model(6, words=6, order=3, ngrams=20)
    found = written(model, tmp_path / "lm")
    texts = found.sample(4000, seed=1, max_words=2, threads=2)
    assert texts == found.sample(4000, seed=1, max_words=2, threads=1)
    assert texts[:10] == found.sample(10, seed=1, max_words=2)
    assert texts != found.sample(4000, seed=2, max_words=2)

    def normal(context: tuple[int, ...]) -> np.ndarray:
        p = found.distribution(context)
        return p / p.sum()

    for first, second in product(range(6), repeat=2):
        if 1 in (first, second):
            continue
        words = [w for w in (first, second) if w != 2]
        if first == 2:
            words, p = [], normal((1,))[2]
        else:
            p = normal((1,))[first] * normal((1, first))[second]
        share = np.mean([text == " ".join(model.words[w] for w in words) for text in texts])
        assert abs(share - p) <= 5 * np.sqrt(p * (1 - p) / len(texts)) + 1e-9


@pytest.mark.parametrize("bits", [1, 2, 8, 16])
def test_quantised_models_are_near(bits, tmp_path):
    model = random_model(7, words=100, order=4, ngrams=2000)
    exact = written(model, tmp_path / "exact", layout="small")
    found: Model = written(model, tmp_path / "lm", layout="small", quantise=bits)
    assert (found.quantised, exact.quantised) == (bits, None)
    texts = [text_of(model, words) for words in sentences_of(model, 8, 200)]
    want, have = exact.words_batch(texts), found.words_batch(texts)
    assert have.length.tolist() == want.length.tolist()
    error = np.abs(have.score - want.score).mean()
    assert error < {1: 1.0, 2: 0.5, 8: 0.01, 16: 1e-3}[bits]
    # What has no longer n-gram stays so: states are those of the exact model.
    for ngram in model.probability:
        if bits > 1:
            assert found.state(ngram) == exact.state(ngram)
