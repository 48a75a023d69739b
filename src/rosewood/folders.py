"""Folders of arrays with a manifest: what corpora and models are on disk.

Every array is a file of plain little-endian numbers, which is mapped, not read; the manifest, a
JSON file, says what the folder is, of which version, and has the size and checksum of each file.
"""

from __future__ import annotations

import json
import mmap
import zlib
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosewood.errors import DamagedFileError
from rosewood.output import whole_file

_CHUNK = 1 << 24


class FolderKind(NamedTuple):
    """A kind of folder: the name, format and version of its manifest, and its files."""

    manifest: str
    format: str
    version: int
    files: Mapping[str, str]  # their types of numbers, such as <i4

    def write_manifest(
        self, folder: Path, told: Mapping[str, Mapping[str, int]], facts: Mapping[str, Any]
    ) -> None:
        """Sizes and checksums of the files, and whatever else is to be known."""
        table = {"format": self.format, "version": self.version, **facts, "files": told}
        table["crc32"] = table_checksum(table)
        with whole_file(folder / self.manifest) as stream:
            stream.write(json.dumps(table, indent=1, ensure_ascii=False).encode() + b"\n")

    def write(
        self, folder: Path, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]
    ) -> None:
        """All files of a folder that is being made."""
        told = {}
        for name, kind in self.files.items():
            data = np.ascontiguousarray(arrays[name]).astype(kind, copy=False).tobytes()
            with whole_file(folder / name) as stream:
                stream.write(data)
            told[name] = {"bytes": len(data), "crc32": zlib.crc32(data)}
        self.write_manifest(folder, told, facts)

    def read_manifest(self, folder: Path) -> dict[str, Any]:
        """The manifest, if it is one of ours; its `files` are those that must be there."""
        path = folder / self.manifest
        what = f"it is not the manifest of a {self.format}"
        try:
            table = json.loads(path.read_bytes())
            kind, version, listed = table["format"], table["version"], table["files"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise DamagedFileError(what, file=path, code="file.kind") from error
        if kind != self.format:
            raise DamagedFileError(what, file=path, code="file.kind")
        if version != self.version:
            reason = f"its format version is {version}, this release reads {self.version}"
            raise DamagedFileError(reason, code="file.version", value=version, file=path)
        is_good = isinstance(listed, dict) and set(listed) == set(self.files)
        if not is_good or not all(map(_is_entry, listed.values())):
            reason = "its list of files is damaged"
            raise DamagedFileError(reason, code="file.damaged", argument="files", file=path)
        return dict(table)

    def open(self, folder: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The manifest and the arrays, mapped; their sizes are checked, their content is not."""
        table = self.read_manifest(folder)
        sizes = {name: entry["bytes"] for name, entry in table["files"].items()}
        arrays = {n: mapped(folder / n, kind, sizes[n]) for n, kind in self.files.items()}
        return table, arrays

    def verify(self, folder: Path) -> None:
        """Every byte of every file against its checksum."""
        table, _ = self.open(folder)  # a file that is missing or cut short is told as such
        for name, entry in table["files"].items():
            if checksum(folder / name) != entry["crc32"]:
                raise DamagedFileError("checksum mismatch", file=folder / name, code="file.changed")

    def verify_manifest(self, folder: Path) -> None:
        """Check the manifest's own checksum, last: other checks tell more about the damage."""
        table = self.read_manifest(folder)
        if table.get("crc32") != table_checksum(table):
            reason = "checksum mismatch"
            raise DamagedFileError(reason, file=folder / self.manifest, code="file.changed")


def table_checksum(table: Mapping[str, Any]) -> int:
    """CRC-32 of a manifest without its field crc32."""
    said = {name: value for name, value in table.items() if name != "crc32"}
    return zlib.crc32(json.dumps(said, sort_keys=True).encode())


def _is_entry(entry: object) -> bool:
    return (
        isinstance(entry, dict)
        and entry.keys() == {"bytes", "crc32"}
        and all(type(value) is int and value >= 0 for value in entry.values())
    )


def mapped(path: Path, kind: str, size: int) -> NDArray[Any]:
    """The numbers of a file, read-only."""
    try:
        stream = path.open("rb")
    except FileNotFoundError as error:
        raise DamagedFileError("the file is missing", file=path, code="file.missing") from error
    with stream:
        found = stream.seek(0, 2)
        if found != size:
            raise DamagedFileError(
                f"it has {found} bytes, expected {size}",
                code="file.damaged", value=found, expected=size, file=path,
            )  # fmt: skip
        if size % np.dtype(kind).itemsize:
            reason = f"its {size} bytes are not whole numbers"
            raise DamagedFileError(reason, file=path, code="file.damaged")
        if size == 0:
            return np.frombuffer(b"", kind)
        data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    return np.frombuffer(data, kind)


def check_offsets(path: Path, start: NDArray[np.int64], end: int) -> None:
    """Refuses offsets that do not ascend from 0 to `end`."""
    if len(start) == 0 or start[0] != 0 or start[-1] != end:
        reason = f"its offsets do not go from 0 to {end}"
        raise DamagedFileError(reason, code="file.damaged", argument="offsets", file=path)
    if (start[1:] < start[:-1]).any():
        reason = "its offsets do not ascend"
        raise DamagedFileError(reason, code="file.damaged", argument="order", file=path)


def checksum(path: Path) -> int:
    """CRC-32 of a file."""
    crc = 0
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            crc = zlib.crc32(chunk, crc)
    return crc


def checksums(folder: Path) -> dict[str, dict[str, int]]:
    """Size and checksum of all files below a folder, in the order of their names."""
    found = sorted(path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    for path in found:
        if not path.is_file():  # a link to a folder, a pipe: nothing of ours
            raise DamagedFileError("it is not a regular file", file=path, code="file.kind")
    return {
        path.relative_to(folder).as_posix(): {
            "bytes": path.stat().st_size,
            "crc32": checksum(path),
        }
        for path in found
    }


def joined_words(words: Iterable[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Words as bytes, one after the other, and where each begins."""
    parts = [word.encode() for word in words]
    start = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    return np.frombuffer(b"".join(parts), np.uint8), start


def cut_words(word_bytes: NDArray[np.uint8], word_start: NDArray[np.int64]) -> list[bytes]:
    """The words, one by one."""
    text = word_bytes.tobytes()
    return [text[begin:end] for begin, end in pairwise(word_start.tolist())]
