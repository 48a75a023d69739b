"""Bases of metrics that are a rate: edits, or what is right, in a number of words.

Native      core/metrics/edits.cpp; specification: tests/reference/metrics.py
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from rosewood import _core
from rosewood.arrays import FloatArray
from rosewood.metrics.batch import SentenceBatch, Texts
from rosewood.metrics.metric import TextMetric


class Rate(TextMetric):
    """A percentage: the first statistic in the second."""

    @property
    def scorer(self) -> _core.MetricScorer:
        return _core.MetricScorer("ratio", higher_is_better=self.higher_is_better)

    @property
    def title(self) -> str:
        return self.name.upper()

    @property
    def signature(self) -> str:
        from rosewood import __version__

        return "|".join([*self._facts(), f"version:rosewood-{__version__}"])

    @abstractmethod
    def _facts(self) -> list[str]:
        """The settings, for the signature."""


class EditRate(Rate):
    """Insertions, deletions and substitutions to the reference that needs the fewest."""

    higher_is_better = False
    columns = ("edits", "reference_length")
    not_linear = "the fewest edits are those of the whole string"

    @abstractmethod
    def _symbols(self, batch: SentenceBatch) -> list[Texts]:
        """Hypotheses and references as rows of numbers."""

    def _count(self, batch: SentenceBatch, threads: int) -> FloatArray:
        hypotheses, references = self._symbols(batch)
        out = np.empty((len(batch.hypotheses), 2))
        starts = batch.hypothesis_start, batch.reference_start
        _core.edit_statistics(*starts, *hypotheses, *references, threads, out)
        return out


def case_fact(lowercase: bool) -> str:
    return f"case:{'lc' if lowercase else 'mixed'}"
