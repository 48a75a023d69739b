"""Locks: one holder at a time, released however it ends, refused where there are none."""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
import threading

import pytest
from tests.processes import started
from tests.refusals import refuses

from rosewood import locking
from rosewood.errors import RosewoodError
from rosewood.locking import FileLock

HOLDS = """
import sys
from rosewood.errors import RosewoodError
from rosewood.locking import FileLock

lock = FileLock(sys.argv[1], RosewoodError, "in use", "wait")
print("held", flush=True)
sys.stdin.read()
"""


def take(path, **more):
    return FileLock(path, RosewoodError, "the thing is in use", "wait for it", **more)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "lock"


@pytest.fixture
def holder(path):
    """A process that holds the lock."""
    with started(
        [sys.executable, "-c", HOLDS, str(path)], text=True, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout.readline() == "held\n"
        yield process


def test_the_error_names_the_holder(path, holder):
    with refuses(RosewoodError, "lock.held") as caught:
        take(path)
    for token in ("the thing", f"process {holder.pid}", socket.gethostname()):
        assert token in str(caught.value)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a process is killed")
def test_a_killed_process_holds_nothing(path, holder):
    holder.kill()
    holder.wait()
    take(path).release()


def test_a_lock_file_of_a_dead_process_means_nothing(path):
    path.write_text("process 1 on elsewhere")
    lock = take(path)
    assert path.read_text() == f"process {os.getpid()} on {socket.gethostname()}"
    lock.release()


def test_within_one_process(path):
    lock = take(path)
    for _ in range(2):
        holder = f"process {os.getpid()} on {socket.gethostname()}"
        with refuses(RosewoodError, "lock.held", value=holder, file=str(path)):
            take(path)
        path.open("rb").close()  # closing another handle releases nothing
    lock.release()
    lock.release()
    take(path).release()


def test_other_handles_of_the_file_do_not_release_it(path):
    """Locks of a process would be gone when any handle of the file is closed."""
    lock = take(path)
    path.open("rb").close()
    check = "from tests.unit.test_locking import *; take(sys.argv[1])"
    found = subprocess.run(
        [sys.executable, "-c", check, str(path)], text=True, capture_output=True, check=False
    )
    assert "in use" in found.stderr
    lock.release()


def test_a_temporary_lock_file_is_deleted(path):
    lock = take(path, is_temporary=True)
    assert path.exists()
    lock.release()
    assert not path.exists()


def test_a_lock_file_that_was_deleted_while_one_waited(path, monkeypatch):
    """Whoever opened it before the holder deleted it must not lock a file without a name."""
    first = take(path, is_temporary=True)
    locked = locking.try_lock
    tries = []

    def slow(stream):
        tries.append(stream)
        if len(tries) == 1:
            path.unlink()  # as the holder does on release
        return locked(stream)

    other = path.with_name("other")
    path.rename(other)  # the file of the first; the second opens a new one
    monkeypatch.setattr(locking, "try_lock", slow)
    second = take(path)
    assert len(tries) == 2
    assert path.exists()
    second.release()
    first.release()


@pytest.mark.parametrize("threads", [8])
def test_many_threads_hold_it_one_after_another(path, threads):
    inside, most, done = [0], [0], [0]

    def work():
        while True:
            try:
                lock = take(path, is_temporary=True)
            except RosewoodError:
                continue
            inside[0] += 1
            most[0] = max(most[0], inside[0])
            done[0] += 1
            inside[0] -= 1
            lock.release()
            return

    several = [threading.Thread(target=work) for _ in range(threads)]
    for thread in several:
        thread.start()
    for thread in several:
        thread.join()
    assert (most, done) == ([1], [threads])


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_is_refused(path, monkeypatch, number):
    fcntl = pytest.importorskip("fcntl")

    def fails(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "fcntl", fails)
    monkeypatch.setattr(fcntl, "lockf", fails)
    with refuses(RosewoodError, "lock.unsupported"):
        take(path)
    monkeypatch.undo()
    take(path).release()


def test_an_old_system_has_locks_of_processes(path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.delattr(fcntl, "F_OFD_SETLK", raising=False)
    lock = take(path)
    with refuses(RosewoodError, "lock.held"):
        take(path)
    lock.release()
    take(path).release()


def test_a_folder_that_cannot_be_written(tmp_path):
    with refuses(RosewoodError, "file.permission"):
        take(tmp_path / "no" / "lock")
