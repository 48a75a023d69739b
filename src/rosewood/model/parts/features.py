"""Bundle part `features`: features written in Python, by import path, package and version."""

from typing import Any

from rosewood.model.python_features import load_features, read_records
from rosewood.model.registry import PartType, StoredPart


def _open(part: StoredPart) -> tuple[Any, ...]:
    return load_features(read_records(part.path), file=part.path)


PLUGIN = PartType(
    "features",
    "python-features",
    "Import path, package, version and settings of features written in Python.",
    open=_open,
    verify=lambda part: read_records(part.path),  # imports nothing
)
