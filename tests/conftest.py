"""Settings of all tests: threads, examples of property tests, signals that tests rely on."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# Test processes run side by side, one for each core: none starts threads of its own for linear
# algebra.  This must come before NumPy is imported; processes that tests start inherit it.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# Tests write tens of thousands of small files: in memory, where there is room for them, they cost
# a fraction of the system's time.  A TMPDIR that was chosen stays.
MEMORY = Path("/dev/shm")
if (
    "TMPDIR" not in os.environ
    and os.access(MEMORY, os.W_OK)
    and shutil.disk_usage(MEMORY).free >= 4 << 30
):
    os.environ["TMPDIR"] = str(MEMORY)
    tempfile.tempdir = None  # so that it is asked for again

# New examples on every run at home, the same ones on every run in CI.
settings.register_profile("ci", deadline=None, derandomize=True)
settings.register_profile("home", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=20)
settings.load_profile("ci" if os.environ.get("CI") else "home")


def pytest_configure(config: pytest.Config) -> None:
    """`make quick` tries fewer examples of each property; `make test` tries them all."""
    if config.option.markexpr == "not slow":
        settings.load_profile("quick")


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> Iterator[None]:
    """Ctrl-C works in tests and in the processes they start.

    Shells start background commands (`make test &`) with SIGINT ignored, which children inherit.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest tests start first: at the end all processes have something to do."""
    items.sort(key=lambda item: item.get_closest_marker("longest") is None)


def pytest_collection_finish() -> None:
    """What collecting thousands of tests has made stays: no need to look for garbage in it.

    New garbage is looked for every 50,000 objects instead of every 700: tests make many small
    ones, and few cycles of them.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
