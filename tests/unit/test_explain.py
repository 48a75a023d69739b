"""Explanations: numbers add up, tables and pictures tell everything, any text is safe."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.decoders import small_decoder
from tests.refusals import refuses

from rosewood.decode import (
    ExplainedRule,
    Explanation,
    Forced,
    PhraseDecoder,
    RuleIds,
    RuleUse,
    Source,
    difference,
    explain,
    feature,
    forest_mbr,
)
from rosewood.decode.draw import to_svg
from rosewood.errors import DecodingError
from rosewood.lm import Model, estimate
from rosewood.rules import Rule, RuleTable

SVG = "{http://www.w3.org/2000/svg}"
SENTENCES = ["the house is small", "the small house", "it is not small", "a house is there"]
RULES = [
    ("das", "the", -0.4), ("das", "it", -1.2), ("haus", "house", -0.1), ("haus", "home", -1.5),
    ("das haus", "the house", -0.2), ("ist", "is", -0.1), ("klein", "small", -0.3),
    ("klein", "little", -0.9), ("nicht", "not", -0.2), ("ist nicht", "is not", -0.3),
]  # fmt: skip


def rule_feature(table: RuleTable, source: str) -> str:
    """The name of the feature of a rule."""
    (rule,) = [rule for rule in table if " ".join(rule.source) == source]
    return f"rule:{rule.id}"


@pytest.fixture(scope="module")
def decoder(tmp_path_factory) -> PhraseDecoder:
    folder = tmp_path_factory.mktemp("explained")
    rules = [
        Rule(
            tuple(source.split()), tuple(target.split()), features={"phrase_ef": value},
            links=tuple((i, i) for i in range(len(source.split()))),
        )
        for source, target, value in RULES
    ]  # fmt: skip
    table = RuleTable.build(folder / "rules", rules)
    with estimate(SENTENCES, order=3) as model:
        model.save(folder / "lm.rlm")
    weights = {
        "phrase_ef": 0.5, "word_penalty": -0.3, "phrase_penalty": 0.1, "unknown_penalty": 1.0,
        "distortion": 0.4, "lm": 0.7, rule_feature(table, "das haus"): 0.25,
    }  # fmt: skip
    return PhraseDecoder(
        table, Model.open(folder / "lm.rlm"), features=[RuleIds()], weights=weights
    )


@pytest.fixture(scope="module")
def found(decoder):
    source = Source("das haus ist sehr nicht klein", forced=(Forced(5, 6, ("tiny",)),))
    return decoder.search(source)


def tooltips(picture: str) -> list[str]:
    return [t.text or "" for t in ET.fromstring(picture).iter(f"{SVG}title")]


def texts(picture: str) -> list[str]:
    return ["".join(t.itertext()) for t in ET.fromstring(picture).iter(f"{SVG}text")]


# -- numbers ---------------------------------------------------------------------------------------


def test_the_best_is_explained(decoder, found):
    why = explain(found, decoder.weights)
    assert why.words == found.best.words
    assert why.score == pytest.approx(found.best.score, abs=1e-6)
    assert {n: v for n, v in why.features.items() if v} == pytest.approx(
        dict(found.best.features), abs=1e-6
    )
    parts = sum(p.score for p in why.rules)
    ending = sum(value * why.weights[name] for name, value in why.ending.items())
    assert parts + ending == pytest.approx(why.score)
    uses = [(p.begin, p.end, p.target_begin, p.target_end, p.rule) for p in why.rules]
    assert uses == [
        (p.begin, p.end, p.target_begin, p.target_end, p.rule) for p in found.best.rules
    ]
    kinds = {" ".join(p.source): p.kind for p in why.rules}
    assert kinds["sehr"] == "unknown"
    assert kinds["klein"] == "forced"
    assert kinds["das haus"] == "rule"
    assert why.weights[rule_feature(decoder.table, "das haus")] == 0.25


def test_any_derivation_is_explained(decoder, found):
    weight = found.forest.score(decoder.theta())
    for derivation in found.forest.k_best(weight, 20):
        why = explain(found, decoder.weights, derivation)
        assert why.text == derivation.text
        assert why.score == pytest.approx(derivation.score)
        covered = sorted(i for p in why.rules for i in range(p.begin, p.end))
        assert covered == list(range(6))
    agreed = forest_mbr(found.forest, weight)
    assert explain(found, decoder.weights, agreed.derivation).text == agreed.text
    other = decoder.search("das haus")
    with refuses(DecodingError, "argument.conflict", argument="derivation"):
        explain(other, decoder.weights, derivation)


def test_the_difference_of_two(decoder, found):
    weight = found.forest.score(decoder.theta())
    first, *_, last = (
        explain(found, decoder.weights, d) for d in found.forest.k_best(weight, 30, distinct=True)
    )
    compared = difference(first, last)
    assert compared.margin == pytest.approx(sum(c.contribution for c in compared.changes))
    assert compared.margin > 0
    sizes = [abs(c.contribution) for c in compared.changes]
    assert sizes == sorted(sizes, reverse=True)
    text = compared.to_text()
    assert text.splitlines()[0] == f"first   {first.text}"
    assert text.splitlines()[-1] == compared.verdict()
    assert compared.verdict().startswith(f"The first is better by {compared.margin:.3f}: ")
    assert difference(last, first).verdict().startswith("The second is better")
    assert difference(first, first).verdict() == "Both have the same score."
    told = json.loads(json.dumps(compared.to_dict(), allow_nan=False))
    assert told["margin"] == compared.margin
    assert [f["name"] for f in told["features"]] == [c.name for c in compared.changes]
    others = explain(found, {**decoder.weights, "lm": 2.0})
    with refuses(DecodingError, "argument.conflict", argument="lm"):
        difference(first, others)


def test_a_margin_that_is_tiny():
    def of(**values):
        used = {name: value * 0.5 for name, value in values.items()}
        phrase = ExplainedRule(
            ((0, 1),), ((0, 1),), source=("a",), target=("b",), features=values,
            contributions=used,
        )  # fmt: skip
        return Explanation(Source("a"), ("b",), (phrase,), {}, dict.fromkeys(values, 0.5))

    close = difference(of(lm=-2.0, p=1.0), of(lm=-2.00004, p=1.0))
    assert close.verdict() == "The first is better by 2e-05: lm +2e-05."
    assert "  +2e-05" in close.to_text()
    assert "+2e-05" in close.to_html()
    rounded = difference(of(lm=0.3), of(lm=0.1 + 0.2))
    assert rounded.margin != 0
    assert rounded.verdict() == "Both have the same score."
    noisy = difference(of(lm=0.3, p=-2.0), of(lm=0.1 + 0.2, p=-3.0))
    assert noisy.verdict() == "The first is better by 0.500: p +0.500."


def test_an_empty_sentence(decoder):
    why = explain(decoder.search(""), decoder.weights)
    assert why.rules == ()
    assert why.words == ()
    assert why.to_text().splitlines()[1].split()[0] == "end"
    ET.fromstring(to_svg(why))
    assert "<table" in why.to_html()


def test_nothing_was_found(decoder):
    nothing = decoder.search(Source("das haus", reference="a tree"))
    with refuses(DecodingError, "decoding.unreachable"):
        explain(nothing, decoder.weights)


# -- tables ----------------------------------------------------------------------------------------


def test_a_table_of_text(decoder, found):
    lines = explain(found, decoder.weights).to_text().splitlines()
    head = lines[0].split()
    assert head[:4] == ["words", "source", "target", "rule"]
    assert head[-2:] == ["rule:…", "score"]
    assert len(lines) == 1 + len(found.best.rules) + 3
    assert lines[1].startswith("0:2")
    assert any("unknown" in line and "sehr" in line for line in lines)
    assert lines[-1].split()[0] == "weight"


def test_columns_stay_in_line_in_any_script():
    phrase = ExplainedRule(((0, 1),), ((0, 1),), source=("家",), target=("a house",))
    other = ExplainedRule(((1, 2),), ((1, 2),), 7, source=("x",), target=("y",),
                            features={"lm": -1.0}, contributions={"lm": -0.5})  # fmt: skip
    why = Explanation(Source(("家", "x")), ("a house", "y"), (phrase, other), {}, {"lm": 0.5})
    lines = why.to_text().splitlines()
    assert lines[1].index("a house") == lines[2].index("y") - 1  # 家 is two columns wide
    assert "·" in lines[1]
    assert "-0.500" in lines[2]


def test_json(decoder, found):
    told = json.loads(json.dumps(explain(found, decoder.weights).to_dict(), allow_nan=False))
    assert told["target"] == found.best.text
    assert told["score"] == pytest.approx(found.best.score)
    assert sum(p["score"] for p in told["phrases"]) <= 0
    assert {p["kind"] for p in told["phrases"]} == {"rule", "unknown", "forced"}


# -- pictures --------------------------------------------------------------------------------------


def test_words_and_phrases_are_drawn(decoder, found):
    for drawn in (found.best, explain(found, decoder.weights)):
        picture = to_svg(drawn)
        words = [*found.source.words, *found.best.words]
        assert texts(picture) == [*words, "no rule translates it", "forced"]
        assert len(list(ET.fromstring(picture).iter(f"{SVG}path"))) == len(found.best.rules)
        assert "<script" not in picture
    told = tooltips(to_svg(explain(found, decoder.weights)))
    assert told[0].startswith("das haus → the house\nwords 0:2, rule ")
    assert "phrase_ef -0.2, adds -0.100" in told[0]
    name = rule_feature(decoder.table, "das haus")
    assert f"{name} (das haus → the house) 1, adds 0.250" in told[0]
    plain = tooltips(to_svg(found.best))
    assert "adds" not in plain[0]
    assert len(plain) == len(found.best.rules)


def test_a_page_has_all_of_it(decoder, found):
    why = explain(found, decoder.weights)
    page = why.to_html()
    assert page.count("<svg") == 1
    assert page.count("<tr>") == len(why.rules) + 4
    assert 'title="-0.2 × 0.5"' in page
    assert why._repr_html_() == page
    assert why._repr_svg_() == why.to_svg()
    weight = found.forest.score(decoder.theta())
    second = explain(found, decoder.weights, found.forest.k_best(weight, 2, distinct=True)[1])
    compared = difference(why, second)
    assert compared.to_html().count("<svg") == 2
    assert compared._repr_html_() == compared.to_html()


@given(
    st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=4),
    st.lists(st.text(max_size=8), max_size=4),
    st.text(max_size=8),
)
def test_any_text_is_safe(source, target, name):
    class Words:
        words = tuple(source)
        text = " ".join(source)

    phrase = ExplainedRule(
        ((0, len(source)),), ((0, len(target)),), source=tuple(source), target=tuple(target),
        features={name: 1.0}, contributions={name: -2.0}, is_unknown=True,
    )  # fmt: skip
    why = Explanation(Words, tuple(target), (phrase,), {}, {name: -2.0})  # type: ignore[arg-type]
    ET.fromstring(to_svg(why))
    ET.fromstring(why.to_html().replace("&nbsp;", " "))
    ET.fromstring(difference(why, why).to_html())


def test_a_dropped_word_has_no_band():
    class Drawn:
        source = Source("a b")
        words = ("x",)
        rules = (
            RuleUse(((0, 1),), ((0, 1),), 3),
            RuleUse(((1, 2),), ((1, 1),), is_unknown=True),
        )

    picture = to_svg(Drawn())
    assert len(list(ET.fromstring(picture).iter(f"{SVG}path"))) == 1
    assert tooltips(picture)[1] == "b → –\nwords 1:2, no rule translates it"


class Longer:
    names = ("longer",)
    help = 'the target has 2 words or more, "at least"'

    def __call__(self, options):
        return (np.diff(options.target_start) > 1).astype(np.float64)[:, None]


def test_a_page_has_the_help_of_features(tmp_path):
    made = small_decoder(tmp_path, features=[Longer(), RuleIds()], weights=None)
    found = made.search("das haus ist klein .")
    weights = {**made.weights, "longer": 1.0}
    weights |= {f"rule:{use.rule}": 0.5 for use in found.best.rules}
    decoder = made.with_weights(weights)
    found = decoder.search("das haus ist klein .")
    page = ET.fromstring(explain(found, decoder.weights).to_html())
    titles = {"".join(head.itertext()): head.get("title") for head in page.iter("th")}
    assert titles["rule"] is titles["score"] is None
    assert titles["rule:…"] == RuleIds.help
    assert titles["lm"] == feature("lm").help
    assert found.feature_help["longer"] == Longer.help
    assert found.feature_help["phrase_ef"] == feature("phrase_ef").help


def test_small_contributions_have_more_decimals(tmp_path):
    made = small_decoder(tmp_path)
    found = made.search("das haus ist klein .")
    plain = explain(found, made.weights)
    small = explain(found, {name: value / 1024 for name, value in made.weights.items()})
    assert f"  {plain.score:.3f}\n" in plain.to_text()
    assert f"  {small.score:.5f}\n" in small.to_text()
    assert f">{small.score:.5f}<" in small.to_html()
    assert " -0.000 " not in small.to_text()
