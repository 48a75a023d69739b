"""Language model scores of parts of sentences, for decoders that build translations bottom-up.

    cost, house = chart_score(model, ["the", "house"])
    more, phrase = chart_score(model, [house, "is", "small"])         # its score: cost + more
    rest, _ = chart_score(model, [phrase], begin=True, end=True)
    cost + more + rest == model.score("the house is small")           # but for rounding

Parts with equal states have equal futures, whatever comes before and behind them: a decoder may
keep the best of them.
Native      core/lm/chart.hpp; specification: tests/reference/chart.py
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite

from rosewood.errors import DamagedFileError, LanguageModelError
from rosewood.lm.model import Model

_BEGIN, _END = 1, 2


@dataclass(frozen=True, slots=True)
class ChartState:
    """The state of a part of a sentence: the words that can affect those before and after it."""

    row: tuple[int, ...]  # as core/lm/chart.hpp lays it out

    @property
    def left(self) -> tuple[int, ...]:
        """The first words, whose scores change when words come before them."""
        return self.row[3 : 3 + self.row[0]]

    @property
    def is_full(self) -> bool:
        """Whether words after `left` have their final scores, except for back-offs."""
        return bool(self.row[2])

    @property
    def right(self) -> tuple[int, ...]:
        """The state after the last word, the latest word last, as `Model.state` gives it."""
        first = 3 + (len(self.row) - 3) // 4
        return self.row[first : first + self.row[1]][::-1]


def chart_score(
    model: Model,
    parts: Iterable[str | int | ChartState],
    *,
    begin: bool = False,
    end: bool = False,
) -> tuple[float, ChartState]:
    """log10 score of words and smaller parts in a row, and the state of the whole.

    Scores of smaller parts are not in it, only what their neighbours change.  `begin` and `end` add
    the edges of the sentence.
    """
    symbols: list[int] = []
    rows: list[tuple[int, ...]] = []
    for each in parts:
        if isinstance(each, ChartState):
            symbols.append(-1 - len(rows))
            rows.append(each.row)
            continue
        number = model.vocabulary.id(each) if isinstance(each, str) else each
        if number in (_BEGIN, _END) or number < 0:
            raise LanguageModelError(
                f"{each!r} is not a word of a sentence: use begin=True and end=True for its edges",
                code="lm.sentence-mark", value=each,
            )  # fmt: skip
        symbols.append(number)
    if end:
        symbols.append(_END)
    score, row = model.native.score_chart(symbols, rows, begin)
    if not isfinite(score):
        reason = "it has probabilities that are NaN or infinite"
        raise DamagedFileError(reason, code="file.damaged", file=model.path)
    return score, ChartState(tuple(row))
