"""Pictures of a training run: lengths, shares, bars, weights before and after.

They are made as those of `rosewood.plots`: places are percentages, and colours are the page's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from rosewood.plots import dot, label, line, number, share, svg, ticks
from rosewood.svg_text import clean

_BINS = 34  # of a histogram, or less: more cannot be told apart on a phone
_LEFT, _RIGHT = 7.0, 99.5  # percent of a histogram


def histogram(series: Mapping[str, Sequence[float]], *, name: str) -> str:
    """How many sentences have how many words, by language; the last place is that and more."""
    longest = max((n for counts in series.values() for n, c in enumerate(counts) if c), default=0)
    wide = next(w for w in (1, 2, 5, 10, 20, 50, 10**9) if longest < w * _BINS)
    bins = [[sum(c[n : n + wide]) for n in range(0, longest + 1, wide)] for c in series.values()]
    shares = [[100.0 * v / (sum(counts) or 1) for v in counts] for counts in bins]
    high = max((max(each, default=0.0) for each in shares), default=0.0) or 1.0
    top, height = 16.0, 170.0
    foot = top + height
    step = (_RIGHT - _LEFT) / max(1, len(bins[0]) if bins else 1)
    body = []
    for value in ticks(0.0, high, 4):
        y = foot - height * value / high
        body.append(line(0, y, 100, y, "grid"))
        body.append(f'<text x="0" y="{number(y - 4)}" class="small">{value:g} %</text>')
    for which, (counts, heights) in enumerate(zip(bins, shares, strict=True)):
        body.append(f'<g class="s{which}">')
        for place, (count, each) in enumerate(zip(counts, heights, strict=True)):
            if not count:
                continue
            x = _LEFT + step * (place + 0.08 + 0.42 * which)
            tall = max(1.0, height * each / high)
            about = f"{_words(place * wide, wide)}: {count:,.0f} sentences"
            body.append(
                f'<rect class="fill" x="{number(x)}%" y="{number(foot - tall)}" '
                f'width="{number(0.42 * step)}%" height="{number(tall)}">'
                f"<title>{about}</title></rect>"
            )
        body.append("</g>")
    body.append(line(0, foot, 100, foot, "zero"))
    for value in ticks(0, longest + 1, 8):
        x = _LEFT + step * (value + 0.5) / wide
        if x <= _RIGHT and value == int(value):
            body.append(label(x, foot + 17, f"{value:.0f}", "small"))
    about = f"The longest sentence has {longest} words."
    return svg(foot + 24, "Lengths of sentences in words", about, body, name)


def _words(first: int, wide: int) -> str:
    if wide == 1:
        return "1 word" if first == 1 else f"{first} words"
    return f"{first} to {first + wide - 1} words"


def bar_row(value: float, most: float, *, kind: str = "fill", below: float = 0.0) -> str:
    """A bar from the left, for a row of a table; `below` is a part of it that is pale."""
    parts = ['<svg height="18" aria-hidden="true">']
    for each, look in ((value, kind), (below, "pale")):
        if each > 0 and most > 0:
            wide = max(0.4, 100.0 * min(1.0, each / most))
            parts.append(f'<rect class="{look}" y="3" width="{number(wide)}%" height="12" rx="2"/>')
    return "".join([*parts, "</svg>"])


def shares_row(shares: Mapping[str, float]) -> str:
    """Parts of a whole, side by side, each in its colour and with its share where there is room."""
    whole = sum(max(0.0, v) for v in shares.values()) or 1.0
    parts = ['<svg height="26" aria-hidden="true">']
    x = 0.0
    for which, (name, value) in enumerate(shares.items()):
        wide = 100.0 * max(0.0, value) / whole
        parts.append(
            f'<g class="s{which % 6}"><rect class="fill" x="{number(x)}%" width="{number(wide)}%" '
            f'height="26"><title>{escape(clean(name))} {wide:.1f} %</title></rect></g>'
        )
        if wide >= 12:
            middle = number(x + wide / 2)
            parts.append(
                f'<text x="{middle}%" y="17.5" class="on" text-anchor="middle">{wide:.0f} %</text>'
            )
        x += wide
    return "".join([*parts, "</svg>"])


def move_row(before: float | None, after: float, low: float, high: float) -> str:
    """Where a weight was, hollow, and where it is, on a line with a mark at zero."""
    zero, here = share(0.0, low, high), share(after, low, high)
    parts = [
        '<svg height="26" aria-hidden="true">',
        line(share(low, low, high), 13, share(high, low, high), 13, "grid"),
        line(zero, 4, zero, 22, "zero"),
    ]
    if before is not None:
        was = share(before, low, high)
        parts += [line(was, 13, here, 13, "spread"), dot(was, 13, 4, "hollow")]
    return "".join([*parts, dot(here, 13, 5, "weight"), "</svg>"])
