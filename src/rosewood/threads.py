"""Work in threads, with results in the order of their jobs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


def in_order(
    work: Callable[[Job], Result], jobs: Iterable[Job], *, threads: int = 1
) -> Iterator[Result]:
    """`work(job)` of each job, in their order; memory has a result for each thread."""
    if threads == 1:
        yield from map(work, jobs)
        return
    pool = ThreadPoolExecutor(threads, thread_name_prefix="rosewood")
    waiting: deque[Future[Result]] = deque()
    try:
        for job in jobs:
            waiting.append(pool.submit(work, job))
            if len(waiting) == threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
