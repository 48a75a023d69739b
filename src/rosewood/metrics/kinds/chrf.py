"""F-score of character n-grams, as sacreBLEU counts it; chrf++ is chrf:word_order=2.

Native      core/metrics/statistics.hpp, score.hpp; specification: tests/reference/metrics.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rosewood import _core
from rosewood.arrays import FloatArray
from rosewood.errors import MetricError
from rosewood.metrics.batch import SentenceBatch, number_chars, number_words
from rosewood.metrics.metric import TextMetric, as_number
from rosewood.metrics.tokenise import sacrebleu_version
from rosewood.settings import setting

if TYPE_CHECKING:
    from rosewood.metrics.linear import LinearLoss

_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


@dataclass(frozen=True, repr=False)
class Chrf(TextMetric):
    """The F-score of character n-grams; with word_order=2 also of words: chrF++.

    Recall counts `beta` times as much as precision.  Of several references the best one counts.
    `whitespace` keeps blanks as characters; `eps_smoothing` averages the F-scores of the orders as
    chrF++.py does, instead of precision and recall over the orders that the text has.
    """

    char_order: int = setting(6, "Longest n-gram of characters.", low=0)
    word_order: int = setting(0, "Longest n-gram of words; chrF++ has 2.", low=0)
    beta: float = setting(2.0, "How much recall counts, with precision as 1.")
    lowercase: bool = setting(False, "Compare without case.")
    whitespace: bool = setting(False, "Keep blanks as characters.")
    eps_smoothing: bool = setting(False, "Average over orders as chrF++.py does.")

    name = "chrf"
    not_linear = (
        "n-grams of characters cross the borders of words. Those of words add up: use "
        "chrf:word_order=2 (chrF++)"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        orders = self.char_order + self.word_order
        if not 1 <= orders <= 1000:
            reason = f"chrf: char_order and word_order are {orders} together, expected 1 to 1000"
            raise MetricError(reason, code="argument.range", argument="char_order", value=orders)
        as_number("beta", self.beta, positive=True)
        named = [f"char{n}" for n in range(1, self.char_order + 1)]
        named += [f"word{n}" for n in range(1, self.word_order + 1)]
        parts = ("hypothesis", "reference", "matches")
        object.__setattr__(self, "columns", tuple(f"{n}_{part}" for n in named for part in parts))

    @property
    def scorer(self) -> _core.MetricScorer:
        return _core.MetricScorer(
            "chrf",
            orders=self.char_order + self.word_order,
            effective_order=not self.eps_smoothing,
            beta=self.beta,
        )

    @property
    def title(self) -> str:
        return f"chrF{self.beta:g}" + "+" * self.word_order

    @property
    def signature(self) -> str:
        facts = [
            f"case:{'lc' if self.lowercase else 'mixed'}",
            f"eff:{'no' if self.eps_smoothing else 'yes'}",
            f"nc:{self.char_order}",
            f"nw:{self.word_order}",
            f"space:{'yes' if self.whitespace else 'no'}",
            *([] if self.beta == 2 else [f"beta:{self.beta:g}"]),
        ]
        return "|".join([*facts, f"version:{sacrebleu_version()}"])

    def linear_loss(self, statistics: FloatArray, *, blanks: bool = False) -> LinearLoss:
        from rosewood.metrics.linear_chrf import LinearChrf

        if not self.word_order:
            return super().linear_loss(statistics, blanks=blanks)
        return LinearChrf.fit(self, statistics, tokenize="none" if blanks else "chrf")

    def _count(self, batch: SentenceBatch, threads: int) -> FloatArray:
        sides = batch.hypotheses, batch.references
        if self.lowercase:
            sides = batch.texts(str.lower)
        chars = [number_chars(side if self.whitespace else _squeezed(side)) for side in sides]
        words = number_words(*(self._words(side) for side in sides))
        out = np.empty((len(batch.hypotheses), len(self.columns)))
        _core.chrf_statistics(
            batch.hypothesis_start,
            batch.reference_start,
            *chars[0],
            *chars[1],
            *words[0],
            *words[1],
            self.char_order,
            self.word_order,
            self.scorer,
            threads,
            out,
        )
        return out

    def _words(self, texts: Sequence[str]) -> list[list[str]]:
        if not self.word_order:
            return [[] for _ in texts]
        return [cut_words(text) for text in texts]


def _squeezed(texts: Sequence[str]) -> list[str]:
    return ["".join(text.split()) for text in texts]


def cut_words(text: str) -> list[str]:
    """Words, with one mark of punctuation cut off: at the end, or else at the beginning."""
    words = []
    for word in text.split():
        if len(word) > 1 and word[-1] in _PUNCTUATION:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in _PUNCTUATION:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


PLUGIN = Chrf
