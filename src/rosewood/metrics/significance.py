"""Is a system better than a baseline, or is it chance?  Paired tests on additive statistics.

Both tests are sacreBLEU's, for any metric: the same random numbers from the same seed, the same
p-values.  (sacreBLEU adds up resamples in single precision; means and intervals agree to that.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rosewood.arguments import check_length
from rosewood.arrays import FloatArray
from rosewood.errors import MetricError
from rosewood.metrics.metric import Metric, as_rows, as_whole
from rosewood.metrics.settings import SEED

SIGNIFICANT = 0.05
BLOCK = 1 << 22  # random numbers at a time


@dataclass(frozen=True)
class Comparison:
    """A system against a baseline.

    `p_value` is the chance of a difference as large as this one if there were none.  Where there
    was resampling, `mean` and `margin` are the mean of the system's scores and half the width of
    their 95 % interval, and `interval` is the 95 % interval of the difference.
    """

    name: str
    test: str
    score: float
    baseline: float
    difference: float
    p_value: float
    samples: int
    seed: int
    signature: str
    mean: float | None = None
    margin: float | None = None
    baseline_mean: float | None = None
    baseline_margin: float | None = None
    interval: tuple[float, float] | None = None

    def verdict(self, metric: Metric) -> str:
        """better, worse or unclear, at 5 %.

        sacreBLEU's bootstrap calls one in ten differences of nothing significant at p < 0.05, so
        the interval of the difference must leave out zero as well.
        """
        low, high = self.interval or (self.difference, self.difference)
        if self.p_value >= SIGNIFICANT or self.difference == 0 or low <= 0 <= high:
            return "unclear"
        return "better" if metric.sign * self.difference > 0 else "worse"


def paired_bootstrap(
    metric: Metric,
    system: FloatArray,
    baseline: FloatArray,
    *,
    samples: int = 1000,
    seed: int = SEED,
    references: int | str | None = None,
) -> Comparison:
    """Paired bootstrap resampling (Koehn 2004), two-sided.

    `system` and `baseline` have a row of statistics for each sentence; `references` is how many
    there were, for the signature.
    """
    own, other = _pair(metric, system, baseline)
    samples, seed = as_whole("samples", samples, 1, 2**31), as_whole("seed", seed)
    scores = _resampled(metric, (own, other), samples, np.random.default_rng(seed))
    distance = np.abs(scores[0] - scores[1])
    score, base = metric.score(own), metric.score(other)
    mean, margin = _interval(scores[0])
    baseline_mean, baseline_margin = _interval(scores[1])
    return Comparison(
        name=metric.name,
        test="bootstrap",
        score=score,
        baseline=base,
        difference=score - base,
        p_value=_p_value(distance - distance.mean(), abs(score - base)),
        samples=samples,
        seed=seed,
        signature=_signature(metric, references, bs=samples, seed=seed),
        mean=mean,
        margin=margin,
        baseline_mean=baseline_mean,
        baseline_margin=baseline_margin,
        interval=_ends(scores[0] - scores[1]),
    )


def paired_randomisation(
    metric: Metric,
    system: FloatArray,
    baseline: FloatArray,
    *,
    samples: int = 10000,
    seed: int = SEED,
    resamples: int = 0,
    ties: bool = False,
    references: int | str | None = None,
) -> Comparison:
    """Approximate randomisation (Riezler & Maxwell 2005), two-sided.

    In each trial every sentence's two translations change places or not, by a coin.  `resamples`
    bootstrap resamples give means and intervals beside it; 0 leaves them out.

    sacreBLEU counts trials whose difference is larger than the real one; with `ties` those that are
    as large count too, as they should: if one sentence of a thousand differs, every trial is as
    large as the real difference, and that is no evidence.
    """
    own, other = _pair(metric, system, baseline)
    samples, resamples = as_whole("samples", samples, 1, 2**31), as_whole("resamples", resamples)
    seed = as_whole("seed", seed)
    score, base = metric.score(own), metric.score(other)
    random = np.random.default_rng(seed)
    distances = []
    for coins in _coins(random, samples, len(own)):
        stays, goes = coins.astype(np.float64), (~coins).astype(np.float64)
        mixed = _sums(stays, other) + _sums(goes, own)
        rest = _sums(goes, other) + _sums(stays, own)
        distances.append(np.abs(metric.scores(mixed) - metric.scores(rest)))
    facts: dict[str, object] = {"bs": resamples} if resamples else {}
    more: dict[str, float | tuple[float, float]] = {}
    if resamples:
        drawn = _resampled(metric, (own, other), resamples, random)
        more["mean"], more["margin"] = _interval(drawn[0])
        again = _resampled(metric, (other,), resamples, np.random.default_rng(seed))
        more["baseline_mean"], more["baseline_margin"] = _interval(again[0])
        more["interval"] = _ends(drawn[0] - drawn[1])
    return Comparison(
        name=metric.name,
        test="randomisation",
        score=score,
        baseline=base,
        difference=score - base,
        p_value=_p_value(np.concatenate(distances), abs(score - base), ties=ties),
        samples=samples,
        seed=seed,
        signature=_signature(metric, references, **facts, ar=samples, seed=seed),
        **more,  # type: ignore[arg-type]
    )


def _pair(
    metric: Metric, system: FloatArray, baseline: FloatArray
) -> tuple[FloatArray, FloatArray]:
    pair = []
    for what, statistics in (("system", system), ("baseline", baseline)):
        pair.append(as_rows(metric, statistics, f"statistics of the {what}"))
    check_length("baseline", pair[1], len(pair[0]), "sentence of the system", error=MetricError)
    if not len(pair[0]):
        reason = "there are no sentences to compare"
        raise MetricError(reason, code="metric.no-sentences", argument="statistics")
    return pair[0], pair[1]


def _sums(weight: FloatArray, rows: FloatArray) -> FloatArray:
    """[samples, n] × [n, columns]; in one order on every machine, which BLAS does not promise."""
    total: FloatArray = np.einsum("sn,nc->sc", weight, rows, optimize=False)
    return total


def _resampled(
    metric: Metric,
    systems: tuple[FloatArray, ...],
    samples: int,
    random: np.random.Generator,
) -> list[FloatArray]:
    """The scores of each system on the same resamples of the sentences."""
    count = len(systems[0])
    block = max(1, BLOCK // count)
    parts: list[list[FloatArray]] = [[] for _ in systems]
    for begin in range(0, samples, block):
        rows = min(block, samples - begin)
        drawn = random.choice(count, size=(rows, count), replace=True)
        flat = drawn + count * np.arange(rows)[:, None]
        times = np.bincount(flat.ravel(), minlength=rows * count).reshape(rows, count)
        for part, statistics in zip(parts, systems, strict=True):
            part.append(metric.scores(_sums(times.astype(np.float64), statistics)))
    return [np.concatenate(part) for part in parts]


def _coins(random: np.random.Generator, samples: int, count: int) -> Iterator[NDArray[np.bool_]]:
    """A coin for each sentence of each sample, in blocks of whole words of random bits."""
    block = max(32, BLOCK // count // 32 * 32)
    for begin in range(0, samples, block):
        size = (min(block, samples - begin), count)
        yield random.integers(2, size=size, dtype=np.bool_)


def _p_value(found: FloatArray, difference: float, *, ties: bool = False) -> float:
    """How many are larger than the real one (or as large), but for rounding; the real one counts as
    well."""
    rounding = 1e-10 * (1.0 + difference)
    large = found >= difference - rounding if ties else found > difference + rounding
    return (int(np.count_nonzero(large)) + 1) / (len(found) + 1)


def _ends(values: FloatArray) -> tuple[float, float]:
    """The 95 % interval: a fortieth is left out at each end."""
    ordered = np.sort(values)
    out = len(ordered) // 40
    return float(ordered[out]), float(ordered[len(ordered) - out - 1])


def _interval(values: FloatArray) -> tuple[float, float]:
    low, high = _ends(values)
    return float(values.mean()), 0.5 * (high - low)


def _signature(metric: Metric, references: int | str | None, **facts: object) -> str:
    first = {} if references is None else {"nrefs": references}
    return metric.signature_with(**first, **facts)
