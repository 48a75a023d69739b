"""Derivations as trees of rules: spans with gaps, children, links, pictures."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import forests

from rosewood.decode import RuleUse, SearchReport, SearchResult, Source, Translation, explain
from rosewood.decode.draw import to_svg
from rosewood.decode.results import EdgeRule, rules_of, translation_of
from rosewood.forest import Forest, ForestBuilder
from rosewood.rules import Gap, Rule, RuleTable


def plain_tree(forest: Forest, edges: list[int]):
    """By recursion: of each edge of a derivation in pre-order, the places of its own words."""
    place = iter(edges)
    own: list[tuple[int, list[int]]] = []

    def visit(at: int) -> int:
        edge = next(place)
        mine: list[int] = []
        number = len(own)
        own.append((edge, mine))
        symbols = forest.yield_symbol[forest.yield_start[edge] : forest.yield_start[edge + 1]]
        lengths = {}
        tails = int(forest.tail_start[edge + 1] - forest.tail_start[edge])
        # Tails come in slot order, but may be said in another: their lengths come first.
        saved = []
        for slot in range(tails):
            begin = len(own)
            lengths[slot] = visit(0)
            saved.append((begin, len(own)))
        length = 0
        for symbol in symbols.tolist():
            if symbol >= 0:
                mine.append(length)
                length += 1
            else:
                begin, end = saved[-1 - symbol]
                for _, places in own[begin:end]:
                    places[:] = [each + length for each in places]
                length += lengths[-1 - symbol]
        assert own[number][1] is mine
        return length

    visit(0)
    return own


@pytest.mark.slow
@given(forests(), st.integers(0, 5))
def test_rules_have_the_words_of_their_edges(forest, skipped):
    derivation = forest.best(np.zeros(forest.num_edges))
    edges = derivation.edges.tolist()

    def edge_rule(edge):
        return None if skipped and edge % skipped == 0 else EdgeRule(((edge, edge + 1),))

    found = rules_of(forest, edges, edge_rule)
    want = sorted(
        (edge, places) for edge, places in plain_tree(forest, edges) if edge_rule(edge) is not None
    )
    assert sorted((each.edge, each.use.target_places) for each in found) == want
    for number, (edge, use) in enumerate(found):
        assert use.source_spans == ((edge, edge + 1),)
        assert all(child < number for child in use.children)
        assert all(begin < end for begin, end in use.target_spans[:-1])
    parents = [child for _, use in found for child in use.children]
    assert len(parents) == len(set(parents))  # each has one parent


def hierarchical(tmp_path) -> tuple[SearchResult, RuleTable]:
    """ne X pas → not X, around je veux → i want."""
    rules = [
        Rule(("ne", Gap("X", 1), "pas"), ("not", Gap("X", 1)), links=((0, 0), (2, 0))),
        Rule(("veux",), ("want",), links=((0, 0),)),
    ]
    table = RuleTable.build(tmp_path / "rules", rules)
    ids = {rule.source[0]: rule.id for rule in table}
    builder = ForestBuilder()
    inner, root = builder.node(), builder.node()
    builder.edge(inner, says=["want"], features={"lm": -1.0})
    builder.edge(root, [inner], ["not", 0], features={"lm": -2.0})
    forest = builder.build(root)
    uses = {0: EdgeRule(((1, 2),), ids["veux"]), 1: EdgeRule(((0, 1), (2, 3)), ids["ne"])}
    source = Source("ne veux pas")
    best = Translation(source, (), 0.0, {}, (), SearchReport(1), table)
    derivation = forest.best(np.zeros(2))
    found = SearchResult(source, forest, best, derivation.edges, uses.get)
    best = translation_of(found, derivation)
    return SearchResult(source, forest, best, derivation.edges, uses.get), table


def test_a_rule_with_a_gap(tmp_path):
    found, _ = hierarchical(tmp_path)
    assert found.best.words == ("not", "want")
    inner, outer = found.best.rules
    assert (inner.source_spans, inner.target_spans) == (((1, 2),), ((1, 2),))
    assert (outer.source_spans, outer.target_spans) == (((0, 1), (2, 3)), ((0, 1),))
    assert (inner.children, outer.children) == ((), (0,))
    assert (outer.begin, outer.end) == (0, 3)
    assert found.best.links == ((0, 0), (1, 1), (2, 0))
    assert outer.to_dict()["source_spans"] == [[0, 1], [2, 3]]


def test_it_is_explained_and_drawn(tmp_path):
    found, _ = hierarchical(tmp_path)
    why = explain(found, {"lm": 0.5})
    assert why.words == ("not", "want")
    assert [rule.source_text for rule in why.rules] == ["veux", "ne … pas"]
    assert [rule.span_text for rule in why.rules] == ["1:2", "0:1,2:3"]
    assert why.score == -1.5
    assert "ne … pas" in why.to_text()
    picture = ET.fromstring(to_svg(why))
    assert len(list(picture.iter("{http://www.w3.org/2000/svg}path"))) == 3  # two for the gap
    ET.fromstring(why.to_html().replace("&nbsp;", " "))


def test_a_deep_derivation_needs_no_recursion():
    builder = ForestBuilder()
    node = builder.node()
    builder.edge(node, says=["a"])
    for _ in range(5000):
        above = builder.node()
        builder.edge(above, [node], [0, "b"])
        node = above
    forest = builder.build(node)
    edges = forest.best(np.zeros(forest.num_edges)).edges.tolist()
    found = rules_of(forest, edges, lambda edge: EdgeRule(((edge, edge + 1),)))
    assert [use.target_places for _, use in found] == [[k] for k in range(5001)]
    assert isinstance(found[0].use, RuleUse)
