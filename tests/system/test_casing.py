"""Whole systems on text whose capitals are lost: translated nearly as text that has them."""

from __future__ import annotations

import pytest
from tests.system.commands import command, run  # noqa: F401
from tests.training import QUICK, write_book

from rosewood.pipeline import TrainingInputs, TrainingSettings, Translator, train


@pytest.fixture(scope="module", params=["phrase", "hiero"])
def place(request, tmp_path_factory):
    place = write_book(tmp_path_factory.mktemp("casing"), train=2000, dev=30, test=100)
    inputs = TrainingInputs(
        place / "train.de", place / "train.en", dev=(place / "dev.de", place / "dev.en")
    )
    settings = TrainingSettings(**{**QUICK, "decoder": request.param, "tune": "none", "set": {}})
    train(inputs, place / "model", settings)
    return place


@pytest.fixture(scope="module")
def translator(place):
    return Translator.load(place / "model")


@pytest.fixture(scope="module")
def texts(place):
    return (place / "test.de").read_text(encoding="utf-8").splitlines()


def titled(text):
    return " ".join(word[:1].upper() + word[1:] for word in text.split())


def same(translator, texts, change):
    """The share of sentences whose translation differs in its case only, and the translations."""
    cased, changed = translator.translate(texts), translator.translate(map(change, texts))
    equal = [a.lower() == b.lower() for a, b in zip(cased, changed, strict=True)]
    return sum(equal) / len(equal), list(zip(cased, changed, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(("change", "least"), [(str.lower, 0.9), (str.upper, 0.9), (titled, 0.8)])
def test_translations_are_those_of_cased_text(translator, texts, change, least):
    share, pairs = same(translator, texts, change)
    assert share >= least
    if change is str.upper:
        assert all(shouted == shouted.upper() for _, shouted in pairs)
    else:
        assert sum(a == b for a, b in pairs) >= (least - 0.1) * len(pairs)  # some have no nouns
    kept = Translator.load(translator.bundle.folder, casing="keep")
    assert same(kept, texts, change)[0] < share


@pytest.mark.slow
def test_ordinary_text_is_left_alone(translator, texts):
    kept = Translator.load(translator.bundle.folder, casing="keep")
    for text in texts:
        one, other = translator.text.prepare(text), kept.text.prepare(text)
        assert (one.source, one.others) == (other.source, ())


@pytest.mark.slow
def test_all_ways_to_ask_give_the_same(translator, texts):
    small = [text.lower() for text in texts[:20]]
    plain = translator.translate(small)
    assert [each.translation for each in translator.replies(small)] == plain
    assert [line.text for line in translator.stream(small, forests=True)] == plain
    for text, said in zip(small[:3], plain, strict=False):
        prepared, found = translator.search(text)
        assert translator.text.text_of(found.best, prepared).text == said
        seen = translator.inspect(text)
        assert seen.reply.translation == said
        assert seen.reply.source_words == prepared.words
        assert translator.explain(text).words == found.best.words


@pytest.mark.slow
def test_of_the_command(run, place, texts):  # noqa: F811
    small = "".join(f"{text.lower()}\n" for text in texts[:10])
    found = [
        run("translate", place / "model", *more, text=small)
        for more in ((), ("--casing", "auto"), ("--casing", "keep"))
    ]
    assert found[0] == found[1] != found[2]
