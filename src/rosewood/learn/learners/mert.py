"""Minimum error rate training (Och 2003), on n-best lists and forests alike.

Along a line of weights the best derivation of a forest changes at breakpoints, those of its upper
envelope: the inside value in the convex-hull semiring.  Between the breakpoints of all forests the
metric is constant, so the best point of the line is found exactly.  Lines follow the features
one by one, and random directions.  Climbs start at the given weights, at a regression, anywhere,
and, the later half, near the best point so far: good points of the metric have good neighbours.
Native      core/learn/envelope.hpp, core/learn/line_search.hpp
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosewood import _core
from rosewood.arrays import FloatArray, LongArray
from rosewood.disk_arrays import Growing
from rosewood.errors import TuningError
from rosewood.learn.candidates import least_squares
from rosewood.learn.learner import Fit, Learner, Rounds, begin
from rosewood.learn.tuning_set import TuningSet
from rosewood.settings import setting
from rosewood.shared_types import Report

_FAR = 1e4  # how far a line search looks, in units of the weights' length
_NARROW = 1e-9
_PIECE = 1 << 20  # edges at a time


class _Direction(NamedTuple):
    """A direction in θ, and what edges gain along it."""

    delta: FloatArray
    slope: FloatArray


@dataclass(frozen=True)
class Mert(Learner):
    """Exact line searches along features and random directions, from many starting points."""

    takes_forests: ClassVar[bool] = True

    restarts: int = setting(
        20, "Climbs; the first two start at the given weights and at a regression.", low=1
    )
    random_directions: int = setting(4, "Random directions per pass, besides the features.", low=0)
    passes: int = setting(50, "Maximum passes over all directions.", low=1)
    tolerance: float = setting(5e-4, "Stop when the relative gain of a pass is less.", low=0)
    nearby: float = setting(0.1, "Distance from the best point at which later climbs start.", low=0)
    max_features: int = setting(200, "Maximum number of features.", low=1)
    k: int = setting(100, "Strings of a forest from which features are scaled.", low=1)

    def fit(
        self, tuning: TuningSet, start: ArrayLike, *, seed: int = 0, report: Report | None = None
    ) -> Fit:
        count = len(tuning.features)
        if count > self.max_features:
            raise TuningError(
                f"MERT is not meant for {count} features: it searches along each of them, and "
                f"overfits with more than a few dozen; use mira, pro or mr (or raise "
                f"max_features, now {self.max_features})",
                code="tuning.too-many-features",
                argument="max_features",
                value=count,
                expected=self.max_features,
            )
        theta, candidates, scale, varies = begin(tuning, start, self.k, is_sample=True)
        gains = tuning.metric.sentence_gains(candidates.statistics)
        starts = [theta, scale * least_squares(candidates.scaled(scale), gains)]
        # Only where there is a difference to be made; elsewhere weights would be dice.
        steps = np.where(varies, scale, 0.0)
        deltas = np.diag(steps)[varies]
        axes = _directions(deltas, tuning.edge_scores_many(deltas))
        seeds = np.random.SeedSequence(seed).spawn(self.restarts)
        climbs: list[_Climb] = []
        history = Rounds(report)

        def climb(number: int, origin: FloatArray | None) -> _Climb:
            start = starts[number] if number < len(starts) else None
            return _climb(self, tuning, axes, scale, steps, start, origin, seeds[number])

        with ThreadPoolExecutor(max_workers=tuning.threads) as pool:
            for wave in _waves(self.restarts):
                origin = max(climbs, key=lambda c: c.gain).theta if climbs else None
                for done in pool.map(climb, wave, repeat(origin)):
                    climbs.append(done)
                    sign = tuning.metric.sign
                    best = max(each.gain for each in climbs)
                    history.add(sign * done.gain, best=sign * best, passes=done.passes)
        winner = max(climbs, key=lambda c: c.gain)  # the first among equals
        return Fit(winner.theta, tuning.score(winner.theta), history, scale)


def _waves(restarts: int) -> list[range]:
    """Half of the climbs, a quarter, and the rest: each wave starts from what the last ones found.

    Within a wave climbs do not know of each other, so they can run side by side.
    """
    half, quarter = (restarts + 1) // 2, (3 * restarts + 2) // 4
    waves = [range(half), range(half, quarter), range(quarter, restarts)]
    return [wave for wave in waves if wave]


class _Climb(NamedTuple):
    theta: FloatArray
    gain: float
    passes: int


def _climb(
    settings: Mert,
    tuning: TuningSet,
    axes: list[_Direction],
    scale: FloatArray,
    steps: FloatArray,
    start: FloatArray | None,
    origin: FloatArray | None,
    seed: np.random.SeedSequence,
) -> _Climb:
    """Line searches until a pass over all directions gains next to nothing."""
    random = np.random.default_rng(seed)
    if start is not None:
        theta = start
    elif origin is not None:
        noise = random.standard_normal(len(steps)) * steps
        theta = _unit(origin, scale, steps) + settings.nearby * noise
    else:
        theta = random.uniform(-1.0, 1.0, len(steps)) * steps
    gain = -np.inf
    done = 0
    while done < settings.passes:
        done += 1
        theta = _unit(theta, scale, steps)
        before = gain
        deltas = [
            random.standard_normal(len(steps)) * steps for _ in range(settings.random_directions)
        ]
        # Climbs share the threads.
        scores, *slopes = tuning.edge_scores_many([theta, *deltas], threads=1)
        directions = axes + _directions(deltas, slopes)
        for number in random.permutation(len(directions)):
            direction = directions[number]
            x, found, here = line_search(tuning, scores, direction.slope)
            gain = max(gain, here)
            if found > here:
                theta = theta + x * direction.delta
                _move(scores, x, direction.slope)
                gain = found
        if gain - before <= settings.tolerance * abs(gain):
            break
    return _Climb(theta, tuning.gain(theta), done)


def _move(scores: FloatArray, x: float, slope: FloatArray) -> None:
    """scores += x·slope, without another array of that length."""
    for first in range(0, len(scores), _PIECE):
        scores[first : first + _PIECE] += x * slope[first : first + _PIECE]


def _unit(theta: FloatArray, scale: FloatArray, steps: FloatArray) -> FloatArray:
    """θ with length 1 in units of `scale`: the metric does not care, bounds and rounding do."""
    if not theta.any():
        theta = steps
    return theta / float(np.sqrt(((theta / scale) ** 2).sum()))


def _directions(deltas: Iterable[FloatArray], slopes: Iterable[FloatArray]) -> list[_Direction]:
    return [_Direction(delta, slope) for delta, slope in zip(deltas, slopes, strict=True)]


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """One array; without a copy where there is one part."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def line_search(
    tuning: TuningSet,
    scores: FloatArray,
    slope: FloatArray,
    *,
    lower: float = -_FAR,
    upper: float = _FAR,
    min_width: float = _NARROW,
) -> tuple[float, float, float]:
    """The x for which scores + x·slope gives the best derivations: x, the gain there, and at 0.

    `scores` and `slope` are numbers of edges, as `TuningSet.edge_scores` gives them.
    """
    starts: list[LongArray] = []
    begins: list[FloatArray] = []
    rows: list[LongArray] = []
    counted = Growing(np.float64, tuning.max_memory // (16 * tuning.threads))
    lines = 0
    for part in tuning.slices():
        edges = slice(tuning.edge_start[part.first], tuning.edge_start[part.last])
        line_start, begin, start, edge = _core.upper_envelopes(
            part.batch.native, scores[edges], slope[edges], 1 if tuning.is_flat else tuning.threads
        )
        if tuning.is_flat:
            rows.append(tuning.rows(part, edge))
        else:
            owner = np.repeat(np.arange(part.last - part.first), np.diff(line_start))
            counted.append(tuning.statistics_of(part, owner, start, edge))
            rows.append(np.arange(lines, lines + len(begin)))
        starts.append(line_start if not starts else lines + line_start[1:])
        begins.append(begin)
        lines += len(begin)
    width = len(tuning.metric.columns)
    return _core.line_search(
        _joined(starts),
        _joined(begins),
        _joined(rows),
        tuning.statistics if tuning.is_flat else counted.array().reshape(-1, width),
        tuning.metric.scorer,
        lower,
        upper,
        min_width,
    )


PLUGIN = Mert
