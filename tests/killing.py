"""A process that trains again and again in children of its own, which are killed at chosen moments.

    python -m tests.killing FOLDER        # then a line of JSON for each run, and one is answered

A run is {"after": seconds} or {"at": number}: it is killed so long after its beginning, or before
it makes, renames or deletes a folder or a file for the so many-th time; {} lets it end.  Children
are forked, so that a run takes as long as its work: importing everything would take longer.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path
from typing import Any

from rosewood.pipeline import TrainingInputs, TrainingSettings, train
from tests.training import QUICK

# What decides how a folder looks from outside; files are written within folders that have yet to
# get their names.
EVENTS = {"os.mkdir", "os.rename", "shutil.rmtree", "shutil.copytree"}


def _kill_at(number: int) -> None:
    seen = 0

    def hook(event: str, told: tuple[Any, ...]) -> None:
        nonlocal seen
        if event in EVENTS or (event == "open" and "x" in str(told[1])):
            seen += 1
            if seen == number:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def _child(folder: Path, order: dict[str, Any], *, threads: int = 2) -> None:
    os.chdir(folder)
    inputs = TrainingInputs(
        "train.en", "train.de", dev=("dev.en", "dev.de"), test=("test.en", "test.de")
    )
    settings = TrainingSettings(**{**QUICK, **order.get("settings", {})})
    if "at" in order:
        _kill_at(order["at"])
    if "after" in order:
        clock = threading.Timer(order["after"], os.kill, (os.getpid(), signal.SIGKILL))
        clock.daemon = True
        clock.start()
    train(inputs, "model", settings, threads=threads)


def _import_what_runs_import(folder: Path) -> None:
    """A run imports things as it needs them, and each child would do so anew."""
    with tempfile.TemporaryDirectory() as place:
        for path in folder.iterdir():
            shutil.copy(path, place)
        _child(Path(place), {}, threads=1)
        os.chdir(folder)


def main(folder: Path) -> None:
    _import_what_runs_import(folder)
    for line in sys.stdin:
        begin = time.monotonic()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                _child(folder, json.loads(line))
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(code)
        _, status = os.waitpid(child, 0)
        answer = {
            "code": os.waitstatus_to_exitcode(status), "seconds": time.monotonic() - begin
        }  # fmt: skip
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
