"""Labelled sparse examples: what classifiers of orientations learn from, in memory or mapped.

    x = Examples.of(matrix, y)                      # a SciPy matrix or an array, and labels 0, 1, …
    with Examples.writer("folder", num_classes=3, directions=("backward", "forward")) as writer:
        writer.append(start, feature, {"backward": label, "forward": other})     # block by block
    x = Examples.open("folder")                     # mapped
    x.label("backward"); x.with_features(mask); x.part(0, 1000)

Layout      example i has the features feature[start[i]:start[i+1]], numbers that ascend, and
            count[start[i]:start[i+1]], uint8 or float32; without `count` all are 1
Labels      one array of class numbers for each direction: many labels share one set of features
Folder      start, feature, count (bytes) or value (float32), label (a row for each example, a
            column for each direction), little-endian, and examples.json with sizes and checksums;
            it appears whole or not at all
Native      core/reorder/examples.hpp
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from os import fspath
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosewood import _core
from rosewood.arguments import check_known, check_shape, check_whole
from rosewood.arrays import IdArray, LongArray
from rosewood.errors import DamagedFileError, ReorderingError
from rosewood.output import whole_folder
from rosewood.reorder import examples_files as files
from rosewood.resources import check_threads
from rosewood.shared_types import PathName

LABEL = "label"  # the direction of labels that have no name
MOST_CLASSES = 255

Labels = Mapping[str, NDArray[np.uint8]]


class SparseMatrix(Protocol):
    """What `Examples.of` asks of a matrix of SciPy."""

    @property
    def shape(self) -> Any: ...
    def tocsr(self) -> Any: ...


class Examples:
    """Immutable examples in flat arrays, which are checked when they come from outside."""

    def __init__(
        self,
        start: LongArray,
        feature: IdArray,
        labels: Labels | None = None,
        *,
        num_features: int,
        num_classes: int = 2,
        count: NDArray[Any] | None = None,
        is_checked: bool = False,
        folder: Path | None = None,
        threads: int = 1,
    ) -> None:
        """Arrays are checked unless the caller has done so (`is_checked`), and not copied."""
        self.start: LongArray = _whole("start", start, np.int64)
        self.feature: IdArray = _whole("feature", feature, np.int32)
        self.count = None if count is None else _counts(count)
        self.labels: dict[str, NDArray[np.uint8]] = dict(labels or {})
        self.num_features = check_whole(
            "num_features", num_features, low=0, high=2**31 - 1, error=ReorderingError
        )
        self.num_classes = check_whole(
            "num_classes", num_classes, low=2, high=MOST_CLASSES, error=ReorderingError
        )
        self.folder = folder
        self._is_checked, self._threads = is_checked, threads
        if not is_checked:
            self.native  # noqa: B018  # checks the features
            for name, label in self.labels.items():
                self.labels[name] = as_label(label, len(self), name)
                _core.check_labels(self.labels[name], self.num_classes)

    def __len__(self) -> int:
        return len(self.start) - 1

    def __repr__(self) -> str:
        place = "" if self.folder is None else f", {fspath(self.folder)!r}"
        return f"Examples({len(self):,} of {self.num_features:,} features{place})"

    @cached_property
    def native(self) -> _core.Examples:
        """The same for kernels."""
        count, value = np.zeros(0, np.uint8), np.zeros(0, np.float32)
        if self.count is not None and self.count.dtype == np.uint8:
            count = self.count
        elif self.count is not None:
            value = self.count
        return _core.make_examples(
            self.start, self.feature, count, value, self.num_features, self._is_checked,
            self._threads,
        )  # fmt: skip

    @classmethod
    def of(
        cls, matrix: SparseMatrix | ArrayLike, y: ArrayLike | None = None,
        *, num_classes: int | None = None,
    ) -> Examples:  # fmt: skip
        """From a row for each example; `y` are class numbers from 0.  Values become float32."""
        start, feature, value, num_features = _rows(matrix)
        start, feature, value = _core.ordered_examples(start, feature, value, num_features)
        labels = {}
        most = 1
        if y is not None:
            labels[LABEL] = as_label(y, len(start) - 1)
            most = int(labels[LABEL].max(initial=1))
        return cls(
            start, feature, labels, num_features=num_features, count=compact_counts(value),
            num_classes=num_classes if num_classes is not None else most + 1,
        )  # fmt: skip

    @classmethod
    def open(cls, folder: PathName, *, threads: int = 1) -> Examples:
        """Mapped from a folder, and checked once."""
        place = Path(folder)
        threads = check_threads(threads, ReorderingError)
        found = files.open_files(place)
        try:
            made = cls(
                found.start, found.feature, num_features=found.num_features,
                num_classes=found.num_classes, count=found.counts, folder=place,
                threads=threads,
            )  # fmt: skip
            for name, label in found.labels.items():
                _core.check_labels(label, made.num_classes)
                made.labels[name] = label
        except ReorderingError as error:
            file = place / (error.argument or files.KIND.manifest)
            raise DamagedFileError(
                str(error), code="file.damaged", argument=error.argument, value=error.value,
                file=file,
            ) from error  # fmt: skip
        return made

    @staticmethod
    @contextmanager
    def writer(
        folder: PathName,
        *,
        num_classes: int,
        num_features: int | None = None,
        directions: Sequence[str] = (LABEL,),
        has_values: bool = False,
    ) -> Iterator[files.ExamplesWriter]:
        """Writes a folder block by block; it appears when the `with` block ends without an error.

        Without `num_features`, it is one more than the largest feature.  Counts are whole numbers
        up to 255, or, with `has_values`, any numbers.
        """
        with whole_folder(folder, marker=files.KIND.manifest) as aside:
            writer = files.ExamplesWriter(aside, num_classes, num_features, directions, has_values)
            with writer:
                yield writer
                writer.finish()

    def save(self, folder: PathName) -> Path:
        """Write all to a folder, which `open` maps."""
        values = self.count is not None and self.count.dtype == np.float32
        with Examples.writer(
            folder, num_classes=self.num_classes, num_features=self.num_features,
            directions=tuple(self.labels), has_values=values,
        ) as writer:  # fmt: skip
            for begin in range(0, len(self), files.BLOCK):
                part = self.part(begin, min(begin + files.BLOCK, len(self)))
                writer.append(part.start, part.feature, part.labels, part.count)
        return Path(folder)

    def label(self, direction: str | None = None) -> NDArray[np.uint8]:
        """The labels of a direction; its name can be left out if there is only one."""
        if direction is None and len(self.labels) != 1:
            reason = f"expected a direction: one of {', '.join(self.labels) or 'none'}"
            raise ReorderingError(reason, code="argument.value", argument="y", value=None)
        if direction is None:
            return next(iter(self.labels.values()))
        check_known("direction", [direction], self.labels, error=ReorderingError)
        return self.labels[direction]

    def part(self, begin: int, end: int) -> Examples:
        """Examples begin .. end-1; arrays are shared."""
        begin, end, _ = slice(begin, end).indices(len(self))
        inside = slice(self.start[begin], self.start[max(begin, end)])
        return Examples(
            self.start[begin : max(begin, end) + 1] - self.start[begin], self.feature[inside],
            {name: label[begin:end] for name, label in self.labels.items()},
            num_features=self.num_features, num_classes=self.num_classes,
            count=None if self.count is None else self.count[inside], is_checked=True,
        )  # fmt: skip

    def take(self, index: LongArray, *, threads: int = 1) -> Examples:
        """Copies of examples by their numbers, in this order."""
        index = np.ascontiguousarray(index, np.int64)
        if len(index) and not (index.min() >= 0 and index.max() < len(self)):
            reason = f"there are {len(self)} examples"
            raise ReorderingError(reason, code="argument.range", argument="index")
        start = np.zeros(len(index) + 1, np.int64)
        np.cumsum(self.start[index + 1] - self.start[index], out=start[1:])
        size = int(start[-1])
        kind = None if self.count is None else self.count.dtype
        feature = np.empty(size, np.int32)
        count = np.empty(size if kind == np.uint8 else 0, np.uint8)
        value = np.empty(size if kind == np.float32 else 0, np.float32)
        _core.gather_examples(self.native, index, start, feature, count, value, threads)
        return Examples(
            start, feature, {name: label[index] for name, label in self.labels.items()},
            num_features=self.num_features, num_classes=self.num_classes, is_checked=True,
            count=None if kind is None else count if kind == np.uint8 else value,
        )  # fmt: skip

    def with_features(self, mask: ArrayLike) -> Examples:
        """The same examples with the features of a mask, which are numbered anew from 0."""
        kept = np.asarray(mask)
        check_shape("mask", kept, (self.num_features,), error=ReorderingError)
        if kept.dtype != np.bool_:
            reason = f"mask has numbers of type {kept.dtype}, expected bool"
            raise ReorderingError(reason, code="argument.type", argument="mask")
        number = (np.cumsum(kept, dtype=np.int64) - 1).astype(np.int32)
        start = np.zeros(len(self) + 1, np.int64)
        feature, count = [np.zeros(0, np.int32)], []
        for begin in range(0, len(self), files.BLOCK):  # memory for a block, and for the result
            part = self.part(begin, begin + files.BLOCK)
            inside = kept[part.feature]
            before = np.zeros(len(inside) + 1, np.int64)
            np.cumsum(inside, out=before[1:])
            ends = before[part.start[1:]]
            start[begin + 1 : begin + 1 + len(part)] = start[begin] + ends
            feature.append(number[part.feature[inside]])
            if part.count is not None:
                count.append(part.count[inside])
        return Examples(
            start, np.concatenate(feature), self.labels, num_features=int(kept.sum()),
            num_classes=self.num_classes, is_checked=True,
            count=None if self.count is None else np.concatenate([self.count[:0], *count]),
        )  # fmt: skip


def as_label(y: ArrayLike, rows: int, name: str = "y") -> NDArray[np.uint8]:
    """Class numbers from 0 to 254."""
    label = np.asarray(y)
    check_shape(name, label, (rows,), error=ReorderingError)
    if label.dtype.kind not in "biu":
        reason = f"{name} has values of type {label.dtype}, expected class numbers"
        raise ReorderingError(reason, code="argument.type", argument=name, value=str(label.dtype))
    if rows and not (label.min() >= 0 and label.max() < MOST_CLASSES):
        reason = f"{name} has class numbers beyond 0 to {MOST_CLASSES - 1}"
        raise ReorderingError(reason, code="argument.range", argument=name)
    return np.ascontiguousarray(label, np.uint8)


def _whole(name: str, array: NDArray[Any], kind: type[np.signedinteger[Any]]) -> NDArray[Any]:
    """Whole numbers as kernels take them; arrays that are so already are not copied."""
    found = np.asarray(array)
    check_shape(name, found, ("numbers",), error=ReorderingError)
    if found.dtype != kind:
        if found.dtype.kind not in "iu":
            reason = f"{name} has values of type {found.dtype}, expected whole numbers"
            raise ReorderingError(reason, code="argument.type", argument=name)
        limit = np.iinfo(kind)
        if len(found) and not (found.min() >= limit.min and found.max() <= limit.max):
            reason = f"{name} has numbers beyond {limit.min} to {limit.max}"
            raise ReorderingError(reason, code="argument.range", argument=name)
    return np.ascontiguousarray(found, kind)


def _counts(count: NDArray[Any]) -> NDArray[Any]:
    """Counts as bytes or float32."""
    found = np.asarray(count)
    check_shape("count", found, ("numbers",), error=ReorderingError)
    if found.dtype.kind not in "biuf":
        reason = f"count has values of type {found.dtype}, expected numbers"
        raise ReorderingError(reason, code="argument.type", argument="count")
    if found.dtype in (np.uint8, np.float32):
        return np.ascontiguousarray(found)
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(found, np.float32)


def compact_counts(value: NDArray[np.float32]) -> NDArray[Any] | None:
    """Counts as bytes where all are whole numbers that fit; None where there are none."""
    if len(value) == 0:
        return None
    if value.min() >= 0 and value.max() <= 255 and (value == np.floor(value)).all():
        return value.astype(np.uint8)
    return value


def _rows(
    matrix: SparseMatrix | ArrayLike,
) -> tuple[LongArray, IdArray, NDArray[np.float32], int]:
    """Offsets, features and values of a matrix, as they are."""
    if hasattr(matrix, "tocsr"):
        rows = matrix.tocsr()
        start, feature, value = rows.indptr, rows.indices, rows.data
        num_features = int(rows.shape[1])
    else:
        dense = np.asarray(matrix)
        check_shape("X", dense, ("examples", "features"), error=ReorderingError)
        row, feature = np.nonzero(dense)
        value, num_features = dense[row, feature], dense.shape[1]
        start = np.searchsorted(row, np.arange(len(dense) + 1))
    if value.dtype.kind not in "biuf":
        reason = f"X has values of type {value.dtype}, expected numbers"
        raise ReorderingError(reason, code="argument.type", argument="X", value=str(value.dtype))
    if num_features > 2**31 - 1:
        reason = f"X has {num_features} features, expected at most {2**31 - 1}"
        raise ReorderingError(reason, code="argument.range", argument="X", value=num_features)
    with np.errstate(over="ignore"):
        value = np.ascontiguousarray(value, np.float32)
    return (
        np.ascontiguousarray(start, np.int64), np.ascontiguousarray(feature, np.int32),
        value, num_features,
    )  # fmt: skip
