"""Work in threads: fits side by side, and results in the order of their jobs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event, Lock
from typing import Any, TypeVar

from rosewood.shared_types import Report

Job = TypeVar("Job")
Result = TypeVar("Result")


class _Stopped(Exception):
    """Ends a fit whose result is no longer needed."""


def side_by_side(
    work: Callable[[Job, Report], Result],
    jobs: Iterable[Job],
    *,
    workers: int = 1,
    step: Callable[[Result], None] | None = None,
) -> list[Result]:
    """`work(job, report)` of each job, in their order; `step` hears of each when it is done.

    Learners call `report` at each round: there a fit ends when another has failed, or when the
    user has stopped the program.
    """
    stop, one_at_a_time = Event(), Lock()

    def report(row: dict[str, Any]) -> None:
        if stop.is_set():
            raise _Stopped

    def run(job: Job) -> Result:
        result = work(job, report)
        if step is not None:
            with one_at_a_time:
                step(result)
        return result

    with ThreadPoolExecutor(max_workers=max(1, workers)) as pool:
        try:
            return list(pool.map(run, jobs))
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


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
