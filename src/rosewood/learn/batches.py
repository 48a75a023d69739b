"""Forests as native kernels take them, as many at a time as a memory limit allows.

A set that fits is one batch, made once.  A larger one is read again in every pass, piece by piece.
What is computed does not depend on how a set is cut: kernels treat forests one by one, and sums
over forests are in an order that the caller fixes (`Objective` has shards for that).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import NamedTuple

import numpy as np

from rosewood import _core
from rosewood.arguments import check_type
from rosewood.arrays import FloatArray, IdArray, LongArray
from rosewood.errors import TuningError
from rosewood.forest import Forest, ForestSet

_NONE: FloatArray = np.empty(0)


class ForestReader:
    """The forests of a set: all in memory where they fit, else read when they are asked for."""

    def __init__(
        self, forests: Sequence[Forest], max_memory: int, check: Callable[[int, Forest], None]
    ) -> None:
        """Each forest is read once and checked.

        They are kept if they take at most half of `max_memory` bytes, and an eighth where they are
        not all lists: tuning packed forests needs memory for more than the forests, and time for
        more than reading them.
        """
        self._read: Callable[[int], Forest]
        self._view: Callable[[int], _core.FeatureView] | None = None
        if isinstance(forests, ForestSet):
            self._read, self._view = forests.read, forests.feature_view
        else:
            self._read = forests.__getitem__
        facts = np.empty((len(forests), 4), dtype=np.int64)
        held: list[Forest] | None = []
        total, most = 0, max_memory // 2
        for i in range(len(forests)):
            forest = self._read(i)
            check(i, forest)
            size = _bytes_of(forest)
            values = forest.dense.size + forest.feat_id.size
            facts[i] = size, forest.num_nodes, forest.num_edges, values
            total += size
            if forest.num_nodes > 1:
                most = max_memory // 8
            if held is not None:
                held.append(forest)
                if total > most:
                    held = None
        self._held = held
        self.sizes, self.num_nodes, self.num_edges, self.num_values = facts.T.copy()

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def is_held(self) -> bool:
        """Whether all forests are in memory."""
        return self._held is not None

    def __getitem__(self, number: int) -> Forest:
        return self._read(number) if self._held is None else self._held[number]

    def feature_view(self, number: int) -> _core.FeatureView:
        """The features of a forest as native kernels take them."""
        if self._held is None and self._view is not None:
            return self._view(number)
        return self[number].feature_view

    def subset(self, numbers: Sequence[int]) -> ForestReader:
        """Some of the forests, which need not be read again."""
        part = object.__new__(ForestReader)
        chosen = np.asarray(numbers, dtype=np.int64)
        for name in ("sizes", "num_nodes", "num_edges", "num_values"):
            setattr(part, name, getattr(self, name)[chosen])
        part._held = None if self._held is None else [self._held[i] for i in numbers]
        part._read = lambda number: self[int(chosen[number])]
        part._view = lambda number: self.feature_view(int(chosen[number]))
        return part

    def changed(self, change: Callable[[int, Forest], Forest], values: int) -> ForestReader:
        """The same forests, each changed; an edge has so many values more than before."""
        part = object.__new__(ForestReader)
        part.num_nodes, part.num_edges = self.num_nodes, self.num_edges
        part.sizes = self.sizes + 8 * values * self.num_edges
        part.num_values = self.num_values + values * self.num_edges
        held = self._held
        part._held = None if held is None else [change(i, each) for i, each in enumerate(held)]
        part._read = lambda number: change(number, self[number])
        part._view = None
        return part


def _bytes_of(forest: Forest) -> int:
    arrays = (
        forest.edge_start, forest.head, forest.tail_start, forest.tail, forest.dense,
        forest.feat_start, forest.feat_id, forest.feat_value, forest.yield_start,
        forest.yield_symbol, forest.span, forest.rule, forest.state,
    )  # fmt: skip
    return sum(array.nbytes for array in arrays if array is not None)


class TuningBatch(NamedTuple):
    """Some forests of a set.  `loss`, `wanted` and `words` have a number for each edge of `native`,
    where they are there."""

    forests: Sequence[Forest]  # none if `native` has refined ones
    native: _core.ForestBatch
    edge_start: LongArray  # where the edges of each forest begin in `native`
    loss: FloatArray = _NONE
    wanted: FloatArray = _NONE
    words: LongArray | IdArray | None = None  # how many words an edge has of its own


class Batches(ABC):
    """Cuts a set into batches."""

    def __init__(self, sizes: LongArray, values: LongArray, most: int, *, fits: bool) -> None:
        """`sizes` are bytes of forests in a batch, `most` the bytes a batch may take (but for one
        forest that is larger), unless all `fits`; `values` are numbers of feature values."""
        self.values = values
        self._sizes = sizes
        self._most = most
        self._fits = fits
        self._whole: TuningBatch | None = None
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._sizes)

    @abstractmethod
    def _make(self, numbers: LongArray) -> TuningBatch:
        """A batch with these forests, in this order."""

    def cut(self, numbers: LongArray) -> Iterator[slice]:
        """Parts of `numbers` whose forests fit into one batch; a single part if all forests do."""
        if self._fits:
            yield slice(0, len(numbers))
            return
        first = 0
        total = 0
        for place, size in enumerate(self._sizes[numbers].tolist()):
            if place > first and total + size > self._most:
                yield slice(first, place)
                first, total = place, 0
            total += size
        yield slice(first, len(numbers))

    def load(self, numbers: LongArray) -> tuple[TuningBatch, LongArray]:
        """A batch that has these forests, and their places in it."""
        if not self._fits:
            return self._make(numbers), np.arange(len(numbers), dtype=np.int64)
        with self._lock:
            if self._whole is None:
                self._whole = self._make(np.arange(len(self), dtype=np.int64))
        return self._whole, numbers


LossOfEdges = Callable[[int, Forest], FloatArray]  # those of a forest, given with its number


class OriginalBatches(Batches):
    """The forests of a set as they are."""

    def __init__(
        self,
        reader: ForestReader,
        most: int,
        *,
        loss: FloatArray | LossOfEdges | None = None,
        wanted: Sequence[LongArray] | None = None,
        words: LongArray | None = None,
    ) -> None:
        """`loss` is of all edges, one forest after another, or makes those of a forest; `wanted`
        has the wanted edges of each forest; `words` is of all edges."""
        # Forests that are in memory anyway need no further memory in a batch.
        super().__init__(reader.sizes, reader.num_values, most, fits=reader.is_held)
        self._reader = reader
        self._start = np.concatenate([[0], np.cumsum(reader.num_edges)])
        self._loss, self._wanted, self._words = loss, wanted, words

    def _make(self, numbers: LongArray) -> TuningBatch:
        forests = [self._reader[i] for i in numbers.tolist()]
        native = _core.make_batch(
            [f.view for f in forests], [f.feature_view for f in forests], [], numbers.tolist()
        )
        start = np.concatenate([[0], np.cumsum(self._reader.num_edges[numbers])])
        words = None if self._words is None else self._of_edges(self._words, numbers)
        loss, wanted = self._loss_of(numbers, forests), self._wanted_of(numbers, start)
        return TuningBatch(forests, native, start, loss, wanted, words)

    def _loss_of(self, numbers: LongArray, forests: Sequence[Forest]) -> FloatArray:
        loss = self._loss
        if loss is None:
            return _NONE
        if callable(loss):
            made = [loss(i, forest) for i, forest in zip(numbers.tolist(), forests, strict=True)]
            return np.concatenate(made)
        return self._of_edges(loss, numbers)

    def _of_edges(self, every: np.ndarray, numbers: LongArray) -> np.ndarray:
        if len(numbers) == len(self) and (np.diff(numbers) == 1).all():
            return np.ascontiguousarray(every)
        parts = [every[self._start[i] : self._start[i + 1]] for i in numbers.tolist()]
        return np.concatenate(parts)

    def _wanted_of(self, numbers: LongArray, start: LongArray) -> FloatArray:
        if self._wanted is None:
            return _NONE
        wanted = np.full(start[-1], -np.inf)
        for place, i in enumerate(numbers.tolist()):
            wanted[start[place] + self._wanted[i]] = 0.0
        return wanted


def check_forest(name: str, forest: Forest) -> None:
    """Refuse objects that are not forests, and forests without derivations."""
    check_type(f"forest {name}", forest, Forest, "a Forest", error=TuningError)
    if forest.is_empty:
        told = f"forest {name!r} has no derivations"
        raise TuningError(told, code="forest.empty", argument="forests", value=name)


def batches_of(
    forests: Sequence[Forest],
    *,
    loss: FloatArray | None = None,
    wanted: FloatArray | None = None,
    most: int = 1 << 62,
) -> OriginalBatches:
    """Batches of forests in memory; `loss` and `wanted` (0 or -inf) of all edges."""

    def check(number: int, forest: Forest) -> None:
        check_type(f"forest {number}", forest, Forest, "a Forest", error=TuningError)

    reader = ForestReader(forests, most, check)
    places = None
    if wanted is not None:
        parts = np.split(np.asarray(wanted), np.cumsum(reader.num_edges)[:-1])
        places = [np.flatnonzero(part == 0.0) for part in parts]
    return OriginalBatches(reader, most, loss=loss, wanted=places)
