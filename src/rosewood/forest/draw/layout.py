"""Where everything in a picture of a forest goes.

Layers      the root on top, every box below all boxes that lead to it; a line that passes a layer
            gets a way point there, so that it runs between the boxes and not behind them
Order       barycenter sweeps down and up; the order with the fewest crossings is kept
Places      each box as near as it can be to the middle of its neighbours: a least-squares problem
            with minimum distances, layer by layer (pool adjacent violators), so nothing overlaps
All of it is iterative, deterministic, and close to linear in the number of boxes and lines.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

import numpy as np

from rosewood.forest.draw.excerpt import Excerpt
from rosewood.forest.forest import Forest

Neighbours = list[list[tuple[int, float]]]  # other boxes, and how far off their middles
Claims = list[tuple[float, float, float]]  # of each box: to the left, to the right, its gap

_BETWEEN = 18.0  # the least distance of two boxes of a layer
_PASSING = 12.0  # of a box and a line


@dataclass(slots=True)
class Box:
    """Something with a size and a layer; `x` and `y` are its middle, once it has been laid out.

    It may claim more of its layer than it needs, to keep room for what hangs below it.
    """

    layer: int
    width: float
    height: float
    hang: bool = False  # from the top of its layer; else it stands in the middle
    x: float = 0.0
    y: float = 0.0
    start: float = 0.0  # where it may be among others, to start with
    gap: float = _BETWEEN
    left: float = 0.0  # the claim left of the middle, where more than half the width
    right: float = 0.0


@dataclass(slots=True)
class Link:
    """A line from a box down to another, from `exit` and to `entry` right of their middles.

    `points` are filled in: pairs of points joined by straight lines, the pairs joined by curves.
    Without an `entry`, the lines to a box are spread over its top.
    """

    upper: int
    lower: int
    exit: float = 0.0
    entry: float | None = None
    points: list[tuple[float, float]] = field(default_factory=list)


def depths(forest: Forest, shown: Excerpt) -> dict[int, int]:
    """The length of the longest way from the root to each node; other tops are at 1."""
    depth = dict.fromkeys(shown.nodes, 1)
    depth[forest.root] = 0
    for edge in reversed(shown.edges):  # heads from the top down
        below = depth[int(forest.head[edge])] + 1
        for tail in forest.tails(edge).tolist():
            depth[tail] = max(depth[tail], below)
    return depth


def lay_out(boxes: Sequence[Box], links: Sequence[Link]) -> tuple[float, float]:
    """Give all boxes their places and all links their points; returns width and height.

    The search for a good order starts from `start`, then from the order of the boxes.
    """
    if not boxes:
        return 0.0, 0.0
    every = list(boxes)
    chains = _chains(every, links)
    up: Neighbours = [[] for _ in every]
    down: Neighbours = [[] for _ in every]
    for link, chain in zip(links, chains, strict=True):
        for i, (a, b) in enumerate(pairwise(chain)):
            shift = link.exit if i == 0 else 0.0
            shift -= (link.entry or 0.0) if b == link.lower else 0.0
            up[b].append((a, shift))
            down[a].append((b, -shift))
    layers: list[list[int]] = [[] for _ in range(1 + max(box.layer for box in every))]
    for number, box in enumerate(every):
        layers[box.layer].append(number)
    for layer in layers:
        layer.sort(key=lambda v: every[v].start)
    _sort_layers(every, layers, up, down)
    _place(every, layers, up, down)
    _straighten(every, layers, links, chains)
    left = min(box.x - box.width / 2 for box in every)
    for box in every:
        box.x -= left
    bands = _bands(every, layers, up)
    _route(every, links, chains, bands)
    return max(box.x + box.width / 2 for box in every), bands[-1][1]


def _chains(every: list[Box], links: Sequence[Link]) -> list[list[int]]:
    """The boxes and way points of each line; the longest lines get none if that is too many."""
    chains = [[link.upper, link.lower] for link in links]
    room = 4000 + 4 * len(links)
    spans = [every[link.lower].layer - every[link.upper].layer for link in links]
    for number in sorted(range(len(links)), key=spans.__getitem__):
        room -= spans[number] - 1
        if room < 0:
            break
        top = every[links[number].upper].layer
        points = range(len(every), len(every) + spans[number] - 1)
        start = every[links[number].lower].start
        every.extend(Box(top + 1 + i, 2, 0, start=start, gap=_PASSING) for i in range(len(points)))
        chains[number][1:1] = points
    return chains


def _claims(every: list[Box]) -> Claims:
    """What each box claims left and right of its middle, and its distance from others."""
    return [(max(box.width / 2, box.left), max(box.width / 2, box.right), box.gap) for box in every]


def _separations(claims: Claims, layer: list[int]) -> list[float]:
    """Of each box of a layer, the least distance of its middle from the one before."""
    out = [0.0]
    _, before, apart = claims[layer[0]]
    for v in layer[1:]:
        left, right, gap = claims[v]
        out.append(before + left + (gap if gap < apart else apart))
        before, apart = right, gap
    return out


def _pack(every: list[Box], claims: Claims, layer: list[int]) -> None:
    """Put a layer's boxes side by side around zero."""
    places = list(accumulate(_separations(claims, layer)))
    middle = places[-1] / 2
    for number, x in zip(layer, places, strict=True):
        every[number].x = x - middle


