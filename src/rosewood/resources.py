"""How much of a machine long work may use."""

from __future__ import annotations

from typing import SupportsIndex

from rosewood.arguments import check_whole
from rosewood.errors import RosewoodError

MAX_MEMORY = 2 << 30  # bytes; what does not fit is sorted in files
LEAST_MEMORY, MOST_MEMORY = 1 << 20, 1 << 60  # bytes that may be asked for
MOST_THREADS = 1024
MOST_SEED = 2**32 - 1


def check_threads(threads: SupportsIndex, error: type[RosewoodError]) -> int:
    """A number of threads that can be started."""
    return check_whole("threads", threads, low=1, high=MOST_THREADS, error=error)


def check_resources(
    threads: SupportsIndex, max_memory: SupportsIndex, error: type[RosewoodError], *, least: int = 1
) -> tuple[int, int]:
    """Threads and bytes of memory, if one can work with them; `least` bytes are needed."""
    return (
        check_threads(threads, error),
        check_whole("max_memory", max_memory, low=least, high=MOST_MEMORY, error=error),
    )
