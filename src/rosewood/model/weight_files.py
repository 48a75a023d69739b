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
    for place in np.flatnonzero(~np.isfinite(values))[:1].tolist():
        raise DamagedFileError(
            f"weight {place} is NaN or infinite",
            code="weights.value", value=place, file=folder / "values",
        )  # fmt: skip
    rows: dict[str, tuple[Any, Any]] = {}
    begin = 0
    for name, size in sizes.items():
        own = numbers[begin : begin + size]
        for place in np.flatnonzero(np.r_[own[:1] < 0, own[1:] <= own[:-1]])[:1]:
            raise DamagedFileError(
                f"numbers of {name!r} features do not ascend from 0 on",
                code="file.damaged", argument=name, value=int(own[place]), file=folder / "numbers",
            )  # fmt: skip
        rows[name] = (own, values[begin : begin + size])
        begin += size
    return Weights(named, rows)


def _templates(table: Any, path: Path, numbers: int, values: int) -> dict[str, int]:
    """How many weights each template has; they must add up."""

    def damaged(reason: str, argument: str, value: object) -> DamagedFileError:
        return DamagedFileError(
            reason, code="file.damaged", argument=argument, value=value, file=path
        )

    sizes = table.get("templates")
    if not isinstance(sizes, dict):
        raise damaged("it has no templates", "templates", sizes)
    for name, size in sizes.items():
        if not name or ":" in name or type(size) is not int or size < 1:
            raise damaged(f"its template {name!r} is damaged", name, size)
    if not (total := sum(sizes.values())) == numbers == values:
        raise damaged("the sizes of its templates and arrays differ", "templates", total)
    return dict(sizes)
