"""Fits side by side, in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
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
