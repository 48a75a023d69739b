"""Pictures: everything is there, nothing overlaps, any text is safe, large forests are quick."""

from __future__ import annotations

import itertools
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.refusals import refuses

from rosewood.errors import ForestError
from rosewood.forest import FeatureSpace, Forest, ForestBuilder
from rosewood.forest.draw import to_dot, to_html, to_svg
from rosewood.forest.draw.captions import Marks
from rosewood.forest.draw.excerpt import choose
from rosewood.forest.draw.layout import Box, Link, lay_out
from rosewood.forest.draw.picture import Picture
from rosewood.svg_text import text_width

SVG = "{http://www.w3.org/2000/svg}"


def mats() -> Forest:
    """Four ways to combine "the mat" and "a cat" (after Li & Eisner 2009, figure 1)."""
    b = ForestBuilder(FeatureSpace(["lm"]))
    mat, cat, both, top = b.node((0, 2)), b.node((3, 4)), b.node((0, 4)), b.node((0, 4))
    b.edge(mat, says=["the", "mat"], features={"lm": -1})
    b.edge(cat, says=["a", "cat"], features={"lm": -1, "rule:7": 1})
    ways: list[tuple[list[str | int], float]] = [
        ([0, "a", 1], -3), ([1, "on", 0], -1), ([1, "of", 0], -2), ([0, 1], -2.5),
    ]  # fmt: skip
    for says, lm in ways:
        b.edge(both, [mat, cat], says, {"lm": lm})
    b.edge(top, [both], [0, "."])
    return b.build(top)


def random_forest(seed: int, nodes: int = 14) -> Forest:
    """Any shape: leaf lists, unary edges, repeated tails, long lines, words of all lengths."""
    rng = np.random.default_rng(seed)
    b = ForestBuilder()
    made = [b.node() for _ in range(nodes)]
    for head in made:
        for _ in range(int(rng.integers(1, 6))):
            arity = int(rng.integers(0, 4)) if head else 0
            tails = [int(t) for t in rng.integers(0, max(head, 1), size=arity)]
            word = "w" * int(rng.integers(1, 40))
            b.edge(head, tails, [*range(arity), word], {"f": float(rng.normal())})
    b.edge(made[-1], range(nodes - 1))
    return b.build(made[-1])


def large_forest(nodes: int, per_node: int, leaves: int = 50) -> Forest:
    rng = np.random.default_rng(5)
    head = np.repeat(np.arange(nodes), per_node)
    start = np.concatenate([[0], np.cumsum(np.where(head < leaves, 0, 2))])
    tail = np.repeat(head[head >= leaves], 2)
    tail = (tail * rng.random(tail.size)).astype(np.int64)
    edge_start = np.arange(nodes + 1) * per_node
    return Forest(edge_start, start, tail, allow_unreachable=True)


def marked(svg: str, name: str) -> dict[int, ET.Element]:
    groups = [g for g in ET.fromstring(svg).iter(f"{SVG}g") if name in g.attrib]
    found = {int(g.attrib[name]): g for g in groups}
    assert len(found) == len(groups)
    return found


def written(element: ET.Element) -> str:
    return " ".join("".join(t.itertext()) for t in element.iter(f"{SVG}text"))


def boxes(picture: Picture) -> Iterator[tuple[float, float, float, float]]:
    for box in [picture.boxes[i] for i in picture.node_box.values()] + list(picture.label.values()):
        yield (
            box.x - box.width / 2, box.x + box.width / 2,
            box.y - box.height / 2, box.y + box.height / 2,
        )  # fmt: skip


def test_every_node_edge_and_slot_is_there() -> None:
    forest = mats()
    svg = to_svg(forest)
    nodes, edges, lines = (marked(svg, f"data-{n}") for n in ("node", "edge", "lines"))
    assert sorted(nodes) == list(range(forest.num_nodes))
    assert sorted(edges) == sorted(lines) == list(range(forest.num_edges))
    for edge in edges:
        paths = lines[edge].findall(f"{SVG}path")
        assert len(paths) == 1 + len(forest.tails(edge))
        says = [f"[{s}]" if isinstance(s, int) else s for s in forest.says(edge)]
        assert " ".join(says) in written(edges[edge])
    assert "0:2" in written(nodes[0])
    assert "not shown" not in svg


def test_a_node_used_twice_gets_two_lines() -> None:
    b = ForestBuilder()
    a, r = b.node(), b.node()
    b.edge(a, says=["bye"])
    b.edge(r, [a, a])
    paths = marked(to_svg(b.build(r)), "data-lines")[1].findall(f"{SVG}path")
    assert len({p.attrib["d"] for p in paths}) == 3


def test_weights_show_in_tooltips_and_nodes() -> None:
    forest = mats()
    weight = forest.score(np.ones(len(forest.features)))
    svg = to_svg(forest, weight=weight)
    titles = {e: g.findtext(f"{SVG}title") or "" for e, g in marked(svg, "data-edge").items()}
    assert "rule:7 = 1" in titles[1]
    assert "lm = -1" in titles[0]
    assert "log weight -1" in titles[0]
    assert "posterior 1" in titles[0]
    assert written(marked(svg, "data-node")[3]).endswith("a cat on the mat .")


