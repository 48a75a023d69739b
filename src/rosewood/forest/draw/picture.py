"""The composition of one picture: its boxes and lines, and how they are written as SVG."""

from __future__ import annotations

from dataclasses import dataclass

from rosewood import svg_text as lettering
from rosewood.forest.draw import captions as say
from rosewood.forest.draw.captions import Marks, Token
from rosewood.forest.draw.excerpt import choose
from rosewood.forest.draw.layout import Box, Link, depths, lay_out
from rosewood.forest.forest import Forest
from rosewood.svg_text import SIZE, clean, decimal, from_right, plural, text_width, xml_text

_PAPER, _INK, _FAINT = lettering.PAPER, lettering.INK, "#857a72"
_RIM, _LINE = "#e6ded4", "#4a545e"
NODE, _NODE_RIM, ROOT, _EDGE = "#f1e8dc", "#b9a690", lettering.ROSEWOOD, "#ffffff"
ACCENT, _ACCENT_PALE, _MARK = lettering.ACCENT, "#fdeaf0", "#0b7285"
_SMALL, _ROW, _PAD, _MARGIN, _STEM = 10.5, 17.0, 9.0, 22.0, 18.0


def _mix(colour: str, share: float) -> str:
    """Between paper and colour."""
    parts = [int(c[i : i + 2], 16) for i in (1, 3, 5) for c in (_PAPER, colour)]
    mixed = [a + (b - a) * share for a, b in zip(parts[::2], parts[1::2], strict=True)]
    return "#" + "".join(f"{round(c):02x}" for c in mixed)


def colour(marks: Marks, edge: int) -> str:
    """Of the lines of an edge: the likelier, the darker; opaque, since lines may share a stem."""
    share = 0.62 if marks.weight is None else 0.2 + 0.8 * min(1.0, marks.posterior[edge]) ** 0.5
    return _mix(_LINE, share)


def thickness(marks: Marks, edge: int) -> float:
    """Of the lines of an edge: the likelier, the thicker."""
    return 1.3 if marks.weight is None else 1.0 + 1.8 * min(1.0, float(marks.posterior[edge]))


@dataclass(slots=True)
class _Label:
    """An edge as it is written: its lines and posterior, its size, and its place in the end."""

    lines: list[list[Token]]
    share: str
    width: float
    height: float
    listed: bool
    x: float = 0.0
    y: float = 0.0


