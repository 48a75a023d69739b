"""The folder of examples: its arrays, written block by block."""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosewood import _core
from rosewood.arguments import check_length, check_shape, check_whole
from rosewood.arrays import IdArray, LongArray
from rosewood.errors import DamagedFileError, ReorderingError
from rosewood.folders import FolderKind
from rosewood.output import blamed_on

KIND = FolderKind(
    "examples.json",
    "rosewood examples",
    1,
    {"start": "<i8", "feature": "<i4", "count": "|u1", "value": "<f4", "label": "|u1"},
)
BLOCK = 1 << 18  # examples that are written at a time


class Found(NamedTuple):
    """What the files of a folder hold."""

    start: LongArray
    feature: IdArray
    counts: NDArray[Any] | None
    labels: dict[str, NDArray[np.uint8]]
    num_features: int
    num_classes: int


class ExamplesWriter:
    """Appends blocks of examples to the files of a folder; memory is that of a block."""

    def __init__(
        self,
        folder: Path,
        num_classes: int,
        num_features: int | None,
        directions: Sequence[str],
        has_values: bool,
    ) -> None:
        self.num_examples = 0
        self.num_features = num_features  # may be set until the end
        self._classes = check_whole(
            "num_classes", num_classes, low=2, high=255, error=ReorderingError
        )
        self._directions = tuple(directions)
        self._has_values = has_values
        self._size, self._most, self._counted = 0, -1, False
        self._opened = ExitStack()
        self._folder = folder
        self._streams = {
            name: self._opened.enter_context((folder / name).open("wb")) for name in KIND.files
        }
        self._told = {name: {"bytes": 0, "crc32": 0} for name in KIND.files}
        self._put("start", np.zeros(1, np.int64))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def append(
        self,
        start: ArrayLike,
        feature: ArrayLike,
        labels: Mapping[str, ArrayLike] | ArrayLike,
        count: ArrayLike | None = None,
    ) -> None:
        """More examples: offsets from 0 within this block, features in any order, labels.

        A feature that an example has several times counts as often.
        """
        value = np.zeros(0, np.float32) if count is None else np.asarray(count, np.float32)
        limit = 2**31 - 1 if self.num_features is None else self.num_features
        offsets, features, values = _core.ordered_examples(
            np.ascontiguousarray(start, np.int64), np.ascontiguousarray(feature, np.int32),
            np.ascontiguousarray(value), limit,
        )  # fmt: skip
        rows = len(offsets) - 1
        named = labels if isinstance(labels, Mapping) else {self._directions[0]: labels}
        check_length("labels", named, len(self._directions), "direction", error=ReorderingError)
        label = np.empty((rows, len(self._directions)), np.uint8)
        for column, name in enumerate(self._directions):
            given = np.asarray(named[name])
            check_shape("labels", given, (rows,), error=ReorderingError)
            if rows and not (given.min() >= 0 and given.max() < self._classes):
                reason = f"{name} has labels beyond 0 to {self._classes - 1}"
                raise ReorderingError(reason, code="argument.range", argument="labels", value=name)
            label[:, column] = given
        self._put_counts(values, len(features))
        self._put("feature", features)
        self._put("start", offsets[1:] + self._size)
        self._put("label", label)
        self.num_examples += rows
        self._size += len(features)
        self._most = max(self._most, int(features.max(initial=-1)))

    def _put_counts(self, values: NDArray[np.float32], size: int) -> None:
        """Nothing while all are 1; then all of them, those of before too."""
        if len(values) == 0 and not self._counted:
            return
        name = "value" if self._has_values else "count"
        kind = np.dtype(KIND.files[name])
        if not self._counted:
            for begin in range(0, self._size, BLOCK):
                self._put(name, np.ones(min(BLOCK, self._size - begin), kind))
            self._counted = True
        whole = values if len(values) else np.ones(size, np.float32)
        if not self._has_values and not (
            (whole >= 0).all() and (whole <= 255).all() and (whole == np.floor(whole)).all()
        ):
            reason = "expected whole counts from 0 to 255; other numbers need has_values"
            raise ReorderingError(reason, code="argument.range", argument="count")
        self._put(name, whole)

    def _put(self, name: str, array: NDArray[Any]) -> None:
        data = np.ascontiguousarray(array).astype(KIND.files[name], copy=False).tobytes()
        with blamed_on(self._folder):
            self._streams[name].write(data)
        told = self._told[name]
        told["bytes"] += len(data)
        told["crc32"] = zlib.crc32(data, told["crc32"])

    def finish(self) -> None:
        """All examples have come: write the manifest."""
        features = self._most + 1 if self.num_features is None else self.num_features
        if self._most >= features:
            reason = f"there is a feature {self._most}, expected 0 to {features - 1}"
            raise ReorderingError(reason, code="argument.range", argument="num_features")
        with blamed_on(self._folder):
            for stream in self._streams.values():
                stream.flush()
                os.fsync(stream.fileno())
        facts = {
            "examples": self.num_examples, "features": features, "classes": self._classes,
            "directions": list(self._directions),
        }  # fmt: skip
        KIND.write_manifest(self._folder, self._told, facts)


def open_files(folder: Path) -> Found:
    """The arrays, mapped: their sizes fit, what is in them is not yet checked."""
    table, arrays = KIND.open(folder)
    manifest = folder / KIND.manifest
    try:
        examples, features, classes = (table[name] for name in ("examples", "features", "classes"))
        directions = [str(name) for name in table["directions"]]
        is_good = all(type(each) is int and each >= 0 for each in (examples, features, classes))
        is_good = is_good and features < 2**31 and 2 <= classes <= 255
    except (KeyError, TypeError):
        is_good = False
    if not is_good:
        reason = "its numbers of examples, features or classes are damaged"
        raise DamagedFileError(reason, code="file.damaged", argument="examples", file=manifest)
    for name, size in (("start", examples + 1), ("label", examples * len(directions))):
        if len(arrays[name]) != size:
            reason = f"it has {len(arrays[name])} numbers, expected {size}"
            raise DamagedFileError(reason, code="file.mismatch", argument=name, file=folder / name)
    columns = arrays["label"].reshape(examples, len(directions))
    count = arrays["value"] if len(arrays["value"]) else arrays["count"]
    return Found(
        arrays["start"], arrays["feature"], count if len(count) else None,
        {name: np.ascontiguousarray(columns[:, d]) for d, name in enumerate(directions)},
        features, classes,
    )  # fmt: skip
