"""Pictures for reports: SVG that grows with the page while its letters keep their size.

Places from left to right are percentages, heights are pixels; curves are drawn in a box of 100 by
100 that is stretched.  Colours are those of the page, so that they follow its light or dark.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

_LEFT, _RIGHT = 3.0, 97.0  # percent: room for dots at the ends
_POINTS = 300  # of a curve


class Curve(NamedTuple):
    """A line with a point each round; `dots` are shown beside it; `stages` begin at some rounds.

    Rounds without a value have NaN in the line.
    """

    name: str
    line: list[float]
    dots: list[float]
    stages: list[tuple[int, str]]

    @classmethod
    def of(cls, name: str, history: Sequence[Mapping[str, Any]]) -> Curve:
        """The history of a learner: climbs with the best score so far, or scores by stage."""
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


def number(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def share(value: float, low: float, high: float) -> float:
    """The position of a value between two others, in percent of the picture."""
    if low == high:
        return 50.0
    return _LEFT + (_RIGHT - _LEFT) * (value - low) / (high - low)


def svg(height: float, title: str, about: str, body: Sequence[str], name: str) -> str:
    return "\n".join(
        [
            f'<svg role="img" height="{number(height)}" aria-labelledby="{name}-t {name}-d">',
            f'<title id="{name}-t">{escape(title)}</title>',
            f'<desc id="{name}-d">{escape(about)}</desc>',
            *body,
            "</svg>",
        ]
    )


def label(place: float, y: float, text: str, kind: str = "") -> str:
    anchor = "start" if place < 22 else "end" if place > 78 else "middle"
    look = f' class="{kind}"' if kind else ""
    return (
        f'<text x="{number(place)}%" y="{number(y)}" text-anchor="{anchor}"{look}>'
        f"{escape(text)}</text>"
    )


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return (
        f'<line class="{kind}" x1="{number(x1)}%" y1="{number(y1)}" x2="{number(x2)}%" '
        f'y2="{number(y2)}"/>'
    )


def dot(x: float, y: float, radius: float, kind: str) -> str:
    return f'<circle class="{kind}" cx="{number(x)}%" cy="{number(y)}" r="{number(radius)}"/>'


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
        name: share(value, left, right)
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
        line(at["worst"], y, at["oracle"], y, "line"),
        line(at["before"], y, at["after"], y, "move"),
        line(at["before"], 44, at["before"], y, "lead-line"),
        line(at["after"], 22, at["after"], y, "lead-line"),
        line(at["random"], y, at["random"], 98, "lead-line"),
        dot(at["worst"], y, 5, "hollow"),
        dot(at["oracle"], y, 5, "hollow"),
        dot(at["random"], y, 5, "hollow"),
        *(dot(share(each, left, right), y, 3.5, "weight") for each in replicates),
        dot(at["before"], y, 7, "dot"),
        dot(at["after"], y, 8, "dot after"),
        label(at["after"], 16, told["after"], "after"),
        label(at["before"], 38, told["before"]),
        label(at["worst"], 90, told["worst"], "small"),
        label(at["oracle"], 90, told["oracle"], "small"),
        label(at["random"], 112, told["random"], "small"),
    ]
    about = f"{metric} from the worst to the best choice of candidates: {', '.join(told.values())}."
    return svg(118, f"{metric} before and after", about, body, "axis")


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers from `low` to `high`."""
    if not high > low:
        return [low]
    step = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(step * f for f in (1, 2, 2.5, 5, 10, 20) if (high - low) / (step * f) <= most)
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def curves(
    series: Sequence[Curve], *, metric: str, unit: str = "round", name: str = "curves"
) -> str:
    """Scores by round, a line for each fit; `name` tells pictures of one page apart."""
    values = [v for each in series for v in (*each.line, *each.dots) if not math.isnan(v)]
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
        told = f"{value:.{digits}f}".replace("-", "−")
        body.append(line(0, down(value), 100, down(value), "grid"))
        body.append(f'<text x="0" y="{number(down(value) - 4)}" class="small">{told}</text>')
    body += _stages(series[0].stages, along, top, height)
    for which, each in enumerate(series):
        body.append(f'<g class="s{which % 6}">')
        body += [dot(along(i), down(v), 3.5, "point") for i, v in _thinned(each.dots)]
        points = " ".join(
            f"{number(along(i))},{number(100 * (down(v) - top) / height)}"
            for i, v in _thinned(each.line)
        )
        body.append(
            f'<svg x="0" y="{number(top)}" width="100%" height="{number(height)}" '
            f'viewBox="0 0 100 100" preserveAspectRatio="none">'
            f'<polyline class="curve" points="{points}"/></svg>'
        )
        last, value = _thinned(each.line)[-1]
        body.append(dot(along(last), down(value), 5, "end"))
        body.append("</g>")
    foot = top + height + 18
    for place in sorted({0, (longest - 1) // 2, longest - 1}):
        body.append(label(along(place), foot, f"{unit} {place + 1}", "small"))
    ends = "; ".join(f"{each.name} ends at {_thinned(each.line)[-1][1]:.2f}" for each in series)
    about = f"{metric} over {longest} {unit}{'es' if unit.endswith('s') else 's'}: {ends}."
    return svg(foot + 8, f"{metric} by {unit}", about, body, name)


def _stages(stages: Sequence[tuple[int, str]], along: Any, top: float, height: float) -> list[str]:
    """A line where each stage begins, its name on one of two levels."""
    if len(stages) < 2:
        return []
    body = []
    for level, (place, name) in enumerate(stages):
        x = along(max(0.0, place - 0.5))
        body.append(line(x, top, x, top + height, "grid"))
        y = top + height - 8 - 15 * (level % 3)
        body.append(
            f'<text x="{number(x)}%" dx="4" y="{number(y)}" class="small">{escape(name)}</text>'
        )
    return body


def _thinned(values: Sequence[float]) -> list[tuple[int, float]]:
    """A limited number of points, always with the last one; none where values are missing."""
    known = [(i, v) for i, v in enumerate(values) if not math.isnan(v)]
    every = max(1, math.ceil(len(known) / _POINTS))
    kept = known[::every]
    if known and kept[-1] != known[-1]:
        kept.append(known[-1])
    return kept


def weight_row(value: float, deviation: float, low: float, high: float) -> str:
    """A dot with its spread, on a line from `low` to `high` with a mark at zero."""
    zero, here = share(0.0, low, high), share(value, low, high)
    left, right = (share(value + s * deviation, low, high) for s in (-1, 1))
    return "".join(
        [
            '<svg height="26" aria-hidden="true">',
            line(_LEFT, 13, _RIGHT, 13, "grid"),
            line(zero, 4, zero, 22, "zero"),
            line(left, 13, right, 13, "spread"),
            dot(here, 13, 5, "weight"),
            "</svg>",
        ]
    )
