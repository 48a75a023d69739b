"""Inspection of hierarchical translations: options with gaps, forests with labels, origins."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from tests.phrase_models import language_model
from tests.refusals import refuses

from rosewood.corpus import IndexedCorpus
from rosewood.decode import HieroDecoder, HieroSettings, TextTranslator
from rosewood.errors import ForestError
from rosewood.forest import Distribution
from rosewood.forest.draw import to_dot, to_svg
from rosewood.model.confidence import Confidence
from rosewood.pipeline.inspection import inspect
from rosewood.pipeline.rule_source import RuleSource
from rosewood.rules import Gap, Rule, RuleTable

X1, X2, Y1, Y2 = Gap("X", 1), Gap("X", 2), Gap("Y<&>", 1), Gap("Y<&>", 2)
TRAINED = [("a b c d", "D C B A"), ("c a a b", "B A A C")]
SVG = "{http://www.w3.org/2000/svg}"


def rule(source, target, left="X", sentence: int | None = 0, count=0.25, value=-0.5):
    links = tuple(
        (i, j)
        for i, one in enumerate(source)
        for j, other in enumerate(target)
        if isinstance(one, str) and isinstance(other, str) and one.upper() == other
    )
    return Rule(
        tuple(source), tuple(target), left, links, {"phrase_ef": value}, count, 1.5, 2.0, sentence
    )


RULES = [
    rule(["a"], ["A"]), rule(["b"], ["B"]), rule(["c"], ["C"], "Y<&>"), rule(["d"], ["D"]),
    rule(["a", X1, "c"], ["C", X1, "A"], value=2.0),
    rule([X1, X2], [X2, X1], value=0.5),
    rule([Y1], [Y1], "X", None, value=-1.0),
    rule(["d", Y1], [Y1, "E"], sentence=1), rule(["a", X1], [X1, "E"], value=-20.0),
]  # fmt: skip


class Keeper:
    """A model with its corpus."""

    confidence = Confidence(scale=2.0, slope=0.5, offset=0.25, unknown=-1.5)

    def __init__(self, corpus: IndexedCorpus) -> None:
        self.corpus = corpus

    def origin(self, sentence: int) -> str:
        return f"train:{sentence + 1}"


class Asked:
    def __init__(self, decoder: HieroDecoder, corpus: IndexedCorpus) -> None:
        self.text, self.bundle = TextTranslator(decoder), Keeper(corpus)

    def search(self, text: str):
        prepared = self.text.prepare(text)
        return prepared, self.text.decoder.search(prepared.source)


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gaps")
    table = RuleTable.build(folder / "table", RULES, labels=["X", "Y<&>"], features=("phrase_ef",))
    for name, side in (("source", 0), ("target", 1)):
        (folder / name).write_text("".join(f"{pair[side]}\n" for pair in TRAINED))
    corpus = IndexedCorpus.build(
        folder / "corpus", source=folder / "source", target=folder / "target"
    )
    model = language_model(3)
    decoder = HieroDecoder(table, model, settings=HieroSettings(pop_limit=None, max_span=None))
    return Asked(decoder.with_weights({**decoder.weights, "phrase_ef": 1.0, "glue": -1.0}), corpus)


@pytest.fixture(scope="module")
def seen(asked):
    return inspect(asked, "a b c d ü", options=50)


def test_rules_with_gaps_are_found_in_the_corpus(seen):
    around = next(each for each in seen.rules if each.rule.source == ("a", X1, "c"))
    assert (around.source_spans, around.target_spans) == (((0, 1), (2, 3)), ((1, 2), (3, 4)))
    assert (around.source_span, around.origin, around.note) == ((0, 3), "train:1", "")
    assert "0.25 times" in around.counts
    text = seen.to_text()
    assert "    [a] b [c] d\n    D [C] B [A]" in text
    assert "<mark>a</mark> b <mark>c</mark> d" in seen.to_html()
    row = next(each for each in seen.to_dict()["rules"] if each["rule"] == around.rule.id)
    assert (row["left"], row["source_spans"]) == ("X", ((0, 1), (2, 3)))


def test_places_are_close_and_leave_room_for_gaps():
    words = ("c", "a", "a", "b")
    assert RuleSource(rule([X1, "a"], [X1]), source=words).source_spans == ((1, 2),)
    assert RuleSource(rule(["b", X1], [X1]), source=words).source_spans == ()
    assert RuleSource(rule(["c", X1, X2], [X1, X2]), source=words).source_spans == ((0, 1),)
    assert RuleSource(rule(["c", X1, X2, "b"], ["B"]), source=words).source_span == (0, 4)
    assert RuleSource(rule([X1, X2, "a", "a"], [X1]), source=words).source_spans == ()
    both = RuleSource(rule(["a", X1, "b"], ["b", X1, "a"]), source=("a", *words), target=words)
    assert both.source_spans == ((2, 3), (4, 5))  # the closest
    assert both.target_spans == ()


def test_what_cannot_be_shown_is_said(seen):
    notes = {each.rule.source: each.note for each in seen.rules}
    assert RuleSource(rule([X1, X2], [X2, X1]), source=("a",), target=("A",)).note
    assert RuleSource(rule(["a"], ["A"]), source=("b",), target=("A",)).note
    assert RuleSource(rule(["a"], ["A"], sentence=None)).note
    assert not RuleSource(rule(["a"], ["A"])).note
    for source, note in notes.items():
        assert bool(note) == (source in ((X1, X2), (Y1,)))
        assert note in seen.to_text()


def test_options_have_gaps_and_posteriors_at_each_place(asked, seen):
    _, found = asked.search("a b c d ü")
    decoder = asked.text.decoder
    swaps = [each for each in seen.options if each.source == ("[X,1]", "[X,2]")]
    assert len({(each.begin, each.end) for each in swaps}) == len(swaps) > 3
    assert all(each.target == ("[X,2]", "[X,1]") for each in swaps)
    assert seen.num_options == len(seen.options)
    weight = 2.0 * found.forest.score(decoder.theta())
    uses = Distribution(found.forest, weight).edge_posteriors()
    heads = found.forest.span[found.forest.head].tolist()
    total = {}
    for edge, n in enumerate(found.edge_option.tolist()):
        if n >= 0:
            key = (*heads[edge], found.options.rule_id[n])
            total[key] = total.get(key, 0.0) + uses[edge]
    for each in seen.options:
        key = each.begin, each.end, -1 if each.rule is None else each.rule
        assert each.posterior == pytest.approx(min(1.0, total.pop(key, 0.0)), abs=1e-9)
        score = sum(value * decoder.weights[name] for name, value in each.features.items())
        assert each.score == pytest.approx(score)
    assert not total
    used = [(each.begin, each.end, each.rule) for each in seen.options if each.is_used]
    assert len(used) == len(found.best.rules)
    around = next(each for each in seen.options if each.source == ("a", "[X,1]", "c"))
    alone = sum(language_model(3).score([w], begin=False, end=False) for w in ("C", "A"))
    assert around.features["lm"] == pytest.approx(alone * np.log(10))


def test_unlikely_options_with_gaps_are_in_json_alone(seen):
    shown = [each for own in seen.spans().values() for each in own]
    assert len(shown) < len(seen.options) == len(seen.to_dict()["options"])
    for each in seen.options:
        assert each in shown or (seen.has_gaps(each) and not each.is_used)
    assert any(each.is_used and seen.has_gaps(each) for each in shown)


def test_the_page_and_json(seen):
    page = seen.to_html()
    body = page.partition("<main>")[2].partition("</main>")[0]
    ET.fromstring(f"<main>{body}</main>")
    assert "<bdi>a [X,1] c</bdi> → <bdi>C [X,1] A</bdi>" in page
    row = json.loads(json.dumps(seen.to_dict(), allow_nan=False))
    assert [each["label"] for each in row["phrases"]] == [use.label for use in seen.reply.rules]
    assert row["phrases"][-1]["span"] == [0, 5]
    assert row["explanation"]["glue"][-1]["span"] == [0, 5]


def test_forests_have_labels_on_request(asked):
    _, found = asked.search("a b c d ü")
    labels, forest = found.node_labels, found.forest
    assert len(labels) == forest.num_nodes
    assert labels[-1] == "S"
    for edge in range(forest.num_edges):
        option = found.edge_option[edge]
        label = labels[forest.head[edge]]
        if option >= 0 and forest.rule[edge] >= 0:
            assert label == asked.text.decoder.table.by_id(int(forest.rule[edge])).left
        elif option < 0:
            assert label == "S"
    kept = forest.derive(state=found.node_label)
    assert kept.state.tolist() == found.node_label.tolist()
    picture = ET.fromstring(to_svg(forest, labels=labels))
    written = " ".join("".join(each.itertext()) for each in picture.iter(f"{SVG}text"))
    assert "Y<&> 2:3" in written
    assert "Y<&amp;> 2:3" in to_dot(forest, labels=labels)
    with refuses(ForestError, "argument.shape", argument="labels"):
        to_svg(forest, labels=["X"])
