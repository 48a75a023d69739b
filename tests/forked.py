"""Commands in processes that are forked from one that has imported Rosewood already.

    python -m tests.forked        # then a line of JSON for each command; its exit code is answered

A process that imports everything takes half a second, which is more than most commands need.  What
a test does to a process (signals, limits, hooks) is done to the child alone.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import pkgutil
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import rosewood
from tests.processes import ROOT


def run(
    arguments: Sequence[str], *, place: Path, code: str | None = None
) -> subprocess.CompletedProcess[str]:
    """`rosewood` with some arguments in a process of its own, or some code that calls it."""
    if not hasattr(os, "fork"):
        how = ["-m", "rosewood"] if code is None else ["-c", code]
        return subprocess.run(
            [sys.executable, *how, *arguments], cwd=place, text=True, capture_output=True,
            check=False,
        )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        out, err = (Path(folder, name) for name in ("out", "err"))
        order = {"place": str(place), "arguments": list(arguments), "code": code}
        server = _server()
        server.stdin.write(json.dumps({**order, "out": str(out), "err": str(err)}) + "\n")
        server.stdin.flush()
        ended = json.loads(server.stdout.readline())
        texts = (path.read_text("utf-8") for path in (out, err))
        return subprocess.CompletedProcess(list(arguments), ended, *texts)


@cache
def _server() -> subprocess.Popen[str]:
    """The process that forks; it ends with this one."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.forked"], cwd=ROOT, text=True, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    atexit.register(server.communicate)  # closes its input, and waits
    return server


def _taken() -> dict[str, Any]:
    """Forks a child for every order; returns in children alone, each with its order."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            return dict(json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    sys.exit()


def _become(order: dict[str, Any]) -> None:
    """This process runs the command as a new one would: in its folder, with its streams."""
    os.chdir(order["place"])
    streams = [(os.devnull, os.O_RDONLY)]
    streams += [(order[name], os.O_WRONLY | os.O_CREAT) for name in ("out", "err")]
    for number, (path, flags) in enumerate(streams):
        opened = os.open(path, flags)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.argv = ["-c", *order["arguments"]]
    if order["code"] is None:
        runpy.run_module("rosewood", run_name="__main__", alter_sys=True)
    else:
        exec(compile(order["code"], "<string>", "exec"), {"__name__": "__main__"})


if __name__ == "__main__":
    for found in pkgutil.walk_packages(rosewood.__path__, "rosewood."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    _become(_taken())
