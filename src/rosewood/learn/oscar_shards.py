"""One pass of OSCAR over one shard of pairs: a pure function that any process or machine can run.

Shard s of S has the pairs s, s + S, s + 2S, … in an order that the seed, the pass and the shard
decide.  `mix` makes one state of the results of all shards (iterative parameter mixing, Simianer et
al. 2012), whichever process ran them.
Native      core/learn/oscar.hpp
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.arrays import FloatArray, IdArray, LongArray
from rosewood.shared_types import CountCallback

_SMALL = 4096  # bytes
_SLICE = 1 << 16  # pairs between two calls of a progress callback


class Penalty(NamedTuple):
    """λ1, λ2 and the dimension d, as kernels take them."""

    lambda1: float
    lambda2: float
    dimension: float

    def of_shards(self, shards: int) -> Penalty:
        """What shards apply in a pass: all of it, or half if the other half is for mixing."""
        part = 1.0 if shards == 1 else 0.5
        return Penalty(part * self.lambda1, part * self.lambda2, self.dimension)


class Rows(NamedTuple):
    """Feature differences of pairs, better less worse candidate, in flat arrays."""

    dense: FloatArray
    feat_start: LongArray
    feat_id: IdArray
    feat_value: FloatArray
    num_sparse: int

    def save(self, folder: Path) -> None:
        """Write the arrays as files that `load` maps into memory."""
        for name in ("dense", "feat_start", "feat_id", "feat_value"):
            np.save(folder / f"{name}.npy", getattr(self, name))
        np.save(folder / "num_sparse.npy", np.array(self.num_sparse))

    @classmethod
    def load(cls, folder: Path) -> Rows:
        def mapped(name: str) -> NDArray[Any]:
            file = folder / f"{name}.npy"
            if file.stat().st_size < _SMALL:  # arrays without numbers cannot be mapped
                return np.asarray(np.load(file))
            return np.asarray(np.load(file, mmap_mode="r"))

        return cls(
            mapped("dense"),
            mapped("feat_start"),
            mapped("feat_id"),
            mapped("feat_value"),
            int(np.load(folder / "num_sparse.npy")),
        )


@dataclass(frozen=True)
class ShardWork:
    """All that a shard's pass depends on."""

    rows: Rows | str  # or the folder that has them
    weight: FloatArray  # dense features first
    penalty: Penalty
    batch: int
    seed: int
    number: int  # of the pass, from 0
    shard: int
    shards: int
    half_steps: int  # of this shard so far


class ShardResult(NamedTuple):
    """What a shard's pass found."""

    weight: FloatArray
    sum: FloatArray  # of the weights after each proximal step
    half_steps: int  # so far
    steps: int  # proximal steps of this pass
    eta: float  # sum of the step sizes of this pass
    loss: float  # sum over pairs, each before its step


def train_shard(work: ShardWork, told: CountCallback | None = None) -> ShardResult:
    """A pass over the pairs of a shard."""
    rows = work.rows if isinstance(work.rows, Rows) else Rows.load(Path(work.rows))
    view = _core.make_features(*rows)
    own = np.arange(work.shard, len(rows.feat_start) - 1, work.shards, dtype=np.int64)
    random = np.random.default_rng([work.seed, work.number, work.shard])
    order = own[random.permutation(len(own))]
    run = _core.OscarPass(
        work.penalty.of_shards(work.shards),
        work.batch,
        rows.dense.shape[1],
        np.ascontiguousarray(work.weight),
        np.zeros(len(work.weight)),
        (work.half_steps, 0),
    )
    loss = 0.0
    for first in range(0, len(order), _SLICE):
        some = order[first : first + _SLICE]
        loss += run.run(view, some)
        if told is not None:
            told(len(some))
    weight, total, (half_steps, steps) = run.finish()
    eta = float((1.0 / np.arange(work.half_steps + 1, half_steps + 1)).sum())
    return ShardResult(weight, total, half_steps, steps, eta, loss)


def mix(results: Sequence[ShardResult], width: int, penalty: Penalty) -> FloatArray:
    """The mean of the shards' weights, and a proximal step, so that features are in groups again.

    Where shards disagree, features that belong together have almost equal means.  So half of the
    penalty is applied in the shards, step by step, and the other half here, to the mean, with the
    sum of the pass's step sizes.  A single shard's weights stay as they are.
    """
    if len(results) == 1:
        return results[0].weight
    mean: FloatArray = np.mean([each.weight for each in results], axis=0)
    eta = sum(each.eta for each in results) / len(results)
    sparse = np.empty(len(mean) - width)
    half = penalty.of_shards(len(results))
    _core.oscar_prox(2.0 * mean[width:], 1.0 / eta, half, sparse)
    return np.concatenate([mean[:width], sparse])
