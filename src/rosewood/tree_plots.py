"""Pictures of boosted trees, for pages that have the style of `page.css`."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from itertools import pairwise

from rosewood.forest.trees import BoostedTrees, Dependence, Tree
from rosewood.page import details, section, table, text
from rosewood.plots import dot, label, line, share, svg
from rosewood.svg_text import clean, plural, shorten, text_width

_ROW, _GAP, _MOST = 56.0, 18.0, 220.0  # pixels: height of a level, room between leaves, widest text
SHOWN = 12  # trees that are drawn
MOST_COLUMNS = 20  # whose share is shown
MOST_DEPENDENCES = 6  # that are drawn
_TOP, _HEIGHT = 18.0, 60.0  # pixels: room above a line of dependence, and its height


@dataclass(frozen=True)
class _Node:
    """What stands at a place; without children it is a leaf."""

    said: str
    children: tuple[_Node, ...] = ()

    @property
    def own_width(self) -> float:
        return text_width(self.said) + 10

    @property
    def width(self) -> float:
        below = sum(child.width for child in self.children) + _GAP * (len(self.children) - 1)
        return max(self.own_width, below)

    @property
    def depth(self) -> int:
        return 1 + max((child.depth for child in self.children), default=0)


def _node(tree: Tree, leaf: int = 0, after: int = 0) -> _Node:
    """What becomes of a leaf from a split on."""
    for place in range(after, len(tree.splits)):
        split = tree.splits[place]
        if split.leaf == leaf:
            said = f"{shorten(clean(split.column), _MOST)} ≤ {split.threshold:.3g}"
            below = _node(tree, leaf, place + 1), _node(tree, place + 1, place + 1)
            return _Node(said, below)
    factor = "".join(f" · {shorten(clean(name), _MOST)}" for name in tree.factors)
    return _Node(f"{tree.scale * tree.values[leaf]:+.3g}{factor}".replace("-", "−"))


def tree_picture(tree: Tree, name: str, title: str) -> str:
    """A tree as SVG: to the left if the condition holds, to the right if not."""
    root = _node(tree)
    parts: list[str] = []

    def draw(node: _Node, left: float, level: int) -> float:
        """Draws what is in `node.width` from `left` on; returns the middle of its text."""
        y = 16 + _ROW * level
        begin = left + (node.width - _children_width(node)) / 2
        places = []
        for child in node.children:
            places.append(draw(child, begin, level + 1))
            begin += child.width + _GAP
        middle = (places[0] + places[-1]) / 2 if places else left + node.width / 2
        for place, word in zip(places, ("yes", "no"), strict=False):
            parts.append(
                f'<line class="lead-line" x1="{middle:.1f}" y1="{y + 6:.1f}" x2="{place:.1f}" '
                f'y2="{y + _ROW - 15:.1f}"/>'
            )
            anchor = "end" if word == "yes" else "start"
            x = (middle + place) / 2 + (-5 if word == "yes" else 5)
            parts.append(
                f'<text class="small" x="{x:.1f}" y="{y + _ROW / 2:.1f}" '
                f'text-anchor="{anchor}">{word}</text>'
            )
        kind = "" if node.children else ' class="after"'
        parts.append(
            f'<text{kind} x="{middle:.1f}" y="{y:.1f}" text-anchor="middle">'
            f"{escape(node.said)}</text>"
        )
        return middle

    width, height = root.width + 20, 30 + _ROW * (root.depth - 1)
    draw(root, 10, 0)
    return "\n".join(
        [
            f'<svg role="img" viewBox="0 0 {width:.0f} {height:.0f}" style="width:{width:.0f}px" '
            f'height="{height:.0f}" aria-labelledby="{name}-t">',
            f'<title id="{name}-t">{escape(title)}</title>',
            *parts,
            "</svg>",
        ]
    )


def _children_width(node: _Node) -> float:
    return sum(child.width for child in node.children) + _GAP * max(0, len(node.children) - 1)


def _dependence(trees: BoostedTrees) -> list[str]:
    """The mean score by the value of each feature."""
    if not trees.dependence:
        return []
    about = (
        "The mean of what trees add, if all phrases had this value of the feature and kept the "
        "others."
    )
    parts = [f"<h3>Partial dependence</h3>\n<p>{about}</p>"]
    for number, each in enumerate(trees.dependence[:MOST_DEPENDENCES]):
        parts.append(f"<h4>{text(each.column)}</h4>\n{_steps(each, f'dependence-{number}')}")
    return parts


def _steps(each: Dependence, name: str) -> str:
    """Mean scores by value as SVG."""
    low, high = min(each.score), max(each.score)
    first, last = each.at[0], each.at[-1]
    size = (high - low) or 1.0
    points = [
        (share(at, first, last), _TOP + _HEIGHT * (high - score) / size)
        for at, score in zip(each.at, each.score, strict=True)
    ]
    body = [line(0, _TOP + _HEIGHT + 6, 100, _TOP + _HEIGHT + 6, "lead-line")]
    body += [line(*one, *other, "move") for one, other in pairwise(points)]
    body += [dot(*point, 2.5, "dot") for point in points]
    bottom = _TOP + _HEIGHT + 22
    body += [label(3, bottom, f"{first:.3g}", "small"), label(97, bottom, f"{last:.3g}", "small")]
    body += [label(3, 10, f"{low:+.3g} to {high:+.3g}".replace("-", "−"), "small")]
    told = ", ".join(f"{a:.3g}: {s:+.3g}" for a, s in zip(each.at, each.score, strict=True))
    return svg(bottom + 6, f"mean score by {clean(each.column)}", told, body, name)


def trees_section(trees: BoostedTrees) -> str:
    """A section of a page: which columns matter, and the trees."""
    if not len(trees):
        told = "<p>No tree made the choices on held-out lists better: weights alone are used.</p>"
        return section("trees", "Trees", told)
    parts = [
        f"<p>{plural(len(trees), 'tree')} beside the weights. To the left if a condition holds, to "
        "the right if not; a number is what the leaf adds, times the feature behind it.</p>"
    ]
    shares = list(trees.shares.items())[:MOST_COLUMNS]
    if shares:
        rows = [[text(name), f"{100 * share:.1f} %"] for name, share in shares]
        parts.append(table(["feature", "share of what trees gain"], rows))
    parts += _dependence(trees)
    for number, tree in enumerate(trees.trees[:SHOWN], 1):
        picture = tree_picture(tree, f"tree-{number}", f"tree {number}")
        parts.append(f'<h3>Tree {number}</h3>\n<div class="scroll">{picture}</div>')
    if len(trees) > SHOWN:
        rest = BoostedTrees(trees.columns, trees.trees[SHOWN:])
        lines = "\n".join(map(text, rest.text().split("\n")))
        parts.append(details(f"{len(rest)} more", f"<pre>{lines}</pre>"))
    return section("trees", "Trees", *parts)
