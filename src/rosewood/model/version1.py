"""Manifests of format version 1 (Rosewood 0.1.0 before parts had types), in the form of version 2.

In version 1 `parts` was a fixed table of paths, null where a part was absent, and `weights` a table
of the manifest.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rosewood.errors import DamagedFileError

_PATHS = {
    "rules": "rule-table",
    "source_text": "text-processor",
    "target_text": "text-processor",
    "guesses": "guesses",
    "corpus": "indexed-corpus",
    "origins": "origins",
}


def _damaged(reason: str, field: str, path: Path) -> DamagedFileError:
    return DamagedFileError(reason, code="file.damaged", argument=field, file=path)


def converted(table: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """A version-1 manifest in the form of version 2; `version` stays 1."""
    weights, parts = table.get("weights"), table["parts"]
    if not isinstance(weights, dict):
        raise _damaged("'weights' is missing or not a table", "weights", path)
    for name in sorted({*parts} ^ {*_PATHS, "language_models"}):
        raise _damaged(f"its list of parts is damaged: {name!r}", f"parts.{name}", path)
    if not weights:
        raise _damaged("it has no weights", "weights", path)
    for name, value in weights.items():
        if type(value) not in (int, float):
            raise _damaged(f"the weight of {name!r} is not a number", f"weights.{name}", path)
    found: dict[str, Any] = {"lm": {"type": "language-models", "paths": parts["language_models"]}}
    for name, kind in _PATHS.items():
        if parts[name] is not None:
            found[name] = {"type": kind, "path": parts[name]}
    found["weights"] = {"type": "named-weights", "values": weights}
    return {**{name: table[name] for name in table if name != "weights"}, "parts": found}
