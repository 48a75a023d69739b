"""Tags and placeholders, on models of memories that contain them: each comes out just as often."""

from __future__ import annotations

import pytest
from tests.memories import memory, protected, write_memory
from tests.training import QUICK

from rosewood.corpus.text.value_symbols import VALUE, is_value_symbol
from rosewood.decode.nbest import alternatives
from rosewood.decode.results import translation_of
from rosewood.pipeline import TrainingInputs, TrainingSettings, Translator, train


@pytest.fixture(scope="module", params=["phrase", "hiero"])
def translator(request, tmp_path_factory):
    place = write_memory(tmp_path_factory.mktemp("memory"), train=600, dev=30)
    inputs = TrainingInputs(
        place / "train.de", place / "train.en", dev=(place / "dev.de", place / "dev.en")
    )
    settings = TrainingSettings(**{**QUICK, "decoder": request.param, "tune": "none", "set": {}})
    train(inputs, place / "model", settings)
    return Translator.load(place / "model")


def test_every_derivation_has_each_as_often_as_the_source(translator):
    theta = translator.decoder.theta()
    texts = [text for text, _ in memory(600, 1) + memory(900, 11)]
    for number, text in enumerate(texts):
        prepared, found = translator.search(text)
        forest = found.forest
        some = forest.sample(0.2 * forest.score(theta), 3, seed=number)
        others = [translation_of(found, each) for each in some]
        others += alternatives(found, theta, 3, distinct=False)
        for said in [found.best, *others]:
            made = translator.text.text_of(said, prepared)
            assert protected(made.text) == protected(text), made.text
            assert made.lost == made.added == ()


def test_rules_have_values_on_both_sides_or_on_none(translator):
    table = translator.decoder.table
    counts = {
        tuple(sum(map(is_value_symbol, map(str, side))) for side in (rule.source, rule.target))
        for rule in table
    }
    assert counts == {(0, 0), (1, 1)}
    assert any(len(rule.source) > 1 and VALUE in rule.source for rule in table)


@pytest.mark.parametrize(
    "text", ["%s %s %d", "<b>{a}</b>{b}", "<i>a</i>%d%%", "{name}", "￬value￬ {x} ￬value￬", "％d %d"]
)
def test_odd_texts(translator, text):
    (said,) = translator.stream([text])
    assert protected(said.translated().text) == protected(text)


def test_what_is_shown_has_values_and_no_symbols(translator):
    text = "er mag %d Brot und {name} ."
    why = translator.explain(text)
    assert {"%d", "{name}"} <= set(why.words) & set(why.source.words)
    assert all(VALUE not in rule.source_text + rule.target_text for rule in why.rules)
    reply = translator.reply(text, nbest=5)
    assert {"%d", "{name}"} <= set(reply.words) & set(reply.source_words)
    assert not any(VALUE in word for each in reply.alternatives for word in each.words)
    seen = translator.inspect(text)
    single = [each for each in seen.options if each.end - each.begin == 1]
    assert {each.target[0] for each in single if each.source == ("%d",) == each.target} == {"%d"}
