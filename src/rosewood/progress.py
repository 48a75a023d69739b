"""How far long work has come: a bar on a terminal, a plain line now and then elsewhere.

Where it is known how much there is to do, both tell about how long the rest will take.
"""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, TextIO, cast

from rosewood.svg_text import duration

if TYPE_CHECKING:
    from rich.progress import Progress, Task
    from rich.text import Text

LINE_EVERY = 10.0  # seconds
_BAR_EVERY = 0.1
_WIDEST = 100  # columns of a bar and what stands beside it
EARLY = 1.0  # seconds: what is done by then was perhaps done before
SOONEST = 3.0  # seconds after which the rest is estimated
_LEAST = 0.01  # of the work must be done for that


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
def progress_of_parts(*, quiet: bool = False) -> Iterator[Callable[[str, int, int | None], None]]:
    """For work of several parts, each with a bar of its own.

    What the block is given is told which part it is, how much of it is done, and out of how much,
    where that is known.
    """
    with ExitStack() as stack:
        part, before, step = "", 0, Step()

        def told(what: str, done: int, total: int | None) -> None:
            nonlocal part, before, step
            if what != part:
                stack.close()
                step = stack.enter_context(progress(what, total, quiet=quiet))
                part, before = what, 0
            step(done - before)
            before = done
            if total is not None and done >= total:  # others may want to show theirs now
                stack.close()
                part = ""

        yield told


class Step:
    """Told of work that is done, by how much; this one keeps it to itself."""

    def __call__(self, count: int = 1) -> None:
        pass


class _Pace:
    """How fast work is done, and so how long the rest of it will take.

    Work that goes on from where it was stopped is told at once of all that was done before; so what
    is done in the first second does not count.
    """

    def __init__(self, total: int | None) -> None:
        self._total = total
        self._begin = self._from = self._last = time.monotonic()
        self._early = self._count = 0

    def reached(self, count: int, now: float) -> None:
        """So much of the work is done now."""
        self._last, self._count = now, count
        if now - self._begin <= EARLY:
            self._from, self._early = now, count

    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self._begin

    def left(self) -> float | None:
        """Seconds until the end; None where unknown."""
        done, took = self._count - self._early, self._last - self._from
        if not self._total or done < _LEAST * self._total or self.seconds() < SOONEST:
            return None
        if self._count >= self._total:
            return None
        rest = (self._total - self._count) * took / done
        return max(0.0, rest - (time.monotonic() - self._last))


def _about(seconds: float) -> str:
    """A time that is only estimated: two digits or so of it."""
    step = 1 if seconds < 100 else 10 if seconds < 600 else 60 if seconds < 36_000 else 3600
    return duration(max(1, step * round(seconds / step)))


class _Paced(Step, ABC):
    """Shows the count so far, but not more often than every so many seconds."""

    def __init__(self, every: float, total: int | None) -> None:
        self._every = every
        self._next = time.monotonic() + every
        self._count = 0
        self._pace = _Pace(total)

    def __call__(self, count: int = 1) -> None:
        now = time.monotonic()
        self._count += count
        self._pace.reached(self._count, now)
        if now >= self._next:
            self._next = now + self._every
            self.show()

    @abstractmethod
    def show(self) -> None:
        """Show the count so far."""


class _LineStep(_Paced):
    def __init__(self, what: str, total: int | None) -> None:
        super().__init__(LINE_EVERY, total)
        self._what = what
        self._of = "" if total is None else f" of {total:,}"

    def show(self) -> None:
        told = f"{self._count:,}{self._of} after {duration(self._pace.seconds())}"
        left = self._pace.left()
        if left is not None:
            told += f", about {_about(left)} left"
        print(f"rosewood: {self._what}: {told}", file=sys.stderr, flush=True)


class _BarStep(_Paced):
    def __init__(self, bar: Progress, what: str, total: int | None) -> None:
        super().__init__(_BAR_EVERY, total)
        self._bar = bar
        self._task = bar.add_task(what, total=total, left=self._pace.left)

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
    """A stream that calls a function when it is first written to."""

    def __init__(self, stream: TextIO, on_write: Callable[[], object]) -> None:
        self._stream = stream
        self._on_write: Callable[[], object] | None = on_write

    def __getattr__(self, name: str) -> Any:
        if name in ("write", "writelines", "buffer") and self._on_write is not None:
            on_write, self._on_write = self._on_write, None
            on_write()
        return getattr(self._stream, name)


def _bar() -> Progress:
    """A bar that takes the width that the other columns leave."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeElapsedColumn,
    )  # fmt: skip
    from rich.table import Column
    from rich.text import Text

    class Left(ProgressColumn):
        """The remaining time, which also falls between reports of progress."""

        def render(self, task: Task) -> Text:
            left = task.fields["left"]()
            return Text("" if left is None else f"{_about(left)} left")

    console = Console(stderr=True)
    if console.width > _WIDEST:
        console.width = _WIDEST
    return Progress(
        TextColumn("{task.description}", table_column=Column(no_wrap=True)),
        BarColumn(bar_width=None),
        MofNCompleteColumn(table_column=Column(no_wrap=True)),
        TimeElapsedColumn(table_column=Column(no_wrap=True)),
        Left(table_column=Column(no_wrap=True)),
        console=console,
        expand=True,
        transient=True,
        redirect_stdout=False,  # or results would go to where the bar is
        redirect_stderr=False,
    )
