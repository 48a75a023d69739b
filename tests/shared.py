"""Folders that all test processes of a run share: whoever needs one first makes it."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rosewood.locking import try_lock


def made_once(
    factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]
) -> Path:  # fmt: skip
    """The folder of this name, made by `make` in the first process that asks.

    The others wait for it.  Nobody may change it: copy it for that.
    """
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # each process has a folder of its own below it
    folder, part = base / name, base / f"{name}.part"
    with (base / f"{name}.lock").open("ab") as stream:
        while not try_lock(stream):
            time.sleep(0.05)
        if not folder.exists():
            shutil.rmtree(part, ignore_errors=True)  # of one who failed
            make(part)
            part.rename(folder)
    return folder
