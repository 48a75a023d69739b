"""Real text for tests that want it: $ROSEWOOD_DATA, or ../shared/data; without it they skip."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("ROSEWOOD_DATA") or ROOT / "../shared/data")


def path_of(name: str) -> Path:
    """A file of the data folder, or the test is skipped: the project does not carry the data."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"no {name} in the data folder: set ROSEWOOD_DATA")
    return path


def lines(name: str) -> list[str]:
    """The lines of a gzipped file."""
    with gzip.open(path_of(name), "rt", encoding="utf-8", newline="\n") as file:
        return [line.removesuffix("\n") for line in file]


def candidates(name: str) -> list[dict[str, Any]]:
    """The sentences of an n-best file, or the test is skipped."""
    return [json.loads(line) for line in lines(name)]
