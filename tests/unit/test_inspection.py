"""Everything about one sentence, as text, as a page and as JSON."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.bundles import TRAINED, small_bundle

from rosewood.forest import Distribution
from rosewood.pipeline import Translator
from rosewood.pipeline.inspection import RuleSource, inspect
from rosewood.pipeline.inspection_page import packed_spans
from rosewood.rules import Rule

TEXT = "das haus ist nicht xyz klein ."


@pytest.fixture(scope="module")
def translator(tmp_path_factory):
    return Translator(small_bundle(tmp_path_factory.mktemp("inspection") / "model"))


@pytest.fixture(scope="module")
def seen(translator):
    return inspect(translator, TEXT)


def test_it_has_the_reply_and_the_derivation(translator, seen):
    assert seen.reply == translator.reply(TEXT, nbest=5)
    assert seen.explanation == translator.explain(TEXT)
    assert seen.unknown == ("xyz",)
    forest = translator.decode(TEXT)
    assert seen.forest == {
        "nodes": forest.num_nodes,
        "edges": forest.num_edges,
        "derivations": forest.num_derivations(),
    }
    ET.fromstring(seen.forest_svg)


def test_rules_tell_where_they_are_from(seen):
    assert [each.rule.id for each in seen.rules] == [
        use.rule for use in seen.reply.rules if use.rule is not None
    ]
    house = next(each for each in seen.rules if each.rule.source == ("haus",))
    assert house.origin == "train.de:7"
    assert (" ".join(house.source), " ".join(house.target)) == TRAINED[0]
    assert (house.source_span, house.target_span) == ((3, 4), (1, 2))
    assert house.counts == "seen 2 times; its source 3 times, its target once"
    assert seen.notes == ()
    text = seen.to_text()
    assert "  train.de:7\n    heute ist das [haus] klein .\n    the [house] is small" in text


def test_words_that_are_not_there_have_no_place():
    rule = Rule(("a", "b"), ())
    assert RuleSource(rule, source=("a", "c", "b")).source_span is None
    assert RuleSource(rule, source=("b", "a", "b")).source_span == (1, 3)
    assert RuleSource(rule, target=("x",)).target_span is None
    assert RuleSource(rule).counts == "not counted"


def test_options_have_their_posteriors(translator, seen):
    found = translator.search(TEXT)[1]
    assert seen.num_options == len(found.options) == len(seen.options)
    spans = [(each.begin, each.end) for each in seen.options]
    assert spans == sorted(spans)
    used = [each for each in seen.options if each.is_used]
    assert len(used) == len(seen.reply.rules)
    weight = 2.0 * found.forest.score(translator.decoder.theta())
    uses = Distribution(found.forest, weight).edge_posteriors()
    for each in seen.options:
        edges = [
            e
            for e, n in enumerate(found.edge_option.tolist())
            if n >= 0
            and (found.options.begin[n], found.options.end[n]) == (each.begin, each.end)
            and found.options.target_words(n) == each.target
        ]
        assert each.posterior == pytest.approx(uses[edges].sum(), abs=1e-9)
        weights = translator.weights
        score = sum(value * weights[name] for name, value in each.features.items())
        assert each.score == pytest.approx(score)
    # Some option covers each word.
    cover = np.zeros(7)
    for each in seen.options:
        cover[each.begin : each.end] += each.posterior
    assert cover == pytest.approx(1.0)
    xyz = next(each for each in seen.options if each.source == ("xyz",))
    assert (xyz.kind, xyz.rule, xyz.target, xyz.is_used) == ("unknown", None, ("xyz",), True)


def test_only_so_many_options_of_a_span(translator):
    few = translator.inspect(TEXT, options=1, nbest=2)
    assert all(len(each) == 1 for each in few.spans().values())
    assert len(few.reply.alternatives) == 2
    used = [(each.begin, each.end) for each in few.options if each.is_used]
    assert len(used) == len(few.reply.rules)  # those are never left out
    none = translator.inspect(TEXT, options=0, nbest=0)
    assert none.options == ()
    assert "posterior" not in none.to_text()
    assert 'class="options"' not in none.to_html()


def test_json_and_text(seen):
    row = json.loads(json.dumps(seen.to_dict(), allow_nan=False))
    assert row["translation"] == seen.reply.translation
    assert row["explanation"]["target"] == " ".join(seen.reply.words)
    assert row["rules"][0]["origin"] == "train.de:7"
    assert row["options"][0]["source"] == "das"
    text = seen.to_text()
    for part in ("source       das haus", "unknown      xyz", "what could be said", "used"):
        assert part in text


def test_the_page(seen):
    page = seen.to_html()
    assert page.startswith("<!DOCTYPE html>")
    assert page.count("<svg") == 2
    assert "<mark>haus</mark>" in page
    assert "<script" not in page
    assert not re.search(r'(src|href)="', page)
    assert seen._repr_html_() in page
    assert repr(seen) == f"Inspection({TEXT!r} → {seen.reply.translation!r})"


def test_a_model_without_its_corpus(tmp_path):
    seen = Translator(small_bundle(tmp_path / "model", corpus=False)).inspect("das haus")
    assert [(each.origin, each.source) for each in seen.rules] == [(None, ()), (None, ())]
    assert "keeps no corpus" in seen.notes[0]
    assert seen.notes[0] in seen.to_text()
    assert seen.notes[0] in seen.to_html()
    assert seen.to_dict()["rules"][0]["sentence_source"] is None


def test_raw_text_with_capitals(tmp_path):
    seen = Translator(small_bundle(tmp_path / "model", raw=True)).inspect("Das Haus ist klein.")
    assert seen.reply.translation == "The house is small."
    assert seen.reply.source_words == ("das", "haus", "ist", "klein", ".")


@pytest.mark.parametrize("text", ["", "   ", "<b>&amp; </b>\x07", "шалом עולם"])
def test_awkward_texts(translator, text):
    seen = translator.inspect(text)
    assert seen.to_text()
    body = seen.to_html().partition("<main>")[2].partition("</main>")[0]
    ET.fromstring(f"<main>{body}</main>")
    json.dumps(seen.to_dict(), allow_nan=False)


@settings(max_examples=30, deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=12))
def test_any_text_is_safe(translator, text):
    body = translator.inspect(text).to_html().partition("<main>")[2].partition("</main>")[0]
    ET.fromstring(f"<main>{body}</main>")


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5)), unique=True, max_size=30))
def test_rows_of_options_do_not_overlap(drawn):
    spans = [(begin, begin + length) for begin, length in drawn]
    rows = packed_spans(spans)
    assert sorted(span for row in rows for span in row) == sorted(spans)
    for row in rows:
        assert all(one[1] <= other[0] for one, other in pairwise(row))
