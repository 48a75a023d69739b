"""Python work in other processes, with results in order.

    with Workers(2) as workers:
        for result in workers.map(function_of_a_module, [(1, "a"), (2, "b")]):
            ...

Processes are new interpreters that talk over pipes.  They are not forked, so threads of the caller
do no harm; they do not import the caller's main module, so scripts need no `if __name__` and
notebooks work; they are in a process group of their own, so that Ctrl-C reaches the caller alone,
who ends them.  When the caller is killed, the end of the pipe ends them.  They write no files.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import chain, islice
from queue import SimpleQueue
from typing import IO, Any, Self, TypeVar

from rosewood.errors import RosewoodError

R = TypeVar("R")

_BEGIN = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from rosewood.workers import serve; serve()"
)


def start_workers(count: int) -> Workers | None:
    """So many processes, or None where fewer than two are wanted or none can be started."""
    if count < 2 or not sys.executable or getattr(sys, "frozen", False):
        return None
    try:
        return Workers(count)
    except OSError:  # a limit of the system: the work is done here
        return None


def in_order(
    workers: Workers | None, function: Callable[..., R], calls: Iterable[tuple[Any, ...]]
) -> Iterator[R]:
    """The results of all calls, by workers or, without any, here."""
    if workers is None:
        return (function(*call) for call in calls)
    return workers.map(function, calls)


class Workers:
    """Processes that call functions of modules."""

    def __init__(self, count: int) -> None:
        self._processes: list[subprocess.Popen[bytes]] = []
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        self._most = 2 * count + 1  # results that wait for their turn, and calls under way
        try:
            for _ in range(count):
                self._processes.append(_start())
        except BaseException:
            self._end()
            raise
        for process in self._processes:
            self._idle.put(process)
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="rosewood worker")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def map(self, function: Callable[..., R], calls: Iterable[tuple[Any, ...]]) -> Iterator[R]:
        """The results of all calls, in their order; few calls are taken ahead."""
        waiting: deque[Future[R]] = deque()
        for call in calls:
            waiting.append(self._pool.submit(self._call, function, call))
            del call  # it may be large
            while len(waiting) > self._most:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def close(self) -> None:
        """End all processes, whatever they are doing."""
        self._end()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _end(self) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()
            for stream in (process.stdin, process.stdout):
                with suppress(OSError):  # what was not yet written to a process that is gone
                    if stream is not None:
                        stream.close()

    def _call(self, function: Callable[..., R], call: tuple[Any, ...]) -> R:
        process = self._idle.get()
        try:
            pickle.dump((function, call), _pipe(process.stdin), pickle.HIGHEST_PROTOCOL)
            _pipe(process.stdin).flush()
            is_good, result = pickle.load(_pipe(process.stdout))
        except (OSError, EOFError, ValueError, pickle.UnpicklingError) as error:
            status = process.wait()
            reason = f"a worker process ended with code {status}: is there enough memory?"
            raise RosewoodError(reason, code="worker.ended", value=status) from error
        finally:
            self._idle.put(process)
        if is_good:
            found: R = result
            return found
        raise result


class LateWorkers:
    """Processes for work of unknown size: they start when the first few calls are done here."""

    def __init__(self, count: int, few: int) -> None:
        self._count, self._few = count, few
        self._workers: Workers | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._workers is not None:
            self._workers.close()

    def map(self, function: Callable[..., R], calls: Iterable[tuple[Any, ...]]) -> Iterator[R]:
        """The results of all calls, in their order."""
        rest = iter(calls)
        if self._workers is None:
            for call in islice(rest, self._few):
                yield function(*call)
            more = next(rest, None)
            if more is None:
                return
            self._workers = start_workers(self._count)
            rest = chain([more], rest)
        yield from in_order(self._workers, function, rest)


def _start() -> subprocess.Popen[bytes]:
    apart: dict[str, Any] = {"process_group": 0}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return subprocess.Popen(
        [sys.executable, "-c", _BEGIN, json.dumps(sys.path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, **apart,
    )  # fmt: skip


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise ValueError("no pipe")
    return stream


def serve() -> None:
    """What a worker does: calls and results, until the pipe ends."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed must not get among the results
    while True:
        try:
            function, call = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            reply = (True, function(*call))
        except Exception as error:
            reply = (False, error)
        try:
            data = pickle.dumps(reply, pickle.HIGHEST_PROTOCOL)
        except Exception:  # an error that cannot be sent
            data = pickle.dumps(
                (False, RosewoodError(f"in a worker process: {reply[1]!r}", code="worker.failed"))
            )
        try:
            replies.write(data)
            replies.flush()
        except OSError:  # the caller is gone
            os._exit(1)
