"""Pairs of candidates, one better than the other, sampled as PRO does (Hopkins & May 2011)."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rosewood.arrays import FloatArray, LongArray
from rosewood.errors import TuningError
from rosewood.learn.candidates import Candidates, TableBuilder
from rosewood.metrics.kinds.bleu import Bleu
from rosewood.metrics.metric import Metric

_PAIRS = 1 << 16  # whose differences are computed at a time


class Pairs(NamedTuple):
    """Rows of the better and of the worse candidate of each pair, and how much better it is."""

    better: LongArray
    worse: LongArray
    gap: FloatArray


def gain_unit(gains: FloatArray, start: LongArray, name: str) -> float:
    """What a gain of 1.0 of BLEU is for these gains: 100 points.

    A column may be of any size: BLEU in a list goes over some 40 points, so a column's median range
    within lists stands for those.  (One wild number must not decide what a difference is.)
    """
    if not name.startswith("column"):
        return 100.0
    first = start[:-1]
    ranges = np.maximum.reduceat(gains, first) - np.minimum.reduceat(gains, first)
    width = float(np.median(ranges[ranges > 0])) if (ranges > 0).any() else 0.4
    return 2.5 * width


def ranking_gains(
    metric: Metric, statistics: FloatArray, *, smoothing: float, brevity: float
) -> FloatArray:
    """The metric of each candidate by itself.

    Add-one smoothing of n-gram counts alone favours short candidates: their precision gains more
    than the brevity penalty takes (Nakov et al. 2012).  So the reference is longer by `brevity`.
    """
    if isinstance(metric, Bleu) and brevity:
        statistics = metric.with_longer_references(statistics, brevity)
    return metric.sentence_gains(statistics, smoothing=smoothing)


def sample_pairs(
    candidates: Candidates,
    gains: FloatArray,
    *,
    samples: int,
    keep: int,
    threshold: float,
    random: np.random.Generator,
) -> Pairs:
    """From each list, `samples` random pairs; of those that differ by more than `threshold`, the
    `keep` that differ most."""
    return sample_hypothesis_pairs(
        candidates.start, gains, samples=samples, keep=keep, threshold=threshold, random=random
    )


def sample_hypothesis_pairs(
    start: LongArray,
    gains: FloatArray,
    *,
    samples: int,
    keep: int,
    threshold: float,
    random: np.random.Generator,
    accept: float | None = None,
) -> Pairs:
    """The same for any lists of hypotheses; list i has gains[start[i]:start[i+1]].

    With `accept`, a pair is taken with the probability `accept` times its difference.
    """
    better, worse, gaps = [], [], []
    for first, last in pairwise(start):
        drawn = random.integers(first, last, size=(2, samples))
        gap = gains[drawn[0]] - gains[drawn[1]]
        size = np.abs(gap)
        is_far = size > threshold
        if accept is not None:
            is_far &= random.random(samples) < accept * size
        far = np.flatnonzero(is_far)
        if len(far) > keep:
            # Only pairs that may be kept are sorted; of equal ones, the first drawn are kept.
            least = np.partition(size[far], len(far) - keep)[len(far) - keep]
            far = far[size[far] >= least]
            far = far[np.argsort(-size[far], kind="stable")[:keep]]
        up = gap[far] > 0
        better.append(np.where(up, drawn[0, far], drawn[1, far]))
        worse.append(np.where(up, drawn[1, far], drawn[0, far]))
        gaps.append(size[far])
    pairs = Pairs(np.concatenate(better), np.concatenate(worse), np.concatenate(gaps))
    if not len(pairs.gap):
        reason = (
            f"no two candidates of a list differ by more than {threshold:g} in the metric: "
            "there is nothing to rank (is the threshold too high?)"
        )
        raise TuningError(reason, code="tuning.no-pairs", argument="threshold", value=threshold)
    return pairs


def differences(candidates: Candidates, pairs: Pairs) -> Candidates:
    """The features of the better less those of the worse, as rows of one table."""
    from scipy.sparse import csr_array

    count = len(candidates.feat_start) - 1
    sparse = csr_array(
        (candidates.feat_value, candidates.feat_id, candidates.feat_start),
        shape=(count, candidates.num_sparse),
    )
    made = TableBuilder(candidates.max_memory)
    for first in range(0, len(pairs.gap), _PAIRS):
        better, worse = pairs.better[first : first + _PAIRS], pairs.worse[first : first + _PAIRS]
        apart = csr_array(sparse[better] - sparse[worse])
        apart.sort_indices()
        made.dense.append(candidates.dense[better] - candidates.dense[worse])
        made.feat_count.append(np.diff(apart.indptr))
        made.feat_id.append(apart.indices)
        made.feat_value.append(apart.data)
    return Candidates(
        start=np.arange(len(pairs.gap) + 1, dtype=np.int64),
        num_sparse=candidates.num_sparse,
        statistics=np.empty((len(pairs.gap), 0)),
        max_memory=candidates.max_memory,
        **made.arrays(candidates.dense.shape[1]),
    )


def compacted(table: Candidates, places: LongArray) -> tuple[Candidates, LongArray]:
    """The table in terms of the features it has and those at `places` in θ; their places in θ.

    Few of many sparse features are in a sample: what works on the table costs no more than those.
    """
    width = table.dense.shape[1]
    is_there = np.zeros(table.num_sparse, dtype=np.bool_)
    is_there[table.feat_id] = True
    is_there[places[places >= width] - width] = True
    ids = np.flatnonzero(is_there)
    number = np.cumsum(is_there, dtype=np.int32) - np.int32(1)
    compact = replace(table, feat_id=number[table.feat_id], num_sparse=len(ids))
    return compact, np.concatenate([np.arange(width), width + ids]).astype(np.int64)
