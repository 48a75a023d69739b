"""Pictures of derivations that are trees: rules with gaps, on both sides.

The source is a row of words with its tree above, the target a row with its tree below.  Both have
the same nodes in the same colours: a node is a rule, and lines lead from it to its own words and
to the rules in its gaps.  It has its label, the number of the gap that it fills, and its source
span.  A rule that says nothing is in the source alone.  Glue, which joins the parts of a sentence,
is the grey node at the end.  Bands join boxes whose words are linked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rosewood import svg_text as say
from rosewood.decode import picture_parts as parts
from rosewood.decode.derivation_tree import FilledGap, Item, TreeRule, symbols, tree_of
from rosewood.decode.picture_parts import APART, HIGH, MARGIN, Box, Derived, Legend, Row
from rosewood.decode.results import GLUE_LABEL
from rosewood.decode.translation import RuleUse, Span
from rosewood.svg_text import decimal

_CHIP, _SIZE, _SMALL = 19.0, 11.5, 9.5  # height of a node, and of its letters
_STEP = 38.0  # from one level to the next
_FIRST = 16.0  # between words and the nodes next to them
_BEND = 7.0  # between a node and the line that its lines come together at
_WIDEST = 110.0  # of a label
_GLUE, _GLUE_LINE = 'fill="#e4dbcf"', "#b8ab9d"


class _Caption(NamedTuple):
    """What is written in a node: its label, the number of its gap, and its source span."""

    label: str
    gap: str = ""
    span: str = ""

    @property
    def width(self) -> float:
        return 14.0 + say.text_width(self.label, _SIZE) + self.small_width

    @property
    def small_width(self) -> float:
        """Of what comes behind the label."""
        span = 5.0 + say.text_width(self.span, _SMALL) if self.span else 0.0
        return say.text_width(self.gap, _SMALL) + span


class _Node(NamedTuple):
    x: float
    height: int
    caption: _Caption
    ends: tuple[tuple[float, int], ...]  # of its lines: where, and at which height; 0: at words


class _Side:
    """A row of words, and the nodes of its tree; `way` is -1 for one above the words, else 1."""

    def __init__(
        self,
        words: Sequence[str],
        runs: Sequence[Sequence[Span]],  # of the own words of each rule
        covers: Sequence[Span],
        captions: Sequence[_Caption],
        way: int,
    ) -> None:
        self.words, self.covers, self.captions, self.way = words, covers, captions, way
        # A node is not wider than its words, so that nodes beside each other do not touch.
        least = {
            cover: caption.width
            for own, cover, caption in zip(runs, covers, captions, strict=True)
            if own == [cover]
        }
        self.row = Row(words, [span for own in runs for span in own], least)
        self.runs = runs
        self.nodes: dict[int, _Node] = {}
        self.y = 0.0  # of the words' boxes, where the tree begins

    def grow(self, tree: Sequence[TreeRule], sides: Sequence[Sequence[Item]]) -> None:
        """Find places for the nodes of the rules that have words here."""
        for number, (node, items) in enumerate(zip(tree, sides, strict=True)):
            own = [self.row.box(span) for span in self.runs[number]]
            ends = [((left + right) / 2, 0) for left, right in own]
            gaps = (each.child for each in items if isinstance(each, FilledGap))
            ends += self._tops(gap for gap in gaps if gap in self.nodes)
            if ends:
                cover = self.row.box(self.covers[number])
                caption = self.captions[number]
                self.nodes[number] = _placed(ends, cover, caption, node.height)
        tops = [n for n, node in enumerate(tree) if node.parent is None and n in self.nodes]
        self.glue: _Node | None = None
        if tops:
            height = 1 + max(node.height for node in tree)
            cover = self.row.box((0, len(self.words)))
            self.glue = _placed(self._tops(tops), cover, _Caption(GLUE_LABEL), height)

    def _tops(self, numbers: Iterable[int]) -> list[tuple[float, int]]:
        return [(self.nodes[n].x, self.nodes[n].height) for n in numbers]

    def drawn(self, node: _Node, line: str, look: str) -> list[str]:
        """A node with its lines."""
        paths = "".join(self._path(node, x, height) for x, height in sorted(node.ends))
        left = node.x - node.caption.width / 2
        top = self._at(node.height) - _CHIP / 2
        y = top + 13.6
        out = [f'<path d="{paths}" fill="none" stroke="{line}" stroke-width="1.6"/>']
        out.append(say.rect(left, top, node.caption.width, _CHIP, f'rx="9.5" {look}'))
        label, gap, span = node.caption
        middle = node.x - node.caption.small_width / 2
        more = ' pointer-events="none" font-weight="600"'
        out.append(parts.text(middle, y, label, "middle", size=_SIZE, more=more))
        behind = middle + say.text_width(label, _SIZE) / 2
        more = ' pointer-events="none" fill-opacity="0.75"'
        if gap:
            out.append(parts.text(behind, y + 2, gap, "start", size=_SMALL, more=more))
        if span:
            right = left + node.caption.width - 7
            out.append(parts.text(right, y - 0.6, span, "end", size=_SMALL, more=more))
        return out

    def _at(self, height: int) -> float:
        """The middle of nodes of this height."""
        return self.y + self.way * (_FIRST + (height - 1) * _STEP + _CHIP / 2)

    def _path(self, node: _Node, x: float, height: int) -> str:
        """From a word or a lower node to a node, with round corners."""
        low = self._at(height) + self.way * _CHIP / 2 if height else self.y
        high = self._at(node.height) - self.way * _CHIP / 2
        bend = high - self.way * _BEND
        radius = min(5.0, abs(node.x - x))
        start, end, level = map(decimal, (low, high, bend))
        if radius < 0.5:
            return f"M{decimal(x)} {start}V{end}"
        turn = decimal(bend - self.way * radius)
        a, b, c = map(decimal, (x, x + (radius if node.x > x else -radius), node.x))
        return f"M{a} {start}V{turn}Q{a} {level} {b} {level}H{c}V{end}"


def _placed(ends: Sequence[tuple[float, int]], cover: Box, caption: _Caption, height: int) -> _Node:
    """A node in the middle of its lines, within what it covers."""
    places = [x for x, _ in ends]
    low, high = cover[0] + caption.width / 2, cover[1] - caption.width / 2
    middle = (min(places) + max(places)) / 2
    x = (low + high) / 2 if low > high else min(max(middle, low), high)
    return _Node(x, height, caption, tuple(ends))


def tree_svg(translation: Derived) -> str:
    """The source with its tree above, the target with its tree below, and bands between."""
    rules, tree = translation.rules, tree_of(translation.rules)
    captions = [_caption(use, node) for use, node in zip(rules, tree, strict=True)]
    above = _Side(
        translation.source.words,
        [_runs(use.source_spans) for use in rules],
        [node.span for node in tree],
        captions,
        -1,
    )
    below = _Side(
        translation.words,
        [_runs(use.target_spans) for use in rules],
        [node.target_span for node in tree],
        [caption._replace(span="") for caption in captions],
        1,
    )
    width = max(above.row.width, below.row.width)
    for side in (above, below):
        side.row.move(MARGIN + (width - side.row.width) / 2)
    above.grow(tree, [node.source for node in tree])
    below.grow(tree, [node.target for node in tree])
    deep = _FIRST + max(node.height for node in tree) * _STEP + _CHIP
    high = above.y = MARGIN + deep
    low = high + HIGH + APART
    below.y = low + HIGH
    groups = [_glue(translation, above, below)]
    bands = _linked(translation, above, below)
    for number, rule in enumerate(rules):
        colour = parts.colour(number, rule)
        drawn = [parts.band(one, high + HIGH, other, low, colour) for one, other in bands[number]]
        for side, y in ((above, high), (below, low)):
            if number in side.nodes:
                look = parts.look(number, rule)
                drawn += side.drawn(side.nodes[number], parts.line_colour(number, rule), look)
            boxes = map(side.row.box, side.runs[number])
            drawn += [parts.box(*box, y, number, rule) for box in boxes]
        groups.append(parts.group(_about(translation, rule, tree[number]), drawn))
    letters = [
        *above.row.letters(high, translation.source.words),
        *below.row.letters(low, translation.words),
    ]
    legend = Legend(rules, [("glue", _GLUE)])
    height = low + HIGH + deep + MARGIN + legend.height
    wide = max(width, legend.width) + 2 * MARGIN
    return say.on_paper(wide, height, [*groups, *letters, *legend.marks(height - 26)])


def _runs(spans: Sequence[Span]) -> list[Span]:
    return [(begin, end) for begin, end in spans if begin < end]


def _caption(use: RuleUse, node: TreeRule) -> _Caption:
    label = say.shorten(say.clean(use.label or "X"), _WIDEST)
    return _Caption(label, "" if node.gap is None else str(node.gap.number), _span(node))


def _span(node: TreeRule) -> str:
    return f"{node.span[0]}:{node.span[1]}"


def _about(translation: Derived, use: RuleUse, node: TreeRule) -> str:
    source = " ".join(map(str, symbols(node.source, translation.source.words)))
    target = " ".join(map(str, symbols(node.target, translation.words)))
    return f"{say.clean(use.label or 'X')}: " + parts.about(
        translation, use, source, target, _span(node)
    )


def _glue(translation: Derived, above: _Side, below: _Side) -> str:
    drawn = []
    for side in (above, below):
        if side.glue is not None:
            drawn += side.drawn(side.glue, _GLUE_LINE, _GLUE)
    count = 0 if above.glue is None else len(above.glue.ends)
    lines = [f"glue: {say.plural(count, 'part')}"]
    for each in getattr(translation, "glue", ()):
        lines.append(f"words {each.span_text}, score {each.score:.3f}")
        lines += parts.shares(translation, each.features, each.contributions)
    return parts.group("\n".join(lines), drawn)


def _linked(translation: Derived, above: _Side, below: _Side) -> list[list[tuple[Box, Box]]]:
    """The boxes of each rule that bands join: those with linked words, or all in their order."""
    run = [
        {place: (n, span) for n, own in enumerate(side.runs) for span in own
         for place in range(*span)}
        for side in (above, below)
    ]  # fmt: skip
    pairs: list[dict[tuple[Span, Span], None]] = [{} for _ in above.runs]
    for i, j in translation.links:
        (number, one), (_, other) = run[0][i], run[1][j]
        pairs[number][one, other] = None
    return [
        [(above.row.box(one), below.row.box(other)) for one, other in own]
        or parts.joined(
            [above.row.box(span) for span in above.runs[number]],
            [below.row.box(span) for span in below.runs[number]],
        )
        for number, own in enumerate(pairs)
    ]
