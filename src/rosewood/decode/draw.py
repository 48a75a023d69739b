"""Pictures of a translation: how its phrases lie, and where they went.

Source words stand above, target words below, both in boxes by phrase, joined by bands.  A phrase
has one colour above and below.  Words that no rule translates stand in hollow red boxes, forced
translations in boxes with a strong frame.

Resting on a phrase tells its rule and, of an `Explanation`, its features.  The SVG has its own
background and no style sheet, script, identifier or outside resource; words are escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rosewood import lettering as say
from rosewood.decode.explain import ExplainedPhrase
from rosewood.decode.source import Source
from rosewood.decode.translation import PhraseUse
from rosewood.lettering import ACCENT, ROSEWOOD

__all__ = ["Derived", "to_svg"]

_PAPER, _CELL, _INK, _FAINT = "#fdfbf7", "#ffffff", "#2b2523", "#a79c92"
_FONT = "system-ui, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif"
_COLOURS = (
    "#8fb8de", "#e8b98a", "#a8cf9d", "#d9a3c4", "#e3d37e", "#9fd0cd", "#c3aee0", "#dba79b",
)  # fmt: skip
_MARGIN, _PAD, _BETWEEN = 16.0, 7.0, 8.0  # around the picture, in boxes, between boxes
_HIGH, _APART = 28.0, 76.0  # of a box; between the two rows
_WIDEST = 190.0  # of a word
_FEATURES_TOLD = 30


class Derived(Protocol):
    """What can be drawn: a `Translation`, or an `Explanation`, which has more to tell."""

    @property
    def source(self) -> Source: ...
    @property
    def words(self) -> tuple[str, ...]: ...
    @property
    def phrases(self) -> Sequence[PhraseUse]: ...


def to_svg(translation: Derived) -> str:
    """Source words above, target words below, phrases as boxes of one colour, joined."""
    words = translation.source.words
    top = _Row(words, [(p.begin, p.end) for p in translation.phrases])
    bottom = _Row(translation.words, [(p.target_begin, p.target_end) for p in translation.phrases])
    width = max(top.width, bottom.width)
    top.move(_MARGIN + (width - top.width) / 2)
    bottom.move(_MARGIN + (width - bottom.width) / 2)
    high, low = _MARGIN, _MARGIN + _HIGH + _APART
    groups = []
    for number, phrase in enumerate(translation.phrases):
        above, below = top.box(number), bottom.box(number)
        parts = []
        if phrase.target_begin < phrase.target_end:
            parts.append(_band(above, high + _HIGH, below, low, _colour(number, phrase)))
            parts.append(_box(*below, low, number, phrase))
        parts.append(_box(*above, high, number, phrase))
        title = f"<title>{say.xml_text(_about(translation, phrase))}</title>"
        groups.append(f"<g>{title}{''.join(parts)}</g>")
    letters = [*top.letters(high, words), *bottom.letters(low, translation.words)]
    legend = _legend(translation.phrases)
    height = low + _HIGH + _MARGIN + (24 if legend else 0)
    wide = max(width, sum(say.text_width(text, 11.5) + 34 for text, _ in legend))
    marks = _legend_marks(legend, height - 26)
    return _svg(wide + 2 * _MARGIN, height, [*groups, *letters, *marks])


class _Row:
    """Words in a row, with room around those that share a box."""

    def __init__(self, words: Sequence[str], spans: Sequence[tuple[int, int]]) -> None:
        self.shown = [say.shorten(say.clean(word), _WIDEST) for word in words]
        self.spans = spans
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

    def box(self, number: int) -> tuple[float, float]:
        """Where the box of a phrase begins and ends; nothing is as wide as nothing."""
        begin, end = self.spans[number]
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


def _about(translation: Derived, phrase: PhraseUse) -> str:
    source = " ".join(translation.source.words[phrase.begin : phrase.end])
    target = " ".join(translation.words[phrase.target_begin : phrase.target_end]) or "–"
    facts = [f"words {phrase.begin}:{phrase.end}"]
    if phrase.rule is not None:
        facts.append(f"rule {phrase.rule}")
    if phrase.is_unknown:
        facts.append("no rule translates it")
    if phrase.is_forced:
        facts.append("forced")
    lines = [f"{say.clean(source)} → {say.clean(target)}"]
    if isinstance(phrase, ExplainedPhrase):
        facts.append(f"score {phrase.score:.3f}")
        strongest = sorted(phrase.contributions.items(), key=lambda item: -abs(item[1]))
        for name, value in strongest[:_FEATURES_TOLD]:
            lines.append(f"{say.clean(name)} {phrase.features[name]:.4g}, adds {value:.3f}")
        if len(strongest) > _FEATURES_TOLD:
            lines.append(f"and {len(strongest) - _FEATURES_TOLD} more")
    lines.insert(1, ", ".join(facts))
    return "\n".join(lines)


# -- shapes ---------------------------------------------------------------------------------------


def _colour(number: int, phrase: PhraseUse) -> str:
    return "#f3d3d9" if phrase.is_unknown else _COLOURS[number % len(_COLOURS)]


def _look(number: int, phrase: PhraseUse) -> str:
    if phrase.is_unknown:
        return f'fill="{_CELL}" stroke="{ACCENT}" stroke-width="1.6" stroke-dasharray="4 3"'
    colour = _colour(number, phrase)
    if phrase.is_forced:
        return f'fill="{colour}" stroke="{ROSEWOOD}" stroke-width="2.2"'
    return f'fill="{colour}"'


def _box(left: float, right: float, y: float, number: int, phrase: PhraseUse) -> str:
    return (
        f'<rect x="{say.decimal(left)}" y="{say.decimal(y)}" width="{say.decimal(right - left)}" '
        f'height="{say.decimal(_HIGH)}" rx="5" {_look(number, phrase)}/>'
    )


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
    colour: str = _INK,
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


def _legend(phrases: Sequence[PhraseUse]) -> list[tuple[str, str]]:
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
        out.append(
            f'<rect x="{say.decimal(x)}" y="{say.decimal(y)}" width="13" height="13" rx="3" '
            f"{look}/>"
        )
        out.append(_text(x + 19, y + 10.5, text, "start", size=11.5, colour=_FAINT))
        x += say.text_width(text, 11.5) + 34
    return out


def _svg(width: float, height: float, parts: list[str]) -> str:
    w, h = say.decimal(width), say.decimal(height)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" '
            f'viewBox="0 0 {w} {h}" font-family="{_FONT}" role="img">',
            f'<rect width="100%" height="100%" rx="6" fill="{_PAPER}"/>',
            *parts,
            "</svg>",
        ]
    )