def test_zero_weights_and_wrong_weights() -> None:
    forest = mats()
    ET.fromstring(to_svg(forest, weight=np.full(forest.num_edges, -np.inf)))
    with refuses(ForestError, "argument.shape", argument="weight", value=(1,)):
        to_svg(forest, weight=[0.0])
    with refuses(ForestError, "forest.weight"):
        to_svg(forest, weight=np.full(forest.num_edges, np.nan))
    with refuses(ForestError, "argument.range", argument="max_edges", value=0):
        to_svg(forest, max_edges=0)


def test_highlight_marks_exactly_its_edges() -> None:
    forest = mats()
    best = forest.best(forest.score(np.ones(len(forest.features))))
    plain, svg = to_svg(forest), to_svg(forest, highlight=best)
    stands_out = {e for e, g in marked(svg, "data-edge").items() if "data-highlight" in g.attrib}
    assert stands_out == set(best.edges.tolist())
    before, after = marked(plain, "data-lines"), marked(svg, "data-lines")
    changed = {e for e in after if after[e].attrib["stroke"] != before[e].attrib["stroke"]}
    assert changed == stands_out
    with refuses(ForestError, "argument.value", argument="highlight"):
        to_svg(random_forest(1), highlight=best)


@pytest.mark.parametrize("word", ["<b>&amp;\"'", "a\x00b\x0b", "\ud800", "\uffff", "\\N\\", "]]>"])
def test_any_word_is_safe(word: str) -> None:
    forest = Forest.from_nbest([[word, "x"], ["y"]])
    for text in (to_svg(forest), to_html(forest)):
        text.encode()
        ET.fromstring(text)
    shown = written(marked(to_svg(forest), "data-edge")[0])
    safe = "".join("\ufffd" if c in "\x00\x0b\ud800\uffff" else c for c in word)
    assert shown == f"{safe} x"
    dot = to_dot(forest)
    dot.encode()
    for line in dot.splitlines():
        assert line.replace("\\\\", "").replace('\\"', "").count('"') % 2 == 0


def test_text_from_the_right_and_wide_text() -> None:
    svg = to_svg(Forest.from_nbest(["שלום עולם", "hello", "مرحبا"]))
    turned = [
        e
        for e, g in marked(svg, "data-edge").items()
        if any(t.attrib.get("direction") == "rtl" for t in g.iter(f"{SVG}text"))
    ]
    assert turned == [0, 2]
    assert text_width("猫猫猫") > 1.4 * text_width("abc")
    assert text_width("e\u0301") == text_width("e")


def test_long_words_are_cut_but_told() -> None:
    word = "Donaudampfschiff" * 40
    edge = marked(to_svg(Forest.from_nbest([word, "a"])), "data-edge")[0]
    assert written(edge).endswith("…")
    assert word in (edge.findtext(f"{SVG}title") or "")


@pytest.mark.parametrize("seed", range(12))
def test_nothing_overlaps(seed: int) -> None:
    forest = random_forest(seed)
    weight = forest.score(np.ones(len(forest.features))) if seed % 2 else None
    picture = Picture(forest, Marks(forest, weight, None), 1000)
    for a, b in itertools.combinations(boxes(picture), 2):
        beside = a[1] < b[0] or b[1] < a[0]
        above = a[3] < b[2] or b[3] < a[2]
        assert beside or above, (a, b)
    for left, right, top, bottom in boxes(picture):
        assert left >= -1e-6
        assert right <= picture.width + 1e-6
        assert top >= 0
        assert bottom <= picture.height + 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_heads_are_above_and_lines_meet_boxes(seed: int) -> None:
    forest = random_forest(seed)
    picture = Picture(forest, Marks(forest, None, None), 1000)
    for link in picture.links:
        upper, lower = picture.boxes[link.upper], picture.boxes[link.lower]
        assert upper.y + upper.height / 2 < lower.y - lower.height / 2
        first, last = link.points[0], link.points[-1]
        assert abs(first[0] - upper.x) <= upper.width / 2
        assert first[1] == pytest.approx(upper.y + upper.height / 2)
        assert abs(last[0] - lower.x) <= lower.width / 2
        assert last[1] == pytest.approx(lower.y - lower.height / 2)
    root = picture.boxes[picture.node_box[forest.root]]
    assert root.y == min(box.y for box in picture.boxes)


def test_slots_go_from_left_to_right() -> None:
    picture = Picture(random_forest(3), Marks(random_forest(3), None, None), 1000)
    for links in picture.tail_links.values():
        starts = [picture.links[i].points[0][0] for i in links]
        assert starts == sorted(starts)