def _pull(every: list[Box], near: list[tuple[int, float]]) -> float:
    if len(near) == 1:  # as way points have it
        ((other, shift),) = near
        return every[other].x + shift
    return sum([every[other].x + shift for other, shift in near]) / len(near)


def _sort_layers(
    every: list[Box], layers: list[list[int]], up: Neighbours, down: Neighbours
) -> None:
    """Keep the best order that sweeps down and up, or up and down, come by."""
    claims = _claims(every)
    start = [list(layer) for layer in layers]
    fewest, best = _crossings(layers, up), start
    size = len(every)
    sweeps = 16 if size < 3000 else 6 if size < 30000 else 2
    for first in (0, 1) if size < 3000 else (0,):
        if not fewest:
            break
        layers[:] = [list(layer) for layer in start]
        for layer in layers:
            _pack(every, claims, layer)
        for sweep in range(first, first + sweeps):
            near, walk = (up, layers[1:]) if sweep % 2 == 0 else (down, layers[-2::-1])
            for layer in walk:
                wish = {v: _pull(every, near[v]) if near[v] else every[v].x for v in layer}
                layer.sort(key=wish.__getitem__)
                _pack(every, claims, layer)
            found = _crossings(layers, up)
            if found < fewest:
                fewest, best = found, [list(layer) for layer in layers]
                if not fewest:
                    break
    layers[:] = best
    for layer in layers:
        _pack(every, claims, layer)


def _crossings(layers: list[list[int]], up: Neighbours) -> int:
    """How many pairs of lines between neighbouring layers cross."""
    total = 0
    for above, layer in pairwise(layers):
        place = {v: i for i, v in enumerate(above)}
        lines = sorted(
            (place[u], shift, i) for i, v in enumerate(layer) for u, shift in up[v] if u in place
        )
        seen: list[int] = []
        for _, _, i in lines:
            total += len(seen) - bisect_right(seen, i)
            insort(seen, i)
    return total


def _place(every: list[Box], layers: list[list[int]], up: Neighbours, down: Neighbours) -> None:
    """Move boxes towards their neighbours, keeping order and distances."""
    size = len(every)
    claims = _claims(every)
    distances = [_separations(claims, layer) for layer in layers]
    straight = [4.0 if box.gap == _PASSING else 1.0 for box in every]
    both = [above + below for above, below in zip(up, down, strict=True)]
    rounds = 12 if size < 3000 else 4 if size < 30000 else 2
    for turn in range(2 * rounds + 1):
        order = range(len(layers)) if turn % 2 == 0 else range(len(layers) - 1, -1, -1)
        for index in order:
            layer = layers[index]
            wishes: list[tuple[float, float]] = []
            towards = both if turn >= rounds else up if turn % 2 == 0 else down
            for v in layer:
                near = towards[v] or both[v]
                wishes.append((_pull(every, near), straight[v]) if near else (every[v].x, 0.1))
            for v, x in zip(layer, _spread(wishes, distances[index]), strict=True):
                every[v].x = x


