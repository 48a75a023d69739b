"""How far long work has come: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["Step", "progress", "progress_of_parts"]

_LINE_EVERY = 10.0  # seconds
_BAR_EVERY = 0.1


@contextmanager
def progress(what: str, total: int | None = None, *, quiet: bool = False) -> Iterator[Step]:
    """Shows on standard error how far `what` has come; the block calls what it is given.

    >>> with progress("reading", quiet=True) as step:
    ...     step()
    ...     step(10)
    """
    if quiet:
        yield Step()
    elif sys.stderr.isatty():
        with _bar() as bar, _ends_at_output(bar):
            step = _BarStep(bar, what, total)
            yield step
            step.show()
    else:
        yield _LineStep(what, total)


@contextmanager
def progress_of_parts(*, quiet: bool = False) -> Iterator[Callable[[str, int, int], None]]:
    """For work of several parts, each with a bar of its own.

    What the block is given is told which part it is, how much of it is done, and out of how much.
    """
    with ExitStack() as stack:
        part, before, step = "", 0, Step()

        def told(what: str, done: int, total: int) -> None:
            nonlocal part, before, step
            if what != part:
                stack.close()
                step = stack.enter_context(progress(what, total, quiet=quiet))
                part, before = what, 0
            step(done - before)
            before = done
            if done >= total:  # others may want to show theirs now
                stack.close()
                part = ""

        yield told


class Step:
    """Told of work that is done, by how much; this one keeps it to itself."""

    def __call__(self, count: int = 1) -> None:
        pass


class _Paced(Step, ABC):
    """Shows the count so far, but not more often than every so many seconds."""

    def __init__(self, every: float) -> None:
        self._every = every
        self._next = time.monotonic() + every
        self._count = 0

    def __call__(self, count: int = 1) -> None:
        self._count += count
        now = time.monotonic()
        if now >= self._next:
            self._next = now + self._every
            self.show()

    @abstractmethod
    def show(self) -> None:
        """The count so far, wherever it is shown."""


class _LineStep(_Paced):
    def __init__(self, what: str, total: int | None) -> None:
        super().__init__(_LINE_EVERY)
        self._what = what
        self._of = "" if total is None else f" of {total:,}"
        self._begin = time.monotonic()

    def show(self) -> None:
        seconds = time.monotonic() - self._begin
        done = f"{self._count:,}{self._of}"
        print(f"rosewood: {self._what}: {done} after {seconds:.0f} s", file=sys.stderr, flush=True)


class _BarStep(_Paced):
    def __init__(self, bar: Progress, what: str, total: int | None) -> None:
        super().__init__(_BAR_EVERY)
        self._bar = bar
        self._task = bar.add_task(what, total=total)

    def show(self) -> None:
        self._bar.update(self._task, completed=self._count)


@contextmanager
def _ends_at_output(bar: Progress) -> Iterator[None]:
    """Results that go to the same terminal end the bar: they and it would be written in a mix."""
    if not sys.stdout.isatty():
        yield
        return
    before = sys.stdout
    watched = _Watched(before, bar.stop)
    sys.stdout = cast(TextIO, watched)
    try:
        yield
    finally:
        if cast(object, sys.stdout) is watched:
            sys.stdout = before


class _Watched:
    """A stream that tells when it is first written to."""

    def __init__(self, stream: TextIO, told: Callable[[], object]) -> None:
        self._stream = stream
        self._told: Callable[[], object] | None = told

    def __getattr__(self, name: str) -> Any:
        if name in ("write", "writelines", "buffer") and self._told is not None:
            told, self._told = self._told, None
            told()
        return getattr(self._stream, name)


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,  # or results would go to where the bar is
        redirect_stderr=False,
    )
