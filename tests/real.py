"""Real text for tests that want it: $ROSEWOOD_DATA, or ../shared/data; without it they skip."""

from __future__ import annotations

import gzip
import json
import os
from itertools import islice
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


def lines(name: str, count: int | None = None) -> list[str]:
    """The lines of a gzipped file, or so many of them."""
    with gzip.open(path_of(name), "rt", encoding="utf-8", newline="\n") as file:
        return [line.removesuffix("\n") for line in islice(file, count)]


def candidates(name: str, count: int) -> list[dict[str, Any]]:
    """So many sentences of an n-best file, or the test is skipped."""
    return [json.loads(line) for line in lines(name, count)]
