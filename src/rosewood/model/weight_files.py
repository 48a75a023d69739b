"""A folder of weights: names as readable JSON, numbered features as mapped arrays.

weights/
  weights.json      {"lm": 0.5, …}, which `rosewood decode --weights` reads, too
  sparse.json       templates with the number of weights each, sizes, checksums
  numbers, values   of all templates, one after the other; numbers ascend within a template
The last three are absent where no numbered feature has a weight.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rosewood.errors import DamagedFileError, TuningError
from rosewood.folders import FolderKind
from rosewood.forest import Weights
from rosewood.model.weights import read_weights, write_weights

__all__ = ["open_weights", "save_weights"]

_NAMED = "weights.json"
_SPARSE = FolderKind(
    "sparse.json", "rosewood sparse weights", 1, {"numbers": "<i8", "values": "<f8"}
)


def save_weights(folder: Path, weights: Weights) -> None:
    """Write a new folder of weights."""
    folder.mkdir()
    write_weights(weights.named, folder / _NAMED)
    rows = {name: rows for name, rows in weights.numbered.items() if len(rows[0])}
    if not rows:
        return
    for name, (_, values) in rows.items():
        if not np.isfinite(values).all():
            reason = f"a weight of {name!r} features is NaN or infinite: not written"
            raise TuningError(reason, code="weights.value", argument=name)
    numbers, values = (np.concatenate([row[side] for row in rows.values()]) for side in (0, 1))
    facts = {"templates": {name: len(own) for name, (own, _) in rows.items()}}
    _SPARSE.write(folder, {"numbers": numbers, "values": values}, facts)


def open_weights(folder: Path, *, verify: bool = False) -> Weights:
    """Open a folder of weights: arrays are mapped and checked; `verify` compares every byte."""
    named = read_weights(folder / _NAMED)
    path = folder / _SPARSE.manifest
    if not path.exists():
        return Weights(named)
    if verify:
        _SPARSE.verify(folder)
        _SPARSE.verify_manifest(folder)
    table, arrays = _SPARSE.open(folder)
    numbers, values = arrays["numbers"], arrays["values"]
    sizes = _templates(table, path, len(numbers), len(values))
    if not np.isfinite(values).all():
        raise DamagedFileError(
            "a weight is NaN or infinite", code="weights.value", file=folder / "values"
        )
    rows: dict[str, tuple[Any, Any]] = {}
    begin = 0
    for name, size in sizes.items():
        own = numbers[begin : begin + size]
        if own[0] < 0 or (own[1:] <= own[:-1]).any():
            reason = f"numbers of {name!r} features do not ascend"
            raise DamagedFileError(
                reason, code="file.damaged", argument=name, file=folder / "numbers"
            )
        rows[name] = (own, values[begin : begin + size])
        begin += size
    return Weights(named, rows)


def _templates(table: Any, path: Path, numbers: int, values: int) -> dict[str, int]:
    """How many weights each template has; they must add up."""
    sizes = table.get("templates")
    is_good = isinstance(sizes, dict) and all(
        name and ":" not in name and type(size) is int and size > 0 for name, size in sizes.items()
    )
    if not is_good or sum(sizes.values()) != numbers or numbers != values:
        reason = "the sizes of its templates and arrays differ"
        raise DamagedFileError(reason, code="file.damaged", argument="templates", file=path)
    return dict(sizes)
