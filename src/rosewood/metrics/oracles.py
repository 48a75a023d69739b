"""What a set of candidates holds: the best score that choosing can reach, the worst, and chance."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from rosewood.arrays import FloatArray, LongArray, as_array
from rosewood.errors import ForestError, MetricError
from rosewood.metrics.metric import Metric, as_rows, as_whole

MAX_PASSES = 100  # over all sentences; two or three are usual


@dataclass(frozen=True)
class Bounds:
    """Scores of a candidate set; the choices are rows of its statistics, one a sentence.

    `random` is the mean score of `draws` random choices, `random_deviation` their standard
    deviation.
    """

    oracle: float
    random: float
    random_deviation: float
    worst: float
    oracle_choice: LongArray
    worst_choice: LongArray
    draws: int
    seed: int
    signature: str


def bounds(
    metric: Metric,
    statistics: FloatArray,
    group_start: ArrayLike,
    *,
    seed: int = 0,
    draws: int = 20,
) -> Bounds:
    """The oracle, random and worst scores of candidates.

    `statistics` has a row for each candidate; those of sentence g are the rows
    group_start[g]:group_start[g+1].
    """
    rows, start = _checked(metric, statistics, group_start)
    draws, seed = as_whole("draws", draws, 1, 2**31), as_whole("seed", seed)
    random = np.random.default_rng(seed)
    chosen = random.integers(start[:-1], start[1:], size=(draws, len(start) - 1))
    scores = np.array([metric.score(rows[choice]) for choice in chosen])
    choices, ends = [], []
    for sign in (metric.sign, -metric.sign):
        choice = oracle(metric, rows, start, worst=sign != metric.sign)
        lucky = int(np.argmax(sign * scores))
        if sign * scores[lucky] > sign * metric.score(rows[choice]):  # chance found better ground
            choice = _climb(metric, rows, start, chosen[lucky], sign * metric.sign)
        choices.append(choice)
        ends.append(metric.score(rows[choice]))
    return Bounds(
        oracle=ends[0],
        random=float(scores.mean()),
        random_deviation=float(scores.std(ddof=1)) if draws > 1 else 0.0,
        worst=ends[1],
        oracle_choice=choices[0],
        worst_choice=choices[1],
        draws=draws,
        seed=seed,
        signature=metric.signature,
    )


def oracle(
    metric: Metric, statistics: FloatArray, group_start: ArrayLike, *, worst: bool = False
) -> LongArray:
    """The row of one candidate of each sentence such that the corpus scores best (or worst).

    It starts from the best of each sentence alone, then takes for one sentence after the other
    the candidate that is best given all the rest, until nothing changes.  So no single exchange
    improves it; the true best of all combinations may still be a little better.
    """
    rows, start = _checked(metric, statistics, group_start)
    sign = -1.0 if worst else 1.0
    alone = sign * metric.sentence_gains(rows)
    first = [a + int(np.argmax(alone[a:b])) for a, b in pairwise(start.tolist())]
    return _climb(metric, rows, start, np.array(first, dtype=np.int64), sign)


def _climb(
    metric: Metric, rows: FloatArray, start: LongArray, choice: LongArray, sign: float
) -> LongArray:
    """Exchanges candidates of single sentences while that improves sign · gain of the corpus."""
    choice = choice.copy()
    for _ in range(MAX_PASSES):
        total = rows[choice].sum(axis=0)  # afresh, so that rounding does not gather
        changed = False
        for g, (a, b) in enumerate(pairwise(start.tolist())):
            if b - a == 1:
                continue
            old = int(choice[g])
            gain = sign * metric.gains(total - rows[old] + rows[a:b])
            new = a + int(np.argmax(gain))
            if gain[new - a] > gain[old - a] + 1e-12 * abs(gain[old - a]):
                total = total - rows[old] + rows[new]
                choice[g] = new
                changed = True
        if not changed:
            break
    return choice


def _checked(
    metric: Metric, statistics: FloatArray, group_start: ArrayLike
) -> tuple[FloatArray, LongArray]:
    rows = as_rows(metric, statistics)
    try:
        start = as_array("group_start", group_start, np.int64)
    except ForestError as error:
        raise error.restated(str(error), MetricError) from None
    if len(start) < 2:
        reason = "there are no sentences to choose for"
        raise MetricError(reason, code="metric.no-sentences", argument="group_start")
    if start[0] != 0 or start[-1] != len(rows):
        reason = f"group_start must go from 0 to {len(rows)}"
        raise MetricError(reason, code="argument.value", argument="group_start", expected=len(rows))
    empty = np.flatnonzero(np.diff(start) <= 0)
    if empty.size:
        reason = f"sentence {empty[0]} has no candidates"
        raise MetricError(reason, code="metric.no-candidates", value=int(empty[0]))
    return rows, start
