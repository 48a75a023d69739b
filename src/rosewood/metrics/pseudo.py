"""A background of sentences translated before, so that a candidate is scored in company.

Sentence BLEU is not corpus BLEU: a sentence may be too short or too long if others make up for it.
Chiang, Marton & Resnik (2008) score a candidate together with a decaying sum of the statistics of
what was chosen before it, and multiply by the length, which gives each sentence its due weight.
"""

from __future__ import annotations

import numpy as np

from rosewood.arguments import check_number
from rosewood.arrays import FloatArray
from rosewood.errors import MetricError
from rosewood.metrics.metric import Metric, as_number, as_rows, check_metric


class PseudoCorpus:
    """Decayed sums of statistics, of any metric, to measure candidates of one sentence by.

    `background` starts with `start` in every column (one match of one n-gram of each order, in the
    case of BLEU).  A decay of 0.999 is that of Cherry & Foster (2012).
    """

    def __init__(self, metric: Metric, *, decay: float = 0.999, start: float = 1.0) -> None:
        check_metric(metric)
        check_number("decay", decay, low=0, high=1, error=MetricError)
        start = as_number("the start of a pseudo-corpus", start)
        self.metric = metric
        self.decay = decay
        self.background: FloatArray = np.full(len(metric.columns), start)

    def gains(self, statistics: FloatArray) -> FloatArray:
        """The gain of each candidate, [n, columns] → [n], in units of the second statistic.

        It is the gain of background and candidate together, times their size: of BLEU, about the
        reference words that are matched.  Only differences between candidates mean anything.
        """
        together = as_rows(self.metric, statistics) + self.background
        gains = self.metric.gains(together)
        scaled: FloatArray = gains / self.metric.scorer.factor * together[:, 1]
        return scaled

    def update(self, statistics: FloatArray) -> None:
        """Decay the corpus and add the statistics of a chosen candidate, [columns]."""
        rows = as_rows(self.metric, statistics, one=True)
        if len(rows) != 1:
            raise MetricError(
                f"statistics have shape {rows.shape}, expected {self.background.shape}",
                code="argument.shape", argument="statistics", value=rows.shape,
            )  # fmt: skip
        self.background = self.decay * self.background + rows[0]

    def __repr__(self) -> str:
        return f"PseudoCorpus({self.metric!r}, decay={self.decay})"
