"""The work folder of a run: finished stages, each in a folder named by its key.

    with StageStore("model.work") as store:
        clean = store.run("clean", key_of_clean, write_clean)
        words = store.run("tokenise", key_of_words, write_words, reads=[clean])

The key is the hash of everything that decides the result (stage.py).  A finished stage is not done
again; one that was killed is, unless it resumes from what it left in its own folder.  So a run that
was stopped continues, and a changed setting redoes only what depends on it.  One process at a time
uses the folder; several of its threads may run stages.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Self

from rosewood.errors import DamagedFileError, FormatError, TrainingError
from rosewood.folders import table_checksum
from rosewood.journal import fingerprint
from rosewood.output import whole_file, whole_folder
from rosewood.pipeline.inputs import content_hash
from rosewood.shared_types import PathName
from rosewood.work_folder import folder_lock

MARKER = "rosewood-training"  # tells that a folder is one of these
NOTE = "stage.json"
_KEY = 12  # letters of a hash in the name of a folder
_LEFT = re.compile(r"\.(\d+)-[0-9a-f]{8}\.part$")


@dataclass(frozen=True)
class Finished:
    """A stage that is done."""

    name: str
    key: str
    folder: Path
    facts: dict[str, Any]
    seconds: float  # that it took when it was done
    memory: int  # bytes that the process had used at most when it ended
    was_done: bool  # before this run
    files: dict[str, str]  # hashes of all that it has written

    def content(self, *beginnings: str) -> str:
        """A hash of its files, or of those whose names have one of these prefixes."""
        some = {n: h for n, h in self.files.items() if not beginnings or n.startswith(beginnings)}
        return fingerprint(some)

    def check(self) -> None:
        """Refuse a stage whose files do not match their checksums."""
        for name, digest in self.files.items():
            path = self.folder / name
            if not path.is_file() or content_hash(path) != digest:
                told = "checksum mismatch: delete its folder to rebuild this stage"
                raise DamagedFileError(told, file=path, code="file.damaged")


@dataclass(frozen=True)
class StagePlace:
    """Where a stage works."""

    folder: Path  # what is to stay
    going: Path  # from which it can go on if it is killed; gone when it is done


Work = Callable[[StagePlace], dict[str, Any]]


class StageStore:
    """The work folder of a run."""

    def __init__(self, folder: PathName) -> None:
        self.folder = Path(folder)
        marker = self.folder / MARKER
        if self.folder.exists() and not self._is_ours():
            told = f"refusing to overwrite it: it was not created by Rosewood (no {MARKER})"
            raise FormatError(told, file=folder, code="file.exists")
        if not self.folder.parent.is_dir():
            told = f"there is no folder {str(self.folder.parent)!r}"
            raise FormatError(told, file=folder, code="file.missing")
        self.folder.mkdir(exist_ok=True)
        marker.touch()
        self._lock = folder_lock(self.folder, TrainingError)
        self.finished: list[Finished] = []
        self._checked: set[str] = set()
        self._checking = Lock()
        remove_parts(self.folder, "")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def run(self, name: str, key: str, work: Work, reads: Iterable[Finished] = ()) -> Finished:
        """The finished stage with this key: from the folder, or by doing its work.

        `work` writes files and returns facts for the report: JSON values.  The stages that it
        reads are checked for damage before.
        """
        found = self._found(name, key)
        if found is None:
            self.check(reads)
            found = self._done(name, key, work)
        else:  # it may have been killed before it could do this
            shutil.rmtree(self._going(name, key), ignore_errors=True)
        self.finished.append(found)
        return found

    def check(self, stages: Iterable[Finished] | None = None) -> None:
        """Refuse stages of earlier runs whose files do not match their checksums."""
        with self._checking:
            for stage in list(self.finished) if stages is None else stages:
                if stage.was_done and stage.key not in self._checked:
                    stage.check()
                    self._checked.add(stage.key)

    def _is_ours(self) -> bool:
        if not self.folder.is_dir():
            return False
        return (self.folder / MARKER).exists() or not any(self.folder.iterdir())

    def has(self, name: str, key: str) -> bool:
        """Whether a stage is finished."""
        return self._found(name, key) is not None

    def _folder(self, name: str, key: str) -> Path:
        return self.folder / f"{name}-{key[:_KEY]}"

    def _going(self, name: str, key: str) -> Path:
        return self.folder / f"{name}-{key[:_KEY]}.going"

    def _found(self, name: str, key: str) -> Finished | None:
        folder = self._folder(name, key)
        try:
            note = json.loads((folder / NOTE).read_bytes())
            if note["crc32"] != table_checksum(note):
                raise ValueError("it does not match its checksum")
            if note["key"] != key:  # only the first letters are the same
                return None
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            told = f"it is not the note of a stage: delete its folder ({error})"
            raise DamagedFileError(told, file=folder / NOTE, code="file.damaged") from error
        return Finished(
            name, key, folder, note["facts"], note["seconds"], note["memory"], True, note["files"]
        )

    def _done(self, name: str, key: str, work: Work) -> Finished:
        folder = self._folder(name, key)
        going = self._going(name, key)
        begin = time.monotonic()
        with whole_folder(folder, marker=NOTE) as aside:
            facts = json.loads(json.dumps(work(StagePlace(aside, going)), allow_nan=False))
            files = _hashes(aside)
            seconds, memory = time.monotonic() - begin, _peak_memory()
            note = {"name": name, "key": key, "facts": facts, "files": files}
            note |= {"seconds": seconds, "memory": memory}
            note["crc32"] = table_checksum(note)
            with whole_file(aside / NOTE) as stream:
                stream.write(json.dumps(note, ensure_ascii=False).encode())
        shutil.rmtree(going, ignore_errors=True)
        return Finished(name, key, folder, facts, seconds, memory, False, files)


def _hashes(folder: Path) -> dict[str, str]:
    """Hashes of all files below a folder, in the order of their names."""
    found = sorted(path for path in folder.rglob("*") if not path.is_dir())
    return {path.relative_to(folder).as_posix(): content_hash(path) for path in found}


def remove_parts(folder: Path, name: str) -> None:
    """Remove partial files and folders of killed processes whose names begin with `name`."""
    for each in folder.iterdir():
        rest = _LEFT.search(each.name)
        if rest is None or name not in ("", each.name[: rest.start()]) or _lives(int(rest[1])):
            continue
        if each.is_dir():
            shutil.rmtree(each, ignore_errors=True)
        else:
            each.unlink(missing_ok=True)


def _lives(process: int) -> bool:
    """Whether there is such a process; where one cannot ask, it is taken to be there."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(process, 0)
    except (OSError, OverflowError) as error:
        return isinstance(error, PermissionError)
    return True


def _peak_memory() -> int:
    """Bytes that this process has used at most."""
    if sys.platform == "win32":
        return 0
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024
