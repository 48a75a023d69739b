"""Processes that tests start: ended and closed whatever happens, waited for by condition."""

from __future__ import annotations

import os
import struct
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]  # where `python -m tests.MODULE` works
LONGEST = 600.0  # seconds until a test gives up, however busy the machine is
IGNORING = ["sh", "-c", 'trap "" INT && exec "$@"', "sh"]  # as a shell starts a command with `&`


@contextmanager
def started(command: Sequence[str], **how: Any) -> Iterator[subprocess.Popen[Any]]:
    """A process that is killed, if it still runs, when the block ends; its pipes are closed."""
    with subprocess.Popen(command, **how) as process:
        try:
            yield process
        finally:
            process.kill()


def at_a_terminal(
    command: Sequence[str], *, columns: int | None = None, **how: Any
) -> tuple[int, str]:
    """Run a command with standard error on a terminal; the exit code, and what was shown there.

    `stdout="terminal"` has standard output there, too.  What is shown is read as it comes: a
    process that shows more than a terminal holds would wait for ever.
    """
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    if columns is not None:
        fcntl, termios = map(pytest.importorskip, ("fcntl", "termios"))
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    if how.get("stdout") == "terminal":
        how["stdout"] = theirs
    names = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
    shown = b""
    try:
        with started(command, stderr=theirs, env={**names, "TERM": "xterm"}, **how) as process:
            os.close(theirs)
            while piece := _read(ours):
                shown += piece
            return process.wait(), shown.decode()
    finally:
        os.close(ours)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # the other side is closed
        return b""


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[Any]) -> None:
    """Wait until a condition holds; fails if the process ends before."""
    limit = time.monotonic() + LONGEST
    while not condition():
        assert process.poll() is None, f"the process has ended with code {process.returncode}"
        assert time.monotonic() < limit, f"the condition did not hold within {LONGEST} seconds"
        time.sleep(0.01)
