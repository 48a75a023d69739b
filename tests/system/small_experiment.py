"""A tiny corpus for experiments, and where they put things."""

from __future__ import annotations

import shutil
from pathlib import Path

from rosewood.corpus.phrasebook import Phrasebook


def places_with_a_book(tmp_path: Path) -> list[str]:
    """Options of an experiment whose data have `book-de-en`; devtest is the test set again."""
    folder = tmp_path / "data" / "book-de-en"
    Phrasebook("en-de", seed=1, reverse=True).write(folder, train=120, dev=45, test=10)
    for language in ("de", "en"):
        shutil.copy(folder / f"test.{language}", folder / f"devtest.{language}")
    given = {"data": "data", "work": "work", "results": "results", "output": "page"}
    places = [each for name, place in given.items() for each in (f"--{name}", tmp_path / place)]
    return [*map(str, places), "--threads", "1"]
