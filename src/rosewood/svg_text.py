"""Letters in pictures: how wide they will be, and what XML makes of them; paper and colours."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

SIZE = 13.0  # of letters
FONT = "system-ui, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif"
ROSEWOOD, ACCENT, PAPER, INK = "#5b2333", "#c2164a", "#fdfbf7", "#2b2523"

_UNPRINTABLE = {
    **dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), *range(0xD800, 0xE000)), "\ufffd"),
    **dict.fromkeys((0xFFFE, 0xFFFF, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd"),
    ord("\t"): "␉",
    ord("\n"): "␊",
    ord("\r"): "␍",
}
_ESCAPES = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;"}


def clean(text: str) -> str:
    """Without characters that XML forbids or that would upset the line."""
    return text.translate(_UNPRINTABLE)


def xml_text(text: str) -> str:
    return text.translate(_ESCAPES)


def decimal(value: float) -> str:
    """With one digit after the point at most."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def rect(x: float, y: float, width: float, height: float, look: str) -> str:
    place = f'x="{decimal(x)}" y="{decimal(y)}"'
    return f'<rect {place} width="{decimal(width)}" height="{decimal(height)}" {look}/>'


def on_paper(width: float, height: float, parts: Iterable[str], look: str = "") -> str:
    """A picture with its own background."""
    w, h = decimal(width), decimal(height)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}"'
    paper = f'<rect width="100%" height="100%" rx="6" fill="{PAPER}"/>'
    return "\n".join([f'{head} font-family="{FONT}"{look} role="img">', paper, *parts, "</svg>"])


def scrolling(inside: str) -> str:
    return f'<div style="overflow:auto;max-width:100%">{inside}</div>'


def plural(count: int, thing: str) -> str:
    return f"{count:,} {thing}" + ("" if count == 1 else "s")


def duration(seconds: float) -> str:
    """In two units at most: 78 s, 2 min 5 s, 3 h 20 min."""
    whole = round(seconds)
    if whole < 100:
        return f"{whole} s"
    larger, unit, smaller, rest = (
        (whole // 60, "min", whole % 60, "s") if whole < 6000 else
        (whole // 3600, "h", whole % 3600 // 60, "min") if whole < 360_000 else
        (whole // 86_400, "d", whole % 86_400 // 3600, "h")
    )  # fmt: skip
    return f"{larger:,} {unit} {smaller} {rest}" if smaller else f"{larger:,} {unit}"


def text_width(text: str, size: float = SIZE) -> float:
    """An estimate, rather too wide than too narrow."""
    total = 0.0
    for c in text:
        if unicodedata.category(c) in ("Mn", "Me", "Cf"):
            continue
        if ord(c) > 0x1F000 or c == "\ufffd":
            total += 1.25
        elif unicodedata.east_asian_width(c) in "WF":
            total += 1.02
        elif c in " .,:;'|!()[]{}ijltfr/\\-":
            total += 0.4
        elif c in "mwMW@%…—":
            total += 0.98
        else:
            total += 0.63 if c.islower() or c.isdigit() else 0.72 if c.isalpha() else 0.84
    return total * size


def columns(text: str) -> int:
    """How wide a terminal writes it."""
    return sum(map(_column, text))


def _column(character: str) -> int:
    is_skin_tone = "\U0001f3fb" <= character <= "\U0001f3ff"  # it colours what stands before it
    if is_skin_tone or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def from_right(text: str) -> bool:
    """Whether the first letter that has a direction is written from the right."""
    for c in text:
        kind = unicodedata.bidirectional(c)
        if kind in ("L", "R", "AL"):
            return kind != "L"
    return False


def shorten(word: str, limit: float) -> str:
    if text_width(word) <= limit:
        return word
    while word and text_width(word) > limit - SIZE:
        word = word[: min(len(word) - 1, 200)]
    return word + "…"
