"""Pictures of a translation: how its phrases lie, and where they went.

Source words are above, target words below, in boxes by rule, joined by bands.  A rule has one
colour; one with gaps has several boxes.  Boxes of words that no rule translates are hollow and red,
those of forced translations have a strong frame.

Hovering over a box shows its rule and, for an `Explanation`, its features.  The SVG has its own
background and no style sheet, script, identifier or outside resource; words are escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rosewood import svg_text as say
from rosewood.decode.explanation import ExplainedRule
from rosewood.decode.source import Source
from rosewood.decode.translation import RuleUse
from rosewood.svg_text import ACCENT, INK, ROSEWOOD

_CELL, _FAINT = "#ffffff", "#a79c92"
_COLOURS = (
    "#8fb8de", "#e8b98a", "#a8cf9d", "#d9a3c4", "#e3d37e", "#9fd0cd", "#c3aee0", "#dba79b",
)  # fmt: skip
_MARGIN, _PAD, _BETWEEN = 16.0, 7.0, 8.0  # around the picture, in boxes, between boxes
_HIGH, _APART = 28.0, 76.0  # of a box; between the two rows
_WIDEST = 190.0  # of a word
_FEATURES_TOLD = 30

_Box = tuple[float, float]  # left, right


class Derived(Protocol):
    """What can be drawn: a `Translation`, or an `Explanation`, which has more to tell."""

    @property
    def source(self) -> Source: ...
    @property
    def words(self) -> tuple[str, ...]: ...
    @property
    def rules(self) -> Sequence[RuleUse]: ...


def to_svg(translation: Derived) -> str:
    """Source words above, target words below, phrases as boxes of one colour, joined."""
    words = translation.source.words
    top = _Row(words, [span for rule in translation.rules for span in rule.source_spans])
    bottom = _Row(
        translation.words, [span for rule in translation.rules for span in rule.target_spans]
    )
    width = max(top.width, bottom.width)
    top.move(_MARGIN + (width - top.width) / 2)
    bottom.move(_MARGIN + (width - bottom.width) / 2)
    high, low = _MARGIN, _MARGIN + _HIGH + _APART
    groups = []
    for number, rule in enumerate(translation.rules):
        above = [top.box(span) for span in rule.source_spans]
        below = [bottom.box(span) for span in rule.target_spans if span[0] < span[1]]
        parts = []
        for one, other in _joined(above, below):
            parts.append(_band(one, high + _HIGH, other, low, _colour(number, rule)))
        parts += [_box(*box, low, number, rule) for box in below]
        parts += [_box(*box, high, number, rule) for box in above]
        title = f"<title>{say.xml_text(_about(translation, rule))}</title>"
        groups.append(f"<g>{title}{''.join(parts)}</g>")
    letters = [*top.letters(high, words), *bottom.letters(low, translation.words)]
    legend = _legend(translation.rules)
    height = low + _HIGH + _MARGIN + (24 if legend else 0)
    wide = max(width, sum(say.text_width(text, 11.5) + 34 for text, _ in legend))
    marks = _legend_marks(legend, height - 26)
    return say.on_paper(wide + 2 * _MARGIN, height, [*groups, *letters, *marks])


def _joined(above: Sequence[_Box], below: Sequence[_Box]) -> list[tuple[_Box, _Box]]:
    """Which boxes of a rule bands join: the first with the first, …; further ones with the last."""
    if not above or not below:
        return []
    count = max(len(above), len(below))
    return [(above[min(k, len(above) - 1)], below[min(k, len(below) - 1)]) for k in range(count)]


class _Row:
    """Words in a row, with room around those that share a box."""

    def __init__(self, words: Sequence[str], spans: Sequence[tuple[int, int]]) -> None:
        self.shown = [say.shorten(say.clean(word), _WIDEST) for word in words]
        begins, ends = {begin for begin, _ in spans}, {end for _, end in spans}
        self.left: list[float] = []
        self.right: list[float] = []
        x = 0.0
        for place, word in enumerate(self.shown):
            if place:
                apart = place in begins or place in ends
                x += 2 * _PAD + _BETWEEN if apart else 5.0
            else:
                x += _PAD
            self.left.append(x)
            x += max(say.text_width(word), 8.0)
            self.right.append(x)
        self.width = x + _PAD

    def move(self, by: float) -> None:
        self.left = [x + by for x in self.left]
        self.right = [x + by for x in self.right]

    def box(self, span: tuple[int, int]) -> tuple[float, float]:
        """Where the box of a span begins and ends; that of an empty one has no width."""
        begin, end = span
        if begin == end:
            return (0.0, 0.0)
        return self.left[begin] - _PAD, self.right[end - 1] + _PAD

    def letters(self, y: float, words: Sequence[str]) -> list[str]:
        out = []
        for place, word in enumerate(self.shown):
            middle = (self.left[place] + self.right[place]) / 2
            whole = say.clean(words[place])
            title = f"<title>{say.xml_text(whole)}</title>" if whole != word else ""
            more = "" if title else ' pointer-events="none"'
            out.append(_text(middle, y + 18.5, word, "middle", title=title, more=more))
        return out


def _about(translation: Derived, phrase: RuleUse) -> str:
    words = translation.source.words
    source = " … ".join(" ".join(words[a:b]) for a, b in phrase.source_spans)
    target = " … ".join(" ".join(translation.words[a:b]) for a, b in phrase.target_spans) or "–"
    facts = ["words " + ",".join(f"{begin}:{end}" for begin, end in phrase.source_spans)]
    if phrase.rule is not None:
        facts.append(f"rule {phrase.rule}")
    if phrase.is_unknown:
        facts.append("no rule translates it")
    if phrase.is_forced:
        facts.append("forced")
    lines = [f"{say.clean(source)} → {say.clean(target)}"]
    if isinstance(phrase, ExplainedRule):
        facts.append(f"score {phrase.score:.3f}")
        titles = getattr(translation, "descriptions", {})
        strongest = sorted(phrase.contributions.items(), key=lambda item: -abs(item[1]))
        for name, value in strongest[:_FEATURES_TOLD]:
            title = titles.get(name, name)
            lines.append(f"{say.clean(title)} {phrase.features[name]:.4g}, adds {value:.3f}")
        if len(strongest) > _FEATURES_TOLD:
            lines.append(f"and {len(strongest) - _FEATURES_TOLD} more")
    lines.insert(1, ", ".join(facts))
    return "\n".join(lines)


# -- shapes ---------------------------------------------------------------------------------------


def _colour(number: int, phrase: RuleUse) -> str:
    return "#f3d3d9" if phrase.is_unknown else _COLOURS[number % len(_COLOURS)]


def _look(number: int, phrase: RuleUse) -> str:
    if phrase.is_unknown:
        return f'fill="{_CELL}" stroke="{ACCENT}" stroke-width="1.6" stroke-dasharray="4 3"'
    colour = _colour(number, phrase)
    if phrase.is_forced:
        return f'fill="{colour}" stroke="{ROSEWOOD}" stroke-width="2.2"'
    return f'fill="{colour}"'


def _box(left: float, right: float, y: float, number: int, phrase: RuleUse) -> str:
    return say.rect(left, y, right - left, _HIGH, f'rx="5" {_look(number, phrase)}')


def _band(
    above: tuple[float, float], y: float, below: tuple[float, float], low: float, colour: str
) -> str:
    """From the box above to the box below, both edges curved alike."""
    a, b, c, d = map(say.decimal, (*above, *below))
    top, middle, end = map(say.decimal, (y, (y + low) / 2, low))
    path = f"M{a} {top}C{a} {middle} {c} {middle} {c} {end}H{d}C{d} {middle} {b} {middle} {b} {top}"
    return f'<path d="{path}Z" fill="{colour}" fill-opacity="0.38"/>'


def _text(
    x: float,
    y: float,
    text: str,
    anchor: str,
    *,
    colour: str = INK,
    size: float = say.SIZE,
    title: str = "",
    more: str = "",
) -> str:
    way = ' direction="rtl"' if say.from_right(text) else ""
    if way and anchor == "start":
        anchor = "end"
    return (
        f'<text x="{say.decimal(x)}" y="{say.decimal(y)}" text-anchor="{anchor}" fill="{colour}" '
        f'font-size="{say.decimal(size)}"{way}{more}>{title}{say.xml_text(text)}</text>'
    )


def _legend(phrases: Sequence[RuleUse]) -> list[tuple[str, str]]:
    """What frames mean, where there are any."""
    told = []
    if unknown := [p for p in phrases if p.is_unknown]:
        told.append(("no rule translates it", _look(0, unknown[0])))
    if forced := [p for p in phrases if p.is_forced]:
        told.append(("forced", _look(0, forced[0])))
    if any(p.target_begin == p.target_end for p in phrases):
        told.append(("without a band: left out", f'fill="{_COLOURS[0]}"'))
    return told


def _legend_marks(legend: list[tuple[str, str]], y: float) -> list[str]:
    out, x = [], _MARGIN
    for text, look in legend:
        out.append(say.rect(x, y, 13, 13, f'rx="3" {look}'))
        out.append(_text(x + 19, y + 10.5, text, "start", size=11.5, colour=_FAINT))
        x += say.text_width(text, 11.5) + 34
    return out
