"""Mixtures: the mean of models, over the words of all of them; weights; files."""

from __future__ import annotations

import io
import json
import math
import pickle
import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import refuses

from rosewood.errors import DamagedFileError, LanguageModelError
from rosewood.lm import Mixture, Model, Perplexity, open_model, read_arpa, write_model

# Bigram models whose distributions add up to 1: of the words a, b and of the words b, c.
FIRST = """\\data\\
ngram 1=5
ngram 2=3
\\1-grams:
-1\t<unk>\t0
-99\t<s>\t-0.30103
-0.69897\t</s>
-0.30103\ta\t-0.30103
-0.69897\tb\t-0.1
\\2-grams:
-0.1549019\t<s> a
-0.2596373\ta b
-0.30103\tb </s>
\\end\\
"""
SECOND = """\\data\\
ngram 1=5
\\1-grams:
-0.69897\t<unk>
-99\t<s>
-0.69897\t</s>
-0.5228787\tb
-0.5228787\tc
\\end\\
"""
TEXT = ["a b", "b c b", "", "x a", "c", "a a b x"]


def unigrams(path, p: dict[str, float]) -> Model:
    """A model of single words."""
    lines = "\n".join(f"{math.log10(value)}\t{word}" for word, value in p.items())
    text = f"\\data\\\nngram 1={len(p) + 1}\n\\1-grams:\n-99\t<s>\n{lines}\n\\end\\\n"
    table, words, _ = read_arpa(io.BytesIO(text.encode()))
    write_model(path, table, words)
    return Model.open(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("mixture")
    for name, text in (("first", FIRST), ("second", SECOND)):
        table, words, facts = read_arpa(io.BytesIO(text.encode()))
        write_model(place / f"{name}.rlm", table, words, facts=facts)
    return place


@pytest.fixture(scope="module")
def models(folder):
    return [Model.open(folder / "first.rlm"), Model.open(folder / "second.rlm")]


@pytest.fixture(scope="module")
def mixture(models):
    return Mixture(models, [0.25, 0.75])


def test_words_of_all_models(mixture):
    words = mixture.vocabulary
    assert list(words) == ["<unk>", "<s>", "</s>", "a", "b", "c"]
    assert [words.id(w) for w in ("c", "a", "nobody")] == [5, 3, 0]
    assert "c" in words
    assert "nobody" not in words
    assert words.shares == (2, 2)  # <unk> and c; <unk> and a
    assert words.in_models(5) == [0, 4]
    assert (mixture.order, words.word(5)) == (2, "c")


def test_by_hand(mixture):
    """p(a b) with pencil and paper."""
    first = [10**-0.1549019, 10**-0.2596373, 10**-0.30103]
    second = [10**-0.69897 / 2, 10**-0.5228787, 10**-0.69897]  # a is unknown there, b is not
    wanted = [0.25 * p + 0.75 * q for p, q in zip(first, second, strict=True)]
    found = mixture.words("a b")
    assert [word.word for word in found] == ["a", "b", "</s>"]
    assert [10**word.score for word in found] == pytest.approx(wanted, rel=1e-6)
    assert [word.length for word in found] == [2, 2, 2]
    assert all(word.is_known for word in found)
    assert not mixture.words("x")[0].is_known
    assert mixture.score("a b") == pytest.approx(sum(map(math.log10, wanted)), rel=1e-6)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from("abcx"), max_size=4), st.floats(0, 1))
def test_distributions_add_up_to_one(folder, context, weight):
    models = [Model.open(folder / name) for name in ("first.rlm", "second.rlm")]
    sums = [model.distribution(["<s>", *context]).sum() for model in models]
    mixture = Mixture(models, [weight, 1 - weight])
    p = mixture.distribution(["<s>", *context])
    assert p.sum() == pytest.approx(weight * sums[0] + (1 - weight) * sums[1], rel=1e-9)
    state = mixture.state(["<s>", *context])
    for number, word in enumerate(mixture.vocabulary):
        if word != "<s>":
            score, _ = mixture.advance(state, word)
            assert 10**score == pytest.approx(p[number], rel=1e-6)
            assert mixture.advance(state, number)[0] == score


