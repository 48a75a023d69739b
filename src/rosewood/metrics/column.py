"""A column of numbers that came with the hypotheses, as a metric: somebody's COMET."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rosewood import _core
from rosewood.arrays import FloatArray
from rosewood.errors import MetricError
from rosewood.metrics.batch import as_groups
from rosewood.metrics.metric import Metric

__all__ = ["Column"]


@dataclass(frozen=True, repr=False)
class Column(Metric):
    """The mean of a column of scores; references are not looked at.

    `higher` says whether more is better.
    """

    column: str
    higher: bool = True

    needs_references = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.column, str) or not self.column:
            raise MetricError("column: a column needs its name, as in column:comet")
        object.__setattr__(self, "name", f"column:{self.column}")
        object.__setattr__(self, "columns", ("total", "count"))
        object.__setattr__(self, "higher_is_better", self.higher)

    @property
    def scorer(self) -> _core.MetricScorer:
        return _core.MetricScorer("ratio", higher_is_better=self.higher, factor=1.0)

    @property
    def title(self) -> str:
        return self.column

    @property
    def signature(self) -> str:
        from rosewood import __version__

        better = "higher" if self.higher else "lower"
        return f"column:{self.column}|mean:yes|better:{better}|version:rosewood-{__version__}"

    def statistics(
        self,
        hypotheses: Sequence[str],
        references: Sequence[str],
        scores: Mapping[str, Sequence[float]] | None = None,
    ) -> FloatArray:
        return self.statistics_many([hypotheses], [references], scores)

    def statistics_many(
        self,
        hypotheses: Sequence[Sequence[str]],
        references: Sequence[Sequence[str]],
        scores: Mapping[str, Sequence[float]] | None = None,
        *,
        threads: int = 1,
    ) -> FloatArray:
        own = as_groups(self.name, "hypotheses", hypotheses)
        return self._rows(sum(map(len, own)), scores)

    def _rows(self, count: int, scores: Mapping[str, Sequence[float]] | None) -> FloatArray:
        if not isinstance(scores, Mapping | None):
            raise MetricError(f"scores are {scores!r}, want columns of numbers by name")
        if not scores or self.column not in scores:
            known = ", ".join(scores or {}) or "none"
            raise MetricError(f"there is no column {self.column!r} of scores; there are: {known}")
        try:
            value = np.asarray(scores[self.column], dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise MetricError(f"column {self.column!r} is not numbers: {error}") from error
        if value.shape != (count,):
            raise MetricError(
                f"column {self.column!r} has shape {value.shape} for {count} hypotheses"
            )
        bad = np.flatnonzero(~np.isfinite(value))
        if bad.size:
            raise MetricError(f"column {self.column!r}: number {bad[0]} is {value[bad[0]]}")
        return np.column_stack([value, np.ones(count)])