class Picture:
    """The boxes and lines of one picture; `svg` writes them down."""

    def __init__(self, forest: Forest, marks: Marks, max_edges: int) -> None:
        self.forest, self.marks = forest, marks
        self.shown = choose(forest, marks.weight, marks.wanted, max_edges)
        self.boxes: list[Box] = []
        self.links: list[Link] = []
        self.node_box: dict[int, int] = {}
        self.node_lines: dict[int, tuple[str, str, str]] = {}  # number, span and rest, best string
        self.label: dict[int, _Label] = {}
        self.rows: list[tuple[int, list[int]]] = []  # a box, the edges listed in it
        self.head_link: dict[int, int] = {}
        self.tail_links: dict[int, list[int]] = {}
        self._make_boxes()
        self.width, self.height = lay_out(self.boxes, self.links)
        self._put_labels()

    # -- what there is ----------------------------------------------------------------------------

    def _make_boxes(self) -> None:
        """Boxes with their contents, and lines, in an initial order."""
        depth = depths(self.forest, self.shown)
        into: dict[int, list[int]] = {node: [] for node in self.shown.nodes}
        for edge in self.shown.edges:
            into[int(self.forest.head[edge])].append(edge)
        tails = {e: self.forest.tails(e).tolist() for e in self.shown.edges}
        for rank, node in enumerate(self._walk(into, tails)):
            self._add_node(node, 2 * depth[node], len(into[node]))
            span = self.forest.span
            self.boxes[-1].start = rank if span is None else float(span[node].sum()) / 2
        for node, number in self.node_box.items():
            leaves = [e for e in into[node] if not tails[e]]
            first = len(self.boxes)
            listed = len(leaves) > 2 or (len(leaves) > 1 and len(self.shown.nodes) == 1)
            for edge in into[node]:
                if tails[edge] or not listed:
                    self._add_edge(edge, number, len(tails[edge]))
            if listed:
                height = 20 if len(self.shown.nodes) == 1 else 6
                count = -(-len(leaves) // height)
                for i in range(count):
                    part = leaves[i * len(leaves) // count : (i + 1) * len(leaves) // count]
                    self._add_list(part, number)
            if len(leaves) == len(into[node]):
                self._claim(self.boxes[number], self.boxes[first:], listed)
        for edge in self.shown.edges:
            label = self.label[edge]
            for slot, tail in enumerate(tails[edge]):
                exit_at = self._port(label, slot, len(tails[edge]))
                self.tail_links.setdefault(edge, []).append(len(self.links))
                box = self.links[self.head_link[edge]].lower
                self.links.append(Link(box, self.node_box[tail], exit_at))
                self.boxes[box].start += self.boxes[self.node_box[tail]].start / len(tails[edge])

    def _walk(self, into: dict[int, list[int]], tails: dict[int, list[int]]) -> list[int]:
        """The nodes as a walk from the root meets them."""
        todo = list(self.shown.nodes)  # the root comes off first
        found: dict[int, None] = {}
        while todo:
            node = todo.pop()
            if node not in found:
                found[node] = None
                todo += [t for e in reversed(into[node]) for t in reversed(tails[e])]
        return list(found)

    def _claim(self, node: Box, below: list[Box], listed: bool) -> None:
        """Room for the edges of a node without others, so that they can hang right below it."""
        total = sum(box.width + box.gap for box in below) - node.gap
        node.left = node.right = total / 2
        if listed and len(below) == 1:
            node.left, node.right = 0.0, total - 2

    def _port(self, label: _Label, slot: int, arity: int) -> float:
        step = min(40.0, (label.width - 24) / max(1, arity - 1))
        return (slot - (arity - 1) / 2) * step

    def _add_node(self, node: int, layer: int, edges: int) -> None:
        span = self.marks.node_text(node)
        hidden = len(self.forest.edges_into(node)) - edges
        extra = "  ".join(part for part in (span, f"+{hidden:,}" if hidden else "") if part)
        best = self.marks.best_text(node)
        if text_width(best, 11.5) > 170:
            best = ""
        name = str(node)
        first = text_width(name) + (text_width("  " + extra, 11.5) if extra else 0)
        width = max(34.0, first + 2 * _PAD, text_width(best, 11.5) + 2 * _PAD)
        self.node_lines[node] = (name, extra, best)
        self.node_box[node] = len(self.boxes)
        self.boxes.append(Box(layer, width, 42.0 if best else 27.0))

    def _make_label(self, edge: int, arity: int = 0, *, listed: bool = False) -> _Label:
        tokens = say.edge_tokens(self.forest, edge)
        lines = say.wrap(tokens or [("ε", False)], 460 if listed else 210, 3)
        share = ""
        if self.marks.weight is not None:
            share = say.percent(float(self.marks.posterior[edge]))
        wide = max(say.line_width(line) for line in lines)
        wide += 2 * _PAD + (text_width("  " + share, _SMALL) if share else 0)
        height = _ROW * len(lines) + (13 if arity > 1 else 8)
        label = _Label(lines, share, max(wide, 28.0, 16.0 * arity + 12), height, listed)
        self.label[edge] = label
        return label

    def _add_edge(self, edge: int, head: int, arity: int) -> None:
        label = self._make_label(edge, arity)
        self.head_link[edge] = len(self.links)
        self.links.append(Link(head, len(self.boxes), 0.0, 0.0))
        layer = self.boxes[head].layer + 1
        start = 0.0 if arity else self.boxes[head].start
        self.boxes.append(Box(layer, label.width, label.height, hang=True, start=start))

    def _add_list(self, edges: list[int], head: int) -> None:
        """One box for several edges without tails, with a stem at its left."""
        labels = [self._make_label(edge, listed=True) for edge in edges]
        width = max(label.width for label in labels)
        for label in labels:
            label.width = width
        height = sum(label.height + 6 for label in labels) - 6
        self.rows.append((len(self.boxes), edges))
        for edge in edges:
            self.head_link[edge] = len(self.links)
        stem = -(width + _STEM) / 2 + 2
        self.links.append(Link(head, len(self.boxes), 0.0, stem))
        layer = self.boxes[head].layer + 1
        start = self.boxes[head].start
        self.boxes.append(Box(layer, width + _STEM, height, hang=True, start=start))

    def _put_labels(self) -> None:
        for edge, label in self.label.items():
            box = self.boxes[self.links[self.head_link[edge]].lower]
            label.x, label.y = box.x, box.y
        for number, edges in self.rows:
            box = self.boxes[number]
            top = box.y - box.height / 2
            for edge in edges:
                label = self.label[edge]
                label.x, label.y = box.x + _STEM / 2, top + label.height / 2
                top += label.height + 6

    # -- how it is written ------------------------------------------------------------------------

    def svg(self) -> str:
        note = self._note()
        width = max(self.width, text_width(note, 11.5)) + 2 * _MARGIN
        height = self.height + 2 * _MARGIN + (24 if note else 0)
        left = _MARGIN + max(0.0, text_width(note, 11.5) - self.width) / 2
        w, h = decimal(width), decimal(height)
        forest = self.forest
        told = f"forest, {plural(forest.num_nodes, 'node')}, "
        told += plural(forest.num_edges, "edge")
        order = sorted(
            self.shown.edges,
            key=lambda e: (e in self.marks.accent, self.marks.posterior[e], -e),
        )
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" '
            f'viewBox="0 0 {w} {h}" role="img" aria-label="{told}" font-family="{lettering.FONT}" '
            f'font-size="{decimal(SIZE)}" fill="{_INK}">',
            _rect(0.5, 0.5, width - 1, height - 1, 8, _PAPER, _RIM),
            f'<g transform="translate({decimal(left)} {decimal(_MARGIN)})">',
            '<g fill="none" stroke-linecap="round">',
            *(self._lines(edge) for edge in order),
            "</g>",
            *(self._edge(edge) for edge in self.shown.edges),
            *(self._node(node) for node in self.shown.nodes),
            "</g>",
        ]
        if note:
            parts.append(_text(_MARGIN, height - 16, note, 11.5))
        return "\n".join([*parts, "</svg>"])

    def _note(self) -> str:
        """What the picture does not show."""
        total, count = self.forest.num_edges, len(self.shown.edges)
        if self.shown.whole:
            return "" if total else "no edges: the forest is empty"
        rest = "1 is" if total - count == 1 else f"{total - count:,} are"
        note = f"{count:,} of {total:,} edges are shown"
        if self.shown.cut:
            note += ", the top of a derivation that does not fit"
        elif self.marks.weight is not None:
            note += ", the best derivations first"
        return f"{note}; {rest} not shown"

    def _lines(self, edge: int) -> str:
        """The line to the head and those to the tails, all of one colour."""
        label, accent = self.label[edge], edge in self.marks.accent
        paths = [_path(self.links[self.head_link[edge]].points)]
        if label.listed:
            x, y = self.links[self.head_link[edge]].points[-1]
            turn, side = label.y, label.x - label.width / 2
            bend = min(6.0, turn - y)
            paths[0] += (
                f"V{decimal(turn - bend)}Q{decimal(x)} {decimal(turn)} "
                f"{decimal(x + 6)} {decimal(turn)}H{decimal(side)}"
            )
        paths += [_path(self.links[i].points) for i in self.tail_links.get(edge, ())]
        shade = ACCENT if accent else colour(self.marks, edge)
        wide = max(2.2, thickness(self.marks, edge)) if accent else thickness(self.marks, edge)
        return (
            f'<g data-lines="{edge}" stroke="{shade}" stroke-width="{decimal(wide)}">'
            + "".join(f'<path d="{path}"/>' for path in paths)
            + "</g>"
        )

    def _edge(self, edge: int) -> str:
        label, accent = self.label[edge], edge in self.marks.accent
        left, top = label.x - label.width / 2, label.y - label.height / 2
        rim = ACCENT if accent else colour(self.marks, edge)
        room = text_width("  " + label.share, _SMALL) if label.share else 0.0
        right = from_right(" ".join(t for line in label.lines for t, mark in line if not mark))
        out = [
            f'<g data-edge="{edge}"' + (' data-highlight="true"' if accent else "") + ">",
            f"<title>{xml_text(self.marks.about_edge(edge))}</title>",
            _rect(left, top, label.width, label.height, 4, _ACCENT_PALE if accent else _EDGE, rim),
        ]
        middle = label.x - room / 2
        if label.listed:
            middle = left + label.width - room - _PAD if right else left + _PAD
        look = ("" if label.listed else ' text-anchor="middle"') + (
            ' direction="rtl"' if right else ""
        )
        if all(line == [("ε", False)] for line in label.lines):
            look += f' fill="{_FAINT}"'
        for i, line in enumerate(label.lines):
            words = " ".join(
                f'<tspan fill="{_MARK}" font-weight="600">{text}</tspan>'
                if mark
                else xml_text(text)
                for text, mark in line
            )
            y = top + 4 + _ROW * (i + 0.5) + 4.6
            out.append(f'<text x="{decimal(middle)}" y="{decimal(y)}"{look}>{words}</text>')
        if label.share:
            x, y = left + label.width - _PAD + 2, top + 4 + _ROW * len(label.lines) / 2 + 3.8
            out.append(_text(x, y, label.share, _SMALL, ' text-anchor="end"'))
        links = [self.links[i] for i in self.tail_links.get(edge, ())]
        if len(links) > 1:
            for slot, link in enumerate(links):
                x, y = link.points[0]
                out.append(_port(x, y, str(slot), rim))
        return "".join([*out, "</g>"])

    def _node(self, node: int) -> str:
        box, (name, extra, best) = self.boxes[self.node_box[node]], self.node_lines[node]
        root = node == self.forest.root
        left, top = box.x - box.width / 2, box.y - box.height / 2
        ink, faint = ("#ffffff", "#e3c9c9") if root else (_INK, _FAINT)
        out = [
            f'<g data-node="{node}" text-anchor="middle">',
            f"<title>{xml_text(self._about_node(node))}</title>",
            _rect(left, top, box.width, box.height, 10, ROOT if root else NODE,
                  ROOT if root else _NODE_RIM),
            f'<text x="{decimal(box.x)}" y="{decimal(top + 18)}" fill="{ink}">'
            f'<tspan font-weight="600">{name}</tspan>',
        ]  # fmt: skip
        if extra:
            out.append(f'<tspan dx="6" font-size="11.5" fill="{faint}">{xml_text(extra)}</tspan>')
        out.append("</text>")
        if best:
            direction = '" direction="rtl' if from_right(best) else ""
            look = ' font-style="italic"'
            out.append(_text(box.x, top + 34, best, 11.5, look, ink + direction))
        return "".join([*out, "</g>"])

    def _about_node(self, node: int) -> str:
        forest = self.forest
        lines = [f"node {node}" + (", the root" if node == forest.root else "")]
        if self.marks.labels is not None:
            lines.append(f"label {clean(self.marks.labels[node])}")
        span = say.source_span(forest, node)
        if span:
            lines.append(f"source words {span}")
        if forest.state is not None:
            lines.append(f"state {forest.state[node]}")
        total = len(forest.edges_into(node))
        lines.append(plural(total, "edge"))
        best = self.marks.best_text(node, 40)
        return "\n".join([*lines, f"best: {best}"] if best else lines)


def _path(points: list[tuple[float, float]]) -> str:
    """Straight within a pair of points, a curve from pair to pair."""
    x, y = points[0]
    out = [f"M{decimal(x)} {decimal(y)}"]
    for i, (a, b) in enumerate(points[1:]):
        if i % 2 == 0:
            if abs(b - y) > 0.05:
                out.append(f"V{decimal(b)}")
        elif abs(a - x) < 0.3:
            out.append(f"L{decimal(a)} {decimal(b)}")
        else:
            middle = decimal((y + b) / 2)
            out.append(f"C{decimal(x)} {middle} {decimal(a)} {middle} {decimal(a)} {decimal(b)}")
        x, y = a, b
    return "".join(out)


def _rect(x: float, y: float, w: float, h: float, round_: float, fill: str, rim: str) -> str:
    return lettering.rect(x, y, w, h, f'rx="{decimal(round_)}" fill="{fill}" stroke="{rim}"')


def _text(x: float, y: float, text: str, size: float, look: str = "", fill: str = _FAINT) -> str:
    place = f'x="{decimal(x)}" y="{decimal(y)}" font-size="{size}"'
    return f'<text {place}{look} fill="{fill}">{xml_text(text)}</text>'


def _port(x: float, y: float, text: str, rim: str) -> str:
    """The small disc on the rim of an edge where the line of a slot begins."""
    disc = f'<circle cx="{decimal(x)}" cy="{decimal(y)}" r="6" fill="{_PAPER}" stroke="{rim}"/>'
    return disc + _text(x, y + 3, text, 8.5, ' text-anchor="middle"', _MARK)