def test_every_way_of_scoring_is_the_same(mixture):
    batch = mixture.words_batch(TEXT, threads=2)
    assert batch.start.tolist() == [0, 3, 7, 8, 11, 13, 18]
    totals = mixture.score_batch(TEXT)
    for k, sentence in enumerate(TEXT):
        one = mixture.words(sentence)
        here = slice(batch.start[k], batch.start[k + 1])
        assert batch.score[here].tolist() == pytest.approx([word.score for word in one])
        assert batch.length[here].tolist() == [word.length for word in one]
        known = [mixture.vocabulary.word(w) for w in batch.word[here].tolist()]
        assert known == [word.word if word.is_known else "<unk>" for word in one]
        assert totals[k] == pytest.approx(mixture.score(sentence))
        state, score = mixture.start, 0.0
        for word in [*sentence.split(), "</s>"]:
            step, state = mixture.advance(state, word)
            score += step
        assert score == pytest.approx(totals[k])
    assert batch.totals().tolist() == totals.tolist()
    assert batch.unknown().tolist() == [0, 0, 0, 1, 0, 1]
    bare = mixture.words_batch(["", "a", "", "x x", ""], begin=False, end=False)
    assert bare.totals()[[0, 2, 4]].tolist() == [0.0, 0.0, 0.0]
    assert bare.unknown().tolist() == [0, 0, 0, 2, 0]
    assert mixture.words_batch([""], begin=False, end=False).totals().tolist() == [0.0]
    assert mixture.score_batch([]).tolist() == []
    inner = mixture.score("a b", begin=False, end=False)
    state = mixture.no_context
    step, state = mixture.advance(state, "a")
    assert inner == pytest.approx(step + mixture.advance(state, "b")[0])


def test_a_mixture_of_one_is_the_model(models):
    alone = Mixture(models[:1], [1.0])
    assert alone.score_batch(TEXT) == pytest.approx(models[0].score_batch(TEXT))
    assert alone.distribution("a") == pytest.approx(models[0].distribution("a"))
    with_nothing = Mixture(models, [1.0, 0.0])  # c and <unk> share what the first has for <unk>
    assert with_nothing.score("a b") == pytest.approx(models[0].score("a b"))
    assert with_nothing.score("c") == pytest.approx(models[0].score("c") - math.log10(2))


def test_perplexity(mixture):
    told: list[int] = []
    found = mixture.perplexity(TEXT, threads=2, step=told.append)
    assert isinstance(found, Perplexity)
    assert (found.sentences, found.words, found.unknown) == (6, 12, 2)
    assert found.log10 == pytest.approx(float(mixture.score_batch(TEXT).sum()))
    assert sum(found.lengths) == 18
    assert told == [6]


@pytest.mark.slow
def test_samples_follow_the_distribution(mixture):
    texts = mixture.sample(2000, seed=3, max_words=1)
    assert texts == mixture.sample(2000, seed=3, max_words=1, threads=2)
    assert texts[:5] == mixture.sample(5, seed=3, max_words=1)
    p = mixture.distribution()
    for number, word in enumerate(mixture.vocabulary):
        seen = sum(text == ("" if word == "</s>" else word) for text in texts) / 2000
        assert seen == pytest.approx(p[number], abs=0.05)
    assert all(len(text.split()) <= 3 for text in mixture.sample(50, max_words=3, context="a"))


@pytest.mark.slow
def test_tuning_climbs_to_where_weights_came_from(tmp_path):
    """EM finds the weights that a text was drawn with, and never goes down."""
    one = unigrams(tmp_path / "1.rlm", {"<unk>": 0.01, "</s>": 0.09, "a": 0.8, "b": 0.1})
    two = unigrams(tmp_path / "2.rlm", {"<unk>": 0.01, "</s>": 0.09, "a": 0.1, "b": 0.8})
    drawn = Mixture([one, two], [0.7, 0.3]).sample(3000, seed=1)
    tuned = Mixture.tuned([one, two], iter(drawn), tolerance=0, threads=2)
    assert tuned.weights == pytest.approx((0.7, 0.3), abs=0.02)
    facts = tuned.facts["tuned"]
    assert (np.diff(facts["log10"]) >= -1e-12).all()
    assert facts["perplexity"] < facts["perplexity_of_equal_weights"]
    assert facts["perplexity"] < min(facts["perplexity_of_each"])
    assert facts["perplexity"] == pytest.approx(tuned.perplexity(drawn).perplexity)
    assert facts["perplexity_of_each"][0] == pytest.approx(one.perplexity(drawn).perplexity)
    for nearby in ([0.65, 0.35], [0.75, 0.25]):
        other = Mixture([one, two], nearby).perplexity(drawn).perplexity
        assert facts["perplexity"] <= other
    assert Mixture.tuned([one, two], drawn, iterations=0).weights == (0.5, 0.5)
    with refuses(LanguageModelError, "argument.missing", argument="sentences"):
        Mixture.tuned([one, two], [])


