"""Pictures of forests: SVG drawn here, text for Graphviz, and what notebooks show.

A node is a rounded box: its number, its source words, its best string if that is short.  An edge is
a white box with what it says; a line leads up to its head, one line for each slot down to a tail,
slots from left to right.  Edges without tails that share a node are listed under it.  With weights,
likely edges have dark thick lines, and tooltips tell features, log weight and posterior.
The SVG has its own background and no style sheet, script, identifier or outside resource.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rosewood import _core
from rosewood.arrays import as_count
from rosewood.errors import ForestError
from rosewood.forest.draw import captions as say
from rosewood.forest.draw.captions import Marks
from rosewood.forest.draw.picture import ACCENT, NODE, ROOT, Picture, colour, thickness
from rosewood.forest.forest import Forest
from rosewood.svg_text import decimal, plural

if TYPE_CHECKING:
    from rosewood.forest.search import Derivation

__all__ = ["to_dot", "to_html", "to_svg"]


def to_svg(
    forest: Forest,
    *,
    weight: ArrayLike | None = None,
    highlight: Derivation | None = None,
    labels: Sequence[str] | None = None,
    max_edges: int = 200,
) -> str:
    """A picture of the forest as one SVG element.

    `weight` has one log weight per edge: lines then show posteriors.  The edges of the derivation
    `highlight` stand out.  `labels` has a name for each node, as `SearchResult.node_labels` has.
    Of a forest with more than `max_edges` edges, whole derivations are drawn up to that number, the
    best first, and the picture says how many edges it leaves out.
    """
    max_edges = as_count("max_edges", max_edges, 1)
    return Picture(forest, Marks(forest, weight, highlight, labels), max_edges).svg()


def to_html(forest: Forest, **options: Any) -> str:
    """A line about the forest, and its picture in a frame that scrolls; see `to_svg`."""
    picture = to_svg(forest, **options)
    natural = picture.split('width="', 1)[1].split('"', 1)[0]
    least = f"{0.6 * float(natural):.0f}px"  # a wide picture is made smaller, but stays legible
    style = f"width:{natural}px;max-width:max(100%,{least});height:auto"
    picture = picture.replace("<svg ", f'<svg style="{style}" ', 1)
    facts = [
        plural(forest.num_nodes, "node"),
        plural(forest.num_edges, "edge"),
        _derivations(forest),
        plural(len(forest.features), "feature"),
    ]
    return (
        '<div style="font-family:sans-serif;font-size:13px">'
        f'<div style="margin:0 0 6px"><b>Forest</b> · {" · ".join(facts)}</div>'
        f'<div style="overflow:auto;max-height:640px;max-width:100%">{picture}</div></div>'
    )


def to_dot(
    forest: Forest,
    *,
    weight: ArrayLike | None = None,
    highlight: Derivation | None = None,
    labels: Sequence[str] | None = None,
) -> str:
    """The whole forest as text for Graphviz; edges are points, lines to tails bear slot numbers."""
    marks = Marks(forest, weight, highlight, labels)
    lines = [
        "digraph forest {",
        f'  node [shape=box, style="rounded,filled", fillcolor="{NODE}", fontname="sans-serif"];',
        '  edge [dir=none, fontsize=9, fontname="sans-serif"];',
    ]
    for node in range(forest.num_nodes):
        span = say.dot_string(marks.node_text(node))
        look = f', fillcolor="{ROOT}", fontcolor="white"' if node == forest.root else ""
        lines.append(f'  n{node} [label="{node}{" " + span if span else ""}"{look}];')
    for edge in range(forest.num_edges):
        text = say.dot_string(say.edge_text(forest, edge))
        tip = say.dot_string(marks.about_edge(edge))
        shade = ACCENT if edge in marks.accent else colour(marks, edge)
        look = f'color="{shade}", penwidth={decimal(thickness(marks, edge))}'
        lines.append(f'  e{edge} [shape=point, tooltip="{tip}", {look}];')
        lines.append(f'  n{forest.head[edge]} -> e{edge} [label="{text}", {look}];')
        for slot, tail in enumerate(forest.tails(edge).tolist()):
            lines.append(f'  e{edge} -> n{tail} [label="{slot}", {look}];')
    return "\n".join([*lines, "}", ""])


def _derivations(forest: Forest) -> str:
    """How many there are: exactly up to a billion, then by the powers of ten."""
    count = np.empty(forest.num_nodes, dtype=np.uint64)
    _core.count_derivations(forest.view, np.ones(forest.num_edges, np.uint8), count)
    if count[-1] < 10**9:
        return plural(int(count[-1]), "derivation")
    try:
        digits = float(forest.inside(np.zeros(forest.num_edges))[-1]) / np.log(10)
    except ForestError:  # not even the logarithm fits a double
        return "more derivations than can be told"
    power = int(digits)
    if power > 10**6:
        return f"about 10<sup>{power:,}</sup> derivations"
    return f"about {10 ** (digits - power):.1f}×10<sup>{power:,}</sup> derivations"
