"""Where training pairs came from: the file and the line of each, as a folder of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rosewood.errors import DamagedFileError
from rosewood.folders import FolderKind, cut_words, joined_words

_KIND = FolderKind(
    "origins.json",
    "rosewood origins",
    1,
    {"file": "<i4", "line": "<i8", "names": "|u1", "name_start": "<i8"},
)


class Origins:
    """File and line of each pair, mapped."""

    def __init__(self, folder: Path, arrays: Mapping[str, Any]) -> None:
        """Use `Origins.open`."""
        self._folder, self._arrays = folder, arrays

    @classmethod
    def open(cls, folder: Path) -> Origins:
        """Map a folder that `write_origins` wrote."""
        return cls(folder, _KIND.open(folder)[1])

    @staticmethod
    def verify(folder: Path) -> None:
        """Compare every byte with its checksum."""
        _KIND.verify(folder)

    def __len__(self) -> int:
        return len(self._arrays["file"])

    def __getitem__(self, pair: int) -> str:
        """The origin of a pair as file:line, or the file alone."""
        found = self._arrays
        names, start = found["names"], found["name_start"]
        file, line = int(found["file"][pair]), int(found["line"][pair])
        if not 0 <= file < len(start) - 1:
            raise DamagedFileError(
                f"pair {pair} has file number {file}, expected 0 to {len(start) - 2}",
                code="file.damaged", argument="pair", value=file, file=self._folder / "file",
            )  # fmt: skip
        name = names[start[file] : start[file + 1]].tobytes().decode(errors="replace")
        return name if line < 0 else f"{name}:{line}"


def read_origins(folder: Path) -> tuple[list[str], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Read the names of files, and for each pair the number of its file and its line."""
    _, found = _KIND.open(folder)
    names = [name.decode() for name in cut_words(found["names"], found["name_start"])]
    return names, found["file"], found["line"]


def write_origins(
    folder: Path, names: list[str], file: np.ndarray[Any, Any], line: np.ndarray[Any, Any]
) -> None:
    """Write the number of each pair's file, and its line or -1."""
    word_bytes, start = joined_words(names)
    folder.mkdir()
    arrays = {"file": file, "line": line, "names": word_bytes, "name_start": start}
    _KIND.write(folder, arrays, {})
