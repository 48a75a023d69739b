"""Pictures of trees: everything is in them, nothing lies on anything else."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.pages import Page

from rosewood.forest import BoostedTrees, Split, Tree
from rosewood.page import page
from rosewood.svg_text import text_width
from rosewood.tree_plots import SHOWN, tree_picture, trees_section


def random_tree(seed: int, leaves: int) -> Tree:
    random = np.random.default_rng(seed)
    names = ["lm", "a column with a <long> name & signs", "語", "x" * 300]
    splits = tuple(
        Split(
            int(random.integers(0, n + 1)), names[int(random.integers(4))], float(random.normal())
        )
        for n in range(leaves - 1)
    )
    return Tree(splits, tuple(random.normal(size=leaves).tolist()), ("lm",) * (seed % 2))


@pytest.mark.parametrize(("seed", "leaves"), [(1, 1), (2, 2), (3, 8), (4, 8), (5, 40)])
def test_a_picture_has_all_conditions_and_leaves_side_by_side(seed, leaves):
    tree = random_tree(seed, leaves)
    picture = ElementTree.fromstring(tree_picture(tree, "t", "a tree"))
    width = float(picture.get("viewBox").split()[2])
    levels: dict[float, list[tuple[float, float]]] = {}
    count = 0
    for each in picture.iter("text"):
        if each.get("class") == "small":  # yes and no
            continue
        count += 1
        middle, half = float(each.get("x")), text_width(each.text) / 2
        assert middle - half >= 0
        assert middle + half <= width
        levels.setdefault(float(each.get("y")), []).append((middle - half, middle + half))
    assert count == 2 * leaves - 1
    for row in levels.values():
        for (_, end), (begin, _) in pairwise(sorted(row)):
            assert end <= begin


def test_a_section_shows_some_trees_and_tells_of_the_others():
    trees = BoostedTrees(("lm", "a column with a <long> name & signs", "語", "x" * 300),
                         tuple(random_tree(n, 3) for n in range(SHOWN + 3)))  # fmt: skip
    whole = page("Trees", [trees_section(trees)])
    found = Page(whole)
    assert found.tags.count("svg") == SHOWN
    assert "3 more" in found.said
    assert "<long>" in found.said
    assert len(set(found.ids)) == len(found.ids)
    assert "No tree" in trees_section(BoostedTrees(("lm",)))


def test_a_section_draws_partial_dependence():
    columns = ("lm", "a column with a <long> name & signs", "語", "x" * 300)
    trees = BoostedTrees(columns, (random_tree(2, 5), random_tree(3, 2)))
    rows = np.random.default_rng(0).normal(size=(50, 4))
    found = Page(page("Trees", [trees_section(trees.with_dependence(rows))]))
    assert "Partial dependence" in found.said
    assert found.tags.count("svg") == 2 + len(trees.with_dependence(rows).dependence)
    assert len(set(found.ids)) == len(found.ids)
    flat = BoostedTrees(("lm",), (Tree((), (1.0,)), Tree((), (2.0,), ("lm",))))
    assert "nan" not in trees_section(flat.with_dependence(np.ones((3, 1))))
