"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path
from typing import BinaryIO

from rosewood.errors import FormatError, told_path
from rosewood.shared_types import PathName

_HERE, _EXCHANGE = -100, 2  # of Linux: AT_FDCWD, RENAME_EXCHANGE


@contextmanager
def whole_file(path: PathName) -> Iterator[BinaryIO]:
    """Opens a file for writing that takes its place when the block ends without an error.

    It is written aside, under a name nobody else has, and then renamed.  A symbolic link stays:
    what it leads to is replaced.  What is no ordinary file (a pipe, a device) is written directly.
    """
    target = Path(path)
    if target.exists() and not target.is_file():  # /dev/stdout is a link, and leads to no path
        with blamed_on(path), target.open("wb") as direct:
            yield direct
        return
    if target.is_symlink():
        target = target.resolve()
    aside = _aside(target)
    try:  # opens inside it: Ctrl-C may come as soon as the file exists
        with blamed_on(path), aside.open("xb+") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)


@contextmanager
def blamed_on(path: PathName) -> Iterator[None]:
    """Tells of a full disk where it is full; the system names no file when writing fails."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno in (ENOSPC, EFBIG, EDQUOT):
            error.filename = os.fspath(path)
        raise


@contextmanager
def whole_folder(path: PathName, *, marker: str) -> Iterator[Path]:
    """A new folder to write files into, which takes its place when the block ends without an error.

    What stands there already is replaced if it is an empty folder or has a file `marker`, which
    tells that it was written in this way; anything else is somebody's and is left alone.  The old
    folder and the new one change places in one step where the system can do that, so that there is
    always one of them, whenever this is killed.
    """
    target = Path(path)
    if target.is_symlink():
        target = target.resolve()
    check_folder(target, marker=marker)
    aside = _aside(target)
    aside.mkdir()
    try:
        yield aside
        if not target.exists():
            aside.rename(target)
        elif not exchange_folders(aside, target):  # or else what is aside now is the old one
            _replace(aside, target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def exchange_folders(one: Path, other: Path) -> bool:
    """Has two folders change places, or tells that this cannot be done here."""
    if sys.platform != "linux":
        return False
    import ctypes

    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    if rename is None:  # an old system library
        return False
    return bool(rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0)


def _replace(new: Path, target: Path) -> None:
    """The same in two steps; killed between them, it leaves the old folder as NAME….old."""
    old = _aside(target).with_suffix(".old")  # what ends in .part is deleted by those who find it
    target.rename(old)
    try:
        new.rename(target)
    except BaseException:
        old.rename(target)
        raise
    shutil.rmtree(old)


def check_folder(path: PathName, *, marker: str) -> None:
    """Refuses, before any work, what `whole_folder` would not write or could not."""
    if told_path(path) != os.fspath(path):  # native code takes no such names
        reason = "the name of a folder that is made must be UTF-8"
        raise FormatError(reason, file=path, code="file.encoding")
    target = Path(path).resolve()
    if target.exists() and not _is_ours(target, marker):
        reason = f"refusing to overwrite it: not created by Rosewood (no {marker})"
        raise FormatError(reason, code="file.exists", expected=marker, file=path)
    if Path(path).name in ("", ".."):  # it is renamed, and what is open there would be nowhere
        reason = "expected the name of a folder"
        raise FormatError(reason, file=path, code="argument.value", argument="folder")
    if not target.parent.is_dir():
        reason = f"there is no folder {str(target.parent)!r}"
        raise FormatError(reason, code="file.missing", value=str(target.parent), file=path)
    if not os.access(target.parent, os.W_OK):
        reason = "it cannot be written: no permission in its folder"
        raise FormatError(reason, file=path, code="file.permission")


def check_apart(folder: PathName, files: Iterable[PathName]) -> None:
    """Refuses a folder that will be replaced or deleted if something is in it that is wanted."""
    whole = Path(folder).resolve()
    for file in files:
        if Path(file).resolve().is_relative_to(whole):
            reason = f"{file} is in it, and would be lost"
            raise FormatError(reason, code="argument.conflict", value=str(file), file=folder)


def _aside(target: Path) -> Path:
    """A unique name in the same folder."""
    return target.with_name(f"{target.name}.{os.getpid()}-{secrets.token_hex(4)}.part")


def _is_ours(folder: Path, marker: str) -> bool:
    return folder.is_dir() and ((folder / marker).is_file() or not any(folder.iterdir()))
