"""Pictures for the report: SVG that grows with the page while its letters keep their size.

Places from left to right are percentages, heights are pixels; curves are drawn in a box of 100 by
100 that is stretched.  Colours are those of the page, so that they follow its light or dark.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

__all__ = ["Curve", "axis", "curves", "ticks", "weight_row"]

_LEFT, _RIGHT = 3.0, 97.0  # percent: room for dots at the ends
_POINTS = 300  # of a curve


class Curve(NamedTuple):
    """A line with a point each round; `dots` are shown beside it; `stages` begin at some rounds."""

    name: str
    line: list[float]
    dots: list[float]
    stages: list[tuple[int, str]]

    @classmethod
    def of(cls, name: str, history: Sequence[Mapping[str, Any]]) -> Curve:
        """What a learner told of its rounds: climbs with the best so far, or scores in stages."""
        told = [row for row in history if isinstance(row.get("score"), int | float)]
        scores = [float(row["score"]) for row in told]
        stages = []
        for place, row in enumerate(told):
            stage = row.get("stage")
            if stage is not None and (not place or stage != told[place - 1].get("stage")):
                stages.append((place, str(stage)))
        if told and all("best" in row for row in told):
            return cls(name, [float(row["best"]) for row in told], scores, stages)
        return cls(name, scores, [], stages)


def _number(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _share(value: float, low: float, high: float) -> float:
    """Where a value stands between two others, in percent of the picture."""
    if low == high:
        return 50.0
    return _LEFT + (_RIGHT - _LEFT) * (value - low) / (high - low)


def _svg(height: float, title: str, about: str, body: Sequence[str], name: str) -> str:
    return "\n".join(
        [
            f'<svg role="img" height="{_number(height)}" aria-labelledby="{name}-t {name}-d">',
            f'<title id="{name}-t">{escape(title)}</title>',
            f'<desc id="{name}-d">{escape(about)}</desc>',
            *body,
            "</svg>",
        ]
    )


def _label(place: float, y: float, text: str, kind: str = "") -> str:
    anchor = "start" if place < 22 else "end" if place > 78 else "middle"
    look = f' class="{kind}"' if kind else ""
    return (
        f'<text x="{_number(place)}%" y="{_number(y)}" text-anchor="{anchor}"{look}>'
        f"{escape(text)}</text>"
    )


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return (
        f'<line class="{kind}" x1="{_number(x1)}%" y1="{_number(y1)}" x2="{_number(x2)}%" '
        f'y2="{_number(y2)}"/>'
    )


def _dot(x: float, y: float, radius: float, kind: str) -> str:
    return f'<circle class="{kind}" cx="{_number(x)}%" cy="{_number(y)}" r="{_number(radius)}"/>'


def axis(
    metric: str,
    *,
    worst: float,
    random: float,
    before: float,
    after: float,
    oracle: float,
    replicates: Sequence[float] = (),
    places: int = 2,
) -> str:
    """Where the score was and is, between the worst and the best that choosing could reach."""
    values = [worst, random, before, after, oracle, *replicates]
    left, right = (min(values), max(values)) if oracle >= worst else (max(values), min(values))
    at = {
        name: _share(value, left, right)
        for name, value in (
            ("worst", worst), ("random", random), ("before", before), ("after", after),
            ("oracle", oracle),
        )
    }  # fmt: skip
    told = {
        "worst": f"worst {worst:.{places}f}",
        "random": f"random {random:.{places}f}",
        "before": f"before {before:.{places}f}",
        "after": f"after {after:.{places}f}",
        "oracle": f"oracle {oracle:.{places}f}",
    }
    y = 64.0
    body = [
        _line(at["worst"], y, at["oracle"], y, "line"),
        _line(at["before"], y, at["after"], y, "move"),
        _line(at["before"], 44, at["before"], y, "lead-line"),
        _line(at["after"], 22, at["after"], y, "lead-line"),
        _line(at["random"], y, at["random"], 98, "lead-line"),
        _dot(at["worst"], y, 5, "hollow"),
        _dot(at["oracle"], y, 5, "hollow"),
        _dot(at["random"], y, 5, "hollow"),
        *(_dot(_share(each, left, right), y, 3.5, "weight") for each in replicates),
        _dot(at["before"], y, 7, "dot"),
        _dot(at["after"], y, 8, "dot after"),
        _label(at["after"], 16, told["after"], "after"),
        _label(at["before"], 38, told["before"]),
        _label(at["worst"], 90, told["worst"], "small"),
        _label(at["oracle"], 90, told["oracle"], "small"),
        _label(at["random"], 112, told["random"], "small"),
    ]
    about = f"{metric} from the worst to the best choice of candidates: {', '.join(told.values())}."
    return _svg(118, f"{metric} before and after", about, body, "axis")


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers from `low` to `high`."""
    if not high > low:
        return [low]
    step = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(step * f for f in (1, 2, 2.5, 5, 10, 20) if (high - low) / (step * f) <= most)
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def curves(series: Sequence[Curve], *, metric: str, unit: str = "round") -> str:
    """Scores by round, a line for each fit."""
    values = [v for each in series for v in (*each.line, *each.dots)]
    low, high = min(values), max(values)
    room = 0.06 * (high - low) or max(1e-6, 0.01 * abs(high))
    low, high = low - room, high + room
    longest = max(len(each.line) for each in series)
    height, top = 240.0, 10.0

    def down(value: float) -> float:
        return top + height * (high - value) / (high - low)

    def along(place: float) -> float:
        """Room is left at the left, for the numbers."""
        return 8.0 + (_RIGHT - 8.0) * place / (longest - 1) if longest > 1 else 50.0

    body = []
    shown = ticks(low, high)
    step = shown[1] - shown[0] if len(shown) > 1 else 0.01
    digits = next((d for d in range(9) if abs(round(step, d) - step) < 1e-6 * step), 9)
    for value in shown:
        body.append(_line(0, down(value), 100, down(value), "grid"))
        body.append(
            f'<text x="0" y="{_number(down(value) - 4)}" class="small">{value:.{digits}f}</text>'
        )
    body += _stages(series[0].stages, along, top, height)
    for number, each in enumerate(series):
        body.append(f'<g class="s{number % 6}">')
        body += [_dot(along(i), down(v), 3.5, "point") for i, v in _thinned(each.dots)]
        points = " ".join(
            f"{_number(along(i))},{_number(100 * (down(v) - top) / height)}"
            for i, v in _thinned(each.line)
        )
        body.append(
            f'<svg x="0" y="{_number(top)}" width="100%" height="{_number(height)}" '
            f'viewBox="0 0 100 100" preserveAspectRatio="none">'
            f'<polyline class="curve" points="{points}"/></svg>'
        )
        body.append(_dot(along(len(each.line) - 1), down(each.line[-1]), 5, "end"))
        body.append("</g>")
    foot = top + height + 18
    for place in sorted({0, (longest - 1) // 2, longest - 1}):
        body.append(_label(along(place), foot, f"{unit} {place + 1}", "small"))
    ends = "; ".join(f"{each.name} ends at {each.line[-1]:.2f}" for each in series)
    about = f"{metric} over {longest} {unit}s: {ends}."
    return _svg(foot + 8, f"{metric} by {unit}", about, body, "curves")


def _stages(stages: Sequence[tuple[int, str]], along: Any, top: float, height: float) -> list[str]:
    """A line where each stage begins, its name on one of two levels."""
    if len(stages) < 2:
        return []
    body = []
    for number, (place, name) in enumerate(stages):
        x = along(max(0.0, place - 0.5))
        body.append(_line(x, top, x, top + height, "grid"))
        y = top + height - 8 - 15 * (number % 3)
        body.append(
            f'<text x="{_number(x)}%" dx="4" y="{_number(y)}" class="small">{escape(name)}</text>'
        )
    return body


def _thinned(values: Sequence[float]) -> list[tuple[int, float]]:
    """Not more points than can be told apart, the last one always."""
    every = max(1, math.ceil(len(values) / _POINTS))
    kept = [(i, v) for i, v in enumerate(values) if i % every == 0]
    if values and kept[-1][0] != len(values) - 1:
        kept.append((len(values) - 1, values[-1]))
    return kept


def weight_row(value: float, deviation: float, low: float, high: float) -> str:
    """A dot with its spread, on a line from `low` to `high` with a mark at zero."""
    zero, here = _share(0.0, low, high), _share(value, low, high)
    left, right = (_share(value + s * deviation, low, high) for s in (-1, 1))
    return "".join(
        [
            '<svg height="26" aria-hidden="true">',
            _line(_LEFT, 13, _RIGHT, 13, "grid"),
            _line(zero, 4, zero, 22, "zero"),
            _line(left, 13, right, 13, "spread"),
            _dot(here, 13, 5, "weight"),
            "</svg>",
        ]
    )
