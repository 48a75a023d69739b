"""Corpus BLEU, as sacreBLEU counts it.

Native      core/metrics/statistics.hpp, score.hpp; specification: tests/reference/metrics.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from rosewood import _core
from rosewood.arrays import FloatArray
from rosewood.corpus import Vocabulary
from rosewood.errors import MetricError
from rosewood.metrics.batch import SentenceBatch, Texts, starts
from rosewood.metrics.metric import TextGroups, TextMetric, as_number
from rosewood.metrics.tokenise import (
    TOKENISERS,
    TokenNumbers,
    check_tokeniser,
    sacrebleu_version,
    tokeniser_signature,
)
from rosewood.resources import check_threads
from rosewood.settings import setting

if TYPE_CHECKING:
    from rosewood.metrics.linear_bleu import LinearBleu

# The smoothings of sacreBLEU and the values it takes where none is given.
SMOOTHINGS: dict[str, float | None] = {"exp": None, "add-k": 1.0, "floor": 0.1, "none": None}


def count_ngrams(
    batch: SentenceBatch,
    *,
    tokenize: str,
    lowercase: bool,
    orders: int,
    width: int,
    clip: bool = True,
    threads: int = 1,
) -> FloatArray:
    """[N, width]: the lengths, matches and n-grams of every hypothesis of a batch."""
    numbers = TokenNumbers(tokenize, lowercase=lowercase)
    hypotheses, references = numbers.lines(batch.hypotheses), numbers.lines(batch.references)
    return counted_ngrams(batch, hypotheses, references, orders, width, clip, threads)


def counted_ngrams(
    batch: SentenceBatch, hypotheses: Texts, references: Texts, orders: int, width: int,
    clip: bool, threads: int,
) -> FloatArray:  # fmt: skip
    """The same of numbered words."""
    out = np.empty((len(batch.hypotheses), width))
    _core.bleu_statistics(
        batch.hypothesis_start,
        batch.reference_start,
        *hypotheses,
        *references,
        orders,
        clip,
        threads,
        out,
    )
    return out


@dataclass(frozen=True, repr=False)
class Bleu(TextMetric):
    """Corpus BLEU, identical to sacreBLEU's, with all of its tokenisations and smoothings.

    `orders` is the longest n-gram; `smooth_value` the k of "add-k" and "floor";
    `effective_order` leaves out orders longer than the text, which is meant for single sentences.
    """

    tokenize: str = setting("13a", "Tokenisation of sacreBLEU.", choices=TOKENISERS)
    lowercase: bool = setting(False, "Compare without case.")
    orders: int = setting(4, "Longest n-gram.", low=1, high=1000)
    smooth: str = setting("exp", "Smoothing of sacreBLEU.", choices=SMOOTHINGS)
    smooth_value: float | None = setting(None, "The k of add-k and floor.", low=0)
    effective_order: bool = setting(False, "Leave out orders longer than the text.")

    name = "bleu"
    _kind = "bleu"  # of the native scorer

    def __post_init__(self) -> None:
        super().__post_init__()
        check_tokeniser(self.tokenize)
        if self.smooth_value is not None and SMOOTHINGS[self.smooth] is None:
            reason = f"{self.name}: smooth_value has no effect with smooth={self.smooth}"
            raise MetricError(reason, code="argument.conflict", argument="smooth_value")
        object.__setattr__(self, "columns", self._columns())

    def _columns(self) -> tuple[str, ...]:
        orders = range(1, self.orders + 1)
        matches, totals = (f"matches{n}" for n in orders), (f"ngrams{n}" for n in orders)
        return ("words", "reference_words", *matches, *totals)

    def _scorer(self, smooth: str, value: float) -> _core.MetricScorer:
        return _core.MetricScorer(
            self._kind,
            orders=self.orders,
            smooth=smooth,
            smooth_value=value,
            effective_order=self.effective_order,
        )

    @property
    def scorer(self) -> _core.MetricScorer:
        value = SMOOTHINGS[self.smooth] if self.smooth_value is None else self.smooth_value
        return self._scorer(self.smooth, value or 0.0)

    @property
    def title(self) -> str:
        return "BLEU"

    @property
    def signature(self) -> str:
        value = SMOOTHINGS[self.smooth] if self.smooth_value is None else self.smooth_value
        facts = [
            f"case:{'lc' if self.lowercase else 'mixed'}",
            f"eff:{'yes' if self.effective_order else 'no'}",
            f"tok:{tokeniser_signature(self.tokenize)}",
            f"smooth:{self.smooth}" + ("" if value is None else f"[{_digits(value)}]"),
            *self._more_facts(),
        ]
        return "|".join([*facts, f"version:{sacrebleu_version()}"])

    def _more_facts(self) -> list[str]:
        """What sacreBLEU does not tell."""
        return [] if self.orders == 4 else [f"orders:{self.orders}"]

    def _count(self, batch: SentenceBatch, threads: int) -> FloatArray:
        return count_ngrams(
            batch,
            tokenize=self.tokenize,
            lowercase=self.lowercase,
            orders=self.orders,
            width=len(self.columns),
            threads=threads,
        )

    def statistics_of_words(
        self, words: Vocabulary, lists: Sequence[Texts], references: TextGroups,
        *, threads: int = 1,
    ) -> FloatArray | None:  # fmt: skip
        numbers = TokenNumbers(self.tokenize, lowercase=self.lowercase)
        start = starts(chain.from_iterable(np.diff(each).tolist() for each, _ in lists))
        symbols = np.concatenate([np.empty(0, np.int32), *(each for _, each in lists)])
        hypotheses = numbers.symbols(words, start, symbols)
        if hypotheses is None:
            return None
        counts = [[""] * (len(each) - 1) for each, _ in lists]
        batch = SentenceBatch.of(self.name, counts, references)
        return counted_ngrams(
            batch, hypotheses, numbers.lines(batch.references), self.orders, len(self.columns),
            True, check_threads(threads, MetricError),
        )  # fmt: skip

    def sentence_gains(self, statistics: FloatArray, *, smoothing: float = 1.0) -> FloatArray:
        """Sentence BLEU with add-α smoothing, α = `smoothing`, whatever smooths the corpus.

        α is added to the matches and the n-grams of every order but the first; the brevity penalty
        is the sentence's own.  α = 1 is the BLEU+1 of Lin & Och (2004) that PRO uses.
        """
        k = as_number(f"{self.name}: smoothing", smoothing)
        return self._scores(self._scorer("add-k", k), statistics)

    def linear_loss(self, statistics: FloatArray, *, blanks: bool = False) -> LinearBleu:
        from rosewood.metrics.linear_bleu import LinearBleu

        return LinearBleu.fit(self, statistics, tokenize="none" if blanks else self.tokenize)

    def with_longer_references(self, statistics: FloatArray, words: float) -> FloatArray:
        """A copy of the rows in which each reference is longer by so many words."""
        longer = statistics.copy()
        longer[:, self.columns.index("reference_words")] += words
        return longer


def _digits(value: float) -> str:
    """Two digits, as sacreBLEU writes them; all where two are not enough to tell."""
    rounded = f"{value:.2f}"
    return rounded if float(rounded) == value else repr(float(value))


PLUGIN = Bleu
