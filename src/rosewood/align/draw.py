"""Pictures of one alignment: a matrix as SVG, for a page, and for a terminal.

As in most papers, source words stand along the top and target words down the side; a link is a dark
square where the two meet.  Words without a link are grey.  With gold, sure links are deep yellow
cells, possible ones pale: a square on yellow is right, a hollow red one is wrong, yellow without a
square was missed.  Posteriors shade the cells.  The SVG has its own background and no style sheet,
script, identifier or outside resource; words are escaped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rosewood import svg_text as say
from rosewood.align.alignment import Alignment, GoldAlignment, Link
from rosewood.arguments import check_shape
from rosewood.arrays import FloatArray
from rosewood.errors import AlignmentError
from rosewood.svg_text import ACCENT, INK, PAPER, ROSEWOOD

_CELL, _LINE, _FIFTH, _FAINT = "#ffffff", "#ebe4da", "#cdbfae", "#a79c92"
_SURE, _POSSIBLE, _SHADE = "#f0b93a", "#fae8b4", "#0b7285"
_MARGIN, _GAP, _SLOPE = 16.0, 7.0, 60  # the slope of source words, in degrees
_WIDEST = 190.0  # of a word
_LEAST = 0.02  # posteriors below are not drawn


def to_svg(
    alignment: Alignment,
    *,
    gold: GoldAlignment | None = None,
    posterior: ArrayLike | None = None,
) -> str:
    """The matrix as one SVG element.

    `posterior` has a row for each source word and a column for each target word.
    """
    return _Matrix(alignment, gold, posterior).svg()


def to_html(
    alignment: Alignment,
    *,
    gold: GoldAlignment | None = None,
    posterior: ArrayLike | None = None,
) -> str:
    """A line about the alignment, and its picture in a frame that scrolls."""
    matrix = _Matrix(alignment, gold, posterior)
    facts = [
        say.plural(matrix.sources, "source word"),
        say.plural(matrix.targets, "target word"),
        say.plural(len(alignment), "link"),
    ]
    if gold is not None:
        wrong = len(alignment.links - gold.possible)
        facts.append(f"{wrong} wrong, {len(gold.sure - alignment.links)} missed")
    return (
        f'<div style="font-family:sans-serif;font-size:13px"><div style="margin:0 0 6px">'
        f"<b>Alignment</b> · {' · '.join(facts)}</div>"
        f"{say.scrolling(matrix.svg())}</div>"
    )


@dataclass(frozen=True, slots=True)
class _Word:
    """A word as it is written beside the matrix, and in full for its tooltip."""

    text: str
    whole: str
    from_right: bool

    @classmethod
    def of(cls, word: str) -> _Word:
        whole = say.clean(word)
        return cls(say.shorten(whole, _WIDEST), whole, say.from_right(whole))


class _Matrix:
    """What one picture shows, and where."""

    def __init__(
        self, alignment: Alignment, gold: GoldAlignment | None, posterior: ArrayLike | None
    ) -> None:
        self.links = alignment.links
        self.gold = gold
        self.posterior: FloatArray | None = None
        shapes = [alignment.shape]
        if posterior is not None:
            self.posterior = np.asarray(posterior, dtype=np.float64)
            check_shape("posterior", self.posterior, ("source", "target"), error=AlignmentError)
            if not np.isfinite(self.posterior).all():
                reason = "posteriors must be a matrix of finite numbers"
                raise AlignmentError(reason, code="argument.value", argument="posterior")
            shapes.append((self.posterior.shape[0], self.posterior.shape[1]))
        if gold is not None:
            shapes.append(Alignment(gold.sure | gold.possible).shape)
        self.sources = max(rows for rows, _ in shapes)
        self.targets = max(columns for _, columns in shapes)
        for what, words, count in (
            ("source", alignment.source, self.sources),
            ("target", alignment.target, self.targets),
        ):
            if words is not None and len(words) < count:
                raise AlignmentError(
                    f"gold or posteriors have {count} {what} words, the sentence {len(words)}",
                    code="argument.shape", argument=what, value=count, expected=len(words),
                )  # fmt: skip
        self.top = _labels(alignment.source, self.sources)
        self.left = _labels(alignment.target, self.targets)
        # Sixty words fit a screen, and can still be read.
        self.cell = min(26.0, max(15.0, 900 / max(self.sources, self.targets, 1)))
        self.size = min(13.0, 0.74 * self.cell)
        self._lay_out()

    def _lay_out(self) -> None:
        scale = self.size / say.SIZE
        across = max((say.text_width(w.text) * scale for w in self.left), default=0.0)
        slope = np.radians(_SLOPE)
        rise = [say.text_width(w.text) * scale * float(np.sin(slope)) for w in self.top]
        reach = [
            self._column(n) + say.text_width(w.text) * scale * float(np.cos(slope))
            for n, w in enumerate(self.top)
        ]
        self.x = _MARGIN + across + _GAP
        self.y = _MARGIN + max(rise, default=0.0) + _GAP + self.size * 0.4
        right = max([self.sources * self.cell, *reach]) + _MARGIN
        self.legend = self._legend()
        told = sum(say.text_width(text, 11.5) + 34 for _, text in self.legend)
        self.width = max(self.x + right, 2 * _MARGIN + told)
        self.height = self.y + self.targets * self.cell + _MARGIN + (26 if self.legend else 0)

    def _column(self, number: int) -> float:
        return (number + 0.5) * self.cell

    def _legend(self) -> list[tuple[str, str]]:
        """A legend, where colours have a meaning."""
        told = []
        if self.gold is not None:
            told += [("right", "right"), ("wrong", "wrong"), ("sure", "sure, missed")]
            if self.gold.possible - self.gold.sure:
                told.append(("possible", "possible"))
        if self.posterior is not None:
            told.append(("shade", "posterior"))
        return told

    def svg(self) -> str:
        parts = [*self._cells(), *self._grid(), *self._words(), *self._marks()]
        look = f' font-size="{say.decimal(self.size)}"'
        return say.on_paper(self.width, self.height, [*parts, *self._legend_marks()], look)

    def _square(self, link: Link, inset: float, look: str) -> str:
        """In the cell of a link, so much smaller than it on every side."""
        x = self.x + link[0] * self.cell + inset
        y = self.y + link[1] * self.cell + inset
        return say.rect(x, y, self.cell - 2 * inset, self.cell - 2 * inset, look)

    def _cells(self) -> list[str]:
        """What lies beneath the links: white, gold, shades of posteriors."""
        width, height = self.sources * self.cell, self.targets * self.cell
        out = [say.rect(self.x, self.y, width, height, f'fill="{_CELL}"')]
        if self.gold is not None:
            for link in sorted(self.gold.possible | self.gold.sure):
                shade = _SURE if link in self.gold.sure else _POSSIBLE
                out.append(self._square(link, 0, f'fill="{shade}"'))
        if self.posterior is not None:
            inset = 0.0 if self.gold is None else 0.12 * self.cell
            for i, j in np.argwhere(self.posterior >= _LEAST).tolist():
                share = min(1.0, float(self.posterior[i, j]))
                look = f'fill="{_SHADE}" fill-opacity="{0.06 + 0.7 * share:.2f}"'
                out.append(self._square((i, j), inset, look))
        return out

    def _grid(self) -> list[str]:
        out = []
        right, bottom = self.x + self.sources * self.cell, self.y + self.targets * self.cell
        for n in range(self.sources + 1):
            x = say.decimal(self.x + n * self.cell)
            path = f"M{x} {say.decimal(self.y)}V{say.decimal(bottom)}"
            out.append(_stroke(path, n % 5 == 0 or n == self.sources))
        for n in range(self.targets + 1):
            y = say.decimal(self.y + n * self.cell)
            path = f"M{say.decimal(self.x)} {y}H{say.decimal(right)}"
            out.append(_stroke(path, n % 5 == 0 or n == self.targets))
        return out

    def _words(self) -> list[str]:
        linked = ({i for i, _ in self.links}, {j for _, j in self.links})
        out = []
        for n, word in enumerate(self.top):
            x = self.x + self._column(n) + self.size * 0.2
            y = self.y - _GAP
            turn = f' transform="rotate(-{_SLOPE} {say.decimal(x)} {say.decimal(y)})"'
            anchor = "end" if word.from_right else "start"
            out.append(_text(x, y, word, anchor, n in linked[0], turn))
        for n, word in enumerate(self.left):
            y = self.y + self._column(n) + self.size * 0.35
            anchor = "start" if word.from_right else "end"
            out.append(_text(self.x - _GAP, y, word, anchor, n in linked[1]))
        return out

    def _marks(self) -> list[str]:
        """The links; and where gold or a posterior has something to tell, a tooltip."""
        told = set(self.links)
        if self.gold is not None:
            told |= self.gold.possible | self.gold.sure
        if self.posterior is not None:
            told |= {(i, j) for i, j in np.argwhere(self.posterior >= _LEAST).tolist()}
        out = []
        for link in sorted(told):
            mark = self._square(link, 0, 'fill="none" pointer-events="all"')
            if link in self.links:
                right = self.gold is None or link in self.gold.possible or link in self.gold.sure
                mark += self._link(link, right)
            out.append(f"<g><title>{say.xml_text(self._about(link))}</title>{mark}</g>")
        return out

    def _link(self, link: Link, right: bool) -> str:
        name = "right" if right else "wrong"
        return self._square(link, (0.22 if right else 0.27) * self.cell, _LOOKS[name])

    def _about(self, link: Link) -> str:
        i, j = link
        lines = [f"{self.top[i].whole} – {self.left[j].whole} ({i}-{j})"]
        if self.gold is not None:
            kind = "sure" if link in self.gold.sure else "possible"
            is_gold = link in self.gold.sure or link in self.gold.possible
            verdict = kind if is_gold else "not in the gold"
            lines.append(verdict if link in self.links else f"{verdict}, not linked")
        if self.posterior is not None and i < len(self.posterior) and j < self.posterior.shape[1]:
            lines.append(f"posterior {self.posterior[i, j]:.3f}")
        return "\n".join(lines)

    def _legend_marks(self) -> list[str]:
        out, x, y = [], _MARGIN, self.height - 26
        for name, text in self.legend:
            if name == "right":
                out.append(say.rect(x, y, 13, 13, f'fill="{_SURE}"'))
            inset = {"right": 3.0, "wrong": 3.5}.get(name, 0.0)
            side = 13 - 2 * inset
            out.append(say.rect(x + inset, y + inset, side, side, _LOOKS[name]))
            out.append(
                f'<text x="{say.decimal(x + 19)}" y="{say.decimal(y + 10.5)}" font-size="11.5" '
                f'fill="{INK}">{text}</text>'
            )
            x += say.text_width(text, 11.5) + 34
        return out


_LOOKS = {
    "right": f'rx="2" fill="{ROSEWOOD}" stroke="{PAPER}" stroke-width="0.8"',
    "wrong": f'rx="2" fill="{_CELL}" fill-opacity="0.7" stroke="{ACCENT}" stroke-width="2"',
    "sure": f'fill="{_SURE}"',
    "possible": f'fill="{_POSSIBLE}"',
    "shade": f'fill="{_SHADE}" fill-opacity="0.6"',
}


def _labels(words: tuple[str, ...] | None, count: int) -> list[_Word]:
    return [_Word.of(word) for word in (map(str, range(count)) if words is None else words)]


def _stroke(path: str, strong: bool) -> str:
    return f'<path d="{path}" stroke="{_FIFTH if strong else _LINE}" fill="none"/>'


def _text(x: float, y: float, word: _Word, anchor: str, linked: bool, more: str = "") -> str:
    way = ' direction="rtl"' if word.from_right else ""
    title = f"<title>{say.xml_text(word.whole)}</title>" if word.text != word.whole else ""
    return (
        f'<text x="{say.decimal(x)}" y="{say.decimal(y)}" text-anchor="{anchor}"{way} '
        f'fill="{INK if linked else _FAINT}"{more}>{title}{say.xml_text(word.text)}</text>'
    )


# -- terminals ------------------------------------------------------------------------------------

_LINKED, _UNLINKED, _POSSIBLY, _WRONG, _MISSED = "██", "· ", "▓▓", "><", "[]"


def to_text(alignment: Alignment, *, gold: GoldAlignment | None = None) -> str:
    """The matrix in lines of text, two columns of the terminal for each source word.

    Source words are written downwards.  With gold: ██ is sure, ▓▓ possible, >< wrong, [] missed.
    """
    matrix = _Matrix(alignment, gold, None)
    left = [word.whole for word in matrix.left]
    room = max(map(say.columns, left), default=0)
    letters = [_letters(word.whole) for word in matrix.top]
    height = max(map(len, letters), default=0)
    lines = []
    for row in range(height):
        cells = (
            word[row - height + len(word)] if row >= height - len(word) else "  "
            for word in letters
        )
        lines.append(" " * (room + 1) + "".join(cells))
    for j, word in enumerate(left):
        label = " " * (room - say.columns(word)) + _kept_apart(word)
        cells = (_sign((i, j), alignment, gold) for i in range(matrix.sources))
        lines.append(f"{label} {''.join(cells)}")
    if gold is not None:
        lines.append(f"{_LINKED} sure  {_POSSIBLY} possible  {_WRONG} wrong  {_MISSED} missed")
    return "\n".join(line.rstrip() for line in lines)


def _sign(link: Link, alignment: Alignment, gold: GoldAlignment | None) -> str:
    linked = link in alignment
    if gold is None:
        return _LINKED if linked else _UNLINKED
    if link in gold.sure:
        return _LINKED if linked else _MISSED
    if linked:
        return _POSSIBLY if link in gold.possible else _WRONG
    return _UNLINKED


def _letters(word: str) -> list[str]:
    """Each letter with its marks, two columns wide."""
    found: list[str] = []
    for character in word:
        if say.columns(character) == 0 and found:
            found[-1] += character
        else:
            found.append(character)
    return [letter + " " * (2 - say.columns(letter)) for letter in found]


def _kept_apart(word: str) -> str:
    """A word with marks that keep right-to-left text from reversing its row."""
    return f"\u200e{word}\u200e" if say.from_right(word) else word
