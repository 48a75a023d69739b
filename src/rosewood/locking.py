"""One process at a time: a lock on a file, which the system releases when its holder ends.

    lock = FileLock(folder / "lock", TrainingError, f"{folder}: it is in use", "wait for it")
    lock.release()

The lock is on a file of its own, which holds the name of the holder (host and process number) for
the error that others get.  A folder has it inside, as `lock`; a file has it beside itself, as
NAME.lock, and that one is deleted on release.  A lock file that nobody holds means nothing: what
counts is the lock of the system, which is gone with the process, however it ends.

Linux       locks of the open file (F_OFD_SETLK): byte-range locks, which network file systems
            pass on to their server, but owned by the open file and not by the process, so that two
            users in one process exclude each other and closing another handle releases nothing
other Unix  lockf: the same byte-range locks, owned by the process; a table of what this process
            holds does the rest
Windows     msvcrt.locking of one byte
Where none of them works, the lock is refused with an error, never granted.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import sys
import threading
from errno import EACCES, EAGAIN, EDEADLK, EINVAL
from pathlib import Path
from typing import BinaryIO

from rosewood.errors import RosewoodError
from rosewood.shared_types import PathName

_HELD = (EACCES, EAGAIN, EDEADLK)  # what systems answer where somebody else has the lock
_AT = 1 << 30  # the byte that is locked: behind the text, which others must be able to read
_LONGEST = 200  # bytes of the text

_own: set[tuple[int, int]] = set()  # files that this process has locked, by device and number
_own_guard = threading.Lock()


class FileLock:
    """Holds the lock from its construction to `release`, or to the end of the process.

    `what` and `advice` are the error if somebody else has it: "WHAT (process 12 on HOST); ADVICE".
    """

    def __init__(
        self,
        path: PathName,
        error: type[RosewoodError],
        what: str,
        advice: str,
        *,
        is_temporary: bool = False,
    ) -> None:
        self.path = Path(path)
        self._is_temporary = is_temporary
        self._stream: BinaryIO | None = None
        self._identity = (0, 0)
        while True:
            stream = self._opened(error)
            try:
                taken = self._take(stream, error, what, advice)
            except BaseException:
                stream.close()
                raise
            if taken:
                break
            stream.close()
        self._stream = stream

    def release(self) -> None:
        """Let others have it."""
        stream, self._stream = self._stream, None
        if stream is None:
            return
        if self._is_temporary:  # while it is locked: whoever has opened it will notice
            self.path.unlink(missing_ok=True)
        with _own_guard:
            _own.discard(self._identity)
            stream.close()

    def _opened(self, error: type[RosewoodError]) -> BinaryIO:
        try:
            return os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666), "r+b", buffering=0)
        except OSError as fault:
            reason = f"{self.path}: cannot create the lock file: {fault.strerror}"
            raise error(reason, code="file.permission", file=self.path) from fault

    def _take(self, stream: BinaryIO, error: type[RosewoodError], what: str, advice: str) -> bool:
        """Lock the file; False if its previous owner has deleted it."""
        status = os.fstat(stream.fileno())
        identity = (status.st_dev, status.st_ino)
        with _own_guard:
            is_free = identity not in _own
            if is_free:
                try:
                    is_free = try_lock(stream)
                except OSError as fault:
                    reason = (
                        f"{self.path}: this file system does not support locks "
                        f"({fault.strerror}); use a folder on another one"
                    )
                    raise error(reason, code="lock.unsupported", file=self.path) from fault
            if is_free:
                _own.add(identity)
        if not is_free:
            holder = _holder(stream)
            told = f"{what} ({holder}); {advice}" if holder else f"{what}; {advice}"
            raise error(told, code="lock.held", value=holder, file=self.path)
        try:
            now = self.path.stat()
            is_same = (now.st_dev, now.st_ino) == identity
        except FileNotFoundError:
            is_same = False
        if not is_same:
            with _own_guard:
                _own.discard(identity)
            return False
        self._identity = identity
        name = f"process {os.getpid()} on {socket.gethostname()}".encode()[:_LONGEST]
        with contextlib.suppress(OSError):  # a full disk: the lock holds all the same
            stream.truncate(0)
            stream.write(name)
        return True


def _holder(stream: BinaryIO) -> str:
    """Who has the lock, if the file tells."""
    try:
        stream.seek(0)
        return stream.read(_LONGEST).decode(errors="replace").strip()
    except OSError:
        return ""


def try_lock(stream: BinaryIO) -> bool:
    """Lock it, unless somebody else has; OSError where that cannot be done."""
    try:
        if sys.platform == "win32":
            import msvcrt

            stream.seek(_AT)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
            stream.seek(0)
            return True
        import fcntl

        if hasattr(fcntl, "F_OFD_SETLK"):
            try:
                fcntl.fcntl(stream, fcntl.F_OFD_SETLK, _request(fcntl.F_WRLCK))
                return True
            except OSError as reason:
                if reason.errno != EINVAL:  # an old system
                    raise
        fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _AT)
    except OSError as reason:
        if reason.errno in _HELD:
            return False
        raise
    return True


def _request(kind: int) -> bytes:
    """`struct flock` of one byte: kind, whence, start, length, and no process."""
    return struct.pack("hhqqi4x", kind, os.SEEK_SET, _AT, 1, 0)
