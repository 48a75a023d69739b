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
from typing import NamedTuple

import numpy as np

from rosewood import _core
from rosewood.arrays import FloatArray, IdArray, LongArray
from rosewood.shared_types import CountCallback

_SLICE = 1 << 16  # pairs between two calls of a progress callback


class Penalty(NamedTuple):
    """λ1, λ2 and the dimension d, as kernels take them."""

    lambda1: float
    lambda2: float
    dimension: float


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
        names = ("dense", "feat_start", "feat_id", "feat_value")
        # Arrays without numbers cannot be mapped.
        arrays = []
        for name in names:
            file = folder / f"{name}.npy"
            small = np.load(file, mmap_mode=None) if file.stat().st_size < 4096 else None
            arrays.append(np.asarray(np.load(file, mmap_mode="r")) if small is None else small)
        return cls(*arrays, int(np.load(folder / "num_sparse.npy")))


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
    loss: float  # sum over pairs, each before its step


def train_shard(work: ShardWork, told: CountCallback | None = None) -> ShardResult:
    """A pass over the pairs of a shard."""
    rows = work.rows if isinstance(work.rows, Rows) else Rows.load(Path(work.rows))
    view = _core.make_features(*rows)
    own = np.arange(work.shard, len(rows.feat_start) - 1, work.shards, dtype=np.int64)
    random = np.random.default_rng([work.seed, work.number, work.shard])
    order = own[random.permutation(len(own))]
    run = _core.OscarPass(
        tuple(work.penalty),
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
    return ShardResult(weight, total, half_steps, steps, loss)


def mix(results: Sequence[ShardResult], width: int, penalty: Penalty) -> FloatArray:
    """The mean of the shards' weights, and a proximal step, so that features are in groups again.

    Each shard has shrunk its weights on its own; where shards disagree, their mean has features
    with almost equal weights.  The step is the last one of each shard, summed: as in a batch of one
    pair from each shard.  A single shard's weights stay as they are.
    """
    if len(results) == 1:
        return results[0].weight
    mean: FloatArray = np.mean([each.weight for each in results], axis=0)
    step = sum(1.0 / max(1, each.half_steps) for each in results)
    sparse = np.empty(len(mean) - width)
    _core.oscar_prox(2.0 * mean[width:], 1.0 / step, tuple(penalty), sparse)
    return np.concatenate([mean[:width], sparse])
