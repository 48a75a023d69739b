"""Translation options of rules with gaps, as features and people see them."""

from __future__ import annotations

from math import log

import pytest
from tests.phrase_models import language_model

from rosewood.decode import HieroDecoder, TargetWords
from rosewood.rules import Gap, Rule, RuleTable

X1, X2 = Gap("X", 1), Gap("X", 2)
RULES = [
    Rule(("a",), ("A",), features={"phrase_ef": -1.0}),
    Rule(("c",), ("C", "D"), features={"phrase_ef": -1.0}),
    Rule((X1, "b", X2), ("A", X2, "B", "A", X1), features={"phrase_ef": 9.0}),
]


@pytest.fixture(scope="module")
def decoder(tmp_path_factory):
    table = RuleTable.build(tmp_path_factory.mktemp("gaps") / "table", RULES)
    return HieroDecoder(table, language_model(3), features=[TargetWords()])


def test_gaps_are_not_words(decoder):
    found = decoder.search("a b c")
    names = {name for name in found.forest.features.names if name.startswith("word:")}
    assert names == {"word:A", "word:B", "word:C", "word:D"}
    assert found.best.words == ("A", "C", "D", "B", "A", "A")
    assert found.best.features["word:A"] == 3.0


def test_options_are_shown_as_their_rules(decoder):
    (facts,) = (
        each
        for each in decoder.search("a b c").options.described(decoder.weights)
        if "B" in each.target
    )
    assert facts.source == ("[X,1]", "b", "[X,2]")
    assert facts.target == ("A", "[2]", "B", "A", "[1]")
    (model,) = decoder.language_models.values()
    runs = [model.score(words, begin=False, end=False) for words in ("A", "B A")]
    assert facts.features["lm"] == pytest.approx(log(10) * sum(runs))
    assert facts.score == pytest.approx(
        sum(decoder.weights[name] * value for name, value in facts.features.items())
    )
