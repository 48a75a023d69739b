"""Where estimation works: a folder for what does not fit into memory, and what was done in it.

A folder that is named stays when the work is stopped, so that the same work goes on from there; one
without a name is gone with it.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

from rosewood.errors import FormatError
from rosewood.journal import Journal, fingerprint

__all__ = ["Workplace"]

_JOURNAL = "estimate.journal"


class Workplace:
    """The folder, made when it is first asked for, and a journal of the steps that are done."""

    def __init__(
        self, folder: str | PathLike[str] | None, temporary: str | PathLike[str] | None, facts: Any
    ) -> None:
        self._made: weakref.finalize[..., Workplace] | None = None  # deletes what was made
        self._unnamed: Path | None = None
        self._temporary = temporary
        self._named = None if folder is None else Path(folder)
        self._key = fingerprint(facts)
        self._journal: Journal | None = None

    @property
    def folder(self) -> Path:
        if self._named is not None:
            self._named.mkdir(exist_ok=True)
            return self._named
        if self._unnamed is None:
            self._unnamed = Path(tempfile.mkdtemp(prefix="rosewood-lm-", dir=self._temporary))
            self._made = weakref.finalize(self, shutil.rmtree, self._unnamed, ignore_errors=True)
        return self._unnamed

    def result(self, step: str) -> Any:
        """What a step that was done before this one gave; nothing if it has yet to be done."""
        key = f"{self._key} {step}"
        journal = self._opened()
        return journal.done(key, dict) if key in journal else None

    def note(self, step: str, result: Any) -> None:
        """A step is done: all that those behind it need is in the folder, or in its result."""
        if self._named is not None:
            self._opened().done(f"{self._key} {step}", lambda: result)

    def forget(self, keep: Callable[[str], bool]) -> None:
        """Deletes files of the folder but for those to be kept."""
        for path in self.folder.iterdir():
            if path.name != _JOURNAL and not keep(path.name):
                path.unlink()

    def abandon(self) -> None:
        """The work has failed: nothing stays but what one can go on from."""
        if self._named is None or len(self._opened()) == 0:
            self.remove()

    def remove(self) -> None:
        """The work is done: nothing stays."""
        if self._made is not None:
            self._made()
            self._made = self._unnamed = None
        if self._named is not None and self._named.exists():
            shutil.rmtree(self._named)

    def _opened(self) -> Journal:
        if self._journal is None:
            if self._named is None:
                self._journal = Journal()
            else:
                path = self._named / _JOURNAL
                if self._named.exists() and not path.exists() and any(self._named.iterdir()):
                    raise FormatError(f"it is there already, and has no {_JOURNAL}: is it yours?",
                                      file=self._named)  # fmt: skip
                self._journal = Journal(path)
        return self._journal
