"""Pieces of long work that are done, so that a run that was killed goes on where it was.

A piece is known by a hash of all that decides its result.  The file has a line of JSON for each;
a last line that was cut off is thrown away.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any

from rosewood.errors import FormatError
from rosewood.shared_types import PathName


def fingerprint(*facts: Any) -> str:
    """A hash of JSON values and bytes; equal facts have equal hashes, on every machine."""
    digest = hashlib.sha256()
    for fact in facts:
        if not isinstance(fact, bytes):
            text = json.dumps(fact, sort_keys=True, ensure_ascii=False, allow_nan=False)
            fact = text.encode(errors="surrogatepass")  # paths may be no UTF-8
        digest.update(len(fact).to_bytes(8, "little") + fact)
    return digest.hexdigest()


class Journal:
    """Results by key, on disk as soon as they are known.  Without a path, in memory alone."""

    def __init__(self, path: PathName | None = None) -> None:
        self.path = None if path is None else Path(path)
        self._known: dict[str, Any] = {}
        self._lock = Lock()
        self._whole: int | None = None  # where a line begins that was cut off
        if self.path is not None and self.path.exists():
            self._known, self._whole = _read(self.path)

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, key: str) -> bool:
        return key in self._known

    def done(self, key: str, work: Callable[[], Any]) -> Any:
        """The result of this piece: from the journal, or by doing the work (JSON values)."""
        if key in self._known:
            return self._known[key]
        result = work()
        line = json.dumps({"key": key, "result": result}, ensure_ascii=False, allow_nan=False)
        with self._lock:
            self._known[key] = result
            if self.path is not None:
                with self.path.open("ab") as file:
                    if self._whole is not None:
                        file.truncate(self._whole)
                        self._whole = None
                    file.write(line.encode() + b"\n")
                    file.flush()
                    os.fsync(file.fileno())
        return result

    def remove(self) -> None:
        """The work is done: the file is no longer needed."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


_BEGIN = b'{"key": "'


def _read(path: Path) -> tuple[dict[str, Any], int | None]:
    """The results of a file, and where its last line begins if a kill has cut it off."""
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    known: dict[str, Any] = {}
    for number, line in enumerate(data[:whole].splitlines(), start=1):
        try:
            entry = json.loads(line)
            known[entry["key"]] = entry["result"]
        except (ValueError, KeyError, TypeError) as error:
            reason = "it is not a journal"
            raise FormatError(reason, file=path, line=number, code="file.kind") from error
    rest = data[whole:]
    if not rest.startswith(_BEGIN[: len(rest)]):
        raise FormatError("it is not a journal", file=path, line=len(known) + 1, code="file.kind")
    return known, whole if rest else None
