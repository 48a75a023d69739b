"""Charts of benchmarks: SVG, a panel for each quantity, in it a line for each series."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from rosewood.plots import ticks

_WIDTH, _HEIGHT = 560, 200  # of a panel
_LEFT, _RIGHT, _TOP, _GAP = 80, 160, 46, 26
_LETTER = 7.3  # width of a letter in the names of lines
_COLOURS = ("#8c2d19", "#1f5a96", "#3f7d20", "#7b4fa3", "#b07d12", "#555555")

Line = Sequence[tuple[float, float]]  # x and y of its points


class Panel(NamedTuple):
    """One quantity: lines by their names; places on the way up may be logarithms."""

    name: str
    lines: Mapping[str, Line]
    is_log: bool = False


class _Scale:
    """Numbers to places; room is left at both ends."""

    def __init__(self, values: Sequence[float], begin: float, end: float, is_log: bool) -> None:
        self.is_log = is_log
        low, high = self._of(min(values)), self._of(max(values))
        room = 0.06 * (high - low) or 0.5
        self.low, self.high = low - room, high + room
        self.begin, self.end = begin, end

    def _of(self, value: float) -> float:
        return math.log10(value) if self.is_log else value

    def __call__(self, value: float) -> float:
        share = (self._of(value) - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def marks(self) -> list[float]:
        if not self.is_log:
            return ticks(self.low, self.high)
        decades = range(math.floor(self.low), math.ceil(self.high) + 1)
        some = [digit * 10.0**power for power in decades for digit in (1, 2, 5)]
        return [value for value in some if self.low <= math.log10(value) <= self.high]


def chart(title: str, x_name: str, panels: Sequence[Panel], *, is_log: bool = False) -> str:
    """A picture of panels over the same numbers from left to right (`is_log`: their logarithms)."""
    names = list(dict.fromkeys(name for panel in panels for name in panel.lines))
    along = _Scale(
        [x for panel in panels for line in panel.lines.values() for x, _ in line],
        *(_LEFT, _LEFT + _WIDTH, is_log),
    )
    longest = max(map(len, names))
    width = _LEFT + _WIDTH + max(_RIGHT, 42 + math.ceil(_LETTER * longest))
    height = _TOP + len(panels) * (_HEIGHT + _GAP) + 30
    body = [f'<text x="{_LEFT}" y="22" font-size="16">{escape(title)}</text>']
    for number, panel in enumerate(panels):
        body += _panel(panel, along, _TOP + number * (_HEIGHT + _GAP), names)
    foot = height - 30 - _GAP
    body += [_text(along(x), foot + 18, f"{x:g}", "middle") for x in along.marks()]
    body.append(_text(_LEFT + _WIDTH / 2, foot + 38, x_name, "middle"))
    for place, name in enumerate(names):
        y = _TOP + 12 + 20 * place
        colour = _COLOURS[place % len(_COLOURS)]
        x = _LEFT + _WIDTH + 12
        body.append(f'<path d="M{x} {y - 4}h18" stroke="{colour}" stroke-width="2"/>')
        body.append(_text(x + 24, y, name, "start"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="12">\n<rect width="{width}" height="{height}" '
        'fill="white"/>\n' + "\n".join(body) + "\n</svg>\n"
    )


def _panel(panel: Panel, along: _Scale, top: float, names: Sequence[str]) -> list[str]:
    values = [y for line in panel.lines.values() for _, y in line]
    up = _Scale(values, top + _HEIGHT, top, panel.is_log)
    body = [
        f'<rect x="{_LEFT}" y="{top}" width="{_WIDTH}" height="{_HEIGHT}" fill="none" '
        'stroke="#999"/>',
        _text(_LEFT, top - 6, panel.name, "start"),
    ]
    for value in up.marks():
        y = up(value)
        body.append(f'<path d="M{_LEFT} {y:.1f}h{_WIDTH}" stroke="#ddd"/>')
        body.append(_text(_LEFT - 6, y + 4, f"{value:.6g}", "end"))
    for name, line in panel.lines.items():
        colour = _COLOURS[names.index(name) % len(_COLOURS)]
        points = [(along(x), up(y)) for x, y in line]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        body += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
    return body


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
