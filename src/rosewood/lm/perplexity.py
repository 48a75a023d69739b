"""How well a language model foresees a text, with and without the words that it does not know."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, log2, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Perplexity:
    """Sums over a text, which can be added up; perplexities are made of them.

    The end of a sentence counts as a word that the model foresees, `<s>` does not.
    """

    sentences: int
    words: int  # without the ends of sentences
    unknown: int  # words that the model does not know
    log10: float  # of the whole text
    log10_unknown: float  # of the unknown words in it
    lengths: tuple[int, ...]  # how many words, and ends, came from n-grams of each order

    @classmethod
    def zero(cls, order: int) -> Perplexity:
        return cls(0, 0, 0, 0.0, 0.0, (0,) * order)

    @classmethod
    def of(
        cls,
        start: NDArray[np.int64],
        score: NDArray[np.float64],
        length: NDArray[np.int32],
        word: NDArray[np.uint32],
        order: int,
    ) -> Perplexity:
        """Of scored sentences, `</s>` with them."""
        sentences = len(start) - 1
        is_unknown = word == 0
        return cls(
            sentences=sentences,
            words=len(word) - sentences,
            unknown=int(np.count_nonzero(is_unknown)),
            log10=float(score.sum()),
            log10_unknown=float(score[is_unknown].sum()),
            lengths=tuple(np.bincount(length, minlength=order + 1)[1:].tolist()),
        )

    def __add__(self, other: Perplexity) -> Perplexity:
        return Perplexity(
            self.sentences + other.sentences,
            self.words + other.words,
            self.unknown + other.unknown,
            self.log10 + other.log10,
            self.log10_unknown + other.log10_unknown,
            tuple(a + b for a, b in zip(self.lengths, other.lengths, strict=True)),
        )

    @property
    def tokens(self) -> int:
        """What is foreseen: words and ends of sentences."""
        return self.words + self.sentences

    @property
    def perplexity(self) -> float:
        """Of all words and ends of sentences; not a number where there is nothing to foresee."""
        return _perplexity(self.log10, self.tokens)

    @property
    def perplexity_known(self) -> float:
        """Without the words that the model does not know."""
        return _perplexity(self.log10 - self.log10_unknown, self.tokens - self.unknown)

    @property
    def bits_per_word(self) -> float:
        """Of all words and ends of sentences."""
        return log2(10) * -self.log10 / self.tokens if self.tokens else nan

    def to_dict(self) -> dict[str, Any]:
        """Sums and perplexities, for JSON: numbers that are not finite are None."""
        ratios = ("perplexity", "perplexity_known", "bits_per_word")
        numbers = {name: getattr(self, name) for name in ratios}
        return {
            "sentences": self.sentences,
            "words": self.words,
            "unknown": self.unknown,
            "log10": self.log10,
            "log10_unknown": self.log10_unknown,
            **{name: value if isfinite(value) else None for name, value in numbers.items()},
            "lengths": list(self.lengths),
        }

    def rows(self) -> list[list[str]]:
        """Name, value and explanation of each number, as a table for people."""
        part = self.unknown / self.words if self.words else 0.0
        rows = [
            ["perplexity", f"{self.perplexity:,.4f}", "words and ends of sentences"],
            ["perplexity_known", f"{self.perplexity_known:,.4f}", "without unknown words"],
            ["bits_per_word", f"{self.bits_per_word:.4f}", ""],
            ["log10", f"{self.log10:,.4f}", ""],
            ["log10_unknown", f"{self.log10_unknown:,.4f}", "of unknown words"],
            ["sentences", f"{self.sentences:,}", ""],
            ["words", f"{self.words:,}", ""],
            ["unknown", f"{self.unknown:,}", f"{part:.2%} of the words"],
        ]
        for n, count in enumerate(self.lengths, start=1):
            rows.append([f"{n}-grams", f"{count:,}", f"{count / self.tokens:.1%} of all tokens"])
        return rows


def _perplexity(log10: float, tokens: int) -> float:
    if tokens == 0:
        return nan
    try:
        return float(10.0 ** (-log10 / tokens))
    except OverflowError:
        return float("inf")
