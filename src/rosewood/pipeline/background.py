"""Work handed to another thread, with results in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def ahead(work: Callable[[T], R], items: Iterable[T], most: int) -> Iterator[R]:
    """`map(work, items)`: this thread makes the items and another does the work, at most so many
    items later.

    The calling thread stays the one that makes the items, for only it can be interrupted there.
    """
    pool = ThreadPoolExecutor(1, thread_name_prefix="rosewood ahead")
    waiting: deque[Future[R]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            del item  # it may be large
            while waiting and (len(waiting) > most or waiting[0].done()):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
