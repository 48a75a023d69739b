"""Forests refined to n-gram states, with the linear loss of their edges.

A refined forest has many edges for each edge of the original one, and all of them have its
features.  So only structure, edge map, loss and numbers of words are kept; features are read from
the original forest: its edges are scored once, and gradients are added up for its edges before
features come in.
Native      core/learn/batch.hpp (edge_map)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.arrays import FloatArray, LongArray
from rosewood.errors import ForestError, TuningError
from rosewood.forest import Refined, refine
from rosewood.forest.transform import without_features
from rosewood.learn.array_store import RecordStore
from rosewood.learn.batches import Batches, TuningBatch
from rosewood.learn.candidates import words_of_edges
from rosewood.learn.tuning_set import TuningSet
from rosewood.metrics import LinearLoss
from rosewood.threads import in_order


class EdgeLoss(NamedTuple):
    """A refined forest without features, and the loss of its edges."""

    refined: Refined
    loss: FloatArray


def linear_losses(tuning: TuningSet, linear: LinearLoss, max_edges: int) -> Iterator[EdgeLoss]:
    """Each forest refined to n-gram states, and the linear loss of its edges.

    As many at a time as the set has threads.
    """

    def loss_of(number: int) -> EdgeLoss:
        forest = without_features(tuning.reader[number])
        try:
            refined = refine(forest, linear.orders, max_edges=max_edges)
        except ForestError as error:
            name = tuning.names[number]
            raise error.restated(f"forest {name!r}: {error}", TuningError) from error
        return EdgeLoss(refined, linear.edge_losses(refined, tuning.references[number]))

    return in_order(loss_of, range(len(tuning)), threads=tuning.threads)


class RefinedBatches(Batches):
    """The refined forests of a set: structure, edge map, loss and numbers of words, in memory or in
    a scratch file.

    `factor` multiplies the losses.
    """

    def __init__(
        self, tuning: TuningSet, linear: LinearLoss, max_edges: int, *, factor: float
    ) -> None:
        self._reader = tuning.reader
        self._store = RecordStore(tuning.max_memory // 8)
        sizes = np.empty(len(tuning), dtype=np.int64)
        for i, (refined, loss) in enumerate(linear_losses(tuning, linear, max_edges)):
            forest = refined.forest
            words = words_of_edges(forest).astype(np.int32)
            record: list[NDArray[Any]] = [
                forest.edge_start, forest.tail_start, refined.edge_map, factor * loss, forest.tail,
                forest.head, words,
            ]  # fmt: skip
            self._store.append(record)
            sizes[i] = sum(array.nbytes for array in record)
        if not self._reader.is_held:
            sizes += self._reader.sizes
        fits = self._reader.is_held and self._store.is_held
        super().__init__(sizes, self._reader.num_values, tuning.slice_memory, fits=fits)

    def _make(self, numbers: LongArray) -> TuningBatch:
        features = [self._reader.feature_view(i) for i in numbers.tolist()]
        views, maps, losses, counts, words = [], [], [], [0], []
        for i in numbers.tolist():
            edge_start, tail_start, edge_map, loss, tail, head, said = self._store.read(i)
            views.append(_core.make_forest(edge_start, head, tail_start, tail))
            maps.append(edge_map)
            losses.append(loss)
            words.append(said)
            counts.append(len(loss))
        native = _core.make_batch(views, features, maps, numbers.tolist())
        start = np.cumsum(counts, dtype=np.int64)
        if self._fits:  # this batch has all of it, and is kept
            self._store = RecordStore(0)
        return TuningBatch([], native, start, np.concatenate(losses), words=np.concatenate(words))
