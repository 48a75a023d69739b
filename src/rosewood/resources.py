"""How much of a machine long work may use."""

from __future__ import annotations

from typing import SupportsIndex

from rosewood.arrays import as_count
from rosewood.errors import RosewoodError

MAX_MEMORY = 2 << 30  # bytes; what does not fit is sorted in files
_MOST_THREADS = 1024


def check_threads(threads: SupportsIndex, error: type[RosewoodError]) -> int:
    """A number of threads that can be started."""
    return as_count("threads", threads, 1, _MOST_THREADS, error)


def check_resources(
    threads: SupportsIndex, max_memory: SupportsIndex, error: type[RosewoodError]
) -> tuple[int, int]:
    """Threads and bytes of memory, if one can work with them."""
    return (
        check_threads(threads, error),
        as_count("max_memory", max_memory, 1, 1 << 62, error),
    )