def test_files(folder, mixture, tmp_path):
    place = tmp_path / "here"
    shutil.copytree(folder, place / "models")
    mixed = Mixture([Model.open(place / "models" / f"{n}.rlm") for n in ("first", "second")],
                    [0.25, 0.75], facts={"note": "ä"})  # fmt: skip
    mixed.save(place / "mix.json")
    table = json.loads((place / "mix.json").read_text(encoding="utf-8"))
    assert [m["path"] for m in table["models"]] == ["models/first.rlm", "models/second.rlm"]
    place = place.rename(tmp_path / "there")
    again = open_model(place / "mix.json")
    assert isinstance(again, Mixture)
    assert (again.weights, again.facts) == ((0.25, 0.75), {"note": "ä"})
    assert again.score("a b x") == mixture.score("a b x")
    for each in (again, mixture):
        assert pickle.loads(pickle.dumps(each)).score("a c") == each.score("a c")
    shutil.copy(place / "models" / "first.rlm", place / "models" / "second.rlm")
    changed = {"value": "models/second.rlm", "file": str(place / "mix.json")}
    with refuses(DamagedFileError, "file.changed", **changed):
        Mixture.open(place / "mix.json")
    (place / "models" / "second.rlm").unlink()
    with pytest.raises(FileNotFoundError):
        Mixture.open(place / "mix.json")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"format": "x"}, "file.version"),
        ({"version": 2}, "file.version"),
        ({"models": 3}, "file.damaged"),
        ({"models": [{}]}, "file.damaged"),
        ({"models": []}, "argument.missing"),
        ({"facts": None}, "file.damaged"),
    ],
)
def test_files_that_are_none(folder, mixture, change, code, tmp_path):
    mixture.save(tmp_path / "mix.json")
    table = json.loads((tmp_path / "mix.json").read_text()) | change
    (tmp_path / "mix.json").write_text(json.dumps(table))
    with refuses(DamagedFileError, code, file=str(tmp_path / "mix.json")):
        open_model(tmp_path / "mix.json")


@pytest.mark.parametrize(
    ("weights", "fault"),
    [
        ([0.5], "shape"),
        ([0.5, 0.6], "range"),
        ([-0.5, 1.5], "range"),
        ([math.nan, 1.0], "range"),
    ],
)
def test_weights_that_are_none(models, weights, fault):
    with refuses(LanguageModelError, f"argument.{fault}", argument="weights"):
        Mixture(models, weights)


def test_what_is_no_model(models, mixture, tmp_path):
    with refuses(LanguageModelError, "argument.type", argument="models", value=mixture):
        Mixture([mixture, models[0]], [0.5, 0.5])
    (tmp_path / "x.txt").write_text("hello\n")
    (tmp_path / "empty").write_bytes(b"")
    for name in ("x.txt", "empty"):
        with refuses(DamagedFileError, "file.kind", file=str(tmp_path / name)):
            open_model(tmp_path / name)
    (tmp_path / "x.json").write_text("{]")
    with refuses(DamagedFileError, "file.damaged", file=str(tmp_path / "x.json")):
        open_model(tmp_path / "x.json")


def test_arpa_files_are_opened_too(models, tmp_path):
    (tmp_path / "x.arpa").write_text(FIRST)
    told: list[int] = []
    model = open_model(tmp_path / "x.arpa", step=told.append, temporary=tmp_path)
    assert model.score("a b") == models[0].score("a b")
    assert told == [len(FIRST)]
    del model
    assert [path.name for path in tmp_path.iterdir()] == ["x.arpa"]


def test_numbers_of_sentences_and_no_words(mixture):
    with refuses(LanguageModelError, "lm.sentence-mark", argument="<s>", value=5001):
        mixture.score_batch(["a"] * 5000 + ["<s>"])
    assert mixture.distribution(()).tolist() == mixture.distribution([]).tolist()
    assert mixture.state(()) == ((), ())


def test_temporary_models_are_not_kept(folder, tmp_path):
    (tmp_path / "lm.arpa").write_text(FIRST)
    temporary = open_model(tmp_path / "lm.arpa")
    with refuses(LanguageModelError, "lm.temporary"):
        pickle.dumps(temporary)
    with refuses(LanguageModelError, "lm.temporary"):
        Mixture([temporary], [1.0]).save(tmp_path / "mix.json")
    assert not (tmp_path / "mix.json").exists()
