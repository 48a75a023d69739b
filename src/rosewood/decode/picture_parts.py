"""What pictures of translations are made of: rows of words in boxes, bands, legends, tooltips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from rosewood import svg_text as say
from rosewood.decode.explanation import ExplainedRule
from rosewood.decode.source import Source
from rosewood.decode.translation import RuleUse, Span
from rosewood.svg_text import ACCENT, INK, ROSEWOOD

FAINT = "#a79c92"
MARGIN, PAD, HIGH, APART = 16.0, 7.0, 28.0, 76.0  # around; in boxes; of a box; between the rows
_CELL = "#ffffff"
_COLOURS = (
    "#8fb8de", "#e8b98a", "#a8cf9d", "#d9a3c4", "#e3d37e", "#9fd0cd", "#c3aee0", "#dba79b",
)  # fmt: skip
_BETWEEN = 8.0  # boxes
_WIDEST = 190.0  # of a word
_FEATURES_TOLD = 30
_SMALL = 11.5

Box = tuple[float, float]  # left, right


class Derived(Protocol):
    """What can be drawn: a `Translation`, or an `Explanation`, which has more to tell."""

    @property
    def source(self) -> Source: ...
    @property
    def words(self) -> tuple[str, ...]: ...
    @property
    def rules(self) -> Sequence[RuleUse]: ...
    @property
    def links(self) -> tuple[tuple[int, int], ...]: ...  # of trees


class Row:
    """Words in a row, with room around those that share a box."""

    def __init__(
        self, words: Sequence[str], spans: Sequence[Span], least: Mapping[Span, float] | None = None
    ) -> None:
        """`least` has the smallest width of the boxes of some spans."""
        self.shown = [say.shorten(say.clean(word), _WIDEST) for word in words]
        widths = [max(say.text_width(word), 8.0) for word in self.shown]
        begins, ends = {begin for begin, _ in spans}, {end for _, end in spans}
        self._room = dict.fromkeys(spans, 0.0)
        before, behind = [0.0] * len(words), [0.0] * len(words)
        for (begin, end), least_width in (least or {}).items():
            own = sum(widths[begin:end]) + 5.0 * (end - begin - 1) + 2 * PAD
            room = self._room[begin, end] = max(0.0, least_width - own) / 2
            before[begin], behind[end - 1] = room, room
        self.left: list[float] = []
        self.right: list[float] = []
        x = 0.0
        for place, width in enumerate(widths):
            if place:
                apart = place in begins or place in ends
                x += 2 * PAD + _BETWEEN if apart else 5.0
            else:
                x += PAD
            x += before[place]
            self.left.append(x)
            x += width
            self.right.append(x)
            x += behind[place]
        self.width = x + PAD

    def move(self, by: float) -> None:
        self.left = [x + by for x in self.left]
        self.right = [x + by for x in self.right]

    def box(self, span: Span) -> Box:
        """Where the box of a span begins and ends; that of an empty one has no width."""
        begin, end = span
        if begin == end:
            return (0.0, 0.0)
        room = PAD + self._room.get(span, 0.0)
        return self.left[begin] - room, self.right[end - 1] + room

    def letters(self, y: float, words: Sequence[str]) -> list[str]:
        out = []
        for place, word in enumerate(self.shown):
            middle = (self.left[place] + self.right[place]) / 2
            whole = say.clean(words[place])
            title = f"<title>{say.xml_text(whole)}</title>" if whole != word else ""
            more = "" if title else ' pointer-events="none"'
            out.append(text(middle, y + 18.5, word, "middle", title=title, more=more))
        return out


def about(translation: Derived, rule: RuleUse, source: str, target: str, words: str) -> str:
    """What a tooltip says of a rule: its two sides, and the words it is of."""
    facts = [f"words {words}"]
    if rule.rule is not None:
        facts.append(f"rule {rule.rule}")
    if rule.is_unknown:
        facts.append("no rule translates it")
    if rule.is_forced:
        facts.append("forced")
    lines = [f"{say.clean(source)} → {say.clean(target or '–')}"]
    if isinstance(rule, ExplainedRule):
        facts.append(f"score {rule.score:.3f}")
        lines += shares(translation, rule.features, rule.contributions)
    lines.insert(1, ", ".join(facts))
    return "\n".join(lines)


def shares(
    translation: Derived, features: Mapping[str, float], contributions: Mapping[str, float]
) -> list[str]:
    """What features add to the score, the strongest first."""
    titles = getattr(translation, "descriptions", {})
    strongest = sorted(contributions.items(), key=lambda item: -abs(item[1]))
    lines = [
        f"{say.clean(titles.get(name, name))} {features[name]:.4g}, adds {value:.3f}"
        for name, value in strongest[:_FEATURES_TOLD]
    ]
    if len(strongest) > _FEATURES_TOLD:
        lines.append(f"and {len(strongest) - _FEATURES_TOLD} more")
    return lines


def group(title: str, parts: Sequence[str]) -> str:
    return f"<g><title>{say.xml_text(title)}</title>{''.join(parts)}</g>"


# -- shapes ---------------------------------------------------------------------------------------


def joined(above: Sequence[Box], below: Sequence[Box]) -> list[tuple[Box, Box]]:
    """Which boxes of a rule bands join: the first with the first, …; further ones with the last."""
    if not above or not below:
        return []
    count = max(len(above), len(below))
    return [(above[min(k, len(above) - 1)], below[min(k, len(below) - 1)]) for k in range(count)]


def colour(number: int, rule: RuleUse) -> str:
    return "#f3d3d9" if rule.is_unknown else _COLOURS[number % len(_COLOURS)]


def line_colour(number: int, rule: RuleUse) -> str:
    """The colour of lines, which must be darker than that of boxes to be seen."""
    if rule.is_unknown:
        return ACCENT
    shade = colour(number, rule)
    return "#" + "".join(f"{int(shade[k : k + 2], 16) * 3 // 4:02x}" for k in (1, 3, 5))


def look(number: int, rule: RuleUse) -> str:
    if rule.is_unknown:
        return f'fill="{_CELL}" stroke="{ACCENT}" stroke-width="1.6" stroke-dasharray="4 3"'
    if rule.is_forced:
        return f'fill="{colour(number, rule)}" stroke="{ROSEWOOD}" stroke-width="2.2"'
    return f'fill="{colour(number, rule)}"'


def box(left: float, right: float, y: float, number: int, rule: RuleUse) -> str:
    return say.rect(left, y, right - left, HIGH, f'rx="5" {look(number, rule)}')


def band(above: Box, y: float, below: Box, low: float, fill: str) -> str:
    """From the box above to the box below, both edges curved alike."""
    a, b, c, d = map(say.decimal, (*above, *below))
    top, middle, end = map(say.decimal, (y, (y + low) / 2, low))
    path = f"M{a} {top}C{a} {middle} {c} {middle} {c} {end}H{d}C{d} {middle} {b} {middle} {b} {top}"
    return f'<path d="{path}Z" fill="{fill}" fill-opacity="0.38"/>'


def text(
    x: float,
    y: float,
    said: str,
    anchor: str,
    *,
    fill: str = INK,
    size: float = say.SIZE,
    title: str = "",
    more: str = "",
) -> str:
    way = ' direction="rtl"' if say.from_right(said) else ""
    if way and anchor == "start":
        anchor = "end"
    return (
        f'<text x="{say.decimal(x)}" y="{say.decimal(y)}" text-anchor="{anchor}" fill="{fill}" '
        f'font-size="{say.decimal(size)}"{way}{more}>{title}{say.xml_text(said)}</text>'
    )


class Legend:
    """What frames mean, where there are any."""

    def __init__(self, rules: Sequence[RuleUse], more: Sequence[tuple[str, str]] = ()) -> None:
        """`more` are further entries: a text and a look."""
        self.entries = list(more)
        if unknown := [p for p in rules if p.is_unknown]:
            self.entries.append(("no rule translates it", look(0, unknown[0])))
        if forced := [p for p in rules if p.is_forced]:
            self.entries.append(("forced", look(0, forced[0])))
        if any(not p.target_places and p.source_places for p in rules):
            self.entries.append(("without a band: left out", f'fill="{_COLOURS[0]}"'))

    @property
    def width(self) -> float:
        return sum(say.text_width(said, _SMALL) + 34 for said, _ in self.entries)

    @property
    def height(self) -> float:
        return 24.0 if self.entries else 0.0

    def marks(self, y: float) -> list[str]:
        out, x = [], MARGIN
        for said, drawn in self.entries:
            out.append(say.rect(x, y, 13, 13, f'rx="3" {drawn}'))
            out.append(text(x + 19, y + 10.5, said, "start", size=_SMALL, fill=FAINT))
            x += say.text_width(said, _SMALL) + 34
        return out
