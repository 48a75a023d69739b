"""Where long work is done: a folder for what does not fit into memory, and what was done in it.

A folder that is named stays when the work is stopped, so that the same work goes on from there; one
without a name is gone with it.  The folder belongs to one piece of work, which its journal names
from the beginning: other work that is begun there ends it.  Only one process works in it.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path
from secrets import token_hex
from typing import Any

from rosewood import __version__
from rosewood.errors import FormatError, RosewoodError
from rosewood.journal import Journal, fingerprint
from rosewood.locking import FileLock
from rosewood.shared_types import PathName

_LOCK = "lock"
_BEGUN = "begun"


class Workplace:
    """The folder, and a journal of the steps that are done there, which has the name of the `task`.

    `facts` are all that decides the result; work of another release does not go on.  Where they
    cannot be known (None), nothing goes on.
    """

    def __init__(
        self,
        folder: PathName | None,
        temporary: PathName | None,
        facts: Any,
        *,
        task: str,
        error: type[RosewoodError],
    ) -> None:
        self._journal_name = f"{task}.journal"
        self._can_go_on = facts is not None
        self._key = fingerprint(__version__, token_hex(16) if facts is None else facts)
        self._lock: FileLock | None = None
        if folder is None:
            self.folder = Path(tempfile.mkdtemp(prefix=f"rosewood-{task}-", dir=temporary))
            self._journal = Journal()
            weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
            return
        self.folder = Path(folder)
        journal = self.folder / self._journal_name
        if self.folder.exists() and not self._is_ours():
            reason = f"refusing to overwrite it: not created by Rosewood (no {journal.name})"
            raise FormatError(reason, code="file.exists", file=self.folder, expected=journal.name)
        was_there = self.folder.exists() and not any(self.folder.iterdir())
        self.folder.mkdir(exist_ok=True)
        self._lock = folder_lock(self.folder, error)
        self._journal = Journal(journal)
        if f"{self._key} {_BEGUN}" not in self._journal:
            self._begin_anew(was_there)

    @property
    def is_named(self) -> bool:
        """Whether the same work can go on from here."""
        return self._journal.path is not None

    def result(self, step: str) -> Any:
        """What a step that was done before this one gave; nothing if it has yet to be done."""
        key = f"{self._key} {step}"
        return self._journal.done(key, dict) if key in self._journal else None

    def note(self, step: str, result: Any) -> None:
        """Record a finished step: all that later steps need is in the folder or in its result."""
        if self.is_named:
            self._journal.done(f"{self._key} {step}", lambda: result)

    def abandon(self) -> None:
        """The work has failed: nothing stays but what one can go on from."""
        if len(self._journal) <= 1 or not self._can_go_on:
            self.remove()
        else:
            self._free()

    def remove(self) -> None:
        """The work is done: nothing stays."""
        begun = self.result(_BEGUN)
        if self.is_named:
            self._clear()
        self._free()
        shutil.rmtree(self.folder, ignore_errors=not self.is_named)
        if begun and begun["was_there"]:  # somebody had made it
            self.folder.mkdir()

    def _free(self) -> None:
        if self._lock is not None:
            self._lock.release()

    def _is_ours(self) -> bool:
        names = {path.name for path in self.folder.iterdir()} if self.folder.is_dir() else {""}
        return not names or self._journal_name in names or names == {_LOCK}

    def _begin_anew(self, was_there: bool) -> None:
        """End the work that was begun here before."""
        self._clear()
        self._journal = Journal(self.folder / self._journal_name)
        self.note(_BEGUN, {"was_there": was_there})

    def _clear(self) -> None:
        """Delete all files but the journal, which is emptied first, and the lock.

        So a process that is killed meanwhile leaves a folder that is known as one of these, and
        whose journal names no step whose files are gone.
        """
        path = self.folder / self._journal_name
        path.write_bytes(b"")
        for old in self.folder.iterdir():
            if old.is_dir():
                shutil.rmtree(old)
            elif old.name not in (path.name, _LOCK):
                old.unlink()


def folder_lock(folder: Path, error: type[RosewoodError]) -> FileLock:
    """The lock of a folder in which one process works at a time."""
    return FileLock(
        folder / _LOCK, error, f"{folder}: another process is at work there",
        "wait until it ends, or choose another folder (--work)",
    )  # fmt: skip
