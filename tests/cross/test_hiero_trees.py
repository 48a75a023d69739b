"""Trees, links and shares of hierarchical derivations against the reference's trees."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from itertools import combinations, islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.hiero_models import decoder_of, hiero_cases
from tests.reference.chart_search import Tree, yield_of

from rosewood.decode import Forced, Source, explain, translation_of
from rosewood.decode.derivation_tree import FilledGap, in_order, symbols, tree_of
from rosewood.rules import Gap

FEW = settings(max_examples=30, deadline=None)
SVG = "{http://www.w3.org/2000/svg}"


def plain_tree(tree: Tree):
    """What a tree of the reference says of itself, and what fills its gaps."""
    source = ("?",) if tree.is_forced else tree.rule.source
    children = tuple(plain_tree(child) for child in tree.children)
    return tree.rule.left, (tree.begin, tree.end), source, tree.rule.target, children


def plain_links(tree: Tree, at: int) -> list[tuple[int, int]]:
    """Word links of a tree whose first target word is at this place, by recursion."""
    source: list[int | Tree] = []
    place, gaps = tree.begin, iter(tree.children)
    for symbol in tree.rule.source:
        if isinstance(symbol, Gap):
            child = next(gaps)
            source.append(child)
            place = child.end
        else:
            source.append(place)
            place += 1
    target: list[int] = []
    links = []
    for symbol in tree.rule.target:
        target.append(at)
        if isinstance(symbol, Gap):
            child = tree.children[symbol.number - 1]
            links += plain_links(child, at)
            at += len(child.words)
        else:
            at += 1
    if tree.is_forced or tree.is_unknown:
        places = range(tree.begin, tree.end)
        return [(i, j) for i in places for j in target]
    return links + [(source[i], target[j]) for i, j in tree.rule.links]


def links_of(derivation) -> tuple[tuple[int, int], ...]:
    found, at = [], 0
    for tree in derivation:
        found += plain_links(tree, at)
        at += len(tree.words)
    return tuple(sorted(found))


def tree_found(translation, top: int):
    """The same as `plain_tree` of a rule of a translation."""
    tree, rules = tree_of(translation.rules), translation.rules

    def visit(place):
        node = tree[place]
        source = symbols(node.source, translation.source.words)
        if rules[place].is_forced:
            source = ("?",)
        children = tuple(visit(i.child) for i in node.source if isinstance(i, FilledGap))
        said = symbols(node.target, translation.words)
        return rules[place].label, node.span, source, said, children

    return visit(top)


def forest_tops(translation):
    nodes = tree_of(translation.rules)
    tops = sorted((n.span, place) for place, n in enumerate(nodes) if n.parent is None)
    return tuple(tree_found(translation, place) for _, place in tops)


@pytest.mark.slow
@FEW
@given(hiero_cases(most=200), st.booleans())
def test_trees_and_links_are_those_of_the_reference(case, is_forced):
    spans = {(0, min(2, len(case.words))): [("A", "E")]} if is_forced else {}
    problem = case.problem(forced=spans)
    source = Source(case.words, forced=tuple(Forced(*span, ("A E",)) for span in spans))
    with decoder_of(case) as decoder:
        found = decoder.search(source)
        weight = found.forest.score(decoder.theta())
        every = [translation_of(found, each) for each in found.forest.iterate_best(weight)]
        expected = Counter(
            (yield_of(one), links_of(one), tuple(map(plain_tree, one)))
            for one in problem.derivations()
        )
        assert Counter((t.words, t.links, forest_tops(t)) for t in every) == expected
        for each in every[:5]:
            assert_pre_order(each)


def assert_pre_order(translation) -> None:
    tree = tree_of(translation.rules)
    order = in_order(tree)
    assert sorted(place for place, _ in order) == list(range(len(tree)))
    depth = dict(order)
    for place, node in enumerate(tree):
        assert depth[place] == (0 if node.parent is None else depth[node.parent] + 1)
        if node.parent is not None:
            assert node.gap in symbols(tree[node.parent].source, translation.source.words)


@pytest.mark.slow
@FEW
@given(hiero_cases(most=200))
def test_shares_of_rules_glue_and_end_make_the_score(case):
    problem = case.problem()
    with decoder_of(case) as decoder:
        found = decoder.search(case.words)
        weight = found.forest.score(decoder.theta())
        for derivation in islice(found.forest.iterate_best(weight), 20):
            why = explain(found, decoder.weights, derivation)
            translation = translation_of(found, derivation)
            assert why.score == pytest.approx(derivation.score, abs=1e-6)
            assert {n: v for n, v in why.features.items() if v} == pytest.approx(
                dict(translation.features), abs=1e-6
            )
            for rule in why.rules:  # what a rule has in the table is its share
                own = {} if rule.rule is None else decoder.table.by_id(rule.rule).features
                for name, value in own.items():
                    assert rule.features.get(name, 0.0) == pytest.approx(value)
                assert rule.features["phrase_penalty"] == 1
                assert rule.features.get("word_penalty", 0) == -len(rule.target_places)
            assert [each.features["glue"] for each in why.glue] == [1.0] * len(why.glue)
            parts = [node.span for node in tree_of(why.rules) if node.parent is None]
            assert [each.span for each in why.glue] == [(0, end) for _, end in sorted(parts)]
            assert set(why.ending) <= set(problem.language_models)
            assert why.links == translation.links
            told = json.loads(json.dumps(why.to_dict(), allow_nan=False))
            assert len(told["phrases"]) == len(why.rules)
            assert [each["label"] for each in told["phrases"]] == [r.label for r in why.rules]
            rows = why.to_text().splitlines()
            assert len(rows) == 1 + 1 + len(why.rules) + 3
            assert len(translation.to_text().splitlines()) == 2 + len(why.rules)


def rectangles(picture: str, rounded: str):
    return [
        tuple(float(each.attrib[name]) for name in ("x", "y", "width", "height"))
        for each in ET.fromstring(picture).iter(f"{SVG}rect")
        if each.attrib.get("rx") == rounded
    ]


@pytest.mark.slow
@FEW
@given(hiero_cases(max_words=8, most=300))
def test_pictures_show_every_rule_twice_and_nothing_touches(case):
    with decoder_of(case) as decoder:
        found = decoder.search(case.words)
        why = explain(found, decoder.weights)
        picture = why.to_svg()
        tree = tree_of(why.rules)
        nodes, boxes = rectangles(picture, "9.5"), rectangles(picture, "5")
        silent = sum(node.target_span[0] == node.target_span[1] for node in tree)
        assert len(nodes) == 2 * len(tree) - silent + 1 + bool(why.words)  # glue on both sides
        for one, other in combinations([*nodes, *boxes], 2):
            (a, b, w, h), (c, d, v, g) = one, other
            apart = a + w <= c + 0.1 or c + v <= a + 0.1 or b + h <= d + 0.1 or d + g <= b + 0.1
            assert apart
        width, height = map(float, re.findall(r'(?:width|height)="([\d.]+)"', picture)[:2])
        for x, y, w, h in [*nodes, *boxes]:
            assert 0 <= x <= x + w <= width
            assert 0 <= y <= y + h <= height
        ET.fromstring(why.to_html())