def _straighten(
    every: list[Box], layers: list[list[int]], links: Sequence[Link], chains: list[list[int]]
) -> None:
    """Align the way points of a line vertically as far as their neighbours allow."""
    beside: dict[int, tuple[int | None, float, int | None, float]] = {}
    claims = _claims(every)
    for layer in layers:
        distance = [*_separations(claims, layer), 0.0]
        around = [None, *layer, None]
        for i, v in enumerate(layer):
            beside[v] = (around[i], distance[i], around[i + 2], distance[i + 1])
    for _ in range(2):
        for link, chain in zip(links, chains, strict=True):
            ends = every[link.upper].x + link.exit, every[link.lower].x
            run: list[int] = []
            low, high = -np.inf, np.inf
            for v in chain[1:]:
                a, before, b, after = beside[v]
                floor = -np.inf if a is None else every[a].x + before
                roof = np.inf if b is None else every[b].x - after
                if v == link.lower or max(low, floor) > min(high, roof):
                    _align(every, run, low, high, ends)
                    run, low, high = [], -np.inf, np.inf
                run.append(v)
                low, high = max(low, floor), min(high, roof)


def _align(
    every: list[Box], run: list[int], low: float, high: float, ends: tuple[float, float]
) -> None:
    if not run:
        return
    x = sum(every[v].x for v in run) / len(run)
    for end in ends:
        if low <= end <= high:
            x = end
    for v in run:
        every[v].x = min(max(x, low), high)


def _spread(wishes: list[tuple[float, float]], distance: list[float]) -> list[float]:
    """The places nearest to the wishes (weighted squares) that keep the least distances."""
    offsets = list(accumulate(distance))
    blocks: list[tuple[float, float, int]] = []  # the mean, its weight, how many
    for (wish, weight), offset in zip(wishes, offsets, strict=True):
        mean, count = wish - offset, 1
        while blocks and blocks[-1][0] >= mean:
            other, mass, size = blocks.pop()
            mean = (other * mass + mean * weight) / (mass + weight)
            weight, count = weight + mass, count + size
        blocks.append((mean, weight, count))
    flat = [mean for mean, _, count in blocks for _ in range(count)]
    return [mean + offset for mean, offset in zip(flat, offsets, strict=True)]


def _bands(every: list[Box], layers: list[list[int]], up: Neighbours) -> list[tuple[float, float]]:
    """Top and bottom of each layer; the wider the lines above it swing, the more room they get."""
    bands: list[tuple[float, float]] = []
    top = 0.0
    for layer in layers:
        swing = max(
            (abs(every[u].x + s - every[v].x) for v in layer for u, s in up[v]), default=0.0
        )
        if bands:
            top = bands[-1][1] + min(24 + 0.09 * swing, 84.0)
        bottom = top + max(every[v].height for v in layer)
        bands.append((top, bottom))
        for v in layer:
            box = every[v]
            box.y = top + box.height / 2 if box.hang else (top + bottom) / 2
    return bands


def _route(
    every: list[Box],
    links: Sequence[Link],
    chains: list[list[int]],
    bands: list[tuple[float, float]],
) -> None:
    arriving: dict[int, list[tuple[float, int]]] = {}
    for number, (link, chain) in enumerate(zip(links, chains, strict=True)):
        if link.entry is None:
            start = every[chain[-2]].x + (link.exit if len(chain) == 2 else 0.0)
            arriving.setdefault(link.lower, []).append((start, number))
    entry: dict[int, float] = {}
    for lower, lines in arriving.items():
        step = min(14.0, (every[lower].width - 20) / max(1, len(lines) - 1))
        for i, (_, number) in enumerate(sorted(lines)):
            entry[number] = (i - (len(lines) - 1) / 2) * step
    for number, (link, chain) in enumerate(zip(links, chains, strict=True)):
        first, last = every[chain[0]], every[chain[-1]]
        x = first.x + link.exit
        points = [(x, first.y + first.height / 2), (x, bands[first.layer][1])]
        for v in chain[1:-1]:
            points += [(every[v].x, edge) for edge in bands[every[v].layer]]
        x = last.x + (entry[number] if link.entry is None else link.entry)
        points += [(x, bands[last.layer][0]), (x, last.y - last.height / 2)]
        link.points = points
