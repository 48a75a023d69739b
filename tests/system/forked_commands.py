"""Commands that experiments start, forked from the test process, which has imported everything.

A new process takes longer to import what a small training needs than the training takes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

import pytest
from tests.system.commands import built

from rosewood import cli

COMMAND = [sys.executable, "-m", "rosewood"]
_start = subprocess.run


@pytest.fixture
def forked_commands(monkeypatch) -> None:
    """`subprocess.run` forks where it is to start `python -m rosewood`."""
    if hasattr(os, "fork"):
        monkeypatch.setattr(cli, "app", built())
        monkeypatch.setattr(subprocess, "run", _run)


def _run(command: Sequence[Any], **how: Any) -> subprocess.CompletedProcess[Any]:
    if list(command[: len(COMMAND)]) != COMMAND:
        return _start(command, **how)
    assert set(how) <= {"check", "stdout"}, how
    with tempfile.TemporaryFile() as out:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # other threads: all of them wait
            child = os.fork()
        if child == 0:
            _become(command[len(COMMAND) :], out.fileno() if "stdout" in how else None)
        _, status = os.waitpid(child, 0)
        out.seek(0)
        said = out.read() if "stdout" in how else None
    done = subprocess.CompletedProcess(command, os.waitstatus_to_exitcode(status), said)
    if how.get("check"):
        done.check_returncode()
    return done


def _become(arguments: Sequence[str], out: int | None) -> NoReturn:
    """Runs the command, and ends this process without anything that the tests do at their end."""
    code = 1
    try:
        if out is not None:
            os.dup2(out, 1)
            sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.argv = ["rosewood", *arguments]
        try:
            cli.main()
            code = 0
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
