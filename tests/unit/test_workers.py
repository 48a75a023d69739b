"""Functions in other processes: order, errors, ends of processes and of the caller."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from operator import mul, truediv
from pathlib import Path

import pytest
from tests.refusals import refuses

from rosewood.errors import FormatError, RosewoodError
from rosewood.workers import Workers, in_order, start_workers


def fails(reason):
    raise FormatError(reason, file="text", line=3)


def unsendable():
    raise ValueError(threading.Lock())


def prints():
    print("not a result")
    return os.getpid()


@pytest.fixture(scope="module")
def workers():
    with Workers(2) as made:
        yield made


def test_results_are_in_order(workers):
    calls = [(number, 2) for number in range(100)]
    wanted = [2 * number for number in range(100)]
    assert list(workers.map(mul, calls)) == list(in_order(None, mul, calls)) == wanted


def test_few_calls_are_taken_ahead(workers):
    taken = []

    def calls():
        for number in range(100):
            taken.append(number)
            yield number, 1

    results = workers.map(mul, calls())
    assert next(results) == 0
    assert len(taken) < 10
    assert list(results) == list(range(1, 100))


def test_errors_are_raised_here(workers):
    with pytest.raises(ZeroDivisionError):
        list(workers.map(truediv, [(1, 1), (1, 0), (2, 1)]))
    with refuses(FormatError, "file.format", line=3, file="text"):
        list(workers.map(fails, [("it is bad",)]))
    with refuses(RosewoodError, "worker.failed"):
        list(workers.map(unsendable, [()]))
    assert list(workers.map(mul, [(2, 3)])) == [6]


def test_printing_does_no_harm(workers):
    (found,) = workers.map(prints, [()])
    assert found != os.getpid()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a process kills itself")
def test_a_worker_that_is_killed():
    with Workers(2) as workers, refuses(RosewoodError, "worker.ended", value=-9):
        list(workers.map(signal.raise_signal, [(signal.SIGKILL,)]))


def test_where_no_process_can_be_started(monkeypatch):
    assert start_workers(1) is None
    monkeypatch.setattr(sys, "executable", "")
    assert start_workers(2) is None
    monkeypatch.setattr(sys, "executable", "/no/such/program")
    assert start_workers(2) is None


SCRIPT = """
import sys, time
from operator import mul
from rosewood.workers import Workers

with Workers(2) as workers:
    print(*[process.pid for process in workers._processes], flush=True)
    assert list(workers.map(mul, [(2, 3)])) == [6]
    list(workers.map(time.sleep, [(600,)] * 4))
"""


def is_alive(process: int) -> bool:
    try:
        status = Path(f"/proc/{process}/stat").read_text()
        return status.rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until_gone(processes):
    while any(map(is_alive, processes)):
        pass


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_ctrl_c_ends_them_and_a_script_needs_no_guard(tmp_path):
    """A script without `if __name__`, whose process group gets the signal as from a terminal."""
    (tmp_path / "script.py").write_text(SCRIPT)
    with subprocess.Popen(
        [sys.executable, "-c", "import signal, runpy, sys; "
         "signal.signal(signal.SIGINT, signal.default_int_handler); "
         "runpy.run_path(sys.argv[1], run_name='__main__')", tmp_path / "script.py"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as script:  # fmt: skip
        processes = [int(each) for each in script.stdout.readline().split()]
        assert len(processes) == 2
        os.killpg(script.pid, signal.SIGINT)
        _, told = script.communicate(timeout=60)
    assert told.count("Traceback") == 1
    assert told.rstrip().endswith("KeyboardInterrupt")
    wait_until_gone(processes)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_killed_caller_takes_idle_workers_with_it():
    code = SCRIPT.replace("list(workers.map(time.sleep, [(600,)] * 4))", "time.sleep(600)")
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as script:
        processes = [int(each) for each in script.stdout.readline().split()]
        script.kill()
    wait_until_gone(processes)
