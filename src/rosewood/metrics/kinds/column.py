"""Mean of a column of scores that came with the hypotheses: column:comet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rosewood import _core
from rosewood.arguments import check_shape, check_type
from rosewood.arrays import FloatArray
from rosewood.errors import MetricError
from rosewood.metrics.batch import as_groups
from rosewood.metrics.metric import BatchMetric, ScoreColumns, TextGroups
from rosewood.settings import setting


@dataclass(frozen=True, repr=False)
class Column(BatchMetric):
    """The mean of a column of scores; references are not looked at.

    `higher` says whether more is better.
    """

    column: str = setting(help="Name of the column.")
    higher: bool = setting(True, "Whether more is better.")

    needs_references = False
    not_linear = "its scores are those of whole candidates, edges have none"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.column:
            reason = "column: the name of a column is missing, as in column:comet"
            raise MetricError(reason, code="argument.missing", argument="column")
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

    def _many(
        self, hypotheses: TextGroups, references: TextGroups, scores: ScoreColumns, threads: int
    ) -> FloatArray:
        count = sum(map(len, as_groups(self.name, "hypotheses", hypotheses)))
        check_type("scores", scores, Mapping | None, "columns by name", error=MetricError)
        if not scores or self.column not in scores:
            known = ", ".join(scores or {}) or "none"
            reason = f"there is no column {self.column!r} of scores; known: {known}"
            raise MetricError(reason, code="argument.unknown", argument="scores", value=self.column)
        try:
            value = np.asarray(scores[self.column], dtype=np.float64)
        except (TypeError, ValueError) as error:
            reason = f"column {self.column!r} is not numbers: {error}"
            raise MetricError(reason, code="argument.type", argument=self.column) from error
        check_shape(f"column {self.column!r}", value, (count,), error=MetricError)
        bad = np.flatnonzero(~np.isfinite(value))
        if bad.size:
            place = int(bad[0])
            reason = f"column {self.column!r}: number {place} is {value[place]}, not finite"
            raise MetricError(reason, code="argument.range", argument=self.column, value=place)
        return np.column_stack([value, np.ones(count)])


PLUGIN = Column