def test_lines_uncross_where_they_can() -> None:
    boxes = [Box(0, 20, 10), Box(1, 20, 10), Box(1, 20, 10), Box(2, 20, 10), Box(2, 20, 10)]
    lay_out(boxes, [Link(0, 1), Link(0, 2), Link(1, 4), Link(2, 3)])
    assert (boxes[1].x < boxes[2].x) == (boxes[4].x < boxes[3].x)
    assert lay_out([], []) == (0.0, 0.0)


@pytest.mark.slow
def test_same_input_same_bytes() -> None:
    for seed in range(3):
        one, two = random_forest(seed), random_forest(seed)
        weight = one.score(np.ones(len(one.features)))
        assert to_html(one, weight=weight) == to_html(two, weight=weight)
        assert to_dot(one, weight=weight) == to_dot(two, weight=weight)


def test_the_empty_forest() -> None:
    forest = Forest.empty()
    assert list(marked(to_svg(forest, weight=[]), "data-node")) == [0]
    assert "the forest is empty" in to_svg(forest)
    assert "0 derivations" in to_html(forest)
    assert "n0" in to_dot(forest)


@pytest.mark.slow
def test_an_excerpt_shows_whole_derivations() -> None:
    whole = 0
    for seed in range(6):
        forest = random_forest(seed, 30)
        weight = forest.score(np.ones(len(forest.features)))
        for weights, limit in ((weight, 45), (None, 45), (weight, 60)):
            shown = choose(forest, weights, None, limit)
            assert len(shown.edges) <= limit
            assert not shown.whole
            if shown.cut:
                continue
            whole += 1
            heads = set(forest.head[shown.edges].tolist())
            assert set(shown.nodes) == heads  # every tail has an edge
            if weights is not None:
                assert set(forest.best(weight).edges.tolist()) <= set(shown.edges)
        assert f"{forest.num_edges - len(shown.edges)} are not shown" in to_svg(
            forest, weight=weight, max_edges=60
        )
    assert whole > 12


def test_an_excerpt_has_the_best_edges() -> None:
    scores = np.arange(50.0) % 17
    shown = choose(Forest.from_nbest([f"c{i}" for i in range(50)]), scores, None, 6)
    assert shown.edges == [14, 15, 16, 32, 33, 49]  # of equals the first
    first = choose(Forest.from_nbest([f"c{i}" for i in range(50)]), None, None, 6)
    assert first.edges == list(range(6))


def test_an_excerpt_keeps_the_highlight() -> None:
    forest = random_forest(2, 30)
    weight = forest.score(np.ones(len(forest.features)))
    worst = forest.best(-weight)
    shown = choose(forest, weight, worst.edges, 60)
    assert not shown.cut
    assert set(worst.edges.tolist()) <= set(shown.edges)


@pytest.mark.slow
def test_a_derivation_that_does_not_fit_shows_its_top() -> None:
    count = 3000  # deeper than any recursion
    chain = Forest(np.arange(count + 1), [0, *range(count)], np.arange(count - 1))
    cases: list[dict[str, Any]] = [
        {},
        {"weight": np.zeros(count)},
        {"highlight": chain.best(np.zeros(count))},
    ]
    for options in cases:
        svg = to_svg(chain, max_edges=30, **options)
        assert sorted(marked(svg, "data-edge")) == list(range(count - 30, count))
        assert "that does not fit; 2,970 are not shown" in svg
    ET.fromstring(to_svg(chain, max_edges=count))


@pytest.mark.slow
def test_large_forests_are_quick() -> None:
    forest = large_forest(20_000, 10)
    weight = np.random.default_rng(1).normal(size=forest.num_edges) - 3
    begin = time.process_time()
    for weights in (None, weight):
        assert len(marked(to_svg(forest, weight=weights), "data-edge")) <= 200
    assert "×10<sup>" in to_html(forest) or "about 10<sup>" in to_html(forest)
    assert time.process_time() - begin < 10  # far less


def test_counts_beyond_any_number_are_told_so() -> None:
    levels = 2000
    tail = np.repeat(np.arange(levels - 1), 4)
    forest = Forest(np.arange(levels + 1) * 2, [0, 0, *range(0, 4 * levels - 3, 2)], tail)
    assert "more derivations than can be told" in to_html(forest, max_edges=20)


def test_html_has_a_summary_and_no_outside_resources() -> None:
    html = to_html(mats())
    assert "4 nodes · 7 edges · 4 derivations · 2 features" in html
    assert "<script" not in html
    assert html.count("http") == 1  # the name of the SVG namespace
    assert mats()._repr_html_() == html
    assert mats()._repr_svg_() == to_svg(mats()) == mats().to_svg()


def test_dot_has_every_line() -> None:
    forest = mats()
    dot = forest.to_dot(weight=np.zeros(forest.num_edges))
    assert dot.count("shape=point") == forest.num_edges
    assert dot.count(" -> ") == forest.num_edges + forest.tail.size
    assert '[label="[1] on [0]"' in dot
