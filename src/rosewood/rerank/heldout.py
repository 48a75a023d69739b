"""How choices on sentences that were not tuned on compare with those that were there before.

The p-value is that of approximate randomisation, with ties: where there is no difference, it says
so 19 times out of 20.  The p-value of sacreBLEU's bootstrap is about half as large, and would not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rosewood.arrays import FloatArray, LongArray
from rosewood.learn import TuningSet
from rosewood.metrics import Bounds, Metric, paired_randomisation, parse_metric
from rosewood.metrics.significance import SIGNIFICANT

_NOTHING = 1e-9  # means of equal scores differ by rounding
_ALSO = {"bleu": "chrf", "bleu-sbp": "chrf"}  # what judges beside the metric that was tuned


@dataclass(frozen=True)
class Heldout:
    """One metric of held-out choices, against those before."""

    how: str  # "5-fold cross-validation", "held-out file"
    sentences: int
    metric: str
    before: float
    after: float  # the mean over replicates
    replicates: list[float]
    p_value: float  # of the replicate in the middle
    interval: tuple[float, float]  # 95 % of its difference
    gain: float  # after - before, its sign so that more is better
    middle: float  # the score of the replicate in the middle
    oracle: float | None = None  # what choosing could reach there; of the tuned metric only
    random: float | None = None
    worst: float | None = None

    @property
    def verdict(self) -> str:
        low, high = self.interval
        if self.p_value >= SIGNIFICANT or low <= 0 <= high or abs(self.gain) < _NOTHING:
            return "unclear"
        if (self.middle - self.before) * (self.after - self.before) <= 0:
            return "unclear"  # one replicate says this, the mean of them that
        return "helps" if self.gain > 0 else "hurts"


def judge(
    data: TuningSet,
    before: LongArray,
    rows: Sequence[LongArray],
    *,
    how: str,
    limits: Bounds,
    samples: int,
) -> list[Heldout]:
    """The tuned metric, and one that was not tuned, of the rows that each replicate chose."""
    tables = [data.statistics[r] for r in rows]
    found = compare_choices(data.metric, data.statistics[before], tables, how, samples)
    judged = [
        replace(found, oracle=limits.oracle, random=limits.random, worst=limits.worst),
    ]
    if all(len(references) for references in data.references):
        also = parse_metric(_ALSO.get(data.metric.name, "bleu"))
        first, *others = [_chosen_statistics(data, also, r) for r in (before, *rows)]
        judged.append(compare_choices(also, first, others, how, samples))
    return judged


def _chosen_statistics(data: TuningSet, metric: Metric, rows: LongArray) -> FloatArray:
    return metric.statistics_many(
        [[text] for text in data.texts_of_rows(rows)], data.references, threads=data.threads
    )


def compare_choices(
    metric: Metric, before: FloatArray, after: Sequence[FloatArray], how: str, samples: int
) -> Heldout:
    """Scores of choices before and after tuning, by replicate, and the test of their difference."""
    scores = [metric.score(table) for table in after]
    # Of an even number the less good one of the two in the middle.
    order = sorted(range(len(after)), key=lambda i: (metric.sign * scores[i], i))
    middle = order[(len(after) - 1) // 2]
    test = paired_randomisation(
        metric, after[middle], before, samples=samples, resamples=samples, ties=True
    )
    mean = float(np.mean(scores))
    return Heldout(
        how=how,
        sentences=len(before),
        metric=metric.title,
        before=test.baseline,
        after=mean,
        replicates=scores,
        p_value=test.p_value,
        interval=test.interval or (0.0, 0.0),
        gain=metric.sign * (mean - test.baseline),
        middle=scores[middle],
    )
